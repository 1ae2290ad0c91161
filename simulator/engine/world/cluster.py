"""What a run's header says about its cluster: nodes, images, and what the registry has."""

from msgspec import Struct

from simulator.engine.kernel.units import Ms


class NodeSpec(Struct, frozen=True, kw_only=True):
    """A node of the cluster. Quantities are strings as in a Node manifest; taints are ``key=value:effect``."""

    name: str
    labels: dict[str, str] = {}
    taints: tuple[str, ...] = ()
    capacity: dict[str, str] = {}
    allocatable: dict[str, str] = {}
    eviction_hard: dict[str, str] = {}  # signal → quantity or percentage; replaces all default thresholds
    eviction_soft: dict[str, str] = {}
    eviction_soft_grace_s: dict[str, int] = {}
    eviction_max_pod_grace_s: int = 0
    joins_ms: Ms = 0  # when its kubelet registers it; 0: present from the beginning
    shutdown_grace_s: int = 30  # what pods get when the node shuts down, and the part of it reserved for critical ones
    shutdown_critical_s: int = 10
    shutdown_by_priority: tuple[tuple[int, int], ...] = ()  # (priority, seconds) in place of these two
    os: str = "linux"  # or windows
    os_image: str = ""  # what nodeInfo reports; for Windows, if empty, the usual one of the version
    kernel_version: str = ""


class ImageSpec(Struct, frozen=True, kw_only=True):
    """An image known to the cluster. ``present`` on every node; otherwise pullable in ``pull_ms`` unless unavailable."""

    name: str
    present: bool = False
    pull_ms: Ms = 1000
    available: bool = True


class ClusterSpec(Struct, frozen=True, kw_only=True):
    """The cluster a run happens on.

    ``unlisted_images``: ``pullable`` (every valid name can be pulled) or ``missing`` (only listed ones exist).
    ``stand_ins``: image name → JSON text of a behaviour block that replaces the known behaviour of that image. ``internet``:
    ``reachable`` (a few outside hosts answer, ``network/internet.py``) or ``none``; image pulls do not depend on it.
    ``runtime``: ``containerd``, or ``docker`` for Linux nodes of versions whose kubelet has a dockershim (others have containerd).
    ``platforms``: image name → the operating systems it is built for, where that differs from what is known about it.
    """

    nodes: tuple[NodeSpec, ...] = ()
    images: tuple[ImageSpec, ...] = ()
    unlisted_images: str = "pullable"
    stand_ins: dict[str, str] = {}
    internet: str = "reachable"
    terminated_pod_gc_threshold: int | None = None  # finished pods that are kept; 0 or less: all; None: the version's default
    platforms: dict[str, tuple[str, ...]] = {}
    runtime: str = "containerd"
