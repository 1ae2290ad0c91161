"""How many of the runs that wait a runner takes at once, where others could take them: all are woken by the same announcement, and the
quickest would have them all. So a run goes to those that drive fewest, and whoever drives more leaves it to them for a moment.

What is left is taken soon by anybody (``LEFT_S``): the others may be full of work, or gone without a word. What others drive is as of
their last beat, so runners that believe each other a little emptier than they are must not leave the same run to each other: one more than
its share is taken at once (``EVEN_SLACK``).
"""

from collections.abc import Sequence

from simulator.runs.turns.constants import EVEN_SLACK
from simulator.runs.turns.places import OtherRunner


def share_of(waiting: int, *, held: int, others: Sequence[OtherRunner]) -> int:
    """How many of ``waiting`` runs a runner that has ``held`` is to take at once. O(n log n) in the number of runners."""
    driven = sorted([held, *(other.runs for other in others if other.room)])
    # Fill the emptiest first, like water: up to the level of the next one, as long as that takes no more than there are.
    level, filled, left = driven[0], 1, waiting
    while filled < len(driven) and (needed := (driven[filled] - level) * filled) <= left:
        left, level, filled = left - needed, driven[filled], filled + 1
    level += -(-left // filled)
    return max(0, min(waiting, level + EVEN_SLACK - held))
