"""Between two steps of a run: at which moments an answer changes although nothing happens.

Ages grow, Events expire, a kubelet renews what nobody is told of, and ``--since`` lets go of lines. All else that kubectl prints follows
from what the world holds, and that changes in steps alone.
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
"""Formats that print moments, no ages."""


def next_change(world: World, text: str) -> Ms | None:
    """The next moment at which the answer to a line may be another one, if no step comes before; None where it stays.

    It may name a moment too many, never one too few. O(Events + nodes), for ``logs --since`` O(lines).
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
        yield from _signs(world)


def _ages(world: World) -> Iterator[Ms]:
    """Stored moments have no fractions, so an age changes with the whole second; one that lies ahead a millisecond after it, as Go
    cuts seconds towards zero."""
    now = world.now_ms
    yield now - now % SECOND + SECOND
    ends = (*(row.deletion_ms for row in world.tables.pods.values()), *(row.deletion_ms for row in world.tables.objects.values()))
    if now % SECOND == 0 and any(end is not None for end in ends):
        yield now + 1


def _signs(world: World) -> Iterator[Ms]:
    """The next report of each kubelet, and the next renewal of its lease."""
    for life in world.tables.node_life.values():
        yield next_beat(world.now_ms, life.status_phase_ms, world.profile.node_status_report_ms)
        yield next_beat(world.now_ms, life.lease_phase_ms, world.profile.node_lease_renew_ms)


def _lines_lost(world: World, since_ms: Ms | None) -> Iterator[Ms]:
    """When each line is older than ``--since`` asks for."""
    if since_ms is not None:
        ends = (printed[1] + since_ms + 1 for lines in world.tables.logs.values() for printed in lines)
        yield from (end for end in ends if end > world.now_ms)


def _kinds(line: Line) -> set[str]:
    """The kinds that a line names."""
    words = (part.partition("/")[0] for word in line.words for part in word.split(","))
    return {info.kind for word in words if (info := kind_of(word)) is not None}
