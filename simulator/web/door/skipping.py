"""Skipping: while a client waits on a watch, the run jumps to the next event that the watch selects.

A page worker looks ahead from the watch's standing, without changing anything; then the run's clock is sent there, and its runner plays and
records as usual. Once a client has received something, it gets a moment to leave, since that may be what it was waiting for.
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
"""How long after its last watch a command's skipping is remembered: clients that are cut off reconnect."""
SPENT_MAX = 1000


class Ahead(Struct, frozen=True, kw_only=True):
    """The result of a look ahead: where to go (None: nowhere for now), and whether nothing happens within the limit."""

    at_ms: Ms | None = None
    is_bound_met: bool = False


def look_ahead(of: AskedOf, asked: DoorRequest, standing: Standing, until_ms: Ms) -> Ahead:
    """Find the next event of a watch after its standing, up to ``until_ms``.

    If that is more than one request may play, the result is a moment on the way. There is nowhere to go if an act is waiting, or if the
    event is due anyway.
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
    """The scene in which removed objects are looked up. Of objects made and removed later, only the names are known, which is enough."""
    world = timemachine.seek(run, ms=at_ms)
    return DoorScene(world=world, now_ms=world.now_ms, wall_ms=wall_ms())


class SkipSpending:
    """How far commands have skipped in this process: each up to a limit from where it began, however often its client reconnects."""

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
        """A command is still waiting: remember its limit for a while from now on."""
        if command in self._ends:
            self._ends[command] = self._ends[command][0], monotonic() + FORGOTTEN_S

    def end(self, command: Hashable) -> None:
        """Note that nothing more happens for a command within its limit."""
        if command in self._ends:
            self._over.add(command)

    def is_over(self, command: Hashable) -> bool:
        """Whether that has been noted for a command."""
        return command in self._over


SPENT = SkipSpending()


def command_of(of: AskedOf, asked: DoorRequest) -> Hashable:
    """A key for a client's command: kubectl's session, or for other clients what is being watched."""
    return of.run_id, of.key_id, asked.headers.get("kubectl-session") or (asked.agent, asked.path, asked.value("fieldSelector"))


def bound_text(bound_ms: Ms) -> str:
    """The message for a client that has reached its limit."""
    return (
        f"nothing that this waits for happens within {bound_ms // MINUTE} simulated minutes: from here on time goes by the run's own clock"
    )
