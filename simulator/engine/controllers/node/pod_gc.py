"""The pod garbage collector: it removes pods whose node does not exist. Rounds with nothing to collect are not queued.

Source: pkg/controller/podgc/gc_controller.go; observed on a 1.20.2 node.
"""

from msgspec.structs import replace

from simulator.engine.api.pod_gc import OUT_OF_SERVICE, Candidate, is_marked_failed, orphaned, terminating_out_of_service
from simulator.engine.controllers.api_server import delete_pod
from simulator.engine.controllers.facets import publish
from simulator.engine.controllers.store.disrupt import disrupt
from simulator.engine.effects import Effects
from simulator.engine.events import PodGC
from simulator.engine.grid import next_beat
from simulator.engine.lookups import pods_on
from simulator.engine.queue import Lane
from simulator.engine.rows import NodeRow, PodRow
from simulator.engine.rules.text import RuleText, gettext_noop
from simulator.engine.watch import ADDED, BOUND, CHANGED, GONE, Watch

RULES = (
    RuleText(
        "POD-GC",
        gettext_noop("The pod's node does not exist, so after a quarantine the pod garbage collector deletes the pod without grace."),
        "pkg/controller/podgc/gc_controller.go gcOrphaned",
    ),
    RuleText(
        "POD-GC-OUT-OF-SERVICE",
        gettext_noop(
            "The node is not ready and marked out of service, so the pod garbage collector removes the pods that are being deleted."
        ),
        "pkg/controller/podgc/gc_controller.go gcTerminating",
        "1.26",
    ),
)


def expect(fx: Effects, node: str) -> None:
    """Pods are bound to a node that does not exist: queue the round that will collect them.

    The first round notices; 40 s later the node leaves its quarantine, a race with the round of that moment. A node that
    never was lost it when recorded (69 s), one that was deleted won it (57 s).
    """
    profile = fx.profile
    period = profile.pod_gc_ms
    noticed = next_beat(fx.now, _phase(fx), period)
    wait = profile.pod_gc_quarantine_ms
    fx.schedule(noticed + (wait if node in fx.tables.nodes else wait + period), Lane.CONTROLLER, PodGC(node))


def pod_gc(fx: Effects, event: PodGC) -> None:
    """A round that finds pods of a node missing for longer than the quarantine, or of one that is out of service."""
    row = fx.tables.nodes.get(event.node)
    if row is not None and not row.is_deleted:
        _out_of_service(fx, event.node)
        return
    if ("Node", "", event.node) in fx.tables.objects:
        return
    for candidate in orphaned(_candidates(fx, event.node), (event.node,)):
        _collect(fx, candidate, "POD-GC")


def _candidates(fx: Effects, node: str) -> list[Candidate]:
    return [
        Candidate(name=row.key, phase=row.status.phase, node=row.node, is_deleting=row.deletion_ms is not None)
        for row in pods_on(fx.tables, node)
    ]


def _collect(fx: Effects, candidate: Candidate, rule: str) -> None:
    """Mark the pod Failed where the version does, and delete it without grace."""
    cause = fx.cause
    if fx.profile.pod_gc_marks_failed and is_marked_failed(candidate):
        if rule == "POD-GC":
            disrupt(fx, candidate.name, "DeletionByPodGC", "PodGC: node no longer exists", rule=rule, phase="Failed")
        else:
            row = fx.tables.pods[candidate.name]
            publish(fx, row, replace(row.status, phase="Failed"), rule=rule)
    delete_pod(fx, fx.tables.pods[candidate.name], 0)
    fx.cause = cause


def watch_out_of_service(fx: Effects, node: str) -> None:
    """The node got the out-of-service taint: every round looks at its pods until the taint is gone or nothing is left."""
    if fx.profile.pod_gc_marks_failed:
        fx.schedule(next_beat(fx.now, _phase(fx), fx.profile.pod_gc_ms), Lane.CONTROLLER, PodGC(node))


def _pod_written(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    """A pod that is bound to a node which does not exist."""
    if row.node and row.node not in fx.tables.nodes:
        expect(fx, row.node)


def _node_gone(fx: Effects, _old: NodeRow | None, row: NodeRow) -> None:
    expect(fx, row.name)


def _node_written(fx: Effects, old: NodeRow, row: NodeRow) -> None:
    """A node that is marked as out of service."""
    if _is_out_of_service(row) and not _is_out_of_service(old):
        watch_out_of_service(fx, row.name)


def _is_out_of_service(row: NodeRow) -> bool:
    return any(taint[0] == OUT_OF_SERVICE for taint in row.taints)


WATCHES = (
    Watch("pod-garbage-collector", "Pod", ADDED | BOUND, _pod_written),
    Watch("pod-garbage-collector", "Node", GONE, _node_gone),
    Watch("pod-garbage-collector", "Node", CHANGED, _node_written),
)


def _phase(fx: Effects) -> int:
    return fx.uniform("pod-gc", 0, 0, fx.profile.pod_gc_ms)


def _out_of_service(fx: Effects, node: str) -> None:
    is_ready = fx.tables.node_life[node].condition("Ready").status == "True"
    is_tainted = _is_out_of_service(fx.tables.nodes[node])
    candidates = _candidates(fx, node)
    for candidate in terminating_out_of_service(candidates, {node: (is_ready, is_tainted)}):
        _collect(fx, candidate, "POD-GC-OUT-OF-SERVICE")
    if is_tainted and candidates:
        watch_out_of_service(fx, node)
