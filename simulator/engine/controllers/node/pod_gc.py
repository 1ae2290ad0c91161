"""The pod garbage collector: it removes pods whose node does not exist. Rounds with nothing to collect are not queued.

Source: spec/control-plane §7 (pkg/controller/podgc/gc_controller.go); recordings i7, k9.
"""

from simulator.engine.controllers.api_server import delete_pod
from simulator.engine.controllers.kubelet.beats import next_beat
from simulator.engine.controllers.node.taints import disrupt, pods_on
from simulator.engine.effects import Effects
from simulator.engine.events import PodGC
from simulator.engine.queue import Lane
from simulator.engine.rules.text import RuleText, gettext_noop

RULES = (
    RuleText(
        "POD-GC",
        gettext_noop("The pod's node does not exist, so after a quarantine the pod garbage collector deletes the pod without grace."),
        "spec/control-plane §7; pkg/controller/podgc/gc_controller.go gcOrphaned",
    ),
)


def expect(fx: Effects, node: str) -> None:
    """Pods are bound to a node that does not exist: queue the round that will collect them.

    The first round notices; 40 s later the node leaves its quarantine, a race with the round of that moment. A node that
    never was lost it when recorded (69 s), one that was deleted won it (57 s).
    """
    profile = fx.profile
    period = profile.pod_gc_ms
    noticed = next_beat(fx.now, fx.uniform("pod-gc", 0, 0, period), period)
    wait = profile.pod_gc_quarantine_ms
    fx.schedule(noticed + (wait if node in fx.tables.nodes else wait + period), Lane.CONTROLLER, PodGC(node))


def pod_gc(fx: Effects, event: PodGC) -> None:
    """A round that finds pods of a node missing for longer than the quarantine."""
    row = fx.tables.nodes.get(event.node)
    if row is not None and not row.is_deleted:
        return
    cause = fx.cause
    for pod in pods_on(fx, event.node):
        fx.cause = cause
        if fx.profile.pod_gc_marks_failed and pod.status.phase not in ("Succeeded", "Failed"):
            disrupt(fx, pod.key, "DeletionByPodGC", "PodGC: node no longer exists", rule="POD-GC", phase="Failed")
        delete_pod(fx, fx.tables.pods[pod.key], 0)
