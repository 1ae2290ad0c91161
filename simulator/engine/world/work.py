"""What playing costs, counted: the same on every machine, so that a bound on it is met at the same
place wherever the run is played.

A unit is about ten microseconds of one core of an ordinary machine. Events cost very differently:
a probe's tick next to nothing, the choice among five hundred nodes a thousand times as much. So
whatever is expensive is counted as well, each in as many units as it takes. Over runs of very
different kinds a second holds 50,000 to 200,000 units, with few exceptions below and above.
"""

from simulator.engine.runtime.effort import STEP

UNIT = 4 * STEP
"""What containers compute (runtime/effort.py) that counts as one unit. ``Effects.spent`` is counted in these smaller ones."""
RECORD = 1
"""A record, in units; an event counts as one as well."""
WRITE = 5
"""A write to the API server's store, with what its watches do."""
TURN = 3 * UNIT
"""A turn of a container's processes beside what they compute in it, as ``Effects.spent``."""
SYNC = 5 * UNIT
"""A round of a kubelet's pod worker, as ``Effects.spent``: most of them record nothing."""
NODE = UNIT // 2
"""One node that the scheduler looks at for a pod, as ``Effects.spent``."""
OWNED = UNIT // 8
"""One pod that a controller looks at because it owns it, as ``Effects.spent``."""
PLACE = UNIT // 2
"""One place of a DaemonSet or StatefulSet that its round sees to, as ``Effects.spent``."""


def units_of(*, events: int, spent: int, records: int, writes: int) -> int:
    """The units of so many events, with what was spent in them, recorded and written."""
    return events + spent // UNIT + RECORD * records + WRITE * writes
