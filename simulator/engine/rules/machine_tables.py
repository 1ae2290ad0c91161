"""Every machine there is, and the one function through which docs, diagrams and checks read their tables.

Docs, diagrams and tests read these rows, which are the ones the engine runs on: a table that is only
documentation would be wrong with the next change.
"""

from typing import Any

from msgspec import Struct

from simulator.engine.kernel.machine import ANY, HEAD, Machine, Row, State
from simulator.engine.kubelet.pods.containers.container_machine import CONTAINER
from simulator.engine.kubelet.pods.containers.hook_machine import HOOK
from simulator.engine.kubelet.pods.probes.probe_machine import PROBE
from simulator.engine.kubelet.pods.resize.resize_machine import RESIZE
from simulator.engine.kubelet.pods.sandbox.sandbox_machine import SANDBOX
from simulator.engine.kubelet.pods.sandbox.user_namespace_machine import USER_NAMESPACE
from simulator.engine.kubelet.pods.static.static_pod_machine import STATIC_POD
from simulator.engine.kubelet.pods.stop.stop_machine import STOP
from simulator.engine.kubelet.pods.volumes.volumes_machine import VOLUMES
from simulator.engine.kubelet.pods.worker.pod_worker_machine import ORPHAN, POD_WORKER
from simulator.engine.machines.budget import BUDGET
from simulator.engine.machines.condition import CONDITION
from simulator.engine.machines.container_status import CONTAINER_STATUS
from simulator.engine.machines.node import KUBELET, LABELS, NETWORK_PLUGIN, NODE_CONDITION, RUNTIME, SHUTDOWN, STATUS_REPORT, UPLINK
from simulator.engine.machines.object import API_OBJECT, OBJECT
from simulator.engine.machines.phase import PHASE
from simulator.engine.machines.requests import REQUESTS
from simulator.engine.machines.status_word import STATUS_WORD
from simulator.engine.machines.taint import TAINT, TAINT_EVICTION
from simulator.engine.machines.workload import WORKLOAD

ALL: tuple[Machine[Any], ...] = (
    CONTAINER,
    STOP,
    HOOK,
    PROBE,
    SANDBOX,
    POD_WORKER,
    ORPHAN,
    VOLUMES,
    USER_NAMESPACE,
    RESIZE,
    STATIC_POD,
    KUBELET,
    RUNTIME,
    NETWORK_PLUGIN,
    UPLINK,
    STATUS_REPORT,
    SHUTDOWN,
    NODE_CONDITION,
    LABELS,
    TAINT,
    TAINT_EVICTION,
    OBJECT,
    PHASE,
    CONDITION,
    CONTAINER_STATUS,
    STATUS_WORD,
    API_OBJECT,
    BUDGET,
    REQUESTS,
    WORKLOAD,
)
"""In the order in which the documentation shows them."""


class Table(Struct, frozen=True):
    """A machine for readers: its states, and its rows under ``head``. ``kept``: where the world holds the state; none: worked out.

    ``diagram``: its edges as lines of a Mermaid state diagram.
    """

    name: str
    about: str
    states: tuple[State, ...]
    kept: tuple[str, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    diagram: tuple[str, ...]


def diagram(rows: tuple[Row, ...]) -> list[str]:
    """The edges of a machine as lines of a Mermaid state diagram, one for each pair of states, with all its triggers."""
    edges: dict[tuple[str, str], dict[str, bool]] = {}
    for row in rows:
        edges.setdefault((_node(row.source), _node(row.target)), {})[row.trigger] = True
    return [f"    {source} --> {target}: {', '.join(triggers)}" for (source, target), triggers in edges.items()]


def _node(state: str) -> str:
    return {ANY: "any", "": "none"}.get(state, state)


def tables() -> tuple[Table, ...]:
    """All machines as tables, in the order of ``ALL``; these are the rows that the engine runs on. About 1 ms."""
    return tuple(
        Table(
            name=machine.name,
            about=machine.about,
            states=machine.states,
            kept=tuple(
                ".".join(part for part in (field.row.__name__, field.inner, field.field) if part) for field in machine.fields.values()
            ),
            head=HEAD,
            rows=machine.table(),
            diagram=tuple(diagram(machine.rows)),
        )
        for machine in ALL
    )


def as_markdown() -> str:
    """All tables as a page of documentation (docs/machines.md)."""
    return "\n".join([_INTRODUCTION, *(line for table in tables() for line in _section(table)), ""])


_INTRODUCTION = """# State machines

This chapter lists every state machine of the engine as a table. It is for contributors, and for
anyone who wants to know exactly when a state changes. `make golden` writes it from the tables that
the engine runs on; change those, not this page.

A row reads: when in … and sees …, if …, go to …, doing …, because of the rule. The first row whose
version applies and whose guard is true wins. As a state, `*` means any; as a target, it means the
word that comes with the trigger. *Kept* names the field of a row of the world that holds the state,
which only `Effects.become` writes; the state of a machine without such a field is derived each
time. The trigger `decided` means that the rule was applied elsewhere. A quiet row leaves no record.
"""


def _section(table: Table) -> list[str]:
    states = ", ".join(f"`{state.name}`" if state.name else "(none)" for state in table.states)
    kept = f" Kept: {', '.join(f'`{place}`' for place in table.kept)}." if table.kept else ""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") or " " for cell in row) + " |" for row in table.rows]
    head = ["| " + " | ".join(table.head) + " |", "|" + "---|" * len(table.head)]
    drawn = ["```mermaid", "stateDiagram-v2", *table.diagram, "```", ""] if table.kept else []
    return [f"## {table.name}", "", f"{table.about}{kept}", "", f"States: {states}.", "", *drawn, *head, *lines, ""]
