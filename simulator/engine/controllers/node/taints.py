"""Taints of nodes, and the eviction of pods that do not put up with a NoExecute taint.

Source: pkg/controller/nodelifecycle/scheduler/taint_manager.go, later pkg/controller/tainteviction.
"""

from msgspec.structs import replace

from simulator.engine.api.status import PodCondition
from simulator.engine.api.taint_eviction import eviction_delay_s
from simulator.engine.controllers.api_server import delete_pod
from simulator.engine.controllers.facets import Draft, publish
from simulator.engine.controllers.k8s_events import emit_from
from simulator.engine.controllers.requeue import retry_unscheduled
from simulator.engine.effects import Effects
from simulator.engine.events import TaintEvict, TaintJudge
from simulator.engine.node_rows import Eviction
from simulator.engine.queue import Lane
from simulator.engine.rows import PodRow
from simulator.engine.rules.text import RuleText, gettext_noop
from simulator.engine.units import Key, seconds

Taint = tuple[str, str, str]
"""Key, value and effect."""
_OF_READY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
"""Taints that a node gets with both effects, the second a while after the first."""


RULES = (
    RuleText(
        "TAINT-EVICT",
        gettext_noop("The pod does not tolerate the node's NoExecute taint (any longer), so the taint manager deletes it."),
        "pkg/controller/tainteviction",
    ),
    RuleText(
        "TAINT-EVICT-LATER",
        gettext_noop("The pod tolerates the NoExecute taint for {seconds} s; then it will be deleted."),
        "pkg/controller/tainteviction",
    ),
    RuleText(
        "TAINT-CANCEL",
        gettext_noop("The node's NoExecute taint is gone before the pod's time was over, so the pod stays."),
        "pkg/controller/tainteviction",
    ),
)


def change_taints(fx: Effects, node: str, *, add: tuple[Taint, ...], remove: tuple[Taint, ...], rule: str) -> None:
    """Add and remove taints of a node, with a record for each, and let scheduler and taint manager see the change."""
    row = fx.tables.nodes[node]
    gone = tuple(taint for taint in row.taints if taint in remove)
    fresh = tuple(taint for taint in add if taint not in row.taints)
    if not gone and not fresh:
        return
    cause = fx.cause
    fx.save_node(replace(row, taints=(*(taint for taint in row.taints if taint not in gone), *fresh)))
    seq = cause
    for taint in (*fresh, *gone):
        is_new = taint in fresh
        text = f"{taint[0]}={taint[1]}:{taint[2]}" if taint[1] else f"{taint[0]}:{taint[2]}"
        seq = fx.record(
            subject=f"node/{node}", machine="taint", source="absent" if is_new else "present", target="present" if is_new else "absent",
            rule=rule, data=(("taint", text), ("key", taint[0]), ("value", taint[1]), ("effect", taint[2])), cause=cause,
        )  # fmt: skip
    fx.cause = seq
    if any(taint[2] == "NoExecute" for taint in (*gone, *fresh)):
        judge_node(fx, node)
    fx.cause = seq
    if gone and not _is_followed(gone, row.taints):
        retry_unscheduled(fx)


def _is_followed(gone: tuple[Taint, ...], left: tuple[Taint, ...]) -> bool:
    """Whether only NoSchedule taints of a node's condition went, and those with NoExecute go with the monitor's next pass.

    The scheduler tries at the node's update that made it Ready, before any of the taints is gone, and the back-off of that try holds its
    pods until both are gone (observed on a 1.20.2 node).
    """
    keys = {taint[0] for taint in left if taint[2] == "NoExecute" and taint[0] in _OF_READY}
    return all(taint[2] == "NoSchedule" and taint[0] in keys for taint in gone)


def pods_on(fx: Effects, node: str) -> list[PodRow]:
    """The pods bound to a node whose objects exist, in the order of their creation. O(pods)."""
    return [row for row in fx.tables.pods.values() if row.node == node and row.gone_ms is None]


def judge_node(fx: Effects, node: str) -> None:
    """The node's NoExecute taints changed: see which pods have to go, when, and which may stay after all."""
    cause = fx.cause
    for row in pods_on(fx, node):
        fx.cause = cause
        judge_pod(fx, row)


def judge_pod(fx: Effects, row: PodRow) -> None:
    """Evict the pod now, later or never, by the NoExecute taints of its node and its tolerations."""
    node = fx.tables.nodes.get(row.node)
    taints = [taint for taint in node.taints if taint[2] == "NoExecute"] if node is not None else []
    waiting = fx.tables.evictions.get(row.key)
    if not taints:
        if waiting is not None:
            _cancel(fx, row, waiting, tell=True)
        return
    delay_s = eviction_delay_s(row.pod.spec.tolerations, taints)
    if delay_s == 0:
        if waiting is not None:
            _cancel(fx, row, waiting, tell=False)
        evict_for_taint(fx, row)
    elif delay_s is None:
        if waiting is not None:
            _cancel(fx, row, waiting, tell=True)
    elif waiting is None:
        _wait(fx, row, delay_s)


def _wait(fx: Effects, row: PodRow, limit_s: int) -> None:
    due = fx.now + seconds(limit_s)
    seq = fx.record(
        subject=row.subject, machine="taint_eviction", source="", target="waiting", rule="TAINT-EVICT-LATER",
        data=(("seconds", limit_s), ("until_ms", due)),
    )  # fmt: skip
    handle = fx.schedule(due, Lane.CONTROLLER, TaintEvict(row.key), cause=seq)
    fx.save_eviction(row.key, Eviction(handle, due, seq))


def _component(fx: Effects) -> str:
    return "taint-eviction-controller" if fx.profile.separate_taint_eviction else "taint-controller"


def _cancel(fx: Effects, row: PodRow, waiting: Eviction, *, tell: bool) -> None:
    fx.cancel(waiting.handle)
    fx.save_eviction(row.key, None)
    if not tell:
        return
    cause = fx.cause
    fx.cause = fx.record(
        subject=row.subject, machine="taint_eviction", source="waiting", target="cancelled", rule="TAINT-CANCEL"
    )  # fmt: skip
    text = f"Cancelling deletion of Pod {row.namespace}/{row.name}"
    emit_from(fx, row, _component(fx), reason="TaintManagerEviction", message=text, rule="TAINT-CANCEL")
    fx.cause = cause


def taint_judge(fx: Effects, event: TaintJudge) -> None:
    """The taint manager sees a pod on a tainted node."""
    row = fx.tables.pods[event.pod]
    if row.gone_ms is None:
        judge_pod(fx, row)


def taint_evict(fx: Effects, event: TaintEvict) -> None:
    """The time a pod tolerates its node's taint is over."""
    row = fx.tables.pods[event.pod]
    fx.save_eviction(event.pod, None)
    if row.gone_ms is None:
        evict_for_taint(fx, row)


def evict_for_taint(fx: Effects, row: PodRow) -> None:
    """Say so in an Event, mark the pod where the version does, and delete it with its own grace period."""
    text = f"Marking for deletion Pod {row.namespace}/{row.name}"
    cause = fx.cause
    emit_from(fx, row, _component(fx), reason="TaintManagerEviction", message=text, rule="TAINT-EVICT")
    fx.cause = cause
    disrupt(fx, row.key, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint", rule="TAINT-EVICT")
    delete_pod(fx, fx.tables.pods[row.key], None)


def disrupt(fx: Effects, pod: Key, reason: str, message: str, *, rule: str, phase: str = "") -> None:
    """Add the DisruptionTarget condition where the version has it; ``phase`` also changes the phase."""
    row = fx.tables.pods[pod]
    status = row.status
    if fx.profile.disruption_target and status.condition("DisruptionTarget") is None:
        condition = PodCondition(type="DisruptionTarget", status="True", reason=reason, message=message)
        status = replace(status, conditions=(condition, *status.conditions))
    if phase:
        status = replace(status, phase=phase)
    if status is not row.status:
        publish(fx, row, status, rule=rule, draft=Draft(status, {"DisruptionTarget": rule, "phase": rule}))
