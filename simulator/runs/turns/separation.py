"""Which runs a runner leaves to another one, so that heavy users (takers) only delay each other.

One of several runners is set aside for takers: the last by name, so that all runners agree on it without communicating. If an address uses
much of a runner where others have runs too, its runs move to that runner, and the runs of others move away from it. If nobody else is
there, nothing moves: a single user may have the whole machine.
"""

from collections.abc import Iterable
from itertools import islice
from uuid import UUID

from msgspec import Struct

from simulator.runs.turns.places import PlacePlan, address_of


class Separation(Struct, frozen=True, kw_only=True):
    """What one runner does about takers.

    ``takers``: the addresses that use much of any runner while others have active runs. ``elsewhere``: runs that this runner neither keeps
    nor takes. ``lowers_priority``: it drives takers only, so nobody else has to wait if it is slow.
    """

    takers: frozenset[str] = frozenset()
    elsewhere: frozenset[UUID] = frozenset()
    lowers_priority: bool = False


def separation_of(plan: PlacePlan, *, runner: str, held: Iterable[UUID], takers: frozenset[str]) -> Separation:
    """What ``runner``, which drives ``held``, leaves to others: at most what they have room for. O(n).

    ``takers`` are the addresses that use much of this runner; the others have reported theirs. Runs with nothing to do stay where they are.
    """
    # All runners must reach the same decision, so each considers the takers of all, as last reported.
    takers = takers.union(*(other.takers for other in plan.others))
    moving = {each.run_id: address_of(each) in takers for each in plan.entitled if not (each.is_held and (each.is_idle or each.is_stale))}
    # Only takers, or none: nobody is delayed.
    if set(moving.values()) != {True, False}:
        return Separation()
    if not plan.others:
        return Separation(takers=takers)
    kept = {moving[run_id] for run_id in held if run_id in moving}
    # The last by name: an arbitrary choice that all runners agree on.
    aside = max(plan.others, key=lambda other: other.name)
    is_aside = runner > aside.name
    if is_aside not in kept:  # the runs that should move would delay nobody here
        return Separation(takers=takers)
    room = sum(other.room for other in (plan.others if is_aside else (aside,)))
    # No more than there is room for: a run that left without a free place would stop.
    leaving = (run_id for run_id, takes_much in moving.items() if takes_much is not is_aside)
    return Separation(takers=takers, elsewhere=frozenset(islice(leaving, room)), lowers_priority=is_aside and kept == {True})
