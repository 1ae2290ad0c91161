"""Events: the complete list of what can be due inside a run. Not to be confused with Kubernetes Events (``K8sEvent``)."""

from msgspec import Struct

from simulator.engine.kernel.units import Key


class SchedulePod(Struct, frozen=True, gc=False):
    """The scheduler takes a pod from its queue. ``why``: empty, update or flush (``requeue``)."""

    pod: Key
    why: str = ""


class KubeletSees(Struct, frozen=True, gc=False):
    """The kubelet's watch delivers an API change of the pod: added, updated or deleting."""

    pod: Key


class KubeletLoses(Struct, frozen=True, gc=False):
    """The kubelet's watch tells that the API object is gone."""

    pod: Key


class SyncDue(Struct, frozen=True, gc=False):
    """A pod worker's next sync begins."""

    pod: Key


class WorkerStep(Struct, frozen=True, gc=False):
    """The step of a running sync that takes time has ended. ``n`` guards against a stale one."""

    pod: Key
    n: int


class Relist(Struct, frozen=True, gc=False):
    """The kubelet of a node compares its containers with the last list (PLEG), or those of one pod on demand."""

    node: str
    pod: Key = ""


class ProcessWake(Struct, frozen=True, gc=False):
    """A container's process has something to do."""

    pod: Key
    container: str
    attempt: int


class PeerSignal(Struct, frozen=True, gc=False):
    """A signal from another container of the same process namespace reaches a process."""

    pod: Key
    container: str
    attempt: int
    pid: int
    number: int


class ProcessEnded(Struct, frozen=True, gc=False):
    """A container's main process has ended; whoever waits for it goes on."""

    pod: Key
    container: str
    attempt: int


class ExecWake(Struct, frozen=True, gc=False):
    """A process started by exec (probe, hook, user) has something to do."""

    n: int


class ExecTimeout(Struct, frozen=True, gc=False):
    """The time an exec may take is over."""

    n: int


class HookDone(Struct, frozen=True, gc=False):
    """A lifecycle hook has ended. ``purpose``: post_start or pre_stop; the rest as in ``execs.Finished``.

    ``kubelet`` is that which ran it, by the number of its start: nothing is heard of the hooks of one that has stopped. ``server`` is
    the instance whose answer ends it.
    """

    pod: Key
    container: str
    attempt: int
    purpose: str
    outcome: str
    exit_code: int
    output: str
    error: str
    errors: str = ""
    fallback: str = ""  # the address of a server that an HTTPS hook was answered by without TLS
    kubelet: int = 0
    server: tuple[Key, str, int] | None = None


class StopStep(Struct, frozen=True, gc=False):
    """The stop of a container goes on: the hook's time or the grace period is over. ``n`` guards against a stale one."""

    pod: Key
    container: str
    attempt: int
    n: int


class ProbeTick(Struct, frozen=True, gc=False):
    """A probe worker's ticker ticks; ``extra`` marks a poke between two ticks."""

    pod: Key
    container: str
    probe: str
    extra: bool = False


class ProbeAnswer(Struct, frozen=True, gc=False):
    """A network probe that takes time has ended."""

    pod: Key
    container: str
    probe: str
    outcome: str
    output: str
    began_ms: int


class VolumeTry(Struct, frozen=True, gc=False):
    """The kubelet tries again to mount a volume of a pod."""

    pod: Key
    volume: str


class VolumeWait(Struct, frozen=True, gc=False):
    """A sync has waited for its volumes as long as it may. ``n`` guards against a stale one."""

    pod: Key
    n: int


class PullDone(Struct, frozen=True, gc=False):
    """The node's image puller has finished the pull at the head of its queue, which it had begun at ``began_ms``."""

    node: str
    began_ms: int


class StatusBeat(Struct, frozen=True, gc=False):
    """The status manager's ten-second beat on a node that waits for removals."""

    node: str


class StatusReconcile(Struct, frozen=True, gc=False):
    """The status manager's ten-second beat finds a status that somebody else has written."""

    pod: Key


class HousekeepingKill(Struct, frozen=True, gc=False):
    """The kubelet's two-second housekeeping finds containers of a pod that it counts as over, and kills them (1.20)."""

    pod: Key


class DeadlineDue(Struct, frozen=True, gc=False):
    """The kubelet's one-second tick finds a pod past its activeDeadlineSeconds."""

    pod: Key


class ScriptDue(Struct, frozen=True, gc=False):
    """The scenario gives its n-th scripted command."""

    n: int


class PastDue(Struct, frozen=True, gc=False):
    """A fact of an imported pod becomes true: the ``n``-th of the ``pod``-th pod of the header, whose key is known once it exists."""

    pod: int
    n: int
    key: Key


class PastOver(Struct, frozen=True, gc=False):
    """The moment of import: the simulation takes over."""


# Nodes: kubelets, what a node has of a resource, and the controllers that watch nodes.


class EvictionTick(Struct, frozen=True, gc=False):
    """The eviction manager of a node takes its next round."""

    node: str


class MeasureVolumes(Struct, frozen=True, gc=False):
    """The kubelet measures the volumes of a pod, about once a minute."""

    pod: Key


class MeasureLayers(Struct, frozen=True, gc=False):
    """The use of writable layers is measured: by containerd of all on the node, for Docker's containers of each by itself."""

    node: str
    pod: Key = ""
    container: str = ""


class NodeOom(Struct, frozen=True, gc=False):
    """The memory of a node will be used up now if everything went on as it did."""

    node: str


class TaintJudge(Struct, frozen=True, gc=False):
    """The taint manager sees a pod on a node that has NoExecute taints."""

    pod: Key


class TaintEvict(Struct, frozen=True, gc=False):
    """The time for which a pod tolerates its node's taint is over."""

    pod: Key


class NodeCheck(Struct, frozen=True, gc=False):
    """The node controller has something to do about a node."""

    node: str


class TaintPass(Struct, frozen=True, gc=False):
    """The node controller's five-second round looks at the NoExecute taints of all nodes."""


class NetworkBack(Struct, frozen=True, gc=False):
    """The kubelet of a node whose network works again tries to reach the API server."""

    node: str


class NodeStatusDue(Struct, frozen=True, gc=False):
    """The kubelet's ten-second node status has something new to report."""

    node: str


class KubeletUp(Struct, frozen=True, gc=False):
    """A kubelet that was started begins to work."""

    node: str


class RuntimeStep(Struct, frozen=True, gc=False):
    """The kubelet's next try to reach the container runtime, or its question about the runtime's and the network's state.

    ``why``: ``down`` (it has not answered for too long), ``reconnect``, ``up`` (the sync loop sees it again) or ``network``.
    """

    node: str
    why: str


class PodGC(Struct, frozen=True, gc=False):
    """A round of the pod garbage collector that looks at the pods of a missing node; an empty ``node``: of all nodes and of none."""

    node: str


class PodGCOutOfService(Struct, frozen=True, gc=False):
    """A round of the pod garbage collector that looks at the pods of a node which was marked as out of service."""

    node: str


class StaticSync(Struct, frozen=True, gc=False):
    """The kubelet looks after a static pod: its mirror in the API, or its removal."""

    node: str
    namespace: str
    name: str


class ShutdownStep(Struct, frozen=True, gc=False):
    """A node that shuts down goes on with its next group of pods. ``n`` guards against a stale one."""

    node: str
    n: int


# The object store: what its controllers have to look at, and requests that ask again.


class DisruptionOver(Struct, frozen=True, gc=False):
    """The disruption controller looks at a pod that was to be disrupted and is still there."""

    pod: Key


class ClaimSweep(Struct, frozen=True, gc=False):
    """The protection controller looks whether a claim that is being deleted is still in use."""

    namespace: str
    name: str


class NamespaceSweep(Struct, frozen=True, gc=False):
    """The namespace controller deletes what is in a namespace that is being deleted."""

    namespace: str


class BudgetSync(Struct, frozen=True, gc=False):
    """The disruption controller computes the status of a budget."""

    namespace: str
    name: str


class ReplicaSetSync(Struct, frozen=True, gc=False):
    """The ReplicaSet controller looks at a ReplicaSet."""

    namespace: str
    name: str


class StatefulSetSync(Struct, frozen=True, gc=False):
    """The StatefulSet controller looks at a StatefulSet."""

    namespace: str
    name: str


class DeploymentSync(Struct, frozen=True, gc=False):
    """The Deployment controller looks at a Deployment."""

    namespace: str
    name: str


class JobSync(Struct, frozen=True, gc=False):
    """The Job controller looks at a Job."""

    namespace: str
    name: str


class DaemonSetSync(Struct, frozen=True, gc=False):
    """The DaemonSet controller looks at a DaemonSet."""

    namespace: str
    name: str


class AutoscalerSync(Struct, frozen=True, gc=False):
    """The HorizontalPodAutoscaler controller looks at an autoscaler."""

    namespace: str
    name: str


class ClaimSync(Struct, frozen=True, gc=False):
    """The controller of volumes looks at a claim that is not bound."""

    namespace: str
    name: str


class VolumeSync(Struct, frozen=True, gc=False):
    """The controller of volumes looks at a volume."""

    name: str


class ProvisionDone(Struct, frozen=True, gc=False):
    """A provisioner has made the volume of a claim."""

    namespace: str
    name: str
    uid: str


class JobExpiry(Struct, frozen=True, gc=False):
    """The time that a finished Job is kept may be over."""

    namespace: str
    name: str


class CronJobSync(Struct, frozen=True, gc=False):
    """The CronJob controller looks at a CronJob."""

    namespace: str
    name: str


class JobOrphan(Struct, frozen=True, gc=False):
    """The Job controller looks at a pod that may wait for a Job which will not count it."""

    pod: Key


class EndpointSliceSync(Struct, frozen=True, gc=False):
    """The EndpointSlice controller looks at a Service."""

    namespace: str
    name: str


class EndpointsSync(Struct, frozen=True, gc=False):
    """The Endpoints controller looks at a Service."""

    namespace: str
    name: str


class ProxySync(Struct, frozen=True, gc=False):
    """The service proxies of the nodes write the rules of the Services that have changed."""


class LoadLook(Struct, frozen=True, gc=False):
    """The clients of a Service look what their requests come to from now on."""

    namespace: str
    name: str


class CollectGarbage(Struct, frozen=True, gc=False):
    """The garbage collector looks at the dependents of an object."""

    kind: str
    namespace: str
    name: str
    uid: str


class DrainRetry(Struct, frozen=True, gc=False):
    """``kubectl drain`` asks again for an eviction that a budget did not allow; it gives up at ``until_ms`` (0: never)."""

    pod: Key
    uid: str
    grace_s: int | None
    until_ms: int
    timeout_s: int = 0


class DrainTimeout(Struct, frozen=True, gc=False):
    """``kubectl drain --timeout`` waits no longer for the pods of a node that are still on their way out."""

    node: str
    timeout_s: int


Event = (
    SchedulePod
    | KubeletSees
    | KubeletLoses
    | SyncDue
    | WorkerStep
    | Relist
    | ProcessWake
    | PeerSignal
    | ProcessEnded
    | ExecWake
    | ExecTimeout
    | HookDone
    | StopStep
    | ProbeTick
    | ProbeAnswer
    | VolumeTry
    | VolumeWait
    | PullDone
    | StatusBeat
    | StatusReconcile
    | HousekeepingKill
    | DeadlineDue
    | EvictionTick
    | MeasureLayers
    | MeasureVolumes
    | NodeOom
    | ClaimSweep
    | DisruptionOver
    | NamespaceSweep
    | TaintJudge
    | TaintPass
    | TaintEvict
    | NodeCheck
    | NetworkBack
    | NodeStatusDue
    | KubeletUp
    | RuntimeStep
    | PodGC
    | PodGCOutOfService
    | StaticSync
    | ShutdownStep
    | BudgetSync
    | CollectGarbage
    | ReplicaSetSync
    | EndpointSliceSync
    | EndpointsSync
    | ProxySync
    | LoadLook
    | StatefulSetSync
    | DaemonSetSync
    | ClaimSync
    | VolumeSync
    | ProvisionDone
    | JobSync
    | JobOrphan
    | JobExpiry
    | AutoscalerSync
    | CronJobSync
    | DeploymentSync
    | DrainRetry
    | DrainTimeout
    | ScriptDue
    | PastDue
    | PastOver
)
