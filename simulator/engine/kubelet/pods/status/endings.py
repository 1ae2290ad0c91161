"""Pods that the kubelet ends by itself: past their deadline, evicted, preempted by a critical pod, shut down with the node.

The phase becomes Failed with its own reason and the containers are stopped, while the object stays. ``end`` only leaves the
reason with the worker, which acts as soon as it is free; a pod that is ending already keeps its first reason.

Until 1.21 such a status replaces the previous one, including conditions, and is published at once, while containers still run. From
1.22 on it is the ordinary status with phase, reason and message set, published when the containers have stopped: until then
``without_ending`` gives the status without the ending. From 1.26 on the condition DisruptionTarget reports it as well.

Exceeding a deadline is not an event of its own: a sync later than start plus activeDeadlineSeconds detects it. The tick queued by
``arm_deadline`` only ensures that there is such a sync.

Source: pkg/kubelet/active_deadline.go, pkg/kubelet/eviction, pkg/kubelet/preemption, pkg/kubelet/kubelet.go syncPod of 1.20.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.apiserver.publish import condition_of
from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.pods.status import deadline
from simulator.engine.kubelet.pods.worker.sync_timing import request_sync
from simulator.engine.model.status import TERMINAL_PHASES, PodCondition, PodStatus
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import DeadlineDue, SyncDue
from simulator.engine.world.lookups import pod_on_node
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Ending, PodRow, Worker

DISRUPTION_TARGET = "DisruptionTarget"
_OWN_CONDITIONS = ("PodScheduled", "Initialized", "Ready", "ContainersReady", "PodHasNetwork", "PodReadyToStartContainers")

RULES = (
    RuleText(
        "DISRUPTION-TARGET",
        gettext_noop("The kubelet records in the condition DisruptionTarget why it terminated the pod."),
        "pkg/kubelet/eviction/eviction_manager.go, preemption.go",
        "1.26",
    ),
    RuleText(
        "STATUS-REPLACED",
        gettext_noop(
            "This version of Kubernetes replaces the whole status of a pod that the kubelet terminates: its conditions disappear."
        ),
        "observed on a 1.20.2 node; pkg/kubelet/kubelet.go syncPod of 1.20",
        "1.0",
        "1.21",
        sure="recording",
    ),
)


def arm_deadline(fx: Effects, row: PodRow) -> None:
    """Queue the tick at which the pod's activeDeadlineSeconds, if it has one, counts as exceeded."""
    limit = (pod_on_node(fx.tables, row) if fx.tables.static_pods else row.pod).spec.active_deadline_seconds
    if limit is None:
        return
    due = deadline.deadline_ms(limit, row.status.start_ms if row.status.start_ms is not None else fx.now)
    assert due is not None
    tick = next_beat(max(due, fx.now + 1) - 1, fx.tables.kubelets[row.node].tick_phase_ms, fx.profile.sync_tick_ms)
    fx.check(tick, Lane.KUBELET, DeadlineDue(row.key), put_off=True)


def is_overdue(fx: Effects, row: PodRow) -> bool:
    """Whether the pod has been active for longer than its deadline allows."""
    limit = (pod_on_node(fx.tables, row) if fx.tables.static_pods else row.pod).spec.active_deadline_seconds
    return limit is not None and deadline.deadline_exceeded(limit, row.status.start_ms, fx.now)


def ending_of(fx: Effects, row: PodRow, worker: Worker) -> Ending | None:
    """Why the kubelet ends the pod, or None. Costs a look at the spec for a pod without a deadline."""
    if worker.ending is not None:
        return worker.ending
    if is_overdue(fx, row):
        return Ending(deadline.REASON, deadline.MESSAGE, "DEADLINE-EXCEEDED", keeps_containers=True)
    return None


def report_deadline(fx: Effects, row: PodRow, worker: Worker, *, by_death: bool = False) -> None:
    """Write the deadline's Event again, as the kubelet does each time it computes the status of an overdue pod.

    Until 1.21 it also computes it ``by_death`` of a container or sandbox, and a pod shown as ended by the API is not synced any more.
    """
    if worker.ending is not None or not is_overdue(fx, row):
        return
    if fx.profile.pod_worker_states or by_death or not is_ended(row):
        emit(fx, row, reason=deadline.REASON, message=deadline.MESSAGE, rule="DEADLINE-EXCEEDED")


def ended_status(fx: Effects, row: PodRow, ending: Ending, status: PodStatus, rules: dict[str, str]) -> PodStatus:
    """The status that reports the ending. ``status`` is the ordinary one, with the ending's phase, reason and message already in it."""
    if fx.profile.deadline_replaces_status:
        rules.update(dict.fromkeys(_OWN_CONDITIONS, "STATUS-REPLACED"))
        return _replaced(row, ending, status)
    if ending.disruption and fx.profile.disruption_target and status.condition(DISRUPTION_TARGET) is None:
        rules[DISRUPTION_TARGET] = "DISRUPTION-TARGET"
        text = ending.told or ending.message
        condition = condition_of(fx, row, DISRUPTION_TARGET, "True", "TerminationByKubelet", text)
        return replace(status, conditions=(*status.conditions, condition))
    return status


def without_ending(row: PodRow, status: PodStatus) -> PodStatus:
    """The status while containers still run: the pod's ending does not show yet."""
    known = row.status.condition(DISRUPTION_TARGET)
    shown = tuple(item for item in status.conditions if item.type != DISRUPTION_TARGET or known is not None)
    return replace(status, phase=row.status.phase, reason=row.status.reason, message=row.status.message, conditions=shown)


def foreign_conditions(row: PodRow) -> tuple[PodCondition, ...]:
    """The conditions of the pod written by others than the kubelet; they survive when a status is replaced."""
    return tuple(item for item in row.status.conditions if item.type not in _OWN_CONDITIONS)


def _replaced(row: PodRow, ending: Ending, status: PodStatus) -> PodStatus:
    """What 1.20 writes: phase, reason and message; for a deadline also the containers as they were, never ready again, and the address."""
    foreign = foreign_conditions(row)
    bare = replace(PodStatus(qos_class=status.qos_class), phase=status.phase, reason=ending.reason, message=ending.message)
    bare = replace(bare, start_ms=status.start_ms, conditions=foreign)
    if not ending.keeps_containers:
        return bare
    source = row.status if row.status.reason == ending.reason else status
    return replace(
        bare,
        init_containers=tuple(replace(item, ready=False) for item in source.init_containers),
        containers=tuple(replace(item, ready=False, started=False) for item in source.containers),
        ephemeral_containers=source.ephemeral_containers,
        pod_ip=status.pod_ip,
    )


def end(fx: Effects, row: PodRow, ending: Ending) -> None:
    """Decide that the kubelet ends the pod; its worker acts as soon as it is free. A pod that is already ending stays as it is."""
    worker = fx.tables.workers.get(row.key)
    if worker is None or worker.ending is not None or worker.state != "syncing":
        return
    fx.save_worker(replace(worker, ending=ending, calm=None))
    if request_sync(fx, row.key, fx.cause):
        fx.schedule(fx.now, Lane.KUBELET, SyncDue(row.key))
        fx.save_worker(replace(fx.tables.workers[row.key], sync_due_ms=fx.now))


def is_ended(row: PodRow) -> bool:
    """Whether the API shows the pod as finished."""
    return row.status.phase in TERMINAL_PHASES
