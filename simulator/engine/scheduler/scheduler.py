"""The scheduler: one pod at a time, filter the nodes, take the one with the best score, bind.

The scheduler handles pods that have no node, are not being deleted and have no scheduling
gates. A pod created with spec.nodeName never comes here: no filter examines it, only its kubelet
may reject it. A pod is scheduled once in its life; what changes on its node later does not move it.

An attempt (``attempt.py``) runs the plugins. If a node is left, the pod is assumed there
(``cache.py``) and bound: the next pod must not get the same room, even though the kubelet has seen
nothing yet. Upstream binds asynchronously while the next pod is already being tried; here assume
and bind are one step, so no binding can fail afterwards.

If no node is left, preemption (``preemption.py``) may choose victims. Then three things are
written: the condition PodScheduled=False, an Event, and nominatedNodeName if victims are
terminating. The pod waits in the queue (``queue.py``) for something that may help. Preemption
does not bind: the victims need their grace period, and the pod competes for the room again when
they are gone.

Claims that wait for a first consumer put a step in between: the node is chosen, its room is held,
and the pod is bound when the volumes are there (``plugins/volume_binding.py``).

Filters and scores are the plugins (``plugins/order.py``). Every node is examined, as with
percentageOfNodesToScore 100. Ties, which a real scheduler breaks at random, go to the node with the
fewest pods, then to the first of the cluster (rule SCHEDULE-TIE).

Source: pkg/scheduler/schedule_one.go.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit_from
from simulator.engine.apiserver.publish import Draft, condition_of, publish
from simulator.engine.kernel.records import RecordKind
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.scheduler import cache
from simulator.engine.scheduler.attempt import Attempt, attempt
from simulator.engine.scheduler.events import COMPONENT, emit_deleted, emit_failure
from simulator.engine.scheduler.framework import Cycle
from simulator.engine.scheduler.plugins.volume_binding import begin_binding, is_waiting
from simulator.engine.scheduler.preemption import preempt
from simulator.engine.scheduler.queue import QUEUE, await_flush, is_too_early
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import SchedulePod
from simulator.engine.world.rows import Need, NodeRow, PodRow
from simulator.engine.world.work import NODE

RULES = (
    RuleText(
        "SCHEDULE-BIND",
        gettext_noop("The scheduler chose {node}: it passed every filter and scored highest. A pod is bound once in its life."),
        "pkg/scheduler/scheduler.go",
    ),
    RuleText(
        "SCHEDULE-TIE",
        gettext_noop(
            "Of nodes with the same score, the one with the fewest pods is chosen, then the first; a real scheduler picks one at random."
        ),
        "our choice",
        sure="assumed",
    ),
    RuleText(
        "SCHEDULE-WAITS-FOR-VOLUMES",
        gettext_noop(
            "The scheduler chose {node} and reserves room there; it binds the pod once the claims waiting for this decision are bound."
        ),
        "pkg/scheduler/framework/plugins/volumebinding PreBind",
    ),
    RuleText(
        "SCHEDULE-UNSCHEDULABLE",
        gettext_noop("No node passed the filters, so the pod stays Pending and the scheduler retries when something changes."),
        "pkg/scheduler/scheduler.go recordSchedulingFailure",
    ),
    RuleText(
        "SCHEDULE-DELETED",
        gettext_noop("The pod was deleted before it had a node; the scheduler of this version reports that it skips it."),
        "observed on a 1.20.2 node; pkg/scheduler/scheduler.go skipPodSchedule",
        "1.0",
        "1.20",
        sure="recording",
    ),
)


def _is_mine(fx: Effects, row: PodRow) -> bool:
    """Whether the pod waits for this scheduler; a pod that is being deleted is left alone."""
    if row.node or row.pod.spec.scheduler_name != COMPONENT or (fx.profile.scheduling_gated and row.pod.spec.scheduling_gates):
        return False
    if row.deletion_ms is None and row.gone_ms is None:
        return True
    fx.set_unscheduled(row.key, waiting=False)
    if fx.profile.deleted_pod_scheduling_event and row.deletion_ms is not None:
        fx.cause = row.deletion_seq
        emit_deleted(fx, row, rule="SCHEDULE-DELETED")
    return False


def schedule_pod(fx: Effects, event: SchedulePod) -> None:
    """Try to place one pod."""
    row = fx.tables.pods[event.pod]
    if not _is_mine(fx, row) or is_too_early(fx, event):
        return
    if row.key in fx.tables.volume_waits:
        _bind_when_volumes_are(fx, row)
        return
    cycle = Cycle(fx.world, row)
    outcome = attempt(fx.world, cycle)
    if outcome.best is None:
        _reject(fx, cycle, outcome)
    elif begin_binding(fx, row, outcome.best):
        fx.set_unscheduled(row.key, waiting=False)
        cache.assume(fx, row, outcome.best.name, cycle.need)
        fx.save_volume_wait(row.key, outcome.best.name)
        fx.note_step(row.subject, "volumes", rule="SCHEDULE-WAITS-FOR-VOLUMES", data=(("node", outcome.best.name),))
    else:
        bind(fx, row, outcome.best, cycle.need, outcome.reasons)
    fx.world.spent += cycle.looks * NODE


def _bind_when_volumes_are(fx: Effects, row: PodRow) -> None:
    """Bind a pod whose node is chosen once its claims are bound; its room is reserved in between."""
    node = fx.tables.nodes.get(fx.tables.volume_waits[row.key])
    if is_waiting(fx.tables, row):
        return
    need = fx.tables.scheduled[row.key]
    # Released first: binding assumes the pod again, and it must not count twice.
    cache.remove(fx, row)
    fx.save_volume_wait(row.key, "")
    if node is not None and not node.is_deleted:
        bind(fx, row, node, need, {})
    else:
        fx.enqueue(QUEUE, SchedulePod(row.key))


def bind(fx: Effects, row: PodRow, node: NodeRow, need: Need, refused: dict[str, int]) -> None:
    """Bind the pod to the node; the node's kubelet sees it next."""
    if row.key in fx.tables.unscheduled:
        fx.set_unscheduled(row.key, waiting=False)
    cache.assume(fx, row, node.name, need)
    fx.cause = fx.record(
        kind=RecordKind.DECISION.value,
        subject=row.subject,
        machine="scheduling",
        target=node.name,
        rule="SCHEDULE-BIND",
        data=(("node", node.name), *refused.items()),
    )
    condition = condition_of(fx, row, "PodScheduled", "True")
    nominated = "" if fx.profile.nominated_node_cleared else row.status.nominated_node
    status = replace(row.status, conditions=(condition,), nominated_node=nominated)
    publish(
        fx,
        replace(row, node=node.name),
        status,
        rule="SCHEDULE-BIND",
        draft=Draft(status, {"PodScheduled": "SCHEDULE-BIND"}),
    )
    text = f"Successfully assigned {row.namespace}/{row.name} to {node.name}"
    emit_from(fx, row, COMPONENT, reason="Scheduled", message=text, rule="SCHEDULE-BIND")


def _reject(fx: Effects, cycle: Cycle, outcome: Attempt) -> None:
    """No node fits: write condition and Event with the number of nodes per reason, and try preemption."""
    row, total = cycle.row, len(cycle.nodes)
    by = dict.fromkeys(each.plugin for each in outcome.refused) or dict.fromkeys(filter(None, (outcome.rejected_by,)))
    fx.set_unscheduled(row.key, waiting=True, by=tuple(by))
    # Counted before the Event is written and before the back-off is read: both depend on the
    # number.
    fx.note_try(row.key)
    counted = fx.profile.prefilter_counts_nodes or not outcome.rejected_by
    listed = ", ".join(sorted(f"{count} {reason}" if counted else reason for reason, count in outcome.reasons.items()))
    message = f"0/{total} nodes are available: {listed}." if total else "no nodes available to schedule pods"
    fx.cause = fx.record(
        kind=RecordKind.DECISION.value,
        subject=row.subject,
        machine="scheduling",
        target="unschedulable",
        rule="SCHEDULE-UNSCHEDULABLE",
        data=tuple(outcome.reasons.items()),
    )
    with fx.aside():
        tried = preempt(fx, cycle, outcome.refused)
    # An earlier nomination stays if this attempt found no victims: they may still be leaving.
    nominated = tried.chosen.node.name if tried.chosen is not None else ""
    if total and not nominated and fx.profile.preemption_in_failed_scheduling:
        message += _post_filter(fx, tried.message(total), is_prefilter=bool(outcome.rejected_by))
    condition = condition_of(fx, row, "PodScheduled", "False", "Unschedulable", message)
    others = tuple(item for item in row.status.conditions if item.type != "PodScheduled")
    status = replace(row.status, conditions=(*others, condition), nominated_node=nominated or row.status.nominated_node)
    publish(fx, row, status, rule="SCHEDULE-UNSCHEDULABLE", draft=Draft(status, {"PodScheduled": "SCHEDULE-UNSCHEDULABLE"}))
    emit_failure(fx, row, message, rule="SCHEDULE-UNSCHEDULABLE")
    await_flush(fx, row.key)


def _post_filter(fx: Effects, preemption: str, *, is_prefilter: bool) -> str:
    """The messages of the plugins called when no node fits. That of resource claims, if present, comes before preemption; it lacks
    the data its own PreFilter would have left if another plugin ended the attempt before, and then no other plugin is called."""
    if not fx.profile.has_gate("DynamicResourceAllocation"):
        return f" preemption: {preemption}"
    return " not found" if is_prefilter else f" no new claims to deallocate, preemption: {preemption}"
