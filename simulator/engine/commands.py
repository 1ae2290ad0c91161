"""Commands: the complete list of what a user can do to a run. Header + commands are the whole truth of it.

A command that cannot be carried out at its moment is refused by a record (kind ``command``, target ``refused``) whose rule
and data say why; it never raises. ``target`` names a pod by its key (``default/web``).
"""

from msgspec import Struct

from simulator.engine.command_base import Command
from simulator.engine.node_commands import (
    CordonNode,
    DeleteNode,
    DrainNode,
    LabelNode,
    NodeControl,
    PlaceStaticPod,
    SetNodePressure,
    ShutdownNode,
    TaintNode,
)
from simulator.engine.store_commands import BindPod, DeleteObject, EvictPod, PatchObject, ReplaceObject
from simulator.engine.typed import Typed
from simulator.engine.units import Key, Ms, Seq

__all__ = [
    "COMMAND",
    "AnyCommand",
    "ApplyManifest",
    "BindPod",
    "Command",
    "CordonNode",
    "DebugPod",
    "DeleteNamespace",
    "DeleteNode",
    "DeleteObject",
    "DeletePod",
    "DeletePods",
    "DrainNode",
    "EvictPod",
    "ExecInContainer",
    "ExitContainer",
    "HangContainer",
    "KillSandbox",
    "LabelNode",
    "NodeControl",
    "OomContainer",
    "PatchObject",
    "PatchPod",
    "PlaceStaticPod",
    "RemoveSchedulingGates",
    "ReplaceObject",
    "ResizePod",
    "SetImage",
    "SetNodePressure",
    "SetProbe",
    "ShutdownNode",
    "SignalContainer",
    "Stamped",
    "TaintNode",
]


class ApplyManifest(Command, frozen=True, kw_only=True, tag="apply"):
    """``kubectl apply``: create or change the objects of these documents, each JSON text of one object.

    ``create``: as ``kubectl create``, which is refused where there is such an object already.
    """

    documents: tuple[str, ...]
    namespace: str = "default"
    dry_run: bool = False
    create: bool = False


class DeletePod(Command, frozen=True, kw_only=True, tag="delete_pod"):
    """``kubectl delete pod``. ``grace_s`` None takes the pod's own grace period; ``force`` is --force --grace-period=0."""

    target: Key
    grace_s: int | None = None
    force: bool = False


class DeletePods(Command, frozen=True, kw_only=True, tag="delete_pods"):
    """``kubectl delete pods --all`` or ``-l``; ``collection`` is one DELETE of the collection, as a namespace deletion sends it."""

    namespace: str
    selector: dict[str, str] = {}
    collection: bool = False
    grace_s: int | None = None
    force: bool = False


class DeleteNamespace(Command, frozen=True, kw_only=True, tag="delete_namespace"):
    """``kubectl delete namespace``: a few seconds later everything in it is deleted."""

    name: str


class PatchPod(Command, frozen=True, kw_only=True, tag="patch_pod"):
    """Change a pod by a patch (JSON text). ``kind``: merge, strategic or json; ``subresource``: empty or status."""

    target: Key
    patch: str
    kind: str = "strategic"
    subresource: str = ""


class ExecInContainer(Command, frozen=True, kw_only=True, tag="exec"):
    """``kubectl exec``: run a command in a container. An empty ``container`` is the pod's first."""

    target: Key
    command: tuple[str, ...]
    container: str = ""


class DebugPod(Command, frozen=True, kw_only=True, tag="debug_pod"):
    """``kubectl debug``: add an ephemeral container; with ``target_container`` it shares that container's processes."""

    target: Key
    container: str
    image: str
    command: tuple[str, ...] = ()
    target_container: str = ""


class ExitContainer(Command, frozen=True, kw_only=True, tag="exit_container"):
    """The container's main process ends by itself with ``exit_code`` (0 … 255)."""

    target: Key
    container: str
    exit_code: int


class SignalContainer(Command, frozen=True, kw_only=True, tag="signal_container"):
    """Send a signal to the container's main process from outside (a number: 15 TERM, 9 KILL, …)."""

    target: Key
    container: str
    signal: int


class OomContainer(Command, frozen=True, kw_only=True, tag="oom_container"):
    """The kernel kills the container's main process for going over its memory limit."""

    target: Key
    container: str


class HangContainer(Command, frozen=True, kw_only=True, tag="hang_container"):
    """The process stops making progress: probes time out and TERM is not handled, until it is killed or ``hang`` is lifted."""

    target: Key
    container: str
    hang: bool = True


class SetProbe(Command, frozen=True, kw_only=True, tag="set_probe"):
    """Decide what a probe sees: ``outcome`` success, failure, timeout or error; None hands it back to the container."""

    target: Key
    container: str
    probe: str  # liveness | readiness | startup
    outcome: str | None
    attempts: int = 0  # for so many attempts; 0 = until healed


class SetImage(Command, frozen=True, kw_only=True, tag="set_image"):
    """Make an image pullable or unavailable in the registry."""

    image: str
    available: bool
    pull_ms: Ms = 1000


class KillSandbox(Command, frozen=True, kw_only=True, tag="kill_sandbox"):
    """Kill the pod's sandbox (the pause process) from outside."""

    target: Key


class ResizePod(Command, frozen=True, kw_only=True, tag="resize_pod"):
    """Change cpu and memory of a container through the resize subresource; what is left out stays as it is."""

    target: Key
    container: str = ""
    requests: dict[str, str] = {}
    limits: dict[str, str] = {}


class RemoveSchedulingGates(Command, frozen=True, kw_only=True, tag="remove_scheduling_gates"):
    """Take a scheduling gate away from a pod that has no node yet; an empty ``gate`` takes all."""

    target: Key
    gate: str = ""


AnyCommand = (
    ApplyManifest
    | DeletePod
    | DeletePods
    | DeleteNamespace
    | PatchPod
    | ExecInContainer
    | DebugPod
    | ExitContainer
    | SignalContainer
    | OomContainer
    | HangContainer
    | SetProbe
    | SetImage
    | KillSandbox
    | NodeControl
    | TaintNode
    | CordonNode
    | DrainNode
    | DeleteNode
    | LabelNode
    | PlaceStaticPod
    | ShutdownNode
    | SetNodePressure
    | RemoveSchedulingGates
    | ResizePod
    | EvictPod
    | PatchObject
    | ReplaceObject
    | DeleteObject
    | BindPod
)

COMMAND: Typed[AnyCommand] = Typed(AnyCommand)


class Stamped(Struct, frozen=True, array_like=True):
    """A command with its place in the run: applied at ``at_ms``, after every event due by then, in the order of ``n``."""

    at_ms: Ms
    n: int
    command: AnyCommand


class Applied(Struct, frozen=True, kw_only=True):
    """Where command ``n`` took its place: its moment, its record and what became of it (accepted or refused)."""

    n: int
    at_ms: Ms
    seq: Seq
    outcome: str
