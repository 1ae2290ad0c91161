"""Publishing a pod's status: the API object changes, and every face of it that changed gets a record.

The faces are what the timeline draws: each container's state, the phase, each condition, and the word kubectl prints. A
condition's transition time moves only with its status.
"""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.api.pod_gc import FINISHED
from simulator.engine.api.printing import Columns, printed_columns
from simulator.engine.api.status import ContainerState, ContainerStatus, PodCondition, PodStatus, Running, Terminated, Waiting
from simulator.engine.controllers.node.gc_rounds import count_finished
from simulator.engine.effects import Effects
from simulator.engine.records import Data
from simulator.engine.rows import PodRow
from simulator.engine.rules.text import RuleText, gettext_noop
from simulator.engine.units import Seq

RULES = (
    RuleText(
        "CONTAINER-STATUS",
        gettext_noop("The kubelet publishes a container's state as its last look at the runtime showed it."),
        "pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses",
    ),
)

_STARTING = ("ContainerCreating", "PodInitializing", "Pending", "Init")
_BACKOFF = ("CrashLoopBackOff", "ImagePullBackOff")
_NOTHING: Mapping[str, str] = {}
_NO_SEQ: Mapping[str, Seq] = {}


class Draft(Struct):
    """A status to publish. ``rules`` and ``causes`` name the rule and the causing record by face (``phase``, ``Ready``, ``app``)."""

    status: PodStatus
    rules: Mapping[str, str] = _NOTHING
    causes: Mapping[str, Seq] = _NO_SEQ


def publish(fx: Effects, row: PodRow, status: PodStatus, *, rule: str, first: bool = False, draft: Draft | None = None) -> PodRow:
    """Store ``status`` in the pod's object and write a record for every face that changed. ``row`` may carry other changes."""
    old = row.status
    rules = draft.rules if draft else _NOTHING
    causes = draft.causes if draft else _NO_SEQ
    cause = fx.cause
    if status is not old:
        cause = _publish_containers(fx, row, status, rules, causes)
        if status.phase != old.phase or status.reason != old.reason or first:
            cause = _phase_record(fx, row, status, rules.get("phase", rule), "" if first else old.phase, cause)
            if status.phase in FINISHED:
                count_finished(fx)
        conditions = _publish_conditions(fx, row, status, rules, causes, cause)
        if conditions is not status.conditions:
            status = replace(status, conditions=conditions)
        if status == old and row is fx.tables.pods.get(row.key):
            return row
    elif first:
        cause = _phase_record(fx, row, status, rule, "", cause)
    return _publish_word(fx, replace(row, status=status), cause)


def _phase_record(fx: Effects, row: PodRow, status: PodStatus, rule: str, source: str, cause: Seq) -> Seq:
    data = (("reason", status.reason), ("message", status.message)) if status.reason else ()
    return fx.record(subject=row.subject, machine="phase", source=source, target=status.phase, rule=rule, data=data, cause=cause)


def _publish_containers(fx: Effects, row: PodRow, status: PodStatus, rules: Mapping[str, str], causes: Mapping[str, Seq]) -> Seq:
    """Records for changed container statuses; returns the last one (or the cause so far)."""
    last = fx.cause
    old = row.status
    for group, before, after in (
        ("init", old.init_containers, status.init_containers),
        ("app", old.containers, status.containers),
        ("ephemeral", old.ephemeral_containers, status.ephemeral_containers),
    ):
        if before is after or before == after:
            continue
        known = {item.name: item for item in before}
        for item in after:
            previous = known.pop(item.name, None)
            if previous != item:
                last = _container_record(
                    fx, row, item, group, previous, rules.get(item.name, "CONTAINER-STATUS"), causes.get(item.name, fx.cause)
                )
        for name, gone in known.items():
            _gone_record(fx, row, name, gone, group)
    return last


def _gone_record(fx: Effects, row: PodRow, name: str, gone: ContainerStatus, group: str) -> None:
    """A status that was replaced no longer speaks of the container, whatever has become of it."""
    fx.record(
        subject=f"container/{row.key}/{name}",
        machine="container_status",
        source=describe_state(gone.state)[0],
        target="absent",
        rule="STATUS-REPLACED",
        data=(("instance", gone.restart_count), ("group", group)),
    )


def _container_record(
    fx: Effects, row: PodRow, item: ContainerStatus, group: str, previous: ContainerStatus | None, rule: str, cause: Seq
) -> Seq:
    word, data = describe_state(item.state)
    source = describe_state(previous.state)[0] if previous is not None else ""
    data = (
        *data,
        ("instance", item.restart_count),
        ("ready", item.ready),
        ("started", bool(item.started)),
        ("group", group),
    )
    return fx.record(
        subject=f"container/{row.key}/{item.name}",
        machine="container_status",
        source=source,
        target=word,
        rule=rule,
        data=data,
        cause=cause,
    )


def describe_state(state: ContainerState | None) -> tuple[str, Data]:
    """``waiting``, ``running`` or ``terminated`` with its reason, message and exit code."""
    if isinstance(state, Running):
        return "running", ()
    if isinstance(state, Terminated):
        return "terminated", (("reason", state.reason), ("message", state.message), ("exit_code", state.exit_code))
    if isinstance(state, Waiting):
        return "waiting", (("reason", state.reason), ("message", state.message))
    return "waiting", (("reason", ""),)


def _publish_conditions(
    fx: Effects, row: PodRow, status: PodStatus, rules: Mapping[str, str], causes: Mapping[str, Seq], cause: Seq
) -> tuple[PodCondition, ...]:
    before = row.status.conditions
    if status.conditions is before:
        return before
    known = {item.type: item for item in before}
    out = []
    written: dict[str, Seq] = {}
    for item in status.conditions:
        old = known.pop(item.type, None)
        if item is old:
            out.append(item)
            continue
        same = old is not None and old.status == item.status
        out.append(replace(item, transition_ms=old.transition_ms if old is not None and same else fx.now))
        if old is None or not same or old.reason != item.reason or old.message != item.message:
            because = causes.get(item.type, cause)
            if item.type == "Ready":
                because = written.get("ContainersReady", because)
            written[item.type] = _condition_record(fx, row, item, old, rules, because)
    for name, gone in known.items():
        _condition_record(fx, row, PodCondition(type=name, status=""), gone, rules, cause)
    return tuple(out)


def _condition_record(fx: Effects, row: PodRow, item: PodCondition, old: PodCondition | None, rules: Mapping[str, str], cause: Seq) -> Seq:
    data = (("reason", item.reason), ("message", item.message)) if item.reason or item.message else ()
    return fx.record(
        subject=f"condition/{row.key}/{item.type}",
        machine="condition",
        source=old.status if old is not None else "",
        target=item.status,
        rule=rules.get(item.type, "CONDITION-TRANSITION"),
        data=data,
        cause=cause,
    )


def _publish_word(fx: Effects, row: PodRow, cause: Seq) -> PodRow:
    columns = columns_of(fx, row)
    shown = f"{columns.status} {columns.ready} {columns.restarts}"
    if shown != row.status_word:
        fx.record(
            subject=row.subject,
            machine="status_word",
            source=row.status_word.partition(" ")[0],
            target=columns.status,
            rule=columns.rule_id,
            data=(("ready", columns.ready), ("restarts", columns.restarts), ("tone", tone_of(row, columns))),
            cause=cause,
        )
        row = replace(row, status_word=shown)
    return fx.save_pod(row)


def columns_of(fx: Effects, row: PodRow) -> Columns:
    """The columns kubectl prints for the pod at this moment."""
    return printed_columns(
        row.pod.spec, row.status, now_ms=fx.now, is_deleted=row.deletion_ms is not None, options=fx.world.options.printing
    )


def tone_of(row: PodRow, columns: Columns) -> str:
    """The design token of the pod's state: what colour, pattern and glyph its lane gets."""
    word = columns.status
    if row.deletion_ms is not None:
        return "terminating"
    if word == "Running":
        ready = row.status.condition("Ready")
        return "ready" if ready is not None and ready.status == "True" else "notready"
    if word in ("Completed", "Succeeded"):
        return "succeeded"
    if word.removeprefix("Init:") in _BACKOFF:
        return "backoff"
    if word == "NotReady":
        return "notready"
    if word == "Unknown":
        return "unknown"
    if word in ("Pending", "SchedulingGated") and not row.node:
        return "waiting"
    if word in _STARTING or (word.startswith("Init:") and word[5:6].isdigit()):
        return "starting"
    return "failed"
