"""Which runs a runner leaves to another one: whoever takes much of it is to hold up nobody but whoever does so, too.

Of several runners one stands aside, the last by name, so that all know which without being told. Where somebody's runs take much of a
runner that others have runs in, too, they move to that one; and the runs of others move away from it. Where nobody else is there, nothing
moves: one may have all of a machine that nobody else wants.
"""

from collections.abc import Iterable
from uuid import UUID

from simulator.runs.places import PlacePlan, address_of

HALF_S = 5.0
"""Computing time that long ago counts half."""
MUCH_S = 1.0
"""So much of it is much: a seventh of a core for as long as it goes on. A calm run takes a hundredth of that."""
LITTLE_S = MUCH_S / 8
"""Who had much counts as such until no more than this is left of it, a quarter of a minute later."""


def others_to_drive(plan: PlacePlan, *, runner: str, held: Iterable[UUID], much: frozenset[str]) -> frozenset[UUID]:
    """Runs that ``runner``, which has ``held``, neither keeps nor takes; ``much``: the addresses that take much of it. O(n)."""
    if not much or not plan.others:
        return frozenset()
    aside = max(plan.others, key=lambda other: other.name)
    addresses = {each.run_id: address_of(each) for each in plan.entitled}
    takers = frozenset(run_id for run_id, address in addresses.items() if address in much)
    if runner > aside.name:
        return frozenset(addresses) - takers if any(other.has_room for other in plan.others) else frozenset()
    is_shared = any(run_id in addresses and run_id not in takers for run_id in held)
    return takers if is_shared and aside.has_room else frozenset()
