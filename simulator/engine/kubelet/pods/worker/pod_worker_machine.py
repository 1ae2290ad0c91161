"""The phases of a kubelet's pod worker: syncing, terminating, terminated, finished. It never goes back.

From 1.22 on (gate ``pod_worker_states``) the worker has these states itself:

* syncing: it brings the pod to its spec. It leaves when the deletion is seen, or when the pod has
  ended by itself (a terminal phase, a deadline, an eviction).
* terminating: it only stops containers. Liveness and startup probes have ended; readiness continues,
  since Endpoints still depend on it.
* terminated: every container has ended and the last status is published. One more sync, after the
  next relist, releases volumes and cgroup.
* finished: nothing of the pod is left on the node, so its object may be removed from the API. A pod that
  ended without being deleted stays here until it is deleted.

The order matters: the last status is published before the resources are released, and the object is
removed after both. That is why a deleted pod is still listed for a moment with all its containers ended.

Until 1.21 there were no such states. A deleted pod went through ordinary syncs, and the status
manager removed the object at one of its ten-second ticks; so here the worker stays syncing until it
is finished. A kubelet that starts does not know the pods it ran before: they begin as unknown.
What runs for a pod that is gone or rejected is an orphan, which is only stopped.

Source: pkg/kubelet/pod_workers.go; for 1.20 kubelet.go dispatchWork and status_manager.go.
"""

from simulator.engine.kernel.machine import DECIDED, Machine, Row, State, StateField
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.world.rows import Worker

_SOURCE = "pkg/kubelet/pod_workers.go"


def object_is_gone(is_gone: bool) -> bool:
    """The pod's object is no longer in the API."""
    return is_gone


POD_WORKER: Machine[bool] = Machine(
    "pod_worker",
    about=gettext_noop("What the kubelet’s worker for a pod is doing."),
    initial="unknown",
    fields=(
        StateField(Worker, "state", lambda _, worker: f"pod/{worker.pod}", lambda fx, _, worker: fx.save_worker(worker), seq_field=""),
    ),
    states=(
        State("unknown", gettext_noop("Unknown to the kubelet"), "absent"),
        State("syncing", gettext_noop("Syncing"), "ready"),
        State("terminating", gettext_noop("Terminating"), "terminating"),
        State("terminated", gettext_noop("Terminated"), "waiting"),
        State("finished", gettext_noop("Finished"), "absent"),
    ),
    rows=(
        Row("unknown", "accepted", "syncing", "WORKER-ACCEPTED"),
        Row("unknown", "orphan_found", "terminating", "ORPHAN-KILLED", gate="pod_worker_states", quiet=True),
        Row("unknown", "orphan_found", "syncing", "ORPHAN-KILLED", when=object_is_gone, unless="pod_worker_states", quiet=True),
        Row("unknown", "orphan_found", "finished", "ORPHAN-KILLED", unless="pod_worker_states", quiet=True),
        Row("unknown", "imported_ended", "finished", "IMPORT-STATE", gate="pod_worker_states", quiet=True),
        Row("unknown", "imported_ended", "syncing", "IMPORT-STATE", unless="pod_worker_states", quiet=True),
        Row("syncing", "imported_stopping", "terminating", "IMPORT-STATE", gate="pod_worker_states", quiet=True),
        Row("syncing", "deletion_seen", "terminating", "WORKER-DELETION", gate="pod_worker_states"),
        Row("syncing", "pod_ended", "terminating", "WORKER-ENDED", gate="pod_worker_states"),
        Row("terminating", "containers_stopped", "terminated", "WORKER-STOPPED", gate="pod_worker_states"),
        Row("terminated", "resources_released", "finished", "WORKER-RELEASED", gate="pod_worker_states"),
        Row("syncing", "resources_released", "finished", "WORKER-RELEASED-1.20", unless="pod_worker_states"),
        Row("syncing", "sandbox_collected", "finished", "WORKER-COLLECTED-1.20", gate="sandbox_awaits_collection"),
    ),
)

ORPHAN: Machine[str] = Machine(
    "orphan",
    about="What runs on a node for a pod that its kubelet does not take.",
    initial="",
    states=(State("", "Not found", "absent"), State("found", "Found", "terminating")),
    rows=(Row("", DECIDED, "found", "ORPHAN-KILLED"),),
)

RULES = (
    RuleText("WORKER-ACCEPTED", gettext_noop("The kubelet of {node} accepted the pod and began to sync it."), _SOURCE),
    RuleText(
        "WORKER-DELETION",
        gettext_noop("The kubelet saw the deletion: from now on it only stops containers, with a grace period of {grace_s} s."),
        _SOURCE,
        "1.22",
    ),
    RuleText("WORKER-ENDED", gettext_noop("The pod has finished, so the kubelet stops whatever is still running."), _SOURCE, "1.22"),
    RuleText("WORKER-STOPPED", gettext_noop("Every container has stopped; the kubelet releases volumes and cgroups."), _SOURCE, "1.22"),
    RuleText("WORKER-RELEASED", gettext_noop("No trace of the pod is left on the node."), _SOURCE, "1.22"),
    RuleText(
        "WORKER-RELEASED-1.20",
        gettext_noop("No trace of the pod is left on the node; the status manager removes the object in its next round, every 10 s."),
        "observed on a 1.20.2 node",
        "1.0",
        "1.21",
        sure="recording",
    ),
    RuleText(
        "WORKER-COLLECTED-1.20",
        gettext_noop(
            "The pod never had a container, so its stopped sandbox stayed until the kubelet’s garbage collection, which runs once a "
            "minute. No trace of the pod is left on the node now, and the status manager removes the object in its next round, every 10 s."
        ),
        "kubernetes pull request 92817 and issue 97288 (1.20.0 to 1.20.2); observed on a 1.20.2 node",
        "1.20",
        "1.20",
    ),
)
