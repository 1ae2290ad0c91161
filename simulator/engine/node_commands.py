"""Commands about nodes: their parts, taints, labels, pressure, draining and shutting down."""

from simulator.engine.command_base import Command


class NodeControl(Command, frozen=True, kw_only=True, tag="node"):
    """Stop, kill or start a node's kubelet or container runtime, or take its network plugin away (missing) and put it back (present)."""

    node: str
    kubelet: str = ""
    runtime: str = ""
    network_plugin: str = ""


class TaintNode(Command, frozen=True, kw_only=True, tag="taint"):
    """``kubectl taint node``: add taints ``key=value:effect``, remove those that ``key``, ``key:effect`` or ``key=value:effect`` means."""

    node: str
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


class CordonNode(Command, frozen=True, kw_only=True, tag="cordon"):
    """``kubectl cordon``, or ``kubectl uncordon`` with ``unschedulable`` False."""

    node: str
    unschedulable: bool = True


class DrainNode(Command, frozen=True, kw_only=True, tag="drain"):
    """``kubectl drain`` with its options. ``grace_s`` None takes each pod's own grace period, ``timeout_s`` 0 never gives up."""

    node: str
    force: bool = False
    delete_emptydir_data: bool = False
    ignore_daemonsets: bool = False
    grace_s: int | None = None
    timeout_s: int = 0
    disable_eviction: bool = False
    pod_selector: str = ""


class DeleteNode(Command, frozen=True, kw_only=True, tag="delete_node"):
    """``kubectl delete node``: the object goes, the machine stays."""

    node: str


class PlaceStaticPod(Command, frozen=True, kw_only=True, tag="static_pod"):
    """Put a manifest (JSON text of a Pod) into a node's static pod folder, or take the one of the pod named ``remove`` away."""

    node: str
    document: str = ""
    remove: str = ""
    namespace: str = "default"


class ShutdownNode(Command, frozen=True, kw_only=True, tag="shutdown_node"):
    """Shut a node down while its kubelet watches: ``grace_s`` for all pods, of which ``critical_s`` is kept for critical ones.

    ``by_priority`` are (priority, seconds) pairs that replace these two where the version has them. What is not said here is
    as the cluster says of the node. ``cancel`` calls the shutdown off.
    """

    node: str
    grace_s: int | None = None
    critical_s: int | None = None
    by_priority: tuple[tuple[int, int], ...] = ()
    cancel: bool = False


class SetNodePressure(Command, frozen=True, kw_only=True, tag="node_pressure"):
    """Take so much of a node's resource that ``available`` of it is left, as a quantity or a percentage; None gives it back.

    ``signal``: memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree or pid.available.
    """

    node: str
    signal: str
    available: str | None = None


class LabelNode(Command, frozen=True, kw_only=True, tag="label_node"):
    """``kubectl label node``: set these labels; None takes one away."""

    node: str
    labels: dict[str, str | None]
