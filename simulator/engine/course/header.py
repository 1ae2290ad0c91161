"""The run header: everything a run starts from. Together with the commands it determines every record."""

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms
from simulator.engine.past.document import Past
from simulator.engine.world.cluster import ClusterSpec

REVISION = 10
"""Revision of the engine's logic. Bump it when the same header and commands would give different records.

Headers and commands of every earlier revision stay readable forever: fields may be added with defaults, never removed.
"""


class ScriptStep(Struct, frozen=True, kw_only=True):
    """A command that the scenario itself issues at ``at_ms``."""

    at_ms: Ms
    command: AnyCommand


class RunHeader(Struct, frozen=True, kw_only=True):
    """What a run starts from.

    ``kubernetes`` is a minor version such as ``1.30``; ``gates`` are feature gates that differ from their default;
    ``jitter`` False fixes every random draw at its mean. ``manifests`` are JSON texts of objects created at time 0.
    ``epoch_s`` is the wall-clock time (Unix seconds, UTC) that time 0 shows in YAML. ``past`` is that of imported pods; a
    header without one omits the field.
    """

    kubernetes: str
    seed: int = 1
    jitter: bool = True
    namespace: str = "default"
    gates: dict[str, bool] = {}
    cluster: ClusterSpec = ClusterSpec()
    manifests: tuple[str, ...] = ()
    script: tuple[ScriptStep, ...] = ()
    # 2026-01-01T00:00:00Z
    epoch_s: int = 1_767_225_600
    revision: int = REVISION
    scenario: str = ""
    # UNSET rather than None, so that the stored text of older headers stays the same, byte for byte.
    past: Past | UnsetType = UNSET


HEADER: Typed[RunHeader] = Typed(RunHeader)


def renewed(header: RunHeader) -> RunHeader:
    """The same header, to be played by the rules of this revision."""
    return header if header.revision == REVISION else replace(header, revision=REVISION)
