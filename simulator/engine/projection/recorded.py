"""What records say by themselves, without a world: the objects of a moment folded from everything recorded up to it.

For histories that today's rules no longer reproduce. It says less than a world can: phase, STATUS, conditions, containers, Events
and nodes are recorded, specs and what a kubelet would do next are not.

Fields that a record of an old revision lacks stay as they were; unknown machines are
skipped. A fold like this cannot be wrong about what it shows, only silent.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Key, Ms, Subject
from simulator.engine.projection.events import EventRow, age
from simulator.engine.projection.tones import NODE_READY, status_tone


@dataclass
class RecordedCondition:
    """A condition of a pod or node according to its last record."""

    subject: Subject
    type: str
    status: str
    reason: str = ""
    message: str = ""


@dataclass
class RecordedContainer:
    """A container: ``state`` is what the API showed, ``node_state`` what the node's own records say. Either may be empty."""

    subject: Subject
    name: str
    state: str = ""
    node_state: str = ""
    reason: str = ""
    message: str = ""
    exit_code: int | None = None
    ready: bool = False
    instance: int = 0


@dataclass
class RecordedPod:
    """A pod according to its records. ``gone_ms``: when the API server removed it, None while it exists."""

    key: Key
    created_ms: Ms
    status_word: str = ""
    tone: str = "unknown"
    ready: str = ""
    restarts: int = 0
    phase: str = ""
    reason: str = ""
    message: str = ""
    node: str = ""
    gone_ms: Ms | None = None
    conditions: dict[str, RecordedCondition] = field(default_factory=dict)
    containers: dict[str, RecordedContainer] = field(default_factory=dict)

    @property
    def subject(self) -> Subject:
        """The subject of its records."""
        return f"pod/{self.key}"

    @property
    def namespace(self) -> str:
        """The namespace in its key."""
        return self.key.partition("/")[0]

    @property
    def name(self) -> str:
        """The name in its key; a pod created again has its number there."""
        return self.key.partition("/")[2]

    @property
    def is_present(self) -> bool:
        """Whether the API server still has it."""
        return self.gone_ms is None


@dataclass
class RecordedNode:
    """A node according to its records."""

    name: str
    kubelet: str = ""
    runtime: str = ""
    is_deleted: bool = False
    conditions: dict[str, RecordedCondition] = field(default_factory=dict)
    taints: dict[str, None] = field(default_factory=dict)

    @property
    def subject(self) -> Subject:
        """The subject of its records."""
        return f"node/{self.name}"

    @property
    def status_word(self) -> str:
        """``Ready`` or ``NotReady``, by its Ready condition; empty if it is gone."""
        ready = self.conditions.get("Ready")
        return "" if self.is_deleted else "Ready" if ready is not None and ready.status == "True" else "NotReady"

    @property
    def tone(self) -> str:
        """The design token of its state."""
        ready = self.conditions.get("Ready")
        if self.is_deleted:
            return "absent"
        return NODE_READY.get(ready.status if ready is not None else "", "unknown")


@dataclass
class RecordedObjects:
    """Everything that the records up to a moment describe, in order of first appearance."""

    pods: dict[Key, RecordedPod] = field(default_factory=dict)
    nodes: dict[str, RecordedNode] = field(default_factory=dict)


def recorded_objects(records: Iterable[Record]) -> RecordedObjects:
    """The objects that the records describe. What is not understood is left out. O(records), about 1 µs each."""
    found = RecordedObjects()
    for record in records:
        kind, _, rest = record.subject.partition("/")
        if kind == "node":
            _update_node(found.nodes.setdefault(rest, RecordedNode(name=rest)), record)
        elif kind in _PARTS:
            words = rest.split("/")
            if len(words) >= _PARTS[kind]:
                key = f"{words[0]}/{words[1]}"
                pod = found.pods.get(key) or found.pods.setdefault(key, RecordedPod(key=key, created_ms=record.at_ms))
                _update_pod(pod, record, words[2] if len(words) > 2 else "")
    return found


def recorded_events(records: Iterable[Record], subject: Subject, *, now_ms: Ms) -> tuple[EventRow, ...]:
    """The Kubernetes Events about an object and its containers, in the order of their last write. O(records)."""
    found: dict[tuple[Subject, str, str, str, str], list[Record]] = {}
    about = subject.partition("/")[2]
    for record in records:
        if record.machine != "k8s_event" or not _is_about(record.subject, subject, about):
            continue
        values = [str(record.get(name) or "") for name in ("type", "message", "component", "field_path")]
        found.setdefault((record.target, values[0], values[1], values[2], values[3]), []).append(record)
    rows = (_event(identity, written, now_ms) for identity, written in found.items())
    return tuple(sorted(rows, key=lambda row: row.seq))


_PARTS = {"pod": 2, "container": 3, "condition": 3}
"""The minimum number of names after the kind in a subject."""


def _is_about(of: Subject, subject: Subject, about: str) -> bool:
    return of == subject or (subject.startswith("pod/") and of.startswith(f"container/{about}/"))


def _event(identity: tuple[str, str, str, str, str], written: Sequence[Record], now_ms: Ms) -> EventRow:
    reason, type_, message, component, field_path = identity
    first, last = written[0], written[-1]
    count = last.get("count")
    times = count if isinstance(count, int) else len(written)
    return EventRow(
        seq=last.seq,
        first_seq=first.seq,
        type=type_,
        reason=reason,
        message=message,
        count=times,
        first_ms=first.at_ms,
        last_ms=last.at_ms,
        component=component,
        object=last.subject,
        subject=last.subject,
        field_path=field_path,
        age=age(first.at_ms, last.at_ms, times, now_ms),
    )


def recorded_tone(record: Record) -> str:
    """The tone of the pod of a ``status_word`` record. Records of revisions before 7 contain it."""
    return str(record.get("tone") or status_tone(record.target, record.get))


def _update_pod(pod: RecordedPod, record: Record, part: str) -> None:
    machine, target = record.machine, record.target
    if machine == "status_word":
        pod.status_word, pod.tone = target, recorded_tone(record)
        pod.ready = str(record.get("ready") or pod.ready)
        pod.restarts = _whole(record, "restarts", pod.restarts)
    elif machine == "phase":
        pod.phase, pod.reason, pod.message = target, str(record.get("reason") or ""), str(record.get("message") or "")
    elif machine == "object":
        pod.gone_ms = record.at_ms if target == "gone" else None
        pod.node = str(record.get("node") or pod.node)
    elif machine == "scheduling" and target != "unschedulable":
        pod.node = target
    elif machine == "condition" and part:
        _update_condition(pod.conditions, record, part)
    elif machine in ("container", "container_status") and part:
        _update_container(pod.containers.setdefault(part, RecordedContainer(subject=record.subject, name=part)), record)


def _update_container(container: RecordedContainer, record: Record) -> None:
    if record.machine == "container":
        container.node_state = record.target
        container.instance = _whole(record, "instance", container.instance)
        return
    container.state = record.target
    container.reason, container.message = str(record.get("reason") or ""), str(record.get("message") or "")
    exit_code = record.get("exit_code")
    container.exit_code = exit_code if isinstance(exit_code, int) else None
    container.ready = record.get("ready") is True


def _update_condition(conditions: dict[str, RecordedCondition], record: Record, name: str) -> None:
    if record.target in ("", "absent"):
        conditions.pop(name, None)
        return
    conditions[name] = RecordedCondition(
        subject=record.subject,
        type=name,
        status=record.target,
        reason=str(record.get("reason") or ""),
        message=str(record.get("message") or ""),
    )


def _update_node(node: RecordedNode, record: Record) -> None:
    machine, target = record.machine, record.target
    if machine == "node_condition":
        _update_condition(node.conditions, record, str(record.get("condition") or ""))
    elif machine == "taint":
        text = str(record.get("taint") or record.get("key") or "")
        if target == "absent":
            node.taints.pop(text, None)
        else:
            node.taints[text] = None
    elif machine in ("object", "api_object"):
        node.is_deleted = target == "gone"
    elif machine == "kubelet":
        node.kubelet = target
    elif machine == "runtime":
        node.runtime = target


def _whole(record: Record, name: str, before: int) -> int:
    value = record.get(name)
    return value if isinstance(value, int) else before
