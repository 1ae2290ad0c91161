"""Any moment of any run, as a world: nearest earlier checkpoint, forked, and driven on. Checkpoints are a cache, not a table.

Worlds handed out are the caller's own. All of it is thread-safe: views of many requests look at one run.
"""

import logging
from bisect import bisect_right
from collections import OrderedDict
from contextlib import suppress
from threading import Lock

from django.conf import settings
from django.db import DatabaseError
from msgspec import Struct

from simulator import storage
from simulator.clock import moment_of
from simulator.content import Content, Unreadable, content_id
from simulator.course import Course
from simulator.engine.acts.registry import Stamped
from simulator.engine.header import RunHeader
from simulator.engine.records import Record
from simulator.engine.units import SECOND, Ms, Seq
from simulator.engine.world import World
from simulator.history import commands_of
from simulator.models import Run
from simulator.slots import COMPUTING

logger = logging.getLogger(__name__)

LINES_MAX = 16
"""Runs and contents whose checkpoints are kept, least recently used first out."""
CHECKPOINTS_MAX = 128
"""Checkpoints of one line; beyond them every other one goes and the stride doubles."""
ROWS_MAX = 1_500_000
"""Rows of all checkpoints together, about 300 MB. A line may have half of them, so the others have to make do with the other half."""
STRIDE_MS: Ms = 30 * SECOND


class LostRecords(Unreadable):
    """Records that the log has lost and that cannot be computed again as they were."""


class _Stop(Struct, frozen=True):
    """A course that stands at a boundary and is only ever forked from."""

    at_ms: Ms
    seq: Seq
    course: Course
    rows: int = 0


class _Line:
    """The checkpoints of one history."""

    def __init__(self, header: RunHeader) -> None:
        self.lock = Lock()
        self.stride_ms = STRIDE_MS
        start = Course(header)
        self.stops: list[_Stop] = [_Stop(0, 0, start)]

    def nearest(self, commands: list[Stamped], *, ms: Ms | None = None, seq: Seq | None = None) -> Course:
        """A fork of the last stop at or before ``ms``, or before ``seq`` was written."""
        moments = sorted(stamped.at_ms for stamped in commands)
        # A stop that a later command came to lie before shows a future that did not happen.
        self.stops = [stop for stop in self.stops if not stop.at_ms or stop.course.applied_count == bisect_right(moments, stop.at_ms)]
        fitting = (stop for stop in reversed(self.stops) if (ms is None or stop.at_ms <= ms) and (seq is None or stop.seq < seq))
        return next(fitting, self.stops[0]).course.fork(commands)

    def keep(self, course: Course) -> None:
        """Remember where ``course`` stands, if that is a stride after the last stop."""
        world = course.world
        if world.now_ms < self.stops[-1].at_ms + self.stride_ms:
            return
        self.stops.append(_Stop(world.now_ms, world.seq, course.fork(), _rows(world)))
        while len(self.stops) > CHECKPOINTS_MAX or (len(self.stops) > 2 and self.rows() > ROWS_MAX // 2):
            self.stops = self.stops[::2]
            self.stride_ms *= 2

    def rows(self) -> int:
        """Rows of all stops. They share most of what the rows hold, but each has its own table of them."""
        return sum(stop.rows for stop in self.stops)


_lines: OrderedDict[str, _Line] = OrderedDict()
_lines_lock = Lock()


def seek(run: Run, *, ms: Ms | None = None, seq: Seq | None = None) -> World:
    """The world of ``run`` at ``ms``, or right after the step that wrote record ``seq`` (which wins where both are given).

    A moment after the run's present gives the present. Costs one query and the way from the nearest checkpoint. For a record
    nothing is computed that the log does not hold: what the engine fails at later must not hide what was before.
    """
    commands = commands_of(run)
    line = _line(run.id.hex, run.header())
    if seq is not None:
        return _seek(line, commands, ms=run.head_ms, seq=min(seq, run.head_seq))
    end_ms = moment_of(run)
    return _seek(line, commands, ms=end_ms if ms is None else max(0, min(ms, end_ms)), seq=None)


def seek_content(content: Content, *, ms: Ms) -> World:
    """The world of ``content`` at ``ms``."""
    line = _line(content_id(content, length=52), content.header)
    return _seek(line, list(content.commands), ms=max(0, ms), seq=None)


def past(run: Run, *, seq: Seq) -> list[Record]:
    """Every record of ``run`` up to ``seq``: from the log, or by replay where no runner has filled it yet. O(records)."""
    if seq <= run.head_seq:
        return log(run, after=0, limit=max(0, seq))
    with suppress(storage.BrokenLog):
        found = storage.read(run.id, after=0, limit=seq)
        if len(found) >= seq:
            return found
    return _replayed(run)[:seq]


def log(run: Run, *, after: Seq, limit: int, mends: bool = True) -> list[Record]:
    """At most ``limit`` records of the log that follow ``after``. If it ``mends``, what the log has lost is computed again and put back.

    Raises BrokenLog where it does not mend, LostRecords where mending gives another run than the one that was recorded, and Busy
    where too much is being computed.
    """
    try:
        return storage.read(run.id, after=after, limit=limit, head=run.head_seq)
    except storage.BrokenLog as broken:
        if not mends:
            raise
        return _mended(run, broken)[after : after + limit]


def record_at(run: Run, seq: Seq) -> Record | None:
    """The record of that number, or None."""
    found = log(run, after=seq - 1, limit=1) if 0 < seq <= run.head_seq else []
    return found[0] if found else None


def _mended(run: Run, broken: storage.BrokenLog) -> list[Record]:
    """Every record up to the head, from header and commands.

    It is the run that was recorded if the world at the head has the digest that was stored with it. Written back, so that the
    next reader need not pay again; where the database takes nothing, this one is served all the same.
    """
    with COMPUTING.taken(""):
        head, commands = _standing(run)
        course = Course(head.header(), commands)
        records = [*course.world.first_records, *course.drive(head.head_ms).records]
    if len(records) != head.head_seq or course.world.digest() != bytes(head.head_digest):
        raise LostRecords(str(broken))
    try:
        storage.mend(run.id, epoch=head.epoch, records=records)
        logger.warning("%s; computed again and put back", broken)
    except DatabaseError as error:
        logger.warning("%s; computed again, but not put back: %s", broken, error)
    return records


def _standing(run: Run) -> tuple[Run, list[Stamped]]:
    """The run as it stands, and the commands that belong to just that: its owner may be at work meanwhile."""
    while True:
        head = Run.objects.get(id=run.id)
        commands = commands_of(head)
        if Run.objects.filter(id=run.id, head_seq=head.head_seq).exists():
            return head, commands


def _replayed(run: Run) -> list[Record]:
    course = Course(run.header(), commands_of(run))
    return [*course.world.first_records, *course.drive(moment_of(run)).records]


def _line(key: str, header: RunHeader) -> _Line:
    with _lines_lock:
        line = _lines.pop(key, None) or _Line(header)
        _lines[key] = line
        while len(_lines) > LINES_MAX or (len(_lines) > 1 and sum(kept.rows() for kept in _lines.values()) > ROWS_MAX // 2):
            _lines.popitem(last=False)
        return line


def _rows(world: World) -> int:
    tables = (getattr(world.tables, name) for name in world.tables.__slots__)
    return sum(len(table) for table in tables)


def _seek(line: _Line, commands: list[Stamped], *, ms: Ms, seq: Seq | None) -> World:
    with line.lock:
        if seq is not None:
            return _seek_seq(line, commands, seq, end_ms=ms)
        course = line.nearest(commands, ms=ms)
        while (course.world.now_ms < ms or course.world.now_ms == 0) and course.world.seq < settings.SIM_RUN_RECORDS_MAX:
            goal_ms = min(ms, course.world.now_ms + line.stride_ms)
            course.drive(goal_ms)
            line.keep(course)
            if goal_ms == ms:
                break
        return course.world


def _seek_seq(line: _Line, commands: list[Stamped], seq: Seq, *, end_ms: Ms) -> World:
    course = line.nearest(commands, seq=seq)
    before = course
    while course.world.seq < seq:
        before = course.fork()
        course.drive(min(course.world.now_ms + line.stride_ms, end_ms))
        line.keep(course)
        if course.world.now_ms >= end_ms:
            break
    before.drive_to_seq(seq, until_ms=end_ms)
    return before.world
