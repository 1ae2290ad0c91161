"""The log of a container at a moment: what each of its instances has printed, and the state of that instance."""

from collections.abc import Iterator
from itertools import groupby

from msgspec import Struct

from simulator.engine.kernel.units import Key, Ms
from simulator.engine.kubelet.pods.containers.instances import LOG_LINES_MAX
from simulator.engine.projection.model import LogRow
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World

LINE_SHOWN_MAX = 160
"""How much of a line is shown in lists; the log itself has all of it."""


class LogPart(Struct, frozen=True, kw_only=True):
    """The output of one instance. ``state``: running, exited, or empty if the runtime no longer has it."""

    instance: int
    state: str
    exit_code: int
    lines: tuple[LogRow, ...]


class LogChoice(Struct, frozen=True, kw_only=True):
    """A container whose log can be chosen; ``count`` is the number of lines kept of it. ``group``: init, app or ephemeral."""

    subject: str
    name: str
    group: str
    count: int
    is_shown: bool


class LogView(Struct, frozen=True, kw_only=True):
    """The log of ``container``, its oldest instance first. ``is_cut``: older lines have been dropped."""

    container: str
    choices: tuple[LogChoice, ...]
    parts: tuple[LogPart, ...]
    is_cut: bool


def log_view(world: World, key: Key, container: str, *, now_ms: Ms | None = None) -> LogView | None:
    """The log of a pod's container by ``now_ms``; of its first one if there is none of that name. None for a key that never existed."""
    row = world.tables.pods.get(key)
    if row is None:
        return None
    now = world.now_ms if now_ms is None else now_ms
    spec = row.pod.spec
    groups = (("init", spec.init_containers), ("app", spec.containers), ("ephemeral", spec.ephemeral_containers))
    named = [(group, item.name) for group, items in groups for item in items]
    shown = container if any(name == container for _, name in named) else spec.containers[0].name
    logs = world.tables.logs
    choices = (
        LogChoice(subject=f"container/{key}/{name}", name=name, group=group, count=len(logs.get((key, name), ())), is_shown=name == shown)
        for group, name in named
    )
    return LogView(
        container=shown,
        choices=tuple(choices),
        parts=_parts(world, row, shown, now),
        is_cut=len(logs.get((key, shown), ())) >= LOG_LINES_MAX,
    )


def _parts(world: World, row: PodRow, container: str, now_ms: Ms) -> tuple[LogPart, ...]:
    """Instances that have printed something, and those that the runtime knows."""
    lines: dict[int, list[LogRow]] = {}
    for attempt, at_ms, stream, text in world.tables.logs.get((row.key, container), ()):
        if at_ms <= now_ms:
            lines.setdefault(attempt, []).append(LogRow(at_ms, text, stream, attempt))
    known = {item.attempt: item for item in world.tables.instances.get(row.key, ()) if item.container == container}
    found = []
    # The log outlives the instance, and an instance may not have printed anything yet.
    for attempt in sorted({*lines, *known}):
        item = known.get(attempt)
        state = "" if item is None else "running" if item.runs else "exited"
        exit_code = item.exit_code if item is not None else 0
        found.append(LogPart(instance=attempt, state=state, exit_code=exit_code, lines=tuple(lines.get(attempt, ()))))
    return tuple(found)


class PrintedAt(Struct, frozen=True, array_like=True):
    """What an instance printed at one instant: how many lines, how many of them to stderr, and the first one."""

    at_ms: Ms
    instance: int
    count: int
    errors: int
    text: str


def printed_between(world: World, key: Key, *, from_ms: Ms, to_ms: Ms) -> dict[str, tuple[PrintedAt, ...]]:
    """What each container of a pod has printed in an interval (inclusive), as far as the world keeps it; empty if there is no such pod."""
    found = dict[str, tuple[PrintedAt, ...]]()
    for (pod, container), lines in world.tables.logs.items():
        if pod == key:
            kept = [line for line in lines if from_ms <= line[1] <= to_ms]
            found[container] = tuple(_instants(kept))
    return found


def _instants(lines: list[tuple[int, Ms, str, str]]) -> Iterator[PrintedAt]:
    for (attempt, at_ms), group in groupby(lines, key=lambda line: (line[0], line[1])):
        same = list(group)
        yield PrintedAt(at_ms, attempt, len(same), sum(line[2] == "stderr" for line in same), same[0][3][:LINE_SHOWN_MAX])
