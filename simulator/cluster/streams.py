"""What is sent while a request stays open: the changes that a watch selects, or the lines of a log."""

import logging
from typing import Protocol

from simulator.cluster.played import Instant, PlayedRun
from simulator.door.answering import followed, watched
from simulator.door.exchange import JSON, TEXT, DoorReply, DoorRequest
from simulator.door.logs import LogCursor, log_since, log_so_far, log_source, wanted_of
from simulator.door.paths import ApiPath
from simulator.door.rows import position_of
from simulator.door.scene import DoorScene
from simulator.door.waiting import is_waiting
from simulator.door.watching import DoorWatch, Standing, back_to, error_line, failure_line
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.kernel.units import Ms
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World

log = logging.getLogger(__name__)


class OpenStream(Protocol):
    """A stream of data for an open request. ``is_over`` means nothing more will come."""

    content_type: str
    is_over: bool

    def go_on(self, instant: Instant) -> bytes:
        """The data for an instant."""

    def look(self, scene: DoorScene) -> bytes:
        """The data that is due to the passage of time alone."""

    def mark(self) -> bytes:
        """A sign of life."""


class OpenWatch:
    """A watch with its position."""

    content_type = JSON

    def __init__(self, watch: DoorWatch, standing: Standing | None, wall_ms: Ms) -> None:
        self._watch, self._standing, self._wall_ms = watch, standing, wall_ms
        self.is_over = standing is None

    def go_on(self, instant: Instant) -> bytes:
        """The events of an instant."""
        if self._standing is None:
            return b""
        before, after = (_scene(world, self._wall_ms) for world in instant)
        try:
            self._standing, text = self._watch.go_on(self._standing, after, lambda: before)
        except Exception as error:  # the run goes on, and so do its other clients
            log.exception("A watch of %s failed", self._watch.kind)
            self._standing, self.is_over, text = None, True, failure_line(error)
        return text

    def look(self, scene: DoorScene) -> bytes:
        """Objects change only when something happens."""
        return b""

    def mark(self) -> bytes:
        """A bookmark."""
        return self._watch.bookmark(self._standing) if self._standing is not None else b""


class OpenLog:
    """``logs -f``: lines until the container ends. They are not records, so they are looked up as time passes."""

    content_type = TEXT

    def __init__(self, request: DoorRequest, place: ApiPath, cursor: LogCursor) -> None:
        self._request, self._place, self._cursor = request, place, cursor
        self.is_over = False

    def go_on(self, instant: Instant) -> bytes:
        """What had been printed by then: a container that has ended prints nothing more, and may be gone at the next look."""
        return self.look(_scene(instant[1], 0))

    def look(self, scene: DoorScene) -> bytes:
        """The lines since the last look."""
        row: PodRow | None = None
        try:
            row, container = log_source(self._request, self._place, scene)
        except ApiError:  # the pod is gone
            container = ""
        if row is None:
            self.is_over = True
            return b""
        text, self._cursor, self.is_over = log_since(row, container, wanted_of(self._request, scene), scene, self._cursor)
        return text.encode()

    def mark(self) -> bytes:
        """A log has no sign of life."""
        return b""


def stream_begun(run: PlayedRun, request: DoorRequest, scene: DoorScene) -> tuple[OpenStream, bytes] | DoorReply | None:
    """The stream that a request asks for, and its beginning; a reply if that is all, None for a request that is answered at once.

    Raises ApiError.
    """
    place = followed(request, scene)
    if place is not None:
        row, container = log_source(request, place, scene)
        if not row.node:
            return DoorReply(status=204)
        text, cursor = log_so_far(row, container, wanted_of(request, scene), scene)
        return OpenLog(request, place, cursor), text.encode()
    watch = watched(request, scene)
    if watch is None:
        return None
    standing, first = watch.begun(scene) or _resumed(run, watch, scene)
    return OpenWatch(watch, standing, scene.wall_ms), first


def is_played_ahead(request: DoorRequest) -> bool:
    """Whether the run is played ahead for a client: for those that wait or follow a log, and for helm, which watches whole kinds."""
    return request.has("follow") or is_waiting(request) or request.agent.lower().startswith("helm")


def _resumed(run: PlayedRun, watch: DoorWatch, scene: DoorScene) -> tuple[Standing | None, bytes]:
    """Resume a watch from a position in the past up to the present."""
    wanted = watch.wanted
    try:
        ms = back_to(wanted, from_ms=scene.world.now_ms, position_at=lambda ms: position_of(run.since(ms)[0], watch.kind))
    except ApiError as error:
        return None, error_line(error)
    earlier, since = run.since(ms)
    standing, lines = watch.at(_scene(earlier, scene.wall_ms)), list[bytes]()
    for before, after in since:
        there = _scene(after, scene.wall_ms)
        if position_of(after, watch.kind) <= wanted:
            standing = watch.at(there)
            continue
        last = _scene(before, scene.wall_ms)
        standing, text = watch.go_on(standing, there, lambda last=last: last)  # type: ignore[misc]
        lines.append(text)
    return standing, b"".join(lines)


def _scene(world: World, wall_ms: Ms) -> DoorScene:
    return DoorScene(world=world, now_ms=world.now_ms, wall_ms=wall_ms)
