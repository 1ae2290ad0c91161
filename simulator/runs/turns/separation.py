"""Which runs a runner leaves to another one: whoever takes much of it is to hold up nobody but whoever does so, too.

Of several runners one stands aside, the last by name, so that all know which without being told. Where somebody's runs take much of a
runner that others have runs in, too, they move to that one; and the runs of others move away from it. Where nobody else is there, nothing
moves: one may have all of a machine that nobody else wants.
"""

from collections.abc import Iterable
from itertools import islice
from uuid import UUID

from msgspec import Struct

from simulator.runs.turns.places import PlacePlan, address_of


class Separation(Struct, frozen=True, kw_only=True):
    """What one runner does about it: runs that it neither keeps nor takes; whether it drives takers alone, and nobody else waits for it.

    ``takers`` are the addresses that take much, of any runner, while others have runs that do something.
    """

    takers: frozenset[str] = frozenset()
    elsewhere: frozenset[UUID] = frozenset()
    lowers_priority: bool = False


def separation_of(plan: PlacePlan, *, runner: str, held: Iterable[UUID], takers: frozenset[str]) -> Separation:
    """What ``runner``, which has ``held``, leaves to others: no more than they have room for. O(n).

    ``takers`` are the addresses that take much of it; those of others they have said themselves. What has nothing to do stays where it is.
    """
    # Every runner must come to the same answer, so all know of all takers, by what runners last said.
    takers = takers.union(*(other.takers for other in plan.others))
    moving = {each.run_id: address_of(each) in takers for each in plan.entitled if not (each.is_held and (each.is_idle or each.is_stale))}
    # Only takers, or none: no one is held up.
    if set(moving.values()) != {True, False}:
        return Separation()
    if not plan.others:
        return Separation(takers=takers)
    kept = {moving[run_id] for run_id in held if run_id in moving}
    # The last by name: known to all without a word, and as good as any.
    aside = max(plan.others, key=lambda other: other.name)
    is_aside = runner > aside.name
    if is_aside not in kept:  # nobody is here whom those that should go would hold up
        return Separation(takers=takers)
    room = sum(other.room for other in (plan.others if is_aside else (aside,)))
    # No more than there is room for: a run that leaves without a place to go would stand.
    leaving = (run_id for run_id, takes_much in moving.items() if takes_much is not is_aside)
    return Separation(takers=takers, elsewhere=frozenset(islice(leaving, room)), lowers_priority=is_aside and kept == {True})
