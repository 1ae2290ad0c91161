"""Skipping: while a client waits on a watch, the run is taken to the next event that the watch selects.

A page worker looks ahead, from where the watch stands, without changing anything; then the run's clock is sent there, and its runner plays
and records it as ever. Once a client has been told something it gets a moment to go: what it waited for may have come.
"""

from collections import OrderedDict
from collections.abc import Hashable
from functools import partial
from time import monotonic

from msgspec import Struct

from simulator.door.answering import watched
from simulator.door.exchange import DoorRequest
from simulator.door.rows import position_of
from simulator.door.scene import DoorScene
from simulator.door.watching import Standing
from simulator.engine.kernel.units import MINUTE, Ms
from simulator.models import Run, RunCommand
from simulator.runs.log import elsewhere, timemachine
from simulator.runs.log.clock import moment_of
from simulator.runs.log.wall import wall_ms
from simulator.runs.turns.allowance import StillComputing, granted
from simulator.runs.turns.constants import WORK_MAX
from simulator.web.door.moments import AskedOf, playable, scene_of

FORGOTTEN_S = 60.0
"""What a command has skipped is remembered for so long after its last watch: clients that are cut off come back."""
SPENT_MAX = 1000


class Ahead(Struct, frozen=True, kw_only=True):
    """What a look ahead found: where to go (None: nowhere, for now), and whether there is nothing to be told within the bound."""

    at_ms: Ms | None = None
    is_bound_met: bool = False


def look_ahead(of: AskedOf, asked: DoorRequest, standing: Standing, until_ms: Ms) -> Ahead:
    """The moment of the next event of a watch that stands there, up to ``until_ms``.

    Where that is more than one request may play it is a moment on the way. Nowhere to go: an act waits, or what comes is due by itself.
    """
    elsewhere.plays()
    with granted(WORK_MAX):
        run = playable(of.run_id)
        if RunCommand.objects.filter(run=run, at_ms=None).exists():
            return Ahead()
        now_ms = moment_of(run)
        if now_ms >= until_ms:
            return Ahead(is_bound_met=True)
        watch = watched(asked, scene_of(of, asked))
        assert watch is not None, "the request asks for no watch"
        there = standing
        try:
            for world, _records in timemachine.walk(run, from_ms=standing.at_ms, to_ms=until_ms, is_ahead=True):
                if position_of(world, watch.kind) == there.position:
                    continue
                scene = DoorScene(world=world, now_ms=world.now_ms, wall_ms=wall_ms())
                there, text = watch.go_on(there, scene, partial(_scene_before, run, there.at_ms))
                if text:
                    return Ahead(at_ms=world.now_ms if world.now_ms > now_ms else None)
        except StillComputing as met:
            return Ahead(at_ms=met.reached_ms if met.reached_ms > now_ms else None)
        return Ahead(is_bound_met=True)


def _scene_before(run: Run, at_ms: Ms) -> DoorScene:
    """As what is gone was last seen; of what will have been made and gone only its names are known, which is enough to notice it."""
    world = timemachine.seek(run, ms=at_ms)
    return DoorScene(world=world, now_ms=world.now_ms, wall_ms=wall_ms())


class SkipSpending:
    """How far commands have skipped in this process: each as far as its bound from where it began, however often its client comes back."""

    def __init__(self) -> None:
        self._ends: OrderedDict[Hashable, tuple[Ms, float]] = OrderedDict()
        self._over: set[Hashable] = set()

    def end_of(self, command: Hashable, *, now_ms: Ms, bound_ms: Ms) -> Ms:
        """The moment up to which a command may skip."""
        end_ms, until_s = self._ends.pop(command, (0, 0.0))
        if until_s < monotonic():
            end_ms = now_ms + bound_ms
            self._over.discard(command)
        self._ends[command] = end_ms, monotonic() + FORGOTTEN_S
        while len(self._ends) > SPENT_MAX:
            self._over.discard(self._ends.popitem(last=False)[0])
        return end_ms

    def keep(self, command: Hashable) -> None:
        """A command still waits: its bound is remembered for a while from now on."""
        if command in self._ends:
            self._ends[command] = self._ends[command][0], monotonic() + FORGOTTEN_S

    def end(self, command: Hashable) -> None:
        """Nothing more comes for a command within its bound."""
        if command in self._ends:
            self._over.add(command)

    def is_over(self, command: Hashable) -> bool:
        """Whether that was found of it."""
        return command in self._over


SPENT = SkipSpending()


def command_of(of: AskedOf, asked: DoorRequest) -> Hashable:
    """What tells a client's command from another: kubectl names its session, for others it is what is watched."""
    return of.run_id, of.key_id, asked.headers.get("kubectl-session") or (asked.agent, asked.path, asked.value("fieldSelector"))


def bound_text(bound_ms: Ms) -> str:
    """What a client is told whose bound is met."""
    return (
        f"nothing that this waits for happens within {bound_ms // MINUTE} simulated minutes: from here on time goes by the run's own clock"
    )
