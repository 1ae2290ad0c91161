"""A machine's table as a graph with its history: states, the edges between them, which were taken when, and the current state.

The graph is the table that the engine runs on; which edges were taken is read from the records. None of it is declared a second time.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.machine import ANY, Machine, Row
from simulator.engine.kernel.records import Record, RecordKind
from simulator.engine.kernel.units import Ms, Seq, Subject
from simulator.engine.kubelet.pods.containers.container_machine import CONTAINER
from simulator.engine.kubelet.pods.probes.probe_machine import PROBE
from simulator.engine.kubelet.pods.sandbox.sandbox_machine import SANDBOX
from simulator.engine.kubelet.pods.stop.stop_machine import STOP
from simulator.engine.kubelet.pods.worker.pod_worker_machine import POD_WORKER
from simulator.engine.versions import Profile
from simulator.engine.world.world import World

DRAWN: dict[str, Machine[Any]] = {machine.name: machine for machine in (CONTAINER, STOP, PROBE, POD_WORKER, SANDBOX)}
"""The machines that a page draws, by name."""


class Firing(Struct, frozen=True, gc=False):
    """An edge that was taken, according to a record."""

    seq: Seq
    at_ms: Ms
    trigger: str
    rule: str


class DiagramRow(Struct, frozen=True, gc=False):
    """A row of the table as text: the trigger, the guard ("" for none), the effect ("" for none), the rule."""

    trigger: str
    when: str
    do: str
    rule: str


class DiagramEdge(Struct, frozen=True):
    """All rows that lead from one state to another, in the order in which they are tried. ``firings``: the oldest first."""

    source: str
    target: str
    rows: tuple[DiagramRow, ...]
    firings: tuple[Firing, ...] = ()

    @property
    def id(self) -> str:
        """The edge's name, e.g. ``running--exited``."""
        return f"{self.source}--{self.target}"

    @property
    def triggers(self) -> tuple[str, ...]:
        """The triggers of the edge, each once."""
        return tuple(dict.fromkeys(row.trigger for row in self.rows))


class DiagramState(Struct, frozen=True):
    """A state. ``entered``: each time that an edge led here, the oldest first."""

    name: str
    label: str
    tone: str
    is_terminal: bool
    entered: tuple[Firing, ...] = ()


class Diagram(Struct, frozen=True):
    """A machine at a moment. ``last`` is the id of the edge taken last, "" if none has been; ``since_ms``: when that was."""

    name: str
    about: str
    subject: Subject
    states: tuple[DiagramState, ...]
    edges: tuple[DiagramEdge, ...]
    present: str
    last: str = ""
    since_ms: Ms | None = None


def diagram_at(world: World, name: str, subject: Subject, records: Sequence[Record]) -> Diagram:
    """The machine of ``subject`` at the world's moment; ``records``: all so far. KeyError for one that is not drawn. O(records)."""
    recorded = recorded_diagram(name, subject, records, world.profile)
    kept = _kept(world, name, subject, recorded.present)
    return recorded if kept is None else replace(recorded, present=kept)


def _kept(world: World, name: str, subject: Subject, present: str) -> str | None:
    """The state if the world keeps it and may lose it without a record, as when a kubelet restarts; otherwise None."""
    _, *parts = subject.split("/")
    key = "/".join(parts[:2])
    if name == SANDBOX.name:
        sandbox = world.tables.sandboxes.get(key)
        return sandbox.state if sandbox is not None else SANDBOX.initial
    if name == PROBE.name:
        held = world.tables.probes.get((key, parts[2], parts[3]))
        result = (held.worker.result or "").lower() if held is not None else ""
        return result if result in {state.name for state in PROBE.states} else PROBE.initial
    if name != POD_WORKER.name or present == "finished":
        return None
    worker = world.tables.workers.get(key)
    return worker.state if worker is not None else POD_WORKER.initial


def recorded_diagram(name: str, subject: Subject, records: Iterable[Record], profile: Profile | None = None) -> Diagram:
    """The machine according to its records alone; rows that the version does not have are omitted if a ``profile`` is given."""
    machine = DRAWN[name]
    present, last, firings = _history(machine, subject, records)
    rows = _edges(machine, profile)
    # An edge that was taken but is not in this version's table (an older record, a moment before
    # a gate) is drawn all the same.
    for source, target in firings:
        rows.setdefault((source, target), _open_rows(machine))
    edges = tuple(DiagramEdge(*ends, rows=found, firings=tuple(firings.get(ends, ()))) for ends, found in rows.items())
    entered = {state.name: [item for edge in edges if edge.target == state.name for item in edge.firings] for state in machine.states}
    states = tuple(
        DiagramState(item.name, item.label, item.tone, item.terminal, tuple(sorted(entered[item.name], key=lambda one: one.seq)))
        for item in machine.states
    )
    newest = firings[last][-1].at_ms if last else None
    return Diagram(name, machine.about, subject, states, edges, present, "--".join(last) if last else "", newest)


def _edges(machine: Machine[Any], profile: Profile | None) -> dict[tuple[str, str], tuple[DiagramRow, ...]]:
    """The rows by their two ends. A row for any state is an edge from every other one; a row with an open target is none."""
    found: dict[tuple[str, str], list[DiagramRow]] = {}
    for row in machine.rows:
        if row.target == ANY or not _is_known(row, profile):
            continue
        sources = [state.name for state in machine.states if state.name != row.target] if row.source == ANY else [row.source]
        for source in sources:
            found.setdefault((source, row.target), []).append(_row(row))
    return {ends: tuple(rows) for ends, rows in found.items()}


def _open_rows(machine: Machine[Any]) -> tuple[DiagramRow, ...]:
    """The rows whose target comes with the trigger: they explain edges that the table does not name."""
    return tuple(_row(row) for row in machine.rows if row.target == ANY)


def _row(row: Row) -> DiagramRow:
    return DiagramRow(row.trigger, row.when.__name__ if row.when is not None else "", row.do, row.rule)


def _is_known(row: Row, profile: Profile | None) -> bool:
    if profile is None:
        return True
    return not (row.gate and not getattr(profile, row.gate)) and not (row.unless and getattr(profile, row.unless))


_Ends = tuple[str, str]


def _history(machine: Machine[Any], subject: Subject, records: Iterable[Record]) -> tuple[str, _Ends | None, dict[_Ends, list[Firing]]]:
    """The current state, the edge taken last since the machine began, and every firing by edge.

    The machine begins again with each object of the pod's name, and a stop with each instance of its container. Records of a probe do
    not name the state that was left; it is the previous one.
    """
    state, last = machine.initial, None
    firings: dict[_Ends, list[Firing]] = {}
    pod = "pod/" + "/".join(subject.split("/")[1:3])
    for record in records:
        if record.machine == machine.name:
            if record.subject == subject and record.kind == RecordKind.TRANSITION.value:
                last = (record.source or state, record.target)
                firings.setdefault(last, []).append(Firing(record.seq, record.at_ms, record.trigger, record.rule))
                state = record.target
        elif _starts_over(machine, record, subject, pod):
            state, last = machine.initial, None
    return state, last, firings


def _starts_over(machine: Machine[Any], record: Record, subject: Subject, pod: Subject) -> bool:
    if record.machine == "object":
        return record.subject == pod and record.source == "absent"
    return machine is STOP and record.machine == CONTAINER.name and record.subject == subject and record.target == "creating"
