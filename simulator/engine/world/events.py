"""Events: the complete list of what can be due inside a run. Not to be confused with Kubernetes Events (``K8sEvent``)."""

from msgspec import Struct

from simulator.engine.kernel.units import Key
from simulator.engine.world.node_events import (
    EvictionTick,
    KubeletUp,
    MeasureLayers,
    MeasureVolumes,
    NetworkBack,
    NodeCheck,
    NodeOom,
    NodeStatusDue,
    PodGC,
    PodGCOutOfService,
    RuntimeStep,
    ShutdownStep,
    StaticSync,
    TaintEvict,
    TaintJudge,
    TaintPass,
)
from simulator.engine.world.store_events import (
    AutoscalerSync,
    BudgetSync,
    ClaimSweep,
    ClaimSync,
    CollectGarbage,
    CronJobSync,
    DaemonSetSync,
    DeploymentSync,
    DisruptionOver,
    DrainRetry,
    DrainTimeout,
    EndpointSliceSync,
    EndpointsSync,
    JobExpiry,
    JobOrphan,
    JobSync,
    LoadLook,
    NamespaceSweep,
    ProvisionDone,
    ProxySync,
    ReplicaSetSync,
    StatefulSetSync,
    VolumeSync,
)

__all__ = [
    "Event",
    "BudgetSync",
    "ClaimSweep",
    "CollectGarbage",
    "DeploymentSync",
    "DeadlineDue",
    "DisruptionOver",
    "DrainRetry",
    "DrainTimeout",
    "EvictionTick",
    "ExecTimeout",
    "ExecWake",
    "HookDone",
    "HousekeepingKill",
    "KubeletLoses",
    "KubeletSees",
    "KubeletUp",
    "MeasureLayers",
    "MeasureVolumes",
    "NamespaceSweep",
    "NodeCheck",
    "NodeOom",
    "NetworkBack",
    "NodeStatusDue",
    "PastDue",
    "PastOver",
    "PodGC",
    "PodGCOutOfService",
    "ProbeAnswer",
    "ProbeTick",
    "PeerSignal",
    "ReplicaSetSync",
    "EndpointSliceSync",
    "EndpointsSync",
    "ProxySync",
    "LoadLook",
    "StatefulSetSync",
    "DaemonSetSync",
    "ClaimSync",
    "VolumeSync",
    "ProvisionDone",
    "CronJobSync",
    "AutoscalerSync",
    "JobExpiry",
    "JobOrphan",
    "JobSync",
    "ProcessEnded",
    "ProcessWake",
    "PullDone",
    "Relist",
    "RuntimeStep",
    "SchedulePod",
    "ScriptDue",
    "ShutdownStep",
    "StaticSync",
    "StatusBeat",
    "StatusReconcile",
    "StopStep",
    "SyncDue",
    "TaintEvict",
    "TaintJudge",
    "TaintPass",
    "VolumeTry",
    "VolumeWait",
    "WorkerStep",
]


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
