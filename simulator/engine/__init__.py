"""The engine: a pure library. The same header, commands and time always yield the same records.

Nothing here knows about Django, clocks, randomness, files or the network. ``World`` is the mutable shell around
frozen rows; ``Record`` is the only output.
"""

from simulator.engine.acts.all_acts import AnyCommand, Stamped
from simulator.engine.course.genesis import new_world
from simulator.engine.course.header import REVISION, RunHeader, ScriptStep
from simulator.engine.course.replay import Checkpoints, Course, Divergence, replay, verify
from simulator.engine.course.step import Batch, advance, apply
from simulator.engine.kernel.records import Record, RecordKind
from simulator.engine.world.cluster import ClusterSpec, ImageSpec, NodeSpec
from simulator.engine.world.world import World

__all__ = [
    "REVISION",
    "AnyCommand",
    "Batch",
    "Checkpoints",
    "ClusterSpec",
    "Course",
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
    "verify",
]
