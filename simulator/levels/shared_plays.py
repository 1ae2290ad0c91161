"""Let plays of attempts share their past: whatever two attempts have in common is played and graded once.

An attempt that is checked has usually been checked before, with fewer acts; a class of fifty begins the same level at the same seeds. So
a play leaves stops behind, forks of its course with the grader that has seen all its records, and the next play with the same beginning
and the same first commands continues from the latest stop that fits. That changes no result: interrupting a play has no effect, and a
stop fits because of the commands given, regardless of whose run it was.

The past of the attempt's own run has already been played: its records are in the log, and its world is available when its acts are judged
(``Lived``). So a check plays that past only for the other seeds.

A play also ends before the horizon once every check is settled, because nothing later could change any of them.

The stops are an in-memory cache, limited by the rows that their worlds hold; the least recently used go first.
"""

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from threading import Lock

import msgspec
from msgspec import Struct

from simulator.engine.acts.all_acts import AnyCommand, Stamped
from simulator.engine.course.header import RunHeader
from simulator.engine.course.replay import Course, rows_of
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import SECOND, Ms
from simulator.scenarios.grading.attempt import AttemptGrader
from simulator.scenarios.grading.check import Check

ROWS_MAX = 150_000
"""Rows of all stops of a process, including records: about 30 MB."""
LOOK_MS: Ms = 10 * SECOND
"""How often a play is checked for whether everything is settled, in simulated time."""


Lived = Callable[[int], tuple[Course, list[Record]] | None]
"""Returns the present course of the run, between two instants, and its records after the given number; None if not available."""


class GradedPlay:
    """A play in progress: its course, every record so far, and the grader that has seen them."""

    __slots__ = ("course", "grader", "records")

    def __init__(self, course: Course, grader: AttemptGrader, records: list[Record]) -> None:
        self.course, self.grader, self.records = course, grader, records

    def fork(self, commands: Iterable[Stamped]) -> "GradedPlay":
        """An independent play with the same past, whose commands are these."""
        return GradedPlay(self.course.fork(commands), self.grader.fork(), self.records.copy())

    def drive(self, until_ms: Ms, *, work: int) -> bool:
        """Continue to ``until_ms``; return whether that was reached within ``work`` units since the beginning. Raises EngineFailed."""
        leg = self.course.drive(until_ms, limit=work - self.course.done)
        self.records += leg.records
        self.grader.add(leg.records)
        return leg.is_there

    def lead(self, lived: Lived, commands: Sequence[Stamped]) -> bool:
        """Jump to the present of the attempt's own run, if it is further; return whether it was."""
        found = lived(len(self.records))
        if found is None:
            return False
        course, records = found
        is_same = course.world.seq == len(self.records) + len(records) and course.is_within(commands)
        if not is_same or course.world.now_ms <= self.course.world.now_ms:
            return False
        self.course = course.fork(commands)
        self.records += records
        self.grader.add(records)
        return True

    def drive_until_settled(self, until_ms: Ms, *, work: int) -> bool:
        """Like ``drive``, but stop once everything is settled."""
        is_there = True
        while is_there and not self.grader.is_settled and self.course.world.now_ms < until_ms:
            is_there = self.drive(min(until_ms, self.course.world.now_ms + LOOK_MS), work=work)
        return is_there


Given = tuple[tuple[Ms, AnyCommand], ...]
"""Commands with their moments, in order; without their numbers, which do not affect what happens."""
StopKey = tuple[bytes, Ms, bytes]
"""A beginning, a moment, and the commands given until then."""


class PlayStop(Struct, frozen=True):
    """A play that is only ever forked. It stands at ``at_ms``, after the commands in ``given``."""

    key: StopKey
    play: GradedPlay
    given: Given
    at_ms: Ms
    rows: int

    def fits(self, commands: Sequence[Stamped]) -> bool:
        """Whether an attempt with these commands, in this order, has the same past."""
        count = len(self.given)
        return _given(commands[:count]) == self.given and (len(commands) == count or commands[count].at_ms >= self.at_ms)


class PlayBeginning(Struct, frozen=True, kw_only=True):
    """Everything that plays and verdicts depend on, besides commands and horizon. ``given``: see Lineage."""

    header: RunHeader
    checks: Sequence[Check]
    given: Sequence[tuple[Ms, str]] = ()


class SharedPlays:
    """The stops of one process, by beginning. Thread-safe."""

    def __init__(self, rows_max: int = ROWS_MAX) -> None:
        self._rows_max, self._rows = rows_max, 0
        self._stops: OrderedDict[StopKey, PlayStop] = OrderedDict()
        self._lock = Lock()

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._stops.clear()
            self._rows = 0

    def begun(self, of: PlayBeginning, commands: Sequence[Stamped], *, end_ms: Ms) -> tuple[bytes, GradedPlay]:
        """A play with these commands, as far as it was played before up to ``end_ms``, and the digest of its beginning."""
        beginning = _digest(of)
        with self._lock:
            stops = (stop for stop in self._stops.values() if stop.key[0] == beginning)
            fitting = (stop for stop in stops if stop.at_ms <= end_ms and stop.fits(commands))
            nearest = max(fitting, key=lambda stop: stop.at_ms, default=None)
            if nearest is not None:
                self._stops.move_to_end(nearest.key)
                # Under the lock: two threads must not fork the same world at the same time.
                return beginning, nearest.play.fork(commands)
        course, grader = Course(of.header, commands), AttemptGrader(of.checks, of.given)
        begun = GradedPlay(course, grader, list(course.world.first_records))
        grader.add(begun.records)
        return beginning, begun

    def keep(self, beginning: bytes, play: GradedPlay, commands: Sequence[Stamped]) -> None:
        """Remember a play that has reached the moment it was sent to."""
        at_ms, given = play.course.world.now_ms, _given(commands[: play.course.applied_count])
        key = beginning, at_ms, _digest(given)
        rows = rows_of(play.course.world) + len(play.records)
        with self._lock:
            if key in self._stops:
                return
            self._stops[key] = PlayStop(key, play.fork(commands), given, at_ms, rows)
            self._rows += rows
            while self._rows > self._rows_max:
                self._rows -= self._stops.popitem(last=False)[1].rows


SHARED_PLAYS = SharedPlays()
"""The shared plays of this process."""


def play_shared(
    of: PlayBeginning,
    commands: Sequence[Stamped],
    *,
    end_ms: Ms,
    work: int,
    stops_ms: Iterable[Ms] = (),
    lived: Lived | None = None,
    shared: SharedPlays = SHARED_PLAYS,
) -> tuple[GradedPlay, bool]:
    """A play to ``end_ms``, or until everything is settled, and whether ``work`` units were enough for that.

    At ``stops_ms`` it leaves stops behind for later plays. ``lived`` is the run itself, at this seed. Raises EngineFailed. Costs whatever
    was not played before.
    """
    ordered = sorted(commands, key=lambda stamped: (stamped.at_ms, stamped.n))
    beginning, play = shared.begun(of, ordered, end_ms=end_ms)
    if not play.course.done:
        shared.keep(beginning, play, ordered)
    if lived is not None and play.lead(lived, ordered):
        shared.keep(beginning, play, ordered)
    is_there = True
    for stop_ms in _ahead(stops_ms, play.course.world.now_ms, end_ms):
        is_there = is_there and play.drive(stop_ms, work=work)
        if is_there:
            shared.keep(beginning, play, ordered)
    return play, is_there and play.drive_until_settled(end_ms, work=work)


def _ahead(stops_ms: Iterable[Ms], now_ms: Ms, end_ms: Ms) -> list[Ms]:
    """The moments in between, sorted and without duplicates."""
    moments = sorted(set(stops_ms))
    return [moment for moment in moments[bisect_left(moments, now_ms + 1) :] if moment <= end_ms]


def _given(commands: Iterable[Stamped]) -> Given:
    return tuple((stamped.at_ms, stamped.command) for stamped in commands)


def _digest(what: object) -> bytes:
    return blake2b(msgspec.json.encode(what, order="sorted"), digest_size=16).digest()
