"""Rows about a node's own life: its kubelet and runtime, its conditions, taint evictions and static pods."""

from msgspec import Struct

from simulator.engine.kernel.units import Key, Ms, Seq
from simulator.engine.model.pod import Pod


class Pull(Struct, frozen=True, gc=False):
    """A pull in a node's queue. Pulls of one node are serial (serializeImagePulls)."""

    image: str
    pod: Key
    container: str
    asked_ms: Ms
    began_ms: Ms | None = None


class KubeletRow(Struct, frozen=True, gc=False, kw_only=True):
    """What the kubelet of a node has under way. The phases place its fixed beats on the run's clock."""

    node: str
    relist_phase_ms: Ms
    tick_phase_ms: Ms
    beat_phase_ms: Ms | None  # of the status manager; None: not known yet
    housekeeping_phase_ms: Ms
    is_housekeeping_known: bool  # False: without chance, until somebody waits for it
    collection_phase_ms: Ms | None = None  # of the container garbage collection; None: not known yet
    pods_started: int = 0  # numbers pod addresses
    relist_due_ms: Ms | None = None
    beat_due_ms: Ms | None = None
    dirty: tuple[Key, ...] = ()  # pods whose containers changed since the last relist
    removals: tuple[Key, ...] = ()  # pods that wait for the status manager's next beat
    pulls: tuple[Pull, ...] = ()  # images in the puller's queue; the first is being pulled


class NodeCondition(Struct, frozen=True, gc=False):
    """A condition of a Node object. ``status``: True, False or Unknown."""

    type: str
    status: str
    reason: str
    message: str
    transition_ms: Ms
    seq: Seq = 0


class ShutdownGroup(Struct, frozen=True, gc=False):
    """Pods of at least this priority get so many seconds when the node shuts down."""

    priority: int
    seconds: int


class NodeLife(Struct, frozen=True, gc=False, kw_only=True):
    """A node's health. ``kubelet``, ``runtime``, ``network``, ``uplink`` and ``power`` (the machine called
    shutdown) are states of the machines of a node."""

    node: str
    conditions: tuple[NodeCondition, ...] = ()
    kubelet: str = "running"
    runtime: str = "up"
    network: str = "present"
    uplink: str = "connected"  # its network to the rest of the cluster
    cut_ms: Ms | None = None  # since when that is cut; None from the moment at which the kubelet has caught up
    power: str = "on"
    network_seen: bool = True  # what the kubelet's last question to the runtime said of the network
    registered_ms: Ms = 0  # when the Node object was created
    started_ms: Ms = 0  # when this kubelet came up; its beats count from there
    starts: int = 0
    boots: int = 0  # how often the machine was switched on again …
    told_boots: int = 0  # … and what the Node object knows of it
    status_phase_ms: Ms = 0
    lease_phase_ms: Ms = 0
    check_phase_ms: Ms = 0  # of the kubelet's question how runtime and network are
    kubelet_handle: int = 0  # queued KubeletUp
    silent_ms: Ms | None = None  # when the node controller will count the silent kubelet as lost
    tainted_ms: Ms | None = None  # when the node last got a NoExecute taint of the node controller
    told_unschedulable: bool = False  # the kubelet has mentioned the cordon
    runtime_lost_ms: Ms | None = None
    is_runtime_down: bool = False  # the kubelet has noticed
    down_ms: Ms = 0  # when its sync loop began to sleep for that
    shutdown: tuple[ShutdownGroup, ...] = ()  # the node is shutting down, in these groups
    shutdown_at: int = 0  # the group whose turn it is
    shutdown_step: int = 0  # counts shutdowns
    group_until_ms: Ms = 0
    seq: Seq = 0  # what brought the node to this state

    def condition(self, kind: str) -> NodeCondition:
        """The condition of that type; KeyError where the node has none."""
        for item in self.conditions:
            if item.type == kind:
                return item
        raise KeyError(kind)

    @property
    def is_unhealthy(self) -> bool:
        """Whether something keeps the kubelet from its ordinary work."""
        is_ill = self.kubelet != "running" or self.runtime != "up" or self.is_runtime_down or not self.network_seen
        return is_ill or bool(self.shutdown) or self.cut_ms is not None


class HeldEvent(Struct, frozen=True, gc=False, kw_only=True):
    """An Event that a kubelet has not got rid of: about a pod, or with ``pod`` empty about its node."""

    at_ms: Ms
    pod: Key
    severity: str
    reason: str
    message: str
    path: str
    rule: str
    cause: Seq


class Eviction(Struct, frozen=True, gc=False):
    """A taint eviction that waits for a pod's tolerationSeconds."""

    due_ms: Ms
    handle: int = 0
    seq: Seq = 0
    state: str = ""


class StaticPod(Struct, frozen=True, gc=False, kw_only=True):
    """A manifest in a kubelet's static pod folder. ``pod`` is the mirror that stands for it, ``state`` says whether the file is there.

    While the API server refuses a new mirror, ``refusal`` says why, and ``pod`` is the last mirror, "" where there never was one.

    ``runs``: what the kubelet runs of it, whatever becomes of the mirror; None until it has read the file. ``following``: what the file
    says by now, while what it said before is still stopping.
    """

    node: str
    namespace: str
    name: str
    document: str
    uid: str
    pod: Key
    runs: Pod | None = None
    seen_ms: Ms | None = None  # when the kubelet that runs now has read the file; None before
    state: str = "absent"
    refusal: str = ""
    following: str = ""
    seq: Seq = 0

    @property
    def removed(self) -> bool:
        """Whether the file is gone, or says something else."""
        return self.state == "absent"

    @property
    def has_file(self) -> bool:
        """Whether there is a manifest of its name in the folder, this one or another."""
        return not self.removed or bool(self.following)
