"""Events of the object store: what its controllers have to look at, and requests that ask again."""

from msgspec import Struct

from simulator.engine.kernel.units import Key


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
