"""What playing costs, counted: the same on every machine, so that a bound on it is met at the same
place wherever the run is played.

A unit is about ten microseconds of one core of an ordinary machine. Events cost very differently:
a probe's tick next to nothing, the choice among five hundred nodes a thousand times as much. So
whatever is expensive is counted as well, each in as many units as it takes. Over runs of very
different kinds a second holds 50,000 to 200,000 units, with few exceptions below and above.
"""

from simulator.engine.containers.effort import STEP
from simulator.engine.world.effects import REVISIONS
from simulator.engine.world.world import World

UNIT = 4 * STEP
"""What containers compute (containers/effort.py) that counts as one unit. ``World.spent`` is counted in these smaller ones."""
EVENT = UNIT
"""An event that is handled, or a command, as ``World.spent``."""
RECORD = 1
"""A record, in units."""
WRITE = 5
"""A write to the API server's store, with what its watches do."""
TURN = 3 * UNIT
"""A turn of a container's processes beside what they compute in it, as ``World.spent``."""
SYNC = 5 * UNIT
"""A round of a kubelet's pod worker, as ``World.spent``: most of them record nothing."""
NODE = UNIT // 2
"""One node that the scheduler looks at for a pod, as ``World.spent``."""
OWNED = UNIT // 8
"""One pod that a controller looks at because it owns it, as ``World.spent``."""
PLACE = UNIT // 2
"""One place of a DaemonSet or StatefulSet that its round sees to, as ``World.spent``."""


def work_of(world: World) -> int:
    """The units of work since a world began. About 0.2 µs.

    What a stretch cost is the difference of two of these, so nothing of a unit is lost where one stretch ends and the next begins:
    they add up to the same wherever they are cut.
    """
    return world.spent // UNIT + RECORD * world.seq + WRITE * world.counters.get(REVISIONS, 0)
