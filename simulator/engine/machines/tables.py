"""Every machine there is, and the one function through which docs, diagrams and checks read their tables."""

from typing import Any

from msgspec import Struct

from simulator.engine.machine import HEAD, Machine, State
from simulator.engine.machines.budget import BUDGET
from simulator.engine.machines.condition import CONDITION
from simulator.engine.machines.container import CONTAINER
from simulator.engine.machines.container_status import CONTAINER_STATUS
from simulator.engine.machines.hook import HOOK
from simulator.engine.machines.node import KUBELET, LABELS, NETWORK, NODE_CONDITION, RUNTIME, SHUTDOWN
from simulator.engine.machines.object import API_OBJECT, OBJECT
from simulator.engine.machines.phase import PHASE
from simulator.engine.machines.pod_worker import ORPHAN, POD_WORKER
from simulator.engine.machines.probe import PROBE
from simulator.engine.machines.resize import RESIZE
from simulator.engine.machines.sandbox import SANDBOX
from simulator.engine.machines.static_pod import STATIC_POD
from simulator.engine.machines.status_word import STATUS_WORD
from simulator.engine.machines.stop import STOP
from simulator.engine.machines.taint import TAINT, TAINT_EVICTION
from simulator.engine.machines.user_namespace import USER_NAMESPACE
from simulator.engine.machines.volumes import VOLUMES

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
    NETWORK,
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
)
"""In the order in which the documentation shows them."""


class Table(Struct, frozen=True):
    """A machine for readers: its states, and its rows under ``head``. ``kept``: where the world holds the state; none: worked out."""

    name: str
    about: str
    states: tuple[State, ...]
    kept: tuple[str, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables() -> tuple[Table, ...]:
    """All machines as tables, in the order of ``ALL``; these are the rows that the engine runs on. About 1 ms."""
    return tuple(
        Table(
            name=machine.name,
            about=machine.about,
            states=machine.states,
            kept=tuple(
                ".".join(part for part in (place.row.__name__, place.inner, place.field) if part) for place in machine.places.values()
            ),
            head=HEAD,
            rows=machine.table(),
        )
        for machine in ALL
    )
