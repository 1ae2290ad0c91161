"""Events of nodes: what the queue holds about kubelets, their node's resources, and the controllers that watch nodes."""

from msgspec import Struct

from simulator.engine.kernel.units import Key


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
