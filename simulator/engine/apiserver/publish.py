"""Publishing a pod's status: the API object changes, and every face of it that changed gets a record.

The faces are what the timeline draws: each container's state, the phase, each condition, and the
word kubectl prints. A caller hands over the whole new status and names the rules behind its parts
in a draft; what changed is found here by comparison with the stored status. So a caller cannot
forget a record, and a status that changes nothing writes none.

The records of one publication form a chain that the page can follow: containers first, since the
phase and the conditions follow from them; then the phase; ContainersReady before Ready, its cause;
the printed word last, because it is computed from all the others.

A condition's transition time moves only with its status. A status that a client sent keeps the
times it sent, as the server does not set them. A condition or container that the new status leaves
out gets a record of its own, since it has vanished for clients.

What a rule's table says takes precedence over what the caller computed (``PHASE.word`` and the like):
a run can change the rows of a machine, and the status has to follow the changed row.
"""

from collections.abc import Mapping
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Seq
from simulator.engine.machines.condition import CONDITION
from simulator.engine.machines.container_status import CONTAINER_STATUS
from simulator.engine.machines.phase import PHASE
from simulator.engine.machines.status_word import STATUS_WORD
from simulator.engine.model.status import ContainerState, ContainerStatus, PodCondition, PodStatus, Running, Terminated, Waiting
from simulator.engine.policies.printing import Columns, printed_columns
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

RULES = (
    RuleText(
        "CONTAINER-STATUS",
        gettext_noop("The kubelet publishes the container’s state as it last saw it in the runtime."),
        "pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses",
    ),
)

_NOTHING: Mapping[str, str] = {}
_NO_SEQ: Mapping[str, Seq] = {}


class Draft(Struct):
    """A status to publish. ``rules`` and ``causes`` name the rule and the causing record by face (``phase``, ``Ready``, ``app``).

    ``is_sent``: a client wrote it through the API, and its times are stored as they were sent.
    """

    status: PodStatus
    rules: Mapping[str, str] = _NOTHING
    causes: Mapping[str, Seq] = _NO_SEQ
    is_sent: bool = False


def condition_of(fx: Effects, row: PodRow, kind: str, status: str, reason: str = "", message: str = "") -> PodCondition:
    """A condition of the pod as a component writes it: with the generation of the pod that the component has seen."""
    return PodCondition(type=kind, status=status, reason=reason, message=message, observed_generation=observed(fx, row))


def observed(fx: Effects, row: PodRow) -> int | None:
    """The generation that a status of the pod refers to; None in versions that do not report it."""
    return row.generation if fx.profile.observed_generation else None


def publish(fx: Effects, row: PodRow, status: PodStatus, *, rule: str, first: bool = False, draft: Draft | None = None) -> PodRow:
    """Store ``status`` in the pod's object and write a record for every face that changed. ``row`` may carry other changes.

    An object that is gone accepts no status: what a kubelet still knows of the pod is not visible to anyone.
    """
    if row.gone_ms is not None:
        return row
    old = row.status
    rules = draft.rules if draft else _NOTHING
    causes = draft.causes if draft else _NO_SEQ
    cause = fx.cause
    if status is not old:
        status, cause = _publish_containers(fx, row, status, rules, causes)
        if status.phase != old.phase or status.reason != old.reason or first:
            status, cause = _publish_phase(fx, row, status, rules.get("phase", rule), "" if first else old.phase, cause)
        conditions = _publish_conditions(fx, row, status, draft or Draft(status), cause)
        if conditions is not status.conditions:
            status = replace(status, conditions=conditions)
        # Equal after all, and the row carries no other change: nothing to store.
        if status == old and row is fx.tables.pods.get(row.key):
            return row
    elif first:
        status, cause = _publish_phase(fx, row, status, rule, "", cause)
    return _publish_word(fx, replace(row, status=status), cause)


def _publish_phase(fx: Effects, row: PodRow, status: PodStatus, rule: str, source: str, cause: Seq) -> tuple[PodStatus, Seq]:
    """Record the phase that the rule's row gives; returns the status with it, and the record."""
    phase = PHASE.word(rule, status.phase, source)
    if phase != status.phase:
        status = replace(status, phase=phase)
    data = (("reason", status.reason), ("message", status.message)) if status.reason else ()
    return status, fx.record(subject=f"pod/{row.key}", machine=PHASE.name, source=source, target=phase, rule=rule, data=data, cause=cause)


_GROUPS = (("init", "init_containers"), ("app", "containers"), ("ephemeral", "ephemeral_containers"))


def _publish_containers(
    fx: Effects, row: PodRow, status: PodStatus, rules: Mapping[str, str], causes: Mapping[str, Seq]
) -> tuple[PodStatus, Seq]:
    """Records for changed container statuses; returns the status as the table has it, and the last record (or the cause so far)."""
    last = fx.cause
    for group, field in _GROUPS:
        before, after = getattr(row.status, field), getattr(status, field)
        if before is after or before == after:
            continue
        known = {item.name: item for item in before}
        shown = []
        for item in after:
            previous = known.pop(item.name, None)
            if previous != item:
                rule, cause = rules.get(item.name, "CONTAINER-STATUS"), causes.get(item.name, fx.cause)
                item, last = _publish_container(fx, row, item, group, previous, rule, cause)
            shown.append(item)
        for name, gone in known.items():
            shown += _left_out(fx, row, name, gone, group)
        if tuple(shown) != after:
            status = replace(status, **{field: tuple(shown)})
    return status, last


def _left_out(fx: Effects, row: PodRow, name: str, gone: ContainerStatus, group: str) -> list[ContainerStatus]:
    """Record that a new status no longer mentions the container, whatever has become of it."""
    subject, data = f"container/{row.key}/{name}", (("instance", gone.restart_count), ("group", group))
    step, _ = fx.fire(CONTAINER_STATUS, subject, describe_state(gone.state)[0], "left_out", "", data=data)
    return [] if step is None or step.target == "absent" else [_shown_as(gone, step.target)]


def _shown_as(item: ContainerStatus, word: str) -> ContainerStatus:
    """The status with a state of that name."""
    if describe_state(item.state)[0] == word:
        return item
    states: dict[str, ContainerState] = {"running": Running(None), "terminated": Terminated(0)}
    return replace(item, state=states.get(word, Waiting()))


def _publish_container(
    fx: Effects, row: PodRow, item: ContainerStatus, group: str, previous: ContainerStatus | None, rule: str, cause: Seq
) -> tuple[ContainerStatus, Seq]:
    source = describe_state(previous.state)[0] if previous is not None else ""
    word, data = describe_state(item.state)
    question = (source, word, rule)
    step = CONTAINER_STATUS.kept.get(question) or CONTAINER_STATUS.keep(question, CONTAINER_STATUS.pick(source, _SEEN[word], rule))
    if step is not None and step.target != word:
        item = _shown_as(item, step.target)
        word, data = describe_state(item.state)
    data = (
        *data,
        ("instance", item.restart_count),
        ("ready", item.ready),
        ("started", bool(item.started)),
        ("group", group),
    )
    subject, name = f"container/{row.key}/{item.name}", CONTAINER_STATUS.name
    return item, fx.record(subject=subject, machine=name, source=source, target=word, rule=rule, data=data, cause=cause)


_SEEN = {"running": "seen_running", "terminated": "seen_terminated", "waiting": "seen_waiting"}


def describe_state(state: ContainerState | None) -> tuple[str, Data]:
    """``waiting``, ``running`` or ``terminated`` with its reason, message and exit code."""
    if isinstance(state, Running):
        return "running", ()
    if isinstance(state, Terminated):
        return "terminated", (("reason", state.reason), ("message", state.message), ("exit_code", state.exit_code))
    if isinstance(state, Waiting):
        return "waiting", (("reason", state.reason), ("message", state.message))
    if state is None:
        return "waiting", (("reason", ""),)
    assert_never(state)


def _publish_conditions(fx: Effects, row: PodRow, status: PodStatus, draft: Draft, cause: Seq) -> tuple[PodCondition, ...]:
    before, rules, causes = row.status.conditions, draft.rules, draft.causes
    if status.conditions is before:
        return before
    known = {item.type: item for item in before}
    out, words = [], CONDITION.kept
    containers_ready: Seq | None = None
    # A plain loop without calls: every write of every pod's status goes through here.
    for item in status.conditions:
        kind = item.type
        old = known.pop(kind, None)
        if item is old:
            out.append(item)
            continue
        word, reason, message, source = item.status, item.reason, item.message, old.status if old is not None else ""
        moment = item.transition_ms if draft.is_sent else old.transition_ms if old is not None and source == word else fx.now
        if old is None or source != word or old.reason != reason or old.message != message:
            rule, because = rules.get(kind, "CONDITION-TRANSITION"), causes.get(kind, cause)
            if kind == "Ready" and containers_ready is not None:
                # Ready follows from ContainersReady when both change in one write.
                because = containers_ready
            question = (rule, word)
            status_by_rule = words.get(question) or CONDITION.keep(question, CONDITION.word(*question))
            if status_by_rule != word or moment != item.transition_ms:
                item = replace(item, status=status_by_rule, transition_ms=moment)
            seq = fx.record(
                subject=f"condition/{row.key}/{kind}", machine=CONDITION.name, source=source, target=status_by_rule, rule=rule,
                data=(("reason", reason), ("message", message)) if reason or message else (), cause=because,
            )  # fmt: skip
            if kind == "ContainersReady":
                containers_ready = seq
        elif moment != item.transition_ms:
            item = replace(item, transition_ms=moment)
        out.append(item)
    for name, gone in known.items():
        rule = rules.get(name, "CONDITION-TRANSITION")
        step = CONDITION.pick(gone.status, "left_out", rule)
        left = PodCondition(type=name, status=step.target if step is not None else "")
        subject = f"condition/{row.key}/{name}"
        fx.record(subject=subject, machine=CONDITION.name, source=gone.status, target=left.status, rule=rule, cause=cause)
        out += [left] if left.status else []
    return tuple(out)


def _publish_word(fx: Effects, row: PodRow, cause: Seq) -> PodRow:
    columns = printed_columns(
        row.pod.spec, row.status, now_ms=fx.now, is_deleted=row.deletion_ms is not None, options=fx.world.options.printing
    )
    shown = f"{columns.status} {columns.ready} {columns.restarts}"
    if shown != row.status_word:
        fx.record(
            subject=f"pod/{row.key}",
            machine=STATUS_WORD.name,
            source=row.status_word.partition(" ")[0],
            target=columns.status,
            rule=columns.rule_id,
            data=(("ready", columns.ready), ("restarts", columns.restarts), *pod_facts(row)),
            cause=cause,
        )
        row = replace(row, status_word=shown)
    return fx.save_pod(row)


def columns_of(fx: Effects, row: PodRow) -> Columns:
    """The columns kubectl prints for the pod at this moment."""
    return printed_columns(
        row.pod.spec, row.status, now_ms=fx.now, is_deleted=row.deletion_ms is not None, options=fx.world.options.printing
    )


def pod_facts(row: PodRow) -> Data:
    """What holds for a pod besides what kubectl prints, for its record: only facts that are true."""
    facts = [("pod_ready", True) for item in row.status.conditions if item.type == "Ready" and item.status == "True"]
    if row.deletion_ms is not None:
        facts.append(("deleting", True))
    if row.node:
        facts.append(("scheduled", True))
    return tuple(facts)
