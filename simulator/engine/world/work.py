"""The cost of playing a run, counted in units: the same on every machine, so that a bound is reached at the
same place wherever the run is played.

A unit is about ten microseconds of one core of an ordinary machine. Events differ widely in cost:
a probe's tick costs next to nothing, choosing among five hundred nodes a thousand times as much. So
expensive work is counted as well, each kind in as many units as it takes. Over very different kinds
of runs a second holds 50,000 to 200,000 units, with few exceptions below and above.
"""

from simulator.engine.containers.effort import STEP
from simulator.engine.world.effects import REVISIONS
from simulator.engine.world.world import World

UNIT = 4 * STEP
"""How much container computation (containers/effort.py) makes one unit. ``World.spent`` is counted in these smaller units."""
EVENT = UNIT
"""Handling an event or a command, in ``World.spent`` units."""
RECORD = 1
"""A record, in units."""
WRITE = 5
"""A write to the API server's store, including its watches."""
TURN = 3 * UNIT
"""A turn of a container's processes, apart from what they compute in it, in ``World.spent`` units."""
SYNC = 5 * UNIT
"""A round of a kubelet's pod worker, in ``World.spent`` units: most of them record nothing."""
NODE = UNIT // 2
"""One node that the scheduler considers for a pod, in ``World.spent`` units."""
OWNED = UNIT // 8
"""One owned pod that a controller examines, in ``World.spent`` units."""
PLACE = UNIT // 2
"""One place of a DaemonSet or StatefulSet that is handled in a round, in ``World.spent`` units."""


def work_of(world: World) -> int:
    """The units of work since a world began. About 0.2 µs.

    The cost of a stretch is the difference of two of these, so no fraction of a unit is lost where one stretch ends and the next begins:
    the costs add up to the same wherever the cuts are.
    """
    return world.spent // UNIT + RECORD * world.seq + WRITE * world.counters.get(REVISIONS, 0)
