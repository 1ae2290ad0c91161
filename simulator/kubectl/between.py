"""The moments at which an answer changes although no step of the run happens.

Ages grow, Events expire, a kubelet renews its lease without a record of it, and ``--since`` drops lines. Everything
else that kubectl prints follows from the state of the world, which changes only in steps.
"""

from collections.abc import Iterator

from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.model.kinds import kind_of
from simulator.engine.world.world import World
from simulator.kubectl.line import BadLine, Line, parse_line
from simulator.kubectl.logs import since_of
from simulator.kubectl.shell import shell_line

_BARE = ("yaml", "json", "name")
"""Output formats that print moments rather than ages."""


def next_change(world: World, text: str) -> Ms | None:
    """The next moment at which the answer to a line may change if no step comes first; None if it stays as it is.

    May return a moment at which nothing changes, but never misses a change. O(Events + nodes), for ``logs --since``
    O(lines).
    """
    try:
        return min(_moments(world, parse_line(shell_line(text).words)), default=None)
    except BadLine:
        return None


def _moments(world: World, line: Line) -> Iterator[Ms]:
    now = world.now_ms
    ttl = world.profile.event_ttl_ms
    yield from (row.last_ms + ttl for row in world.tables.k8s_events.values() if row.last_ms + ttl > now)
    if line.verb == "logs":
        yield from _lines_lost(world, since_of(line))
    elif line.value("output") not in _BARE:
        yield from _ages(world)
    if "Node" in _kinds(line):
        yield from _heartbeats(world)


def _ages(world: World) -> Iterator[Ms]:
    """The next moments at which an age changes.

    Stored times have no fractions, so an age changes with the whole second; one that lies in the future changes a
    millisecond later, because Go truncates seconds towards zero.
    """
    now = world.now_ms
    yield now - now % SECOND + SECOND
    ends = (*(row.deletion_ms for row in world.tables.pods.values()), *(row.deletion_ms for row in world.tables.objects.values()))
    if now % SECOND == 0 and any(end is not None for end in ends):
        yield now + 1


def _heartbeats(world: World) -> Iterator[Ms]:
    """The next status report of each kubelet, and the next renewal of its lease."""
    for life in world.tables.node_life.values():
        yield next_beat(world.now_ms, life.status_phase_ms, world.profile.node_status_report_ms)
        yield next_beat(world.now_ms, life.lease_phase_ms, world.profile.node_lease_renew_ms)


def _lines_lost(world: World, since_ms: Ms | None) -> Iterator[Ms]:
    """When each line becomes older than ``--since`` allows."""
    if since_ms is not None:
        ends = (printed[1] + since_ms + 1 for lines in world.tables.logs.values() for printed in lines)
        yield from (end for end in ends if end > world.now_ms)


def _kinds(line: Line) -> set[str]:
    """The kinds that a line names."""
    words = (part.partition("/")[0] for word in line.words for part in word.split(","))
    return {info.kind for word in words if (info := kind_of(word)) is not None}
