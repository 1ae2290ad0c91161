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
    """The kubelet's watch reports that the API object is gone."""

    pod: Key


class SyncDue(Struct, frozen=True, gc=False):
    """A pod worker's next sync begins."""

    pod: Key


class WorkerStep(Struct, frozen=True, gc=False):
    """A step of a running sync that takes time has ended. ``n`` detects a stale event."""

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
    """A signal from another container in the same process namespace reaches a process."""

    pod: Key
    container: str
    attempt: int
    pid: int
    number: int


class ProcessEnded(Struct, frozen=True, gc=False):
    """A container's main process has ended; whatever waits for it continues."""

    pod: Key
    container: str
    attempt: int


class ExecWake(Struct, frozen=True, gc=False):
    """A process started by exec (probe, hook, user) has something to do."""

    n: int


class ExecTimeout(Struct, frozen=True, gc=False):
    """The timeout of an exec has expired."""

    n: int


class HookDone(Struct, frozen=True, gc=False):
    """A lifecycle hook has ended. ``purpose``: post_start or pre_stop; the rest as in ``execs.Finished``.

    ``kubelet`` is the one that ran it, by the number of its start: the hooks of a stopped kubelet report nothing. ``server`` is
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
    fallback: str = ""  # address of a server that answered an HTTPS hook without TLS
    kubelet: int = 0
    server: tuple[Key, str, int] | None = None


class StopStep(Struct, frozen=True, gc=False):
    """A container's stop continues: the hook's time or the grace period is over. ``n`` detects a stale event."""

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
    """A sync has waited for its volumes as long as it may. ``n`` detects a stale event."""

    pod: Key
    n: int


class PullDone(Struct, frozen=True, gc=False):
    """The node's image puller has finished the pull at the head of its queue, started at ``began_ms``."""

    node: str
    began_ms: int


class StatusBeat(Struct, frozen=True, gc=False):
    """The status manager's ten-second tick on a node that waits for removals."""

    node: str


class StatusReconcile(Struct, frozen=True, gc=False):
    """The status manager's ten-second tick finds a status that another client has written."""

    pod: Key


class HousekeepingKill(Struct, frozen=True, gc=False):
    """The kubelet's two-second housekeeping finds containers of a pod that it considers finished, and kills them (1.20)."""

    pod: Key


class DeadlineDue(Struct, frozen=True, gc=False):
    """The kubelet's one-second tick finds a pod past its activeDeadlineSeconds."""

    pod: Key


class ScriptDue(Struct, frozen=True, gc=False):
    """The scenario issues its n-th scripted command."""

    n: int


class PastDue(Struct, frozen=True, gc=False):
    """A fact of an imported pod becomes true: the ``n``-th of the header's ``pod``-th pod, whose key is known once it exists."""

    pod: int
    n: int
    key: Key


class PastOver(Struct, frozen=True, gc=False):
    """The moment of import: the simulation takes over."""


# Nodes: kubelets, what a node has of a resource, and the controllers that watch nodes.


class EvictionTick(Struct, frozen=True, gc=False):
    """The eviction manager of a node starts its next round."""

    node: str


class MeasureVolumes(Struct, frozen=True, gc=False):
    """The kubelet measures the volumes of a pod, about once a minute."""

    pod: Key


class MeasureLayers(Struct, frozen=True, gc=False):
    """The use of writable layers is measured: by containerd for all on the node at once, for Docker's containers one by one."""

    node: str
    pod: Key = ""
    container: str = ""


class NodeOom(Struct, frozen=True, gc=False):
    """A node's memory would be used up now if nothing had changed since this was predicted."""

    node: str


class TaintJudge(Struct, frozen=True, gc=False):
    """The taint manager sees a pod on a node that has NoExecute taints."""

    pod: Key


class TaintEvict(Struct, frozen=True, gc=False):
    """The tolerationSeconds of a pod for its node's taint have passed."""

    pod: Key


class NodeCheck(Struct, frozen=True, gc=False):
    """The node controller has something to do for a node."""

    node: str


class TaintPass(Struct, frozen=True, gc=False):
    """The node controller's five-second round checks the NoExecute taints of all nodes."""


class NetworkBack(Struct, frozen=True, gc=False):
    """The kubelet of a node whose network is back tries to reach the API server."""

    node: str


class NodeStatusDue(Struct, frozen=True, gc=False):
    """The kubelet's ten-second node status has something new to report."""

    node: str


class KubeletUp(Struct, frozen=True, gc=False):
    """A kubelet that was started is ready to work."""

    node: str


class RuntimeStep(Struct, frozen=True, gc=False):
    """The kubelet's next attempt to reach the container runtime, or its query for the state of the runtime and the network.

    ``why``: ``down`` (no answer for too long), ``reconnect``, ``up`` (the sync loop sees it again) or ``network``.
    """

    node: str
    why: str


class PodGC(Struct, frozen=True, gc=False):
    """A round of the pod garbage collector over the pods of a missing node; an empty ``node``: those of all nodes and of none."""

    node: str


class PodGCOutOfService(Struct, frozen=True, gc=False):
    """A round of the pod garbage collector over the pods of a node that was marked out of service."""

    node: str


class StaticSync(Struct, frozen=True, gc=False):
    """The kubelet takes care of a static pod: its mirror in the API, or its removal."""

    node: str
    namespace: str
    name: str


class ShutdownStep(Struct, frozen=True, gc=False):
    """A node that is shutting down continues with its next group of pods. ``n`` detects a stale event."""

    node: str
    n: int


# The object store: what its controllers have to process, and requests that are retried.


class DisruptionOver(Struct, frozen=True, gc=False):
    """The disruption controller checks a pod that was to be disrupted and is still there."""

    pod: Key


class ClaimSweep(Struct, frozen=True, gc=False):
    """The protection controller checks whether a claim that is being deleted is still in use."""

    namespace: str
    name: str


class NamespaceSweep(Struct, frozen=True, gc=False):
    """The namespace controller deletes the contents of a namespace that is being deleted."""

    namespace: str


class BudgetSync(Struct, frozen=True, gc=False):
    """The disruption controller computes the status of a budget."""

    namespace: str
    name: str


class ReplicaSetSync(Struct, frozen=True, gc=False):
    """The ReplicaSet controller syncs a ReplicaSet."""

    namespace: str
    name: str


class StatefulSetSync(Struct, frozen=True, gc=False):
    """The StatefulSet controller syncs a StatefulSet."""

    namespace: str
    name: str


class DeploymentSync(Struct, frozen=True, gc=False):
    """The Deployment controller syncs a Deployment."""

    namespace: str
    name: str


class JobSync(Struct, frozen=True, gc=False):
    """The Job controller syncs a Job."""

    namespace: str
    name: str


class DaemonSetSync(Struct, frozen=True, gc=False):
    """The DaemonSet controller syncs a DaemonSet."""

    namespace: str
    name: str


class AutoscalerSync(Struct, frozen=True, gc=False):
    """The HorizontalPodAutoscaler controller syncs an autoscaler."""

    namespace: str
    name: str


class ClaimSync(Struct, frozen=True, gc=False):
    """The persistent volume controller syncs a claim that is not bound."""

    namespace: str
    name: str


class VolumeSync(Struct, frozen=True, gc=False):
    """The persistent volume controller syncs a volume."""

    name: str


class ProvisionDone(Struct, frozen=True, gc=False):
    """A provisioner has created the volume of a claim."""

    namespace: str
    name: str
    uid: str


class JobExpiry(Struct, frozen=True, gc=False):
    """The time for which a finished Job is kept may be over."""

    namespace: str
    name: str


class CronJobSync(Struct, frozen=True, gc=False):
    """The CronJob controller syncs a CronJob."""

    namespace: str
    name: str


class JobOrphan(Struct, frozen=True, gc=False):
    """The Job controller checks a pod that may be waiting for a Job that will not count it."""

    pod: Key


class EndpointSliceSync(Struct, frozen=True, gc=False):
    """The EndpointSlice controller syncs a Service."""

    namespace: str
    name: str


class EndpointsSync(Struct, frozen=True, gc=False):
    """The Endpoints controller syncs a Service."""

    namespace: str
    name: str


class ProxySync(Struct, frozen=True, gc=False):
    """The service proxies of the nodes write the rules of the Services that have changed."""


class LoadLook(Struct, frozen=True, gc=False):
    """The clients of a Service work out the outcome of their requests from now on."""

    namespace: str
    name: str


class CollectGarbage(Struct, frozen=True, gc=False):
    """The garbage collector checks the dependents of an object."""

    kind: str
    namespace: str
    name: str
    uid: str


class DrainRetry(Struct, frozen=True, gc=False):
    """``kubectl drain`` retries an eviction that a budget did not allow; it gives up at ``until_ms`` (0: never)."""

    pod: Key
    uid: str
    grace_s: int | None
    until_ms: int
    timeout_s: int = 0


class DrainTimeout(Struct, frozen=True, gc=False):
    """``kubectl drain --timeout`` stops waiting for the pods of a node that are still terminating."""

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
