"""How many waiting runs a runner takes immediately when other runners could take them too. The same announcement wakes all of them, and the
fastest would take everything. So runs go to the runners that drive fewest, and a runner that drives more leaves them alone for a moment.

After ``LEFT_S`` any runner takes what is left, because the others may be busy or may have crashed. A runner knows the load of the others
only from their last heartbeat, and two that underestimate each other's load must not leave the same run to each other: so each takes one
more than its share (``EVEN_SLACK``).
"""

from collections.abc import Sequence

from simulator.runs.turns.constants import EVEN_SLACK
from simulator.runs.turns.places import OtherRunner


def share_of(waiting: int, *, held: int, others: Sequence[OtherRunner]) -> int:
    """How many of ``waiting`` runs a runner that has ``held`` should take immediately. O(n log n) in the number of runners."""
    driven = sorted([held, *(other.runs for other in others if other.room)])
    # Fill the emptiest first, like water, up to the level of the next one, as long as enough runs are left.
    level, filled, left = driven[0], 1, waiting
    while filled < len(driven) and (needed := (driven[filled] - level) * filled) <= left:
        left, level, filled = left - needed, driven[filled], filled + 1
    level += -(-left // filled)
    return max(0, min(waiting, level + EVEN_SLACK - held))
