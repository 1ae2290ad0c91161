"""Replay: a world on its way through its commands, checkpoints along the way, and the comparison with what was recorded.

The one place that decides when a command is applied: at a boundary, when everything due by its moment has happened. Live runs,
the time machine, headless runs, the bench and the tests all take this way, so they cannot differ.

Three layers. ``Course`` walks forward and can be forked. ``Checkpoints`` keeps forks along the way, so
that a look at an earlier moment replays from the nearest and not from 0. ``Verification`` walks beside a
stored history and stops at the first record that differs.

Work, not time, bounds a stretch, so a replay on a slow machine cuts at the same event as on a fast one,
and where it cuts changes nothing. The one thing that must not be cut is an instant: between two events of
one moment the world is in a state that no user may see or act on (``Leg.is_whole``).

Commands of one moment keep the order of their numbers and come after everything that is due then.
Checkpoints beyond a command that was added later show a future that did not happen, and are dropped.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from simulator.engine.acts.all_acts import Applied, Stamped
from simulator.engine.course.genesis import new_world
from simulator.engine.course.header import RunHeader
from simulator.engine.course.step import UNLIMITED, advance, carried_out
from simulator.engine.kernel.errors import EngineError, EngineFailed
from simulator.engine.kernel.layered import Layered
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import SECOND, Ms, Seq
from simulator.engine.world.world import World

STRIDE_MS: Ms = 30 * SECOND
"""Simulated time between two checkpoints, until there are too many of them."""
STRIDE_WORK = 2_500
"""Work between two checkpoints where so much happens within less time. ``manage.py bench replay`` says how long seeks take."""
STOPS_MAX = 256
"""Checkpoints along one history. An hour of two hundred failing pods has work for 290 strides."""
PIECE_WORK = 10_000
"""A course on its way somewhere is looked at whenever it has done so much work."""


class Purse:
    """Work that may still be done, in units (world/work.py). What several seeks may do together they draw from one purse."""

    __slots__ = ("left",)

    def __init__(self, left: int = UNLIMITED) -> None:
        self.left = left


class OutOfWork(Exception):
    """The work that was granted does not lead to ``goal_ms``; it led to ``reached_ms``, and what was played is kept for the next seek."""

    def __init__(self, reached_ms: Ms, goal_ms: Ms) -> None:
        super().__init__(f"reached {reached_ms} ms of {goal_ms} ms")
        self.reached_ms, self.goal_ms = reached_ms, goal_ms

    def __reduce__(self) -> tuple[type["OutOfWork"], tuple[Ms, Ms]]:
        """It is told across processes, too."""
        return type(self), (self.reached_ms, self.goal_ms)


class Leg(Struct, frozen=True, kw_only=True):
    """One stretch of the way: what happened, which commands took their place, and whether the goal was reached.

    Where the limit cut an instant in two, ``is_whole`` is False: nobody may see the world, and no command may take its place, until
    another stretch has ended the instant. ``work``: what the stretch cost, in units (world/work.py).
    """

    records: list[Record]
    applied: list[Applied]
    is_there: bool
    is_whole: bool = True
    work: int = 0


@contextmanager
def _blamed() -> Iterator[None]:
    """Whatever goes wrong in here is told as EngineFailed; want of memory is not the engine's fault."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        raise EngineFailed(str(error) if isinstance(error, EngineError) else f"{type(error).__name__}: {error}") from error


class Course:
    """A world and the commands that lie ahead of it, in the order of their moments.

    Where the engine fails to begin the world or to carry something out, the course raises EngineFailed and is of no further use.
    """

    __slots__ = ("_commands", "_next", "done", "next_due_ms", "world")

    def __init__(self, header: RunHeader, commands: Iterable[Stamped] = ()) -> None:
        with _blamed():
            self.world = new_world(header)
        self._commands = _in_order(commands)
        self._next = 0
        self.next_due_ms: Ms | None = 0
        self.done = 0
        """Units of work since the beginning."""

    def fork(self, commands: Iterable[Stamped] | None = None) -> "Course":
        """An independent course with the same past; ``commands`` replaces the list, whose applied beginning must be the same."""
        # Not through __init__, which would play genesis again.
        twin = Course.__new__(Course)
        twin.world = self.world.fork()
        twin._commands = self._commands if commands is None else _in_order(commands)
        twin._next, twin.next_due_ms, twin.done = self._next, self.next_due_ms, self.done
        return twin

    @property
    def applied_count(self) -> int:
        """How many commands lie behind."""
        return self._next

    def is_within(self, commands: Sequence[Stamped]) -> bool:
        """Whether as many of these commands lie behind as their moments say; of the present instant, that may be some of them."""
        moments = sorted(stamped.at_ms for stamped in commands)
        now_ms = self.world.now_ms
        return bisect_left(moments, now_ms) <= self._next <= bisect_right(moments, now_ms)

    def give(self, stamped: Stamped) -> None:
        """Add a command at the present moment, after all others."""
        assert stamped.at_ms == self.world.now_ms, "a command takes its place at the present"
        self._commands = [*self._commands[: self._next], stamped, *self._commands[self._next :]]

    def drive(self, until_ms: Ms, *, limit: int = UNLIMITED) -> Leg:
        """Go on to ``until_ms``, or until ``limit`` units of work are done; by one event or command at least."""
        until_ms = max(until_ms, self.world.now_ms)
        work = 0
        records: list[Record] = []
        applied: list[Applied] = []
        while True:
            ahead = self._commands[self._next] if self._next < len(self._commands) else None
            goal_ms = min(until_ms, ahead.at_ms) if ahead else until_ms
            with _blamed():
                batch = advance(self.world, until_ms=goal_ms, limit=limit - work)
            records.extend(batch.records)
            work += batch.work
            self.next_due_ms = batch.next_due_ms
            is_there = batch.exhausted and (ahead is None or ahead.at_ms > goal_ms)
            # At least one event or command is done, or a small limit would never get anywhere.
            if is_there or not batch.exhausted or (work >= limit and applied):
                is_whole = is_there or self.ahead_ms() != self.world.now_ms
                self.done += work
                return Leg(records=records, applied=applied, is_there=is_there, is_whole=is_whole, work=work)
            assert ahead is not None, "where nothing is ahead, all is done"
            made, cost = self._apply(ahead)
            work += cost
            records.extend(made)
            applied.append(_place(ahead, made))

    def drive_within(self, purse: Purse, until_ms: Ms) -> list[Record]:
        """Go on to ``until_ms``; the records. Raises OutOfWork where the purse is empty before, perhaps in the middle of an instant."""
        records: list[Record] = []
        while purse.left > 0:
            leg = self.drive(until_ms, limit=purse.left)
            purse.left -= leg.work
            records.extend(leg.records)
            if leg.is_there:
                return records
        raise OutOfWork(self.world.now_ms, until_ms)

    def drive_to_seq(self, seq: Seq, *, until_ms: Ms, limit: int = UNLIMITED) -> bool:
        """Go on to the step that writes record ``seq`` and stop inside its instant, or at ``until_ms``; whether one of them was reached.

        One event at a time, until ``limit`` units of work are done, but one at least.
        """
        enough = self.done + limit
        while self.world.seq < seq:
            ahead = self._commands[self._next] if self._next < len(self._commands) else None
            with _blamed():
                batch = advance(self.world, until_ms=min(until_ms, ahead.at_ms) if ahead else until_ms, limit=1)
            self.done += batch.work
            if batch.exhausted:
                if ahead is None or ahead.at_ms > until_ms:
                    return True
                self.done += self._apply(ahead)[1]
            if self.done >= enough:
                return self.world.seq >= seq
        return True

    def ahead_ms(self) -> Ms | None:
        """The next moment at which something is due, an event or a command; None where nothing is."""
        moments = [self.next_due_ms] if self.next_due_ms is not None else []
        moments += [stamped.at_ms for stamped in self._commands[self._next : self._next + 1]]
        return min(moments, default=None)

    def _apply(self, stamped: Stamped) -> tuple[list[Record], int]:
        self._next += 1
        with _blamed():
            return carried_out(self.world, stamped.command)


def _in_order(commands: Iterable[Stamped]) -> list[Stamped]:
    return sorted(commands, key=lambda stamped: (stamped.at_ms, stamped.n))


def _place(stamped: Stamped, records: list[Record]) -> Applied:
    """Where a command took its place, by its own record (kind command)."""
    # A command writes exactly one record of its own, also where it is refused.
    own = next(record for record in records if record.kind == "command")
    outcome = "accepted" if own.target == "accepted" else "refused"
    return Applied(n=stamped.n, at_ms=stamped.at_ms, seq=own.seq, outcome=outcome)


def replay(header: RunHeader, commands: Iterable[Stamped] = (), *, until_ms: Ms, into: list[Record] | None = None) -> World:
    """The world at a moment, with every command stamped by then applied. ``into`` collects the records. Costs what the run cost."""
    course = Course(header, commands)
    if into is not None:
        into.extend(course.world.first_records)
    leg = course.drive(until_ms)
    if into is not None:
        into.extend(leg.records)
    return course.world


class Checkpoint(Struct, frozen=True):
    """A course that stands at a boundary and is only ever forked from. ``rows``: how many its world has to itself; ``done``: its work."""

    at_ms: Ms
    seq: Seq
    course: Course
    rows: int = 0
    done: int = 0


class Checkpoints:
    """Stops along one history, so that a seek replays only from the nearest one.

    At most ``size`` are kept, with ``rows_max`` rows in all; beyond that those go that a seek misses least. Commands are
    given to each seek: a stop that a later command came to lie before is forgotten then. A seek that its purse ends raises OutOfWork,
    and the next one goes on where it stood, be that in the middle of an instant. So does one for a record behind the newest that was
    asked for: a live run is looked at again and again where it stands.
    """

    def __init__(
        self,
        header: RunHeader,
        *,
        stride_ms: Ms = STRIDE_MS,
        stride_work: int = STRIDE_WORK,
        size: int = STOPS_MAX,
        rows_max: int = 900_000,
        stops: Sequence[Checkpoint] = (),
    ) -> None:
        """``stops`` are those of another history that begins like this one, the first of them at time 0."""
        self.stride_ms, self.stride_work = stride_ms, stride_work
        self._ahead: Course | None = None
        self._newest: Checkpoint | None = None
        self._size, self._rows_max = size, rows_max
        self.stops: list[Checkpoint] = list(stops) or [Checkpoint(0, 0, Course(header))]

    def seek(self, commands: Sequence[Stamped], *, ms: Ms, records_max: int = UNLIMITED, purse: Purse | None = None) -> World:
        """The world at a moment, as if it had got there by itself; it stops early at ``records_max`` records. The world is the caller's."""
        return self.course_at(commands, ms=ms, records_max=records_max, purse=purse).world

    def course_at(self, commands: Sequence[Stamped], *, ms: Ms, records_max: int = UNLIMITED, purse: Purse | None = None) -> Course:
        """The same with the commands that lie ahead, for one who goes on from there."""
        course, purse = self._nearest(commands, ms=ms), purse or Purse()
        while course.world.seq < records_max or course.ahead_ms() == course.world.now_ms:
            if self._goes_on(course, ms, ms, purse):
                break
        return course

    def seek_seq(self, commands: Sequence[Stamped], seq: Seq, *, end_ms: Ms, purse: Purse | None = None) -> World:
        """The world right after the step that wrote record ``seq``; that of ``end_ms`` where there is none by then."""
        course, purse = self._nearest(commands, seq=seq), purse or Purse()
        is_there = False
        # A stride may pass the record; the fork from before it then walks event by event, which takes twice as long. The purse has
        # enough for both, or a small one would never get anywhere.
        while course.world.seq < seq and not is_there and purse.left > 2 * self.stride_work:
            before = course.fork()
            is_there = self._goes_on(course, end_ms, end_ms, purse)
            if course.world.seq >= seq:
                course = before
                break
        self._walk(course, seq, end_ms, purse)
        self._remember(course)
        return course.world

    def _walk(self, course: Course, seq: Seq, end_ms: Ms, purse: Purse) -> None:
        """The rest of the way to a record, event by event. Raises OutOfWork."""
        is_there = False
        while not is_there:
            if purse.left <= 0 and course.world.seq < seq:
                self._ahead = course
                raise OutOfWork(course.world.now_ms, end_ms)
            done = course.done
            is_there = course.drive_to_seq(seq, until_ms=end_ms, limit=min(PIECE_WORK, purse.left))
            purse.left -= course.done - done
            if course.ahead_ms() != course.world.now_ms:
                self.keep(course)

    def _remember(self, course: Course) -> None:
        """Keep where a seek for a record has come, if that is further than those before."""
        world = course.world
        if self._newest is None or world.seq > self._newest.seq:
            rows = rows_copied(world)
            self._newest = Checkpoint(world.now_ms, world.seq, course.fork(), rows, course.done)

    def so_far(self, commands: Sequence[Stamped], *, seq_max: Seq) -> World:
        """The latest world at hand that is no further than record ``seq_max``, else the first; nothing is played.

        The world is the caller's.
        """
        self._forget(commands)
        ahead = self._ahead
        if ahead is not None and ahead.world.seq <= seq_max and ahead.ahead_ms() != ahead.world.now_ms:
            return ahead.world.fork()
        fitting = (stop for stop in reversed(self.stops) if stop.course.world.seq <= seq_max)
        return next(fitting, self.stops[0]).course.world.fork()

    def keep(self, course: Course) -> None:
        """Remember where ``course`` stands, if that is a stride after the last stop."""
        world, last = course.world, self.stops[-1]
        is_near = world.now_ms < last.at_ms + self.stride_ms and course.done < last.done + self.stride_work
        if is_near or world.now_ms <= last.at_ms:
            return
        rows = rows_copied(world)  # before the copy, which may close what lies on top
        self.stops.append(Checkpoint(world.now_ms, world.seq, course.fork(), rows, course.done))
        while len(self.stops) > self._size or (len(self.stops) > 2 and self.rows() > self._rows_max):
            self._thin()

    def _thin(self) -> None:
        """Drop the stop without which a seek costs least. The first one, time 0, stays, and so does the last.

        Later stops come as far apart as those that are kept are on average, so a long way costs no more of them than a short one.
        """
        stops = self.stops
        del stops[min(range(1, len(stops) - 1), key=lambda n: stops[n + 1].done - stops[n - 1].done)]
        self.stride_ms = max(self.stride_ms, stops[-1].at_ms // len(stops))
        self.stride_work = max(self.stride_work, stops[-1].done // len(stops))

    def rows(self) -> int:
        """Rows of all stops. They share most of what the rows hold, but each has its own table of them, or its own layer."""
        ahead = rows_of(self._ahead.world) if self._ahead is not None else 0
        return sum(stop.rows for stop in self.stops) + ahead + (self._newest.rows if self._newest is not None else 0)

    def _goes_on(self, course: Course, goal_ms: Ms, end_ms: Ms, purse: Purse) -> bool:
        """A piece of the way to ``goal_ms``, on which it is remembered; whether that was the rest of it. Raises OutOfWork."""
        if course.world.now_ms == goal_ms > 0 and course.ahead_ms() != goal_ms:
            return True
        if purse.left <= 0:
            self._ahead = course
            # The caller comes back with another purse; the course goes on from _ahead then.
            raise OutOfWork(course.world.now_ms, end_ms)
        # A piece that ended inside an instant is no stop: the next one ends that instant first.
        is_inside = course.ahead_ms() == course.world.now_ms > 0
        stride_ms = course.world.now_ms if is_inside else min(goal_ms, course.world.now_ms + self.stride_ms)
        leg = course.drive(stride_ms, limit=min(PIECE_WORK, self.stride_work, purse.left))
        purse.left -= leg.work
        if leg.is_whole:
            self.keep(course)
        return leg.is_there and stride_ms == goal_ms

    def _nearest(self, commands: Sequence[Stamped], *, ms: Ms | None = None, seq: Seq | None = None) -> Course:
        """A fork of the last stop at or before ``ms``, or before ``seq`` was written; the course of a seek that was ended, or the newest
        record that was asked for, where that is nearer."""
        self._forget(commands)
        fitting = (stop for stop in reversed(self.stops) if (ms is None or stop.at_ms <= ms) and (seq is None or stop.seq < seq))
        nearest, ahead = next(fitting, self.stops[0]), self._ahead
        newest = self._newest
        # It stands right after the step that wrote its last record, so that record may be the one asked for.
        if newest is not None and newest.seq >= nearest.seq and (newest.seq <= seq if seq is not None else newest.at_ms <= (ms or 0)):
            nearest = newest
        is_past = ahead is None or (ms is not None and ahead.world.now_ms > ms) or (seq is not None and ahead.world.seq >= seq)
        if ahead is None or is_past or ahead.world.now_ms <= nearest.at_ms:
            return nearest.course.fork(commands)
        self._ahead = None
        return ahead.fork(commands)

    def _forget(self, commands: Sequence[Stamped]) -> None:
        """Let go of what a later command came to lie before: it shows a future that did not happen."""
        moments = sorted(stamped.at_ms for stamped in commands)
        self.stops = [stop for stop in self.stops if not stop.at_ms or stop.course.applied_count == bisect_right(moments, stop.at_ms)]
        if self._ahead is not None and not self._ahead.is_within(commands):
            self._ahead = None
        if self._newest is not None and not self._newest.course.is_within(commands):
            self._newest = None


def rows_of(world: World) -> int:
    """How many rows the tables of a world hold: what it takes of memory by itself goes by that."""
    tables = (getattr(world.tables, name) for name in world.tables.__slots__)
    return sum(len(table) for table in tables)


def rows_copied(world: World) -> int:
    """How many rows a copy of a world has to itself, about 200 bytes each: of a layered table only what was written lately, as all
    copies share the rest."""
    tables = (getattr(world.tables, name) for name in world.tables.__slots__)
    return sum(len(table.top) if isinstance(table, Layered) else len(table) for table in tables)


class Divergence(Struct, frozen=True, kw_only=True):
    """Where a replay leaves a stored history: ``stored`` is None where it writes more, ``now`` where it writes less.

    ``at_ms`` is the earlier of the two moments: before it both histories are one.
    """

    seq: Seq
    at_ms: Ms
    stored: Record | None
    now: Record | None

    @property
    def rules(self) -> tuple[str, str]:
        """The rule of the stored record and that of today's, each empty where there is no such record."""
        return (self.stored.rule if self.stored else "", self.now.rule if self.now else "")


class Verification:
    """A replay that is compared with a stored history on its way. Cut by its purse, it goes on from there when it is asked again."""

    def __init__(self, header: RunHeader, commands: Iterable[Stamped], *, end_ms: Ms, is_whole: bool = True, may_add: bool = False) -> None:
        """It goes to ``end_ms``. A history that ``is_whole`` has all records up to there; ``may_add`` as for ``verify``."""
        self._course = Course(header, commands)
        self._end_ms, self._is_whole, self._may_add = end_ms, is_whole, may_add
        self._made: Sequence[Record] = self._course.world.first_records
        # The records of time 0 are compared before any stretch is driven.
        self._goal_ms: Ms = 0
        self.position = 0
        """So many records of the history have been found to be those of today."""

    @property
    def now_ms(self) -> Ms:
        """The moment that the replay has reached."""
        return self._course.world.now_ms

    def rows(self) -> int:
        """How many rows its world holds."""
        return rows_of(self._course.world)

    def go_on(self, rest: Sequence[Record], purse: Purse, *, keep: Callable[[Course], None] | None = None) -> Divergence | None:
        """The first difference, or None at the end. ``rest`` is what the history holds behind ``position``.

        ``keep`` is shown the course wherever it stands between two instants, to fork it. Raises OutOfWork, and EngineFailed.
        """
        begun = self.position
        while True:
            for now in self._made:
                here = self.position - begun
                stored = rest[here] if here < len(rest) else None
                # The stored history was cut here (it is still being written): not a difference.
                if stored is None and not self._is_whole:
                    return None
                if stored is None or not _agrees(stored, now, may_add=self._may_add):
                    at_ms = now.at_ms if stored is None else min(now.at_ms, stored.at_ms)
                    return Divergence(seq=now.seq, at_ms=at_ms, stored=stored, now=now)
                self.position += 1
            self._made = ()
            if self._goal_ms > self._end_ms:
                return self._missing(rest[self.position - begun :])
            self._drive(purse, keep)

    def _missing(self, left: Sequence[Record]) -> Divergence | None:
        """The end: a difference where the history goes on."""
        return Divergence(seq=left[0].seq, at_ms=left[0].at_ms, stored=left[0], now=None) if left else None

    def _drive(self, purse: Purse, keep: Callable[[Course], None] | None) -> None:
        """A piece of the way. The goal lies beyond the end when that has been reached."""
        if purse.left <= 0:
            raise OutOfWork(self.now_ms, self._end_ms)
        leg = self._course.drive(self._goal_ms, limit=min(PIECE_WORK, purse.left))
        purse.left -= leg.work
        self._made = leg.records
        if leg.is_there:
            is_end = self._goal_ms >= self._end_ms
            self._goal_ms = self._end_ms + 1 if is_end else min(self._goal_ms + STRIDE_MS, self._end_ms)
        if leg.is_whole and keep is not None:
            keep(self._course)


def verify(
    header: RunHeader, commands: Iterable[Stamped], records: Sequence[Record], *, until_ms: Ms | None = None, may_add: bool = False
) -> Divergence | None:
    """Run again and compare with the stored records, which begin at seq 1; the first difference, or None.

    With ``until_ms`` the replay goes that far, and a record beyond the stored ones is a difference too. ``may_add``: a record of
    today may carry values that the stored one lacks, and lacks what early ones said of their look. Stops at the difference; costs at
    most what the run cost.
    """
    end_ms = records[-1].at_ms if until_ms is None and records else until_ms or 0
    return Verification(header, commands, end_ms=end_ms, is_whole=until_ms is not None, may_add=may_add).go_on(records, Purse())


_LOOKS = ("tone",)
"""Data of records of revisions before 7 that says how they look, which is no part of a history."""


def _agrees(stored: Record, now: Record, *, may_add: bool) -> bool:
    """Whether two records say the same."""
    if stored == now:
        return True
    if not may_add or not {item for item in stored.data if item[0] not in _LOOKS} <= set(now.data):
        return False
    return all(getattr(stored, name) == getattr(now, name) for name in Record.__struct_fields__ if name != "data")
