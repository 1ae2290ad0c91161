"""The pod garbage collector: removes pods that no kubelet will ever end or report.

A loop every 20 s (``pod_gc_ms``) deletes four classes of pods:

* finished pods beyond the threshold, evicted ones first (1.23), then the oldest;
* terminating pods on a node that is not ready and carries the out-of-service taint (1.24);
* orphans: pods bound to a node that does not exist;
* pods being deleted that were never bound, so that no kubelet can confirm their end.

All of them are deleted without grace period. If the version marks them (``pod_gc_marks_failed``, 1.26),
the phase is first set to Failed, so that a Job controller, which counts by phase, learns of the
end. Orphans also get the condition DisruptionTarget. No Event is written.

An orphan is not collected at first sight. The node's name waits in a quarantine of 40 s, to give
the informer time to show a node that is new; after it the node is looked up once more. The end of
the quarantine coincides with a round of the loop, and which comes first is a race. The two outcomes
recorded on a 1.20.2 cluster are kept as ``pod_gc_deleted_node_late_ms`` (won, 57 s) and
``pod_gc_unknown_node_late_ms`` (lost, 69 s).

Rounds are a fixed grid, but a simulated round is queued only where something waits for it: the
watches below ask whether the change could give the next round work.

Source: pkg/controller/podgc/gc_controller.go; observed on a 1.20.2 node.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.pods import delete_pod
from simulator.engine.apiserver.publish import publish
from simulator.engine.apiserver.store.disrupt import disrupt
from simulator.engine.controllers.pod_gc_rules import (
    OUT_OF_SERVICE,
    CollectedPod,
    is_marked_failed,
    orphaned,
    terminated,
    terminating_out_of_service,
    unscheduled_terminating,
)
from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms
from simulator.engine.machines.phase import phase_by
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import PodGC, PodGCOutOfService
from simulator.engine.world.lookups import pods_on
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.watch import ADDED, BOUND, CHANGED, DELETING, ENDED, GONE, Watch

RULES = (
    RuleText(
        "POD-GC",
        gettext_noop(
            "The pod’s node does not exist, so after a quarantine the pod garbage collector deletes the pod without a grace period."
        ),
        "pkg/controller/podgc/gc_controller.go gcOrphaned",
    ),
    RuleText(
        "POD-GC-OUT-OF-SERVICE",
        gettext_noop(
            "The node is not ready and is marked out of service, so the pod garbage collector removes pods that are being deleted."
        ),
        "pkg/controller/podgc/gc_controller.go gcTerminating",
        "1.24",
    ),
    RuleText(
        "POD-GC-FINISHED",
        gettext_noop(
            "The cluster keeps {text} finished pods; beyond that, the pod garbage collector deletes evicted and older ones first."
        ),
        "pkg/controller/podgc/gc_controller.go gcTerminated",
    ),
    RuleText(
        "POD-GC-UNSCHEDULED",
        gettext_noop(
            "The pod is being deleted and was never bound to a node, so no kubelet can terminate it: the pod garbage collector does."
        ),
        "pkg/controller/podgc/gc_controller.go gcUnscheduledTerminating",
    ),
)


def expect(fx: Effects, node: str) -> None:
    """Pods are bound to a node that does not exist: queue the round that will collect them.

    The first round notices; the node leaves its quarantine in a race with the round of that moment.
    """
    profile = fx.profile
    # A row of a deleted node stays in the table; a name that never was a node has none.
    late = profile.pod_gc_deleted_node_late_ms if node in fx.tables.nodes else profile.pod_gc_unknown_node_late_ms
    fx.check(_next_round_ms(fx) + profile.pod_gc_quarantine_ms + late, Lane.CONTROLLER, PodGC(node))


def pod_gc(fx: Effects, event: PodGC) -> None:
    """Run a round that finds pods of a node missing for longer than the quarantine.

    Without a node it checks the finished pods and those that were never bound.
    """
    if not event.node:
        _everywhere(fx)
        return
    # The node came back during its quarantine, or is an object without a machine.
    if _exists(fx, event.node) or ("Node", "", event.node) in fx.tables.objects:
        return
    for candidate in orphaned(_candidates(fx, event.node), (event.node,)):
        _collect(fx, candidate, "POD-GC")


def _exists(fx: Effects, node: str) -> bool:
    row = fx.tables.nodes.get(node)
    return row is not None and not row.is_deleted


def _everywhere(fx: Effects) -> None:
    """Collect everything that does not depend on a node. O(pods), with a sort of the finished ones."""
    pods = [_candidate(row) for row in fx.tables.pods.values() if row.gone_ms is None]
    kept = fx.profile.pod_gc_threshold
    for candidate in terminated(pods, kept, evicted_first=fx.profile.pod_gc_evicted_first):
        row = fx.tables.pods[candidate.name]
        with fx.because(fx.note(row.subject, "collected", f"{kept}", rule="POD-GC-FINISHED")):
            delete_pod(fx, row, 0)
    for candidate in unscheduled_terminating(pods):
        _collect(fx, candidate, "POD-GC-UNSCHEDULED")


def _candidates(fx: Effects, node: str) -> list[CollectedPod]:
    return [_candidate(row) for row in pods_on(fx.tables, node)]


def _candidate(row: PodRow) -> CollectedPod:
    status = row.status
    is_deleting = row.deletion_ms is not None
    return CollectedPod(
        name=row.key, phase=status.phase, reason=status.reason, node=row.node, created_ms=row.created_ms, is_deleting=is_deleting
    )


def _collect(fx: Effects, candidate: CollectedPod, rule: str) -> None:
    """Mark the pod Failed if version and gates say so, and delete it without grace period. An orphan also gets DisruptionTarget."""
    profile = fx.profile
    marks = profile.pod_gc_marks_failed and (profile.disruption_target or profile.job_pod_replacement)
    if is_marked_failed(candidate):
        if rule == "POD-GC" and (marks or profile.disruption_target):
            text = "PodGC: node no longer exists"
            disrupt(fx, candidate.name, "DeletionByPodGC", text, rule=rule, phase=phase_by(rule) if marks else "")
        elif marks:
            row = fx.tables.pods[candidate.name]
            publish(fx, row, replace(row.status, phase=phase_by(rule)), rule=rule)
    with fx.aside():
        delete_pod(fx, fx.tables.pods[candidate.name], 0)


def watch_out_of_service(fx: Effects, node: str) -> None:
    """The node got the out-of-service taint: every round checks its pods until the taint or the pods are gone."""
    if fx.profile.out_of_service_taint:
        fx.check(_next_round_ms(fx), Lane.CONTROLLER, PodGCOutOfService(node))


def _pod_written(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    """A pod that is bound to a node that does not exist."""
    if row.node and not _exists(fx, row.node):
        expect(fx, row.node)


def _pod_deleted(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    """A pod that was never bound was deleted, and finalizers keep its object: no kubelet will end it."""
    if not row.node and row.pod.metadata.finalizers:
        _expect_round(fx)


def _pod_ended(fx: Effects, old: PodRow, row: PodRow) -> None:
    """A pod has finished: if the cluster may hold more such pods than it keeps, the next round counts them. O(1)."""
    if len(fx.tables.pods) > fx.profile.pod_gc_threshold > 0:
        _expect_round(fx)


def _node_gone(fx: Effects, _old: NodeRow | None, row: NodeRow) -> None:
    expect(fx, row.name)


def _node_written(fx: Effects, old: NodeRow, row: NodeRow) -> None:
    """A node was marked as out of service."""
    if _is_out_of_service(row) and not _is_out_of_service(old):
        watch_out_of_service(fx, row.name)


def _is_out_of_service(row: NodeRow) -> bool:
    return any(taint[0] == OUT_OF_SERVICE for taint in row.taints)


WATCHES = (
    Watch("pod-garbage-collector", "Pod", ADDED | BOUND, _pod_written),
    Watch("pod-garbage-collector", "Pod", DELETING, _pod_deleted),
    Watch("pod-garbage-collector", "Pod", ENDED, _pod_ended),
    Watch("pod-garbage-collector", "Node", GONE, _node_gone),
    Watch("pod-garbage-collector", "Node", CHANGED, _node_written),
)


def _next_round_ms(fx: Effects) -> Ms:
    """The next round after now. Rounds form a grid; one is queued only if something waits for it."""
    period = fx.profile.pod_gc_ms
    return next_beat(fx.now, fx.uniform("pod-gc", 0, 0, period), period)


def _expect_round(fx: Effects) -> None:
    """Let the next round check all pods, whatever node they are on."""
    fx.check(_next_round_ms(fx), Lane.CONTROLLER, PodGC(""))


def pod_gc_out_of_service(fx: Effects, event: PodGCOutOfService) -> None:
    """Run a round that removes terminating pods from a node that is out of service."""
    node = event.node
    if not _exists(fx, node):
        return
    is_ready = fx.tables.node_life[node].condition("Ready").status == "True"
    is_tainted = _is_out_of_service(fx.tables.nodes[node])
    candidates = _candidates(fx, node)
    for candidate in terminating_out_of_service(candidates, {node: (is_ready, is_tainted)}):
        _collect(fx, candidate, "POD-GC-OUT-OF-SERVICE")
    # Pods with finalizers survive the deletion, and pods may start to terminate later.
    if is_tainted and candidates:
        watch_out_of_service(fx, node)
