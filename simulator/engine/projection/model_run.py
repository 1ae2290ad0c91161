"""The view model of a whole run: pods in a list, nodes, counts. Values only, ready for JSON; times in milliseconds of the run."""

from msgspec import Struct

from simulator.engine.kernel.units import Key, Ms, Subject


class PodLine(Struct, frozen=True, kw_only=True, gc=False):
    """A pod in a list. ``has_ghost``: the object is gone but a process still runs on the node."""

    subject: Subject
    key: Key
    namespace: str
    name: str
    node: str
    status_word: str
    tone: str
    ready: str
    restarts: int
    restarts_text: str
    phase: str
    created_ms: Ms
    age_ms: Ms
    age: str
    gone_ms: Ms | None
    is_present: bool
    has_ghost: bool


class PullView(Struct, frozen=True, kw_only=True, gc=False):
    """A pull in a node's queue; ``began_ms`` None: it waits for the previous ones."""

    image: str
    pod: Key
    container: str
    asked_ms: Ms
    began_ms: Ms | None


class NodeConditionView(Struct, frozen=True, kw_only=True, gc=False):
    """A condition of a Node object; ``since_ms`` is its lastTransitionTime."""

    type: str
    status: str
    reason: str
    message: str
    since_ms: Ms


class NodeLine(Struct, frozen=True, kw_only=True, gc=False):
    """A node in a list."""

    subject: Subject
    name: str
    tone: str


class NodeView(Struct, frozen=True, kw_only=True):
    """A node with what it holds. ``kubelet``: running, stopped or starting; ``runtime``: up, down or unreachable.
    ``is_off``: the machine has no power. ``is_cut_off``: its network to the rest of the cluster is cut.

    ``loads`` are the signals with usage from outside the pods, ``taints`` strings such as ``key=value:NoSchedule``.
    """

    subject: Subject
    name: str
    ip: str
    pods: tuple[Key, ...]
    used_pods: int
    allocatable_pods: int
    used_cpu_milli: int
    allocatable_cpu_milli: int
    used_memory_bytes: int
    allocatable_memory_bytes: int
    images: tuple[str, ...]
    pulls: tuple[PullView, ...]
    tone: str
    status_word: str
    is_deleted: bool
    unschedulable: bool
    kubelet: str
    runtime: str
    network: bool
    is_off: bool
    is_cut_off: bool
    is_shutting_down: bool
    taints: tuple[str, ...]
    labels: tuple[tuple[str, str], ...]
    conditions: tuple[NodeConditionView, ...]
    loads: tuple[str, ...]
    static_pods: tuple[str, ...]
    os: str
    os_image: str
    kernel_version: str


class Counts(Struct, frozen=True, kw_only=True, gc=False):
    """How many there are; ``ready`` counts pods with condition Ready, ``ghosts`` gone pods whose processes still run."""

    pods: int
    present: int
    ready: int
    ghosts: int
    nodes: int


class Overview(Struct, frozen=True, kw_only=True):
    """A run at a moment."""

    now_ms: Ms
    pods: tuple[PodLine, ...]
    nodes: tuple[NodeView, ...]
    counts: Counts
