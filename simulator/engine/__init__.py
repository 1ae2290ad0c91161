"""The engine: a pure library. Given a header, an ordered list of commands and a time, it yields the same records for ever.

Nothing here knows Django, a clock, chance, files or the network. ``World`` is the mutable shell around frozen rows;
``Record`` is the only output.
"""

from simulator.engine.acts.registry import AnyCommand, Stamped
from simulator.engine.cluster import ClusterSpec, ImageSpec, NodeSpec
from simulator.engine.genesis import new_world
from simulator.engine.header import REVISION, RunHeader, ScriptStep
from simulator.engine.records import Record, RecordKind
from simulator.engine.replay import Checkpoints, Divergence, replay, resume, seek, verify
from simulator.engine.step import Batch, advance, apply
from simulator.engine.world import World

__all__ = [
    "REVISION",
    "AnyCommand",
    "Batch",
    "Checkpoints",
    "ClusterSpec",
    "Divergence",
    "ImageSpec",
    "NodeSpec",
    "Record",
    "RecordKind",
    "RunHeader",
    "ScriptStep",
    "Stamped",
    "World",
    "advance",
    "apply",
    "new_world",
    "replay",
    "resume",
    "seek",
    "verify",
]
