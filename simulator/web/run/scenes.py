"""A moment of a run, as seen by its panels: a world, or only records if another revision recorded the run.

Three questions decide which scene it is. Do today's rules give the run? Then it is a world, sought by the record or
the moment. Did another revision record it? Then it is a world as far as the two agree, and beyond that the records.
Is the moment further than one request may play? Then the page shows the latest moment that the log has, and says how
far the computation has got.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from simulator.engine import Divergence
from simulator.engine.course.header import RunHeader
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Key, Ms, Seq
from simulator.engine.projection import project
from simulator.engine.projection.objects import ObjectView, object_at, object_view
from simulator.engine.projection.recorded import RecordedObjects, recorded_objects
from simulator.engine.projection.requests import declared_loads
from simulator.engine.projection.subjects import pod_key
from simulator.engine.world.world import World
from simulator.models import Run
from simulator.runs.log import timemachine
from simulator.runs.log.history import is_kept
from simulator.runs.turns.allowance import StillComputing
from simulator.web.base.common import Context
from simulator.web.base.levels import allowed_acts


@dataclass(frozen=True, kw_only=True)
class PanelScene(ABC):
    """Who is looking at what: a moment after record ``seq``, and the selection.

    ``is_live`` says that acts are given at the head; otherwise plain forms name the moment themselves. ``line`` is a kubectl line, ``did``
    the number of the command with which it was carried out, or 0, ``namespace`` that of its context, empty for the run's own. ``part``
    selects one of several things in a panel. ``pin_ms`` is the moment to compare with, None for the one before the selection's last change;
    ``noise``: including fields that change with every write. ``computing``: if the requested moment is still being computed and this is an
    earlier one, how far that has got, and its goal.
    """

    run: Run
    now_ms: Ms
    sel: str
    rec: Seq
    role: str
    is_live: bool
    line: str = ""
    did: int = 0
    namespace: str = ""
    part: str = ""
    pin_ms: Ms | None = None
    noise: bool = False
    computing: tuple[Ms, Ms] | None = None

    @property
    @abstractmethod
    def seq(self) -> Seq:
        """The number of the last record."""

    @property
    def header(self) -> RunHeader:
        """What the run starts from."""
        return self.run.header()

    @property
    @abstractmethod
    def keys(self) -> tuple[Key, ...]:
        """The pods known at the moment, in order of creation."""

    @property
    @abstractmethod
    def past(self) -> list[Record]:
        """Every record up to the moment."""

    @property
    def loads(self) -> tuple[str, ...]:
        """Services that get requests, now or later, by namespace and name: those the run starts with, even before its first record."""
        return tuple(f"{namespace}/{name}" for namespace, name in declared_loads(self.header.manifests, self.header.namespace))

    @cached_property
    def key(self) -> Key:
        """The pod that the selection belongs to; the first pod without a selection, "" if there is none."""
        wanted = pod_key(self.sel)
        if wanted in self.keys:
            return wanted
        return self.keys[0] if self.keys else ""

    @property
    def node_name(self) -> str:
        """The selected node; empty if something else is selected."""
        kind, _, name = self.sel.partition("/")
        return name if kind == "node" else ""

    def frame(self) -> Context:
        """The context shared by all panels: who is looking at which moment of which run, and what forms of acts send."""
        at_seq, at_ms = ("", "") if self.is_live else (self.seq, self.now_ms)
        shown = {"run": self.run, "role": self.role, "shown_ms": self.now_ms}
        allow = allowed_acts(self.run)
        return {**shown, "at_seq": at_seq, "at_ms": at_ms, "sel": self.sel, "can_act": self.role == "owner", "allow": allow}


@dataclass(frozen=True, kw_only=True)
class WorldScene(PanelScene):
    """A moment with a world, which is never advanced."""

    world: World

    @property
    def seq(self) -> Seq:
        """The world's last record."""
        return self.world.seq

    @property
    def header(self) -> RunHeader:
        """The world's header, which is already decoded."""
        return self.world.header

    @property
    def loads(self) -> tuple[str, ...]:
        """Those from the beginning, and others known at the moment."""
        known = (f"{namespace}/{name}" for namespace, name in self.world.tables.loads)
        return tuple(dict.fromkeys((*super().loads, *known)))

    @cached_property
    def pods(self) -> tuple[project.PodLine, ...]:
        """All pods known at the moment."""
        return project.objects(self.world, now_ms=self.now_ms)

    @property
    def keys(self) -> tuple[Key, ...]:
        """Those of the pods."""
        return tuple(row.key for row in self.pods)

    @cached_property
    def node(self) -> project.NodeView | None:
        """The selected node, if any."""
        return project.node_view(self.world, self.node_name) if self.node_name else None

    @cached_property
    def object(self) -> ObjectView | None:
        """The selected object, if it is neither a pod nor a node."""
        row = object_at(self.world, self.sel)
        return object_view(self.world, row) if row is not None else None

    @cached_property
    def pod(self) -> project.PodView | None:
        """The selected pod."""
        return project.pod_view(self.world, self.key, now_ms=self.now_ms) if self.key else None

    @cached_property
    def past(self) -> list[Record]:
        """Every record up to the moment."""
        return timemachine.past(self.run, seq=self.world.seq)

    @cached_property
    def befores(self) -> dict[Seq, World]:
        """Worlds that were already sought; the scenes of one interval share them."""
        return {}

    def before(self, seq: Seq) -> World:
        """The world in which record ``seq`` was written. Costs a seek the first time."""
        if seq not in self.befores:
            self.befores[seq] = timemachine.seek(self.run, seq=seq - 1)
        return self.befores[seq]


@dataclass(frozen=True, kw_only=True)
class RecordedScene(PanelScene):
    """A moment that another revision recorded and that today's rules do not lead to, or not yet: there are only records of it."""

    records: list[Record]
    divergence: Divergence

    @property
    def seq(self) -> Seq:
        """The number of the last record."""
        return len(self.records)

    @cached_property
    def past(self) -> list[Record]:
        """Every record up to the moment."""
        return self.records

    @cached_property
    def recorded(self) -> RecordedObjects:
        """What the records contain about pods and nodes."""
        return recorded_objects(self.records)

    @property
    def keys(self) -> tuple[Key, ...]:
        """Those of the pods."""
        return tuple(self.recorded.pods)


def scene_at(run: Run, *, t_ms: Ms | None = None, seq: Seq | None = None, asked_ms: Ms, **who: Any) -> PanelScene:
    """The scene after record ``seq``, or at ``t_ms``, or at the head; ``asked_ms`` is the moment for computing ages.

    Costs a seek. If another revision recorded the run, the scene is what was recorded, never what today's rules would give.
    """
    if not is_kept(run):
        at_seq = run.head_seq if seq is None and t_ms is None else seq
        world = timemachine.seek(run, ms=t_ms) if at_seq is None else timemachine.seek_shown(run, seq=at_seq, ms=asked_ms)
        return WorldScene(run=run, world=world, now_ms=max(asked_ms, world.now_ms), **who)
    if seq is None:
        seq = run.head_seq if t_ms is None else timemachine.recorded_seq(run, ms=t_ms)
    recorded = timemachine.world_or_divergence(run, seq=min(seq, run.head_seq))
    if isinstance(recorded, World):
        return WorldScene(run=run, world=recorded, now_ms=max(asked_ms, recorded.now_ms), **who)
    records = timemachine.log(run, after=0, limit=seq)
    computing = (recorded.at_ms, recorded.goal_ms) if isinstance(recorded, timemachine.Uncompared) else None
    at_ms = max(asked_ms, records[-1].at_ms)
    return RecordedScene(run=run, records=records, divergence=recorded, now_ms=at_ms, computing=computing, **who)


def scene_or_before(run: Run, *, t_ms: Ms | None, asked_ms: Ms, **who: Any) -> PanelScene:
    """Like ``scene_at``, for a page; if a request cannot play that far, the latest available moment in the log.

    Plays at most WORK_MAX and RESERVE (``runs/turns/allowance.py``).
    """
    try:
        scene = scene_at(run, t_ms=t_ms, asked_ms=asked_ms, **who)
        if scene.seq > run.head_seq:  # the log does not have these records yet
            _ = scene.past
    except StillComputing as met:
        if not run.head_seq:
            raise
        world = timemachine.seek_logged(run)
        far = (run.head_ms, met.goal_ms) if met.goal_ms > run.head_ms else (met.reached_ms, met.goal_ms)
        return WorldScene(run=run, world=world, now_ms=world.now_ms, computing=far, **who)
    return scene
