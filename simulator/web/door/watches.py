"""Begin and continue watches of a run's objects, in page workers, piece by piece.

A watch reports the content of the log, instant by instant. Its resourceVersion is a position in the run's writes, so a client that
reconnects with one continues where it was: the time machine finds the moment.
"""

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from uuid import UUID

from simulator.door.answering import answer, watched
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.rows import position_of
from simulator.door.scene import DoorScene
from simulator.door.statuses import status_reply
from simulator.door.watching import DoorWatch, Known, Standing, back_to, error_line, failure_line, too_old
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.kernel.units import Ms
from simulator.engine.world.world import World
from simulator.models import Run
from simulator.runs.log import elsewhere, timemachine
from simulator.runs.log.clock import moment_of
from simulator.runs.log.db import AWAY
from simulator.runs.log.wall import wall_ms
from simulator.runs.turns.allowance import StillComputing, granted
from simulator.runs.turns.constants import WORK_MAX
from simulator.web.door.moments import AskedOf, playable, scene_of
from simulator.web.door.rounds import Told

_OBJECTS_MAX = 100_000
"""Objects examined on the way from a past position, each once per instant; about four seconds of a core."""

log = logging.getLogger(__name__)


class _TooFar(Exception):
    """There is more between a position and the present than one request may examine."""


def watch_begun(of: AskedOf, asked: DoorRequest) -> Told | DoorReply:
    """A watch's standing and first lines; the standing is None if it ends with them. A reply if it cannot be watched."""
    elsewhere.plays()
    with granted(WORK_MAX):
        scene = scene_of(of, asked)
        try:
            watch = watched(asked, scene)
        except ApiError as error:
            return status_reply(error)
        if watch is None:
            return answer(asked, scene)  # resources that cannot be watched are answered as without ``watch``
        return watch.begun(scene) or _resumed(playable(of.run_id), watch, scene)


def watch_gone_on(of: AskedOf, asked: DoorRequest, standing: Standing) -> Told:
    """What has happened since the standing, according to the log."""
    return watches_gone_on(of.run_id, [(asked, standing)])[0]


def watches_gone_on(run_id: UUID, watches: Sequence[tuple[DoorRequest, Standing]]) -> list[Told]:
    """Like ``watch_gone_on``, for many watches of a run's present: a single walk, on which each continues from its standing.

    A watch that fails gets an error and ends; the others continue.
    """
    elsewhere.plays()
    with granted(WORK_MAX):
        run = playable(run_id)
        open_: list[_OpenWatch] = []
        first_ms = min(standing.at_ms for _, standing in watches)
        for world, _records in timemachine.walk(run, from_ms=first_ms, to_ms=run.head_ms):
            if not open_:  # times shown to clients are relative to the present
                now = DoorScene(world=world, now_ms=max(world.now_ms, moment_of(run)), wall_ms=wall_ms())
                open_ = [_OpenWatch(run, now, asked, standing) for asked, standing in watches]
            if world.seq > run.head_seq:
                break
            scene, known = _scene(world), Known()
            for each in open_:
                each.go_on(scene, known)
        return [(each.standing, b"".join(each.lines)) for each in open_]


class _OpenWatch:
    """A watch on a walk shared with others."""

    def __init__(self, run: Run, now: DoorScene, asked: DoorRequest, standing: Standing) -> None:
        self._run, self._path = run, asked.path
        self.standing: Standing | None = standing
        self.lines: list[bytes] = []
        self._watch: DoorWatch | None = None
        try:
            self._watch = watched(asked, now)
            assert self._watch is not None, "the request asks for no watch"
        except Exception as error:
            self._end(error)

    def go_on(self, scene: DoorScene, known: Known) -> None:
        """Report an instant that it has not seen. Raises errors that keep every watch from continuing."""
        if self._watch is None or self.standing is None or scene.world.seq <= self.standing.seq:
            return
        at_ms = self.standing.at_ms

        def before() -> DoorScene:
            if ("before", at_ms) not in known:
                known["before", at_ms] = _scene_at(self._run, at_ms)
            found: DoorScene = known["before", at_ms]
            return found

        try:
            self.standing, text = self._watch.go_on(self.standing, scene, before, known)
        except (StillComputing, MemoryError, *AWAY):
            raise
        except Exception as error:
            self._end(error)
        else:
            self.lines += [text] if text else []

    def _end(self, error: Exception) -> None:
        """End with an error: its kind no longer exists, or something unexpected happened."""
        self.standing = None
        if not isinstance(error, ApiError):
            log.error("A watch of %s of run %s failed", self._path, self._run.id, exc_info=error)
        self.lines.append(failure_line(error))


def watch_marked(of: AskedOf, asked: DoorRequest, standing: Standing) -> bytes:
    """The bookmark for a standing."""
    elsewhere.plays()
    with granted(WORK_MAX):
        watch = watched(asked, scene_of(of, asked))
        return watch.bookmark(standing) if watch is not None else b""


def _resumed(run: Run, watch: DoorWatch, scene: DoorScene) -> tuple[Standing | None, bytes]:
    """Continue from a past position up to the scene."""
    wanted = watch.wanted
    try:
        ms = back_to(wanted, from_ms=scene.world.now_ms, position_at=lambda ms: position_of(timemachine.seek(run, ms=ms), watch.kind))
    except ApiError as error:
        return None, error_line(error)
    earlier = _scene(timemachine.seek(run, ms=ms))
    standing = watch.at(earlier)
    try:
        return _followed(run, watch, standing, head_ms=scene.now_ms, head_seq=scene.world.seq, after=wanted, most=_OBJECTS_MAX)
    except _TooFar:
        return None, error_line(too_old(wanted, position_of(scene.world, watch.kind)))


def _followed(
    run: Run, watch: DoorWatch, standing: Standing, *, head_ms: Ms, head_seq: int, after: int = 0, most: int | None = None
) -> tuple[Standing, bytes]:  # fmt: skip
    lines, looked_at = [], 0
    for scene in _instants(run, standing, head_ms=head_ms, head_seq=head_seq):
        looked_at += 1 + len(standing.sent)
        if most is not None and looked_at > most:
            raise _TooFar
        if position_of(scene.world, watch.kind) <= after:
            standing = watch.at(scene)
            continue
        before = partial(_scene_at, run, standing.at_ms)
        standing, text = watch.go_on(standing, scene, before)
        lines.append(text)
    return standing, b"".join(lines)


def _instants(run: Run, standing: Standing, *, head_ms: Ms, head_seq: int) -> Iterator[DoorScene]:
    """Every instant after the standing that the log contains completely."""
    for world, _records in timemachine.walk(run, from_ms=standing.at_ms, to_ms=head_ms):
        if world.seq > head_seq:
            return
        yield _scene(world)


def _scene_at(run: Run, ms: Ms) -> DoorScene:
    return _scene(timemachine.seek(run, ms=ms))


def _scene(world: World) -> DoorScene:
    return DoorScene(world=world, now_ms=world.now_ms, wall_ms=wall_ms())
