"""Events: the complete list of what can be due inside a run. Not to be confused with Kubernetes Events (``K8sEvent``)."""

from msgspec import Struct

from simulator.engine.units import Key


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
    """A lifecycle hook has ended. ``purpose``: post_start or pre_stop; the rest as in ``execs.Finished``."""

    pod: Key
    container: str
    attempt: int
    purpose: str
    outcome: str
    exit_code: int
    output: str
    error: str
    errors: str = ""


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


class HousekeepingKill(Struct, frozen=True, gc=False):
    """The kubelet's two-second housekeeping finds containers of a pod that it counts as over, and kills them (1.20)."""

    pod: Key


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


class DeadlineDue(Struct, frozen=True, gc=False):
    """The kubelet's one-second tick finds a pod past its activeDeadlineSeconds."""

    pod: Key


class EvictionTick(Struct, frozen=True, gc=False):
    """The eviction manager of a node takes its next round."""

    node: str


class MeasureVolumes(Struct, frozen=True, gc=False):
    """The kubelet measures the volumes of a pod, about once a minute."""

    pod: Key


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
    """The node controller's five-second round finds something to do about a node."""

    node: str


class NodeStatusDue(Struct, frozen=True, gc=False):
    """The kubelet's ten-second node status has something new to report."""

    node: str


class KubeletUp(Struct, frozen=True, gc=False):
    """A kubelet that was started begins to work."""

    node: str


class RuntimeStep(Struct, frozen=True, gc=False):
    """The kubelet's next try to reach the container runtime, or its question about the runtime's and the network's state."""

    node: str


class PodGC(Struct, frozen=True, gc=False):
    """The pod garbage collector's round finds pods of a node that no longer exists. ``pod``: one bound to a node that never was."""

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


class BudgetSync(Struct, frozen=True, gc=False):
    """The disruption controller computes the status of a budget."""

    namespace: str
    name: str


class CollectGarbage(Struct, frozen=True, gc=False):
    """The garbage collector looks at the dependents of an object."""

    kind: str
    namespace: str
    name: str


class DrainRetry(Struct, frozen=True, gc=False):
    """``kubectl drain`` asks again for an eviction that a budget did not allow; it gives up at ``until_ms`` (0: never)."""

    pod: Key
    uid: str
    grace_s: int | None
    until_ms: int


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
    | HousekeepingKill
    | DeadlineDue
    | EvictionTick
    | MeasureVolumes
    | NodeOom
    | ClaimSweep
    | DisruptionOver
    | NamespaceSweep
    | TaintJudge
    | TaintEvict
    | NodeCheck
    | NodeStatusDue
    | KubeletUp
    | RuntimeStep
    | PodGC
    | StaticSync
    | ShutdownStep
    | BudgetSync
    | CollectGarbage
    | DrainRetry
    | ScriptDue
    | PastDue
    | PastOver
)
