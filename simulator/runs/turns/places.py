"""Who may run now: a runner has room for so many runs, and more may be wanted. Pure; what is stored comes in as contenders.

Places are dealt out in rounds: first one run for every address, then a second one, and so on; and within an address likewise one
for every owner, then a second one. So a newcomer never waits for a visitor who has many, and where places are short it is the
biggest holder who gives one back. Runs that nobody has looked at lately come after all others, and after those come the idle ones,
which keep a place only as long as nobody else needs it: paused, or with nothing left that happens by itself.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from uuid import UUID

from msgspec import Struct


class Contender(Struct, frozen=True, kw_only=True):
    """A run that somebody wants. ``owner`` and ``address`` are hashes, empty where unknown; ``since_ms`` is when the wish began.

    ``is_stale``: nobody has looked lately. ``is_idle``: there is nothing to do for it now. ``is_in_class``: a pupil's own run in a class.
    ``take_overs``: owners in a row that were lost over it.
    """

    run_id: UUID
    owner: str = ""
    address: str = ""
    since_ms: int = 0
    is_held: bool = False
    is_stale: bool = False
    is_idle: bool = False
    is_in_class: bool = False
    epoch: int = 0
    take_overs: int = 0


class PlaceQuota(Struct, frozen=True, kw_only=True):
    """How many runs one owner and one address may have in places at once; 0 means any number."""

    per_owner: int = 0
    per_address: int = 0


class Wait(Struct, frozen=True, kw_only=True):
    """Why a run has no owner, and its place in the queue where that is the reason.

    ``reason``: queue, owner or address (the quota is used up), runner (there is none), opening (it is being taken up).
    """

    reason: str
    place: int = 0


class OtherRunner(Struct, frozen=True, kw_only=True):
    """Another runner that is alive, as it last said. ``takers`` are the addresses whose runs take much of it (turns/separation.py)."""

    name: str
    runs: int
    places: int
    takers: tuple[str, ...] = ()

    @property
    def room(self) -> int:
        """How many runs more it can take."""
        return max(0, self.places - self.runs)


class PlacePlan(Struct, frozen=True, kw_only=True):
    """Who may have a place, best first, and why everybody else waits; the ``others`` that whoever asked shares the places with."""

    entitled: tuple[Contender, ...] = ()
    waits: dict[UUID, Wait] = {}
    others: tuple[OtherRunner, ...] = ()

    def knows(self, run_id: UUID) -> bool:
        """Whether somebody wants the run at all."""
        return run_id in self.waits or any(contender.run_id == run_id for contender in self.entitled)


def plan(contenders: Iterable[Contender], *, places: int, quota: PlaceQuota, others: tuple[OtherRunner, ...] = ()) -> PlacePlan:
    """Deal out ``places`` and those of ``others``. The same rows give the same plan in every process. O(n log n)."""
    waits: dict[UUID, Wait] = {}
    # First by browser, then by address in that order: an address's first run is that of the browser that has
    # least.
    ranked = _ranked(contenders, {}, lambda each: each.owner or address_of(each))
    # Quotas come before places: a run beyond its quota takes no place in the queue of others.
    by_owner = {each: rank for each, rank in ranked.items() if each.owner}
    allowed = _without(ranked, _beyond(by_owner, waits, quota.per_owner, "owner"))
    ranked = _ranked(allowed, ranked, address_of)
    # A school is one address, and a class is as large as its teacher lets it be: its runs take turns with
    # all others, but use up nobody's quota.
    by_address = _ranked((each for each in allowed if each.address and not each.is_in_class), ranked, address_of)
    allowed = _without(allowed, _beyond(by_address, waits, quota.per_address, "address"))
    in_order = sorted(allowed, key=lambda each: _order(each, ranked[each]))
    place, places = 0, places + sum(other.places for other in others)
    for each in in_order[places:]:
        place += not each.is_held
        waits[each.run_id] = Wait(reason="queue" if places else "runner", place=max(place, 1) if places else 0)
    return PlacePlan(entitled=tuple(in_order[:places]), waits=waits, others=others)


def address_of(each: Contender) -> str:
    """The address that the run counts for; one of its own where it is unknown."""
    return each.address or f"of {each.owner}"


def _order(each: Contender, rank: int) -> tuple[bool, bool, int, bool, int, UUID]:
    """Whoever has a place keeps it against those of equal standing: nobody is sent back and forth."""
    return (each.is_idle, each.is_stale, rank, not each.is_held, each.since_ms, each.run_id)


def _ranked(contenders: Iterable[Contender], before: dict[Contender, int], holder: Callable[[Contender], str]) -> dict[Contender, int]:
    """Each contender's place among those of its holder, counted in the order of their earlier ranks."""
    count: Counter[str] = Counter()
    ranks: dict[Contender, int] = {}
    for each in sorted(contenders, key=lambda each: _order(each, before.get(each, 0))):
        count[holder(each)] += 1
        ranks[each] = count[holder(each)]
    return ranks


def _beyond(ranks: dict[Contender, int], waits: dict[UUID, Wait], limit: int, reason: str) -> set[Contender]:
    """Those beyond the limit of their holder; why they wait is noted."""
    beyond = {each for each, rank in ranks.items() if limit and rank > limit}
    waits.update((each.run_id, Wait(reason=reason)) for each in beyond)
    return beyond


def _without(contenders: Iterable[Contender], beyond: set[Contender]) -> list[Contender]:
    return [each for each in contenders if each not in beyond]
