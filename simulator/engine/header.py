"""The run header: everything a run starts from. With the commands it determines every record."""

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from simulator.engine.commands import AnyCommand
from simulator.engine.past import Past
from simulator.engine.typed import Typed
from simulator.engine.units import Ms

REVISION = 3
"""Number of the engine's logic. Bump it when the same header and commands would give other records.

Headers and commands of every earlier revision are read for good: fields may be added with defaults, never removed.
"""


class NodeSpec(Struct, frozen=True, kw_only=True):
    """A node of the cluster. Quantities are texts as in a Node manifest; taints are ``key=value:effect``."""

    name: str
    labels: dict[str, str] = {}
    taints: tuple[str, ...] = ()
    capacity: dict[str, str] = {}
    allocatable: dict[str, str] = {}
    eviction_hard: dict[str, str] = {}  # signal → quantity or percentage, instead of all default thresholds
    eviction_soft: dict[str, str] = {}
    eviction_soft_grace_s: dict[str, int] = {}
    eviction_max_pod_grace_s: int = 0
    shutdown_grace_s: int = 30  # what pods get when the node shuts down, and the critical ones' part of it
    shutdown_critical_s: int = 10
    shutdown_by_priority: tuple[tuple[int, int], ...] = ()  # (priority, seconds) instead of these two


class ImageSpec(Struct, frozen=True, kw_only=True):
    """An image the cluster knows. ``present`` on every node; otherwise pullable in ``pull_ms`` unless unavailable."""

    name: str
    present: bool = False
    pull_ms: Ms = 1000
    available: bool = True


class ClusterSpec(Struct, frozen=True, kw_only=True):
    """The cluster a run happens on.

    ``unlisted_images``: ``pullable`` (every valid name can be pulled) or ``missing`` (only listed ones exist).
    ``stand_ins``: image name → JSON text of a behaviour block that replaces the known behaviour of that image.
    """

    nodes: tuple[NodeSpec, ...] = ()
    images: tuple[ImageSpec, ...] = ()
    unlisted_images: str = "pullable"
    stand_ins: dict[str, str] = {}


class ScriptStep(Struct, frozen=True, kw_only=True):
    """A command that the scenario itself gives at ``at_ms``."""

    at_ms: Ms
    command: AnyCommand


class RunHeader(Struct, frozen=True, kw_only=True):
    """What a run starts from.

    ``kubernetes`` is a minor version such as ``1.30``; ``gates`` are feature gates set against their default;
    ``jitter`` False fixes every random draw at its mean. ``manifests`` are JSON texts of objects created at 0.
    ``epoch_s`` is the wall clock (Unix seconds, UTC) that time 0 shows in YAML. ``past`` is that of imported pods; a header
    without one has no such field.
    """

    kubernetes: str
    seed: int = 1
    jitter: bool = True
    namespace: str = "default"
    gates: dict[str, bool] = {}
    cluster: ClusterSpec = ClusterSpec()
    manifests: tuple[str, ...] = ()
    script: tuple[ScriptStep, ...] = ()
    epoch_s: int = 1_767_225_600
    revision: int = REVISION
    scenario: str = ""
    past: Past | UnsetType = UNSET


HEADER: Typed[RunHeader] = Typed(RunHeader)


def renewed(header: RunHeader) -> RunHeader:
    """The same beginning, to be played by the rules of this revision."""
    return header if header.revision == REVISION else replace(header, revision=REVISION)


def past_of(header: RunHeader) -> Past | None:
    """The past that was imported, or None."""
    return header.past if isinstance(header.past, Past) else None
