"""Which runs may be driven now: a runner has a limited number of places, and more runs may want one. Pure; takes stored runs as contenders.

Places are allotted in rounds: first one run for every address, then a second one, and so on; and within an address, likewise one
for every owner, then a second one. So a newcomer never waits for a visitor who has many, and if places are short the visitor with
the most loses one. Runs that nobody has looked at recently come after all others, and after those come idle ones, which only keep
a place while nobody else needs it: they are paused, or nothing more happens in them by itself.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from uuid import UUID

from msgspec import Struct


class Contender(Struct, frozen=True, kw_only=True):
    """A run that wants a place. ``owner`` and ``address`` are hashes, empty if unknown; ``since_ms`` is when it began to want one.

    ``is_stale``: nobody has looked recently. ``is_idle``: it has nothing to do now. ``is_in_class``: a pupil's own run in a class.
    ``take_overs``: how many runners in a row were lost while driving it.
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
    """How many places one owner and one address may have at once; 0 means any number."""

    per_owner: int = 0
    per_address: int = 0


class Wait(Struct, frozen=True, kw_only=True):
    """Why no runner drives a run, and its place in the queue if that is the reason.

    ``reason``: queue, owner or address (the quota is used up), runner (there is none), opening (a runner is taking it).
    """

    reason: str
    place: int = 0


class OtherRunner(Struct, frozen=True, kw_only=True):
    """Another live runner, as of its last report. ``takers`` are the addresses whose runs use much of it (turns/separation.py)."""

    name: str
    runs: int
    places: int
    takers: tuple[str, ...] = ()

    @property
    def room(self) -> int:
        """How many more runs it can take."""
        return max(0, self.places - self.runs)


class PlacePlan(Struct, frozen=True, kw_only=True):
    """The runs that may have a place, best first, and why the rest wait; ``others`` are the runners that share the places with this one."""

    entitled: tuple[Contender, ...] = ()
    waits: dict[UUID, Wait] = {}
    others: tuple[OtherRunner, ...] = ()

    def knows(self, run_id: UUID) -> bool:
        """Whether the run is among the contenders."""
        return run_id in self.waits or any(contender.run_id == run_id for contender in self.entitled)


def plan(contenders: Iterable[Contender], *, places: int, quota: PlaceQuota, others: tuple[OtherRunner, ...] = ()) -> PlacePlan:
    """Allot ``places`` and those of ``others``. The same rows give the same plan in every process. O(n log n)."""
    waits: dict[UUID, Wait] = {}
    # First by browser, then in that order by address: an address's first run is that of the browser with the
    # fewest.
    ranked = _ranked(contenders, {}, lambda each: each.owner or address_of(each))
    # Quotas come before places: a run beyond its quota takes no place in the queue of others.
    by_owner = {each: rank for each, rank in ranked.items() if each.owner}
    allowed = _without(ranked, _beyond(by_owner, waits, quota.per_owner, "owner"))
    ranked = _ranked(allowed, ranked, address_of)
    # A school is one address, and the teacher decides how large a class is: its runs take turns with all
    # others, but do not count towards a quota.
    by_address = _ranked((each for each in allowed if each.address and not each.is_in_class), ranked, address_of)
    allowed = _without(allowed, _beyond(by_address, waits, quota.per_address, "address"))
    in_order = sorted(allowed, key=lambda each: _order(each, ranked[each]))
    place, places = 0, places + sum(other.places for other in others)
    for each in in_order[places:]:
        place += not each.is_held
        waits[each.run_id] = Wait(reason="queue" if places else "runner", place=max(place, 1) if places else 0)
    return PlacePlan(entitled=tuple(in_order[:places]), waits=waits, others=others)


def address_of(each: Contender) -> str:
    """The address that the run counts towards; if unknown, one derived from its owner."""
    return each.address or f"of {each.owner}"


def _order(each: Contender, rank: int) -> tuple[bool, bool, int, bool, int, UUID]:
    """Sort key. A run that has a place keeps it against its equals, so that runs do not move back and forth."""
    return (each.is_idle, each.is_stale, rank, not each.is_held, each.since_ms, each.run_id)


def _ranked(contenders: Iterable[Contender], before: dict[Contender, int], holder: Callable[[Contender], str]) -> dict[Contender, int]:
    """Each contender's rank, from 1, among those of its holder, in the order of their previous ranks."""
    count: Counter[str] = Counter()
    ranks: dict[Contender, int] = {}
    for each in sorted(contenders, key=lambda each: _order(each, before.get(each, 0))):
        count[holder(each)] += 1
        ranks[each] = count[holder(each)]
    return ranks


def _beyond(ranks: dict[Contender, int], waits: dict[UUID, Wait], limit: int, reason: str) -> set[Contender]:
    """The contenders beyond their holder's limit; adds to ``waits`` why they wait."""
    beyond = {each for each, rank in ranks.items() if limit and rank > limit}
    waits.update((each.run_id, Wait(reason=reason)) for each in beyond)
    return beyond


def _without(contenders: Iterable[Contender], beyond: set[Contender]) -> list[Contender]:
    return [each for each in contenders if each not in beyond]
