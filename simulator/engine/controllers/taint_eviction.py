"""Taint eviction: deletes pods that do not tolerate their node's NoExecute taints.

The controller watches nodes for changes of their NoExecute taints, and pods for a node or for other
tolerations. NoSchedule taints are the scheduler's concern and are ignored here. For each pod on a
tainted node there are three outcomes:

* A taint that no toleration matches: the pod is deleted now.
* Every taint is tolerated, and at least one matching toleration has tolerationSeconds: the pod is
  deleted after the smallest of them.
* Every taint is tolerated without a limit: nothing happens, and a timer that runs is stopped.

The timer starts when the controller first sees the pod on the tainted node, not at the taint's
timeAdded, and it is never restarted: while one runs, another taint or a longer toleration does not
extend it. Only an untolerated taint ends it early, and only the removal of the taints (or an
unlimited toleration) cancels it, with an Event. That is why a node that returns within five minutes
keeps its pods: every pod gets tolerations of 300 s for not-ready and unreachable at admission.

Budgets are not consulted. The pod is deleted with its own grace period, so on a node that is really
dead it stays Terminating: no kubelet confirms the end, and only PodGC, a returning kubelet or a
forced deletion removes it.

Until 1.28 this was part of the node lifecycle controller; from then on it is a controller of its
own, which shows in the component of its Events (``separate_taint_eviction``). The condition
DisruptionTarget comes with ``disruption_target``.

Source: pkg/controller/nodelifecycle/scheduler/taint_manager.go, later pkg/controller/tainteviction.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit_of_controller
from simulator.engine.apiserver.pods import delete_pod
from simulator.engine.apiserver.store.disrupt import disrupt
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import seconds
from simulator.engine.machines.taint import TAINT_EVICTION
from simulator.engine.policies.taint_eviction import Taint, eviction_delay_s
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import TaintEvict, TaintJudge
from simulator.engine.world.lookups import pods_on
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Eviction, NodeRow, PodRow
from simulator.engine.world.watch import ADDED, BOUND, CHANGED, GONE, Watch

RULES = (
    RuleText(
        "TAINT-EVICT",
        gettext_noop("The pod does not (or no longer) tolerate the node’s NoExecute taint, so the taint manager deletes it."),
        "pkg/controller/tainteviction",
    ),
    RuleText(
        "TAINT-EVICT-LATER",
        gettext_noop("The pod tolerates the NoExecute taint for {seconds} s; after that it is deleted."),
        "pkg/controller/tainteviction",
    ),
    RuleText(
        "TAINT-EVICT-NOW",
        gettext_noop("The pod does not tolerate another NoExecute taint, so it waits no longer: it is deleted at once."),
        "pkg/controller/tainteviction processPodOnNode",
    ),
    RuleText(
        "TAINT-CANCEL-GONE",
        gettext_noop("The pod was gone before its toleration ran out, so there is nothing left to delete."),
        "pkg/controller/tainteviction handlePodUpdate",
    ),
    RuleText(
        "TAINT-CANCEL",
        gettext_noop("Before the pod’s time ran out, the NoExecute taint was removed or the pod got another toleration: it stays."),
        "pkg/controller/tainteviction",
    ),
)


def _node_written(fx: Effects, old: NodeRow | None, row: NodeRow) -> None:
    """The node's NoExecute taints changed: determine which pods have to go, when, and which may stay after all."""
    if _executing(row) == (_executing(old) if old is not None else ()):
        return
    for pod in fx.each(pods_on(fx.tables, row.name)):
        judge_pod(fx, pod)


def _executing(row: NodeRow) -> tuple[Taint, ...]:
    return tuple(taint for taint in row.taints if taint[2] == "NoExecute")


def _pod_written(fx: Effects, old: PodRow | None, row: PodRow) -> None:
    """A pod came to a node that has NoExecute taints, or its tolerations changed."""
    if old is not None and old.node == row.node and old.pod.spec.tolerations == row.pod.spec.tolerations:
        return
    node = fx.tables.nodes.get(row.node)
    if node is not None and node.taints and _executing(node):
        fx.check(fx.now, Lane.CONTROLLER, TaintJudge(row.key))


def _pod_gone(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    """A pod that waited for its eviction is gone."""
    waiting = fx.tables.evictions.get(row.key)
    if waiting is not None:
        _end(fx, row, waiting, "pod_gone")


WATCHES = (
    Watch("taint-eviction-controller", "Node", ADDED | CHANGED, _node_written),
    Watch("taint-eviction-controller", "Pod", ADDED | BOUND | CHANGED, _pod_written),
    Watch("taint-eviction-controller", "Pod", GONE, _pod_gone),
)


def judge_pod(fx: Effects, row: PodRow) -> None:
    """Evict the pod now, later or never, by the NoExecute taints of its node and its tolerations.

    A pod that was evicted once because its time was over is not evicted again as long as the node has such taints.
    """
    node = fx.tables.nodes.get(row.node)
    taints = _executing(node) if node is not None else ()
    waiting = fx.tables.evictions.get(row.key)
    delay_s = eviction_delay_s(row.pod.spec.tolerations, taints) if taints else None
    if delay_s is None:
        if waiting is not None:
            _end(fx, row, waiting, "taint_gone")
    elif delay_s == 0:
        if waiting is None or _end(fx, row, waiting, "not_tolerated") == "over":
            fx.become(TAINT_EVICTION, row.key, Eviction(fx.now), "not_tolerated", None)
            evict_for_taint(fx, row)
    # A running timer is kept: a later taint or toleration does not extend it.
    elif waiting is None:
        _wait(fx, row, delay_s)


def _wait(fx: Effects, row: PodRow, limit_s: int) -> None:
    due = fx.now + seconds(limit_s)
    data = (("seconds", limit_s), ("until_ms", due))
    waiting, _, seq = fx.become(TAINT_EVICTION, row.key, Eviction(due), "tolerated_for_a_time", None, data=data)
    fx.save_eviction(row.key, replace(waiting, handle=fx.schedule(due, Lane.CONTROLLER, TaintEvict(row.key), cause=seq)))


def _component(fx: Effects) -> str:
    return "taint-eviction-controller" if fx.profile.separate_taint_eviction else "taint-controller"


def _end(fx: Effects, row: PodRow, waiting: Eviction, trigger: str) -> str:
    """Stop the pod's timer; an Event reports an eviction that is cancelled before its time. Returns the state it ends in."""
    fx.cancel(waiting.handle)
    ended, step, seq = fx.become(TAINT_EVICTION, row.key, replace(waiting, handle=0), trigger, None)
    # An eviction whose time was up is remembered: the pod, Terminating by now, must not be evicted
    # again.
    fx.save_eviction(row.key, ended if trigger == "time_up" else None)
    if step is not None and waiting.state == "waiting" and trigger != "time_up":
        text = f"Cancelling deletion of Pod {row.namespace}/{row.name}"
        with fx.because(seq):
            emit_of_controller(fx, row, _component(fx), reason="TaintManagerEviction", message=text, rule=step.rule)
    return ended.state


def taint_judge(fx: Effects, event: TaintJudge) -> None:
    """Check a pod on a tainted node, as the taint manager does."""
    row = fx.tables.pods[event.pod]
    if row.gone_ms is None:
        judge_pod(fx, row)


def taint_evict(fx: Effects, event: TaintEvict) -> None:
    """The time for which a pod tolerates its node's taint is over."""
    waiting = fx.tables.evictions.get(event.pod)
    row = fx.tables.pods[event.pod]
    if waiting is not None and _end(fx, row, replace(waiting, handle=0), "time_up") == "over":
        evict_for_taint(fx, row)


def evict_for_taint(fx: Effects, row: PodRow) -> None:
    """Write the Event, mark the pod if the version does, and delete it with its own grace period."""
    text = f"Marking for deletion Pod {row.namespace}/{row.name}"
    emit_of_controller(fx, row, _component(fx), reason="TaintManagerEviction", message=text, rule="TAINT-EVICT")
    disrupt(fx, row.key, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint", rule="TAINT-EVICT")
    delete_pod(fx, fx.tables.pods[row.key], None)
