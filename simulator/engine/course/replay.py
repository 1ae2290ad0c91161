"""Replay: driving a world through its commands, keeping checkpoints along the way, and comparing it with what was recorded.

The only place that decides when a command is applied: at a boundary, once everything due by its moment has happened. Live runs,
the time machine, headless runs, the bench and the tests all go through here, so they cannot differ.

Three layers. ``Course`` moves forward and can be forked. ``Checkpoints`` keeps forks along the way, so
that a look at an earlier moment replays from the nearest one rather than from 0. ``Verification`` runs
alongside a stored history and stops at the first record that differs.

A stretch is bounded by work, not time, so a replay on a slow machine is cut at the same event as on a
fast one, and where it is cut changes nothing. The one thing that must not be cut is an instant: between two
events of the same moment the world is in a state that no user may see or act on (``Leg.is_whole``).

Commands of the same moment keep the order of their numbers and come after everything that is due then.
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
STRIDE_WORK = 500
"""Work between two checkpoints when a lot happens in less time, some 5 ms. ``manage.py bench replay`` reports how long seeks take."""
SPARED_WORK = 2_500
"""A checkpoint is dropped if its loss leaves no more work than this to a seek, once there are more than ROWS_FINE rows."""
ROWS_FINE = 50_000
"""Rows of checkpoints that may be a STRIDE_WORK apart, some 10 MB: the start of two hundred pods. Dense checkpoints of a larger run would
take the place of other runs."""
STOPS_MAX = 256
"""Checkpoints along one history. An hour of two hundred failing pods contains 1,450 strides of work."""
PIECE_WORK = 10_000
"""A course heading for a distant goal is checked each time it has done this much work."""


class Purse:
    """A budget of work, in units (world/work.py). Several seeks that share a budget draw from the same purse."""

    __slots__ = ("left",)

    def __init__(self, left: int = UNLIMITED) -> None:
        self.left = left


class OutOfWork(Exception):
    """The granted work did not suffice to reach ``goal_ms``; it got to ``reached_ms``, and what was played is kept for the next seek."""

    def __init__(self, reached_ms: Ms, goal_ms: Ms) -> None:
        super().__init__(f"reached {reached_ms} ms of {goal_ms} ms")
        self.reached_ms, self.goal_ms = reached_ms, goal_ms

    def __reduce__(self) -> tuple[type["OutOfWork"], tuple[Ms, Ms]]:
        """Pickle with both moments: the error also crosses process boundaries."""
        return type(self), (self.reached_ms, self.goal_ms)


class Leg(Struct, frozen=True, kw_only=True):
    """One stretch of the way: what happened, which commands were applied, and whether the goal was reached.

    If the limit cut an instant in two, ``is_whole`` is False: nobody may see the world, and no command may be applied, until
    another stretch has completed the instant. ``work``: what the stretch cost, in units (world/work.py).
    """

    records: list[Record]
    applied: list[Applied]
    is_there: bool
    is_whole: bool = True
    work: int = 0


@contextmanager
def _blamed() -> Iterator[None]:
    """Re-raise whatever goes wrong inside as EngineFailed, except running out of memory, which is not the engine's fault."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        raise EngineFailed(str(error) if isinstance(error, EngineError) else f"{type(error).__name__}: {error}") from error


class Course:
    """A world and the commands that lie ahead of it, ordered by moment.

    If the engine fails to create the world or to carry something out, the course raises EngineFailed and must not be used again.
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
        """An independent course with the same past; ``commands`` replaces the list, whose already applied part must be the same."""
        # Not through __init__, which would play genesis again.
        twin = Course.__new__(Course)
        twin.world = self.world.fork()
        twin._commands = self._commands if commands is None else _in_order(commands)
        twin._next, twin.next_due_ms, twin.done = self._next, self.next_due_ms, self.done
        return twin

    @property
    def applied_count(self) -> int:
        """How many commands have been applied."""
        return self._next

    def is_within(self, commands: Sequence[Stamped]) -> bool:
        """Whether as many of these commands have been applied as their moments imply; of the present instant, that may be only some."""
        moments = sorted(stamped.at_ms for stamped in commands)
        now_ms = self.world.now_ms
        return bisect_left(moments, now_ms) <= self._next <= bisect_right(moments, now_ms)

    def give(self, stamped: Stamped) -> None:
        """Add a command at the present moment, after all others."""
        assert stamped.at_ms == self.world.now_ms, "a command takes its place at the present"
        self._commands = [*self._commands[: self._next], stamped, *self._commands[self._next :]]

    def drive(self, until_ms: Ms, *, limit: int = UNLIMITED) -> Leg:
        """Advance to ``until_ms``, or until ``limit`` units of work are done; by at least one event or command."""
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
            # Do at least one event or command, or a small limit would never get anywhere.
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
        """Advance to ``until_ms``; the records. Raises OutOfWork if the purse runs out first, perhaps in the middle of an instant."""
        records: list[Record] = []
        while purse.left > 0:
            leg = self.drive(until_ms, limit=purse.left)
            purse.left -= leg.work
            records.extend(leg.records)
            if leg.is_there:
                return records
        raise OutOfWork(self.world.now_ms, until_ms)

    def drive_to_seq(self, seq: Seq, *, until_ms: Ms, limit: int = UNLIMITED) -> bool:
        """Advance to the step that writes record ``seq`` and stop inside its instant, or at ``until_ms``; whether either was reached.

        Goes one event at a time, until ``limit`` units of work are done, but at least one.
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
        """The next moment at which an event or a command is due; None if there is none."""
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
    """Where a command was applied, according to its own record (kind command)."""
    # A command writes exactly one record of its own, even when it is refused.
    own = next(record for record in records if record.kind == "command")
    outcome = "accepted" if own.target == "accepted" else "refused"
    return Applied(n=stamped.n, at_ms=stamped.at_ms, seq=own.seq, outcome=outcome)


def replay(header: RunHeader, commands: Iterable[Stamped] = (), *, until_ms: Ms, into: list[Record] | None = None) -> World:
    """The world at a moment, with every command up to then applied. ``into`` collects the records. Costs what the run cost."""
    course = Course(header, commands)
    if into is not None:
        into.extend(course.world.first_records)
    leg = course.drive(until_ms)
    if into is not None:
        into.extend(leg.records)
    return course.world


class Checkpoint(Struct, frozen=True):
    """A course at a boundary that is only ever forked. ``rows``: how many its world does not share; ``done``: its work so far."""

    at_ms: Ms
    seq: Seq
    course: Course
    rows: int = 0
    done: int = 0


class Checkpoints:
    """Checkpoints along one history, so that a seek replays only from the nearest one.

    At most ``size`` are kept, with ``rows_max`` rows in all; beyond that the ones that save the least are dropped, and from ROWS_FINE
    rows on those that hardly save anything. Commands are
    passed to each seek: a checkpoint that lies beyond a newly added command is forgotten then. A seek whose purse runs out raises
    OutOfWork, and the next one continues where it stopped, even in the middle of an instant. So does a seek for a record later than
    the newest one sought so far: a live run is looked at again and again where it stands. A seek for a moment may begin at the moment
    sought before: the panels of a page are about the same one.
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
        """``stops`` are those of another history with the same beginning, the first of them at time 0."""
        self.stride_ms, self.stride_work = stride_ms, stride_work
        self._ahead: Course | None = None
        self._newest: Checkpoint | None = None
        self._latest: Checkpoint | None = None
        self._size, self._rows_max = size, rows_max
        self.stops: list[Checkpoint] = list(stops) or [Checkpoint(0, 0, Course(header))]

    def seek(self, commands: Sequence[Stamped], *, ms: Ms, records_max: int = UNLIMITED, purse: Purse | None = None) -> World:
        """The world at a moment, as if it had got there by itself; stops early at ``records_max`` records. The caller owns the world."""
        return self.course_at(commands, ms=ms, records_max=records_max, purse=purse).world

    def course_at(self, commands: Sequence[Stamped], *, ms: Ms, records_max: int = UNLIMITED, purse: Purse | None = None) -> Course:
        """The same, as a course with the commands that lie ahead, for callers that go on from there."""
        course, purse = self._nearest(commands, ms=ms), purse or Purse()
        while course.world.seq < records_max or course.ahead_ms() == course.world.now_ms:
            if self._advance(course, ms, ms, purse):
                break
        # Its rows are not counted, which would take longer than to fork it.
        self._latest = Checkpoint(course.world.now_ms, course.world.seq, course.fork(), 0, course.done)
        return course

    def seek_seq(self, commands: Sequence[Stamped], seq: Seq, *, end_ms: Ms, purse: Purse | None = None) -> World:
        """The world right after the step that wrote record ``seq``, or that of ``end_ms`` if there is none by then."""
        course, purse = self._nearest(commands, seq=seq), purse or Purse()
        is_there = False
        # A stride may go past the record; the fork from before it then goes event by event, which takes twice as long. Require enough
        # in the purse for both, or a small one would never get anywhere.
        while course.world.seq < seq and not is_there and purse.left > 2 * self.stride_work:
            before = course.fork()
            is_there = self._advance(course, end_ms, end_ms, purse)
            if course.world.seq >= seq:
                course = before
                break
        self._walk(course, seq, end_ms, purse)
        self._remember(course)
        return course.world

    def _walk(self, course: Course, seq: Seq, end_ms: Ms, purse: Purse) -> None:
        """Go the rest of the way to a record, event by event. Raises OutOfWork."""
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
        """Keep the position that a seek for a record has reached, if it is further than before."""
        if self._newest is None or course.world.seq > self._newest.seq:
            self._newest = _stop_at(course)

    def so_far(self, commands: Sequence[Stamped], *, seq_max: Seq) -> World:
        """The latest world at hand that is no further than record ``seq_max``, else the first one; nothing is played.

        The caller owns the world.
        """
        self._forget(commands)
        ahead = self._ahead
        if ahead is not None and ahead.world.seq <= seq_max and ahead.ahead_ms() != ahead.world.now_ms:
            return ahead.world.fork()
        fitting = (stop for stop in reversed(self.stops) if stop.course.world.seq <= seq_max)
        return next(fitting, self.stops[0]).course.world.fork()

    def keep(self, course: Course) -> None:
        """Remember the position of ``course`` if it is at least a stride after the last stop."""
        world, last = course.world, self.stops[-1]
        is_near = world.now_ms < last.at_ms + self.stride_ms and course.done < last.done + self.stride_work
        if is_near or world.now_ms <= last.at_ms:
            return
        self.stops.append(_stop_at(course))
        while self._has_too_many():
            self._thin()

    def _has_too_many(self) -> bool:
        """Whether a stop should be dropped."""
        if len(self.stops) <= 2:
            return False
        rows = self.rows()
        return len(self.stops) > self._size or rows > self._rows_max or (rows > ROWS_FINE and self._is_spare(self._least()))

    def _least(self) -> int:
        """The number of the stop whose loss costs seeks the least. The first one, time 0, and the last one stay."""
        stops = self.stops
        return min(range(1, len(stops) - 1), key=lambda n: stops[n + 1].done - stops[n - 1].done)

    def _is_spare(self, number: int) -> bool:
        """Whether seeks would hardly miss the stop."""
        before, after = self.stops[number - 1], self.stops[number + 1]
        return after.done - before.done <= SPARED_WORK and after.at_ms - before.at_ms <= STRIDE_MS

    def _thin(self) -> None:
        """Drop the stop that seeks miss least.

        Later stops are spaced like the average of those kept, so a long history needs no more of them than a short one.
        """
        stops = self.stops
        del stops[self._least()]
        self.stride_ms = max(self.stride_ms, stops[-1].at_ms // len(stops))
        self.stride_work = max(self.stride_work, stops[-1].done // len(stops))

    def rows(self) -> int:
        """Rows of all stops. They share most row contents, but each has its own table of them, or its own layer."""
        ahead = rows_of(self._ahead.world) if self._ahead is not None else 0
        return sum(stop.rows for stop in self.stops) + ahead + (self._newest.rows if self._newest is not None else 0)

    def _advance(self, course: Course, goal_ms: Ms, end_ms: Ms, purse: Purse) -> bool:
        """Drive a piece of the way to ``goal_ms``, keeping stops; whether the goal was reached. Raises OutOfWork."""
        if course.world.now_ms == goal_ms > 0 and course.ahead_ms() != goal_ms:
            return True
        if purse.left <= 0:
            self._ahead = course
            # The caller comes back with another purse; the course then continues from _ahead.
            raise OutOfWork(course.world.now_ms, end_ms)
        # A piece that ended inside an instant makes no stop: the next one completes that instant first.
        is_inside = course.ahead_ms() == course.world.now_ms > 0
        stride_ms = course.world.now_ms if is_inside else min(goal_ms, course.world.now_ms + self.stride_ms)
        # To where the next stop is due, if the course began after the last one.
        since = course.done - self.stops[-1].done
        stride_work = self.stride_work - (since if 0 < since < self.stride_work else 0)
        leg = course.drive(stride_ms, limit=min(PIECE_WORK, stride_work, purse.left))
        purse.left -= leg.work
        if leg.is_whole:
            self.keep(course)
        return leg.is_there and stride_ms == goal_ms

    def _nearest(self, commands: Sequence[Stamped], *, ms: Ms | None = None, seq: Seq | None = None) -> Course:
        """A fork of the last stop at or before ``ms``, or before ``seq`` was written; or, if nearer, the course of an interrupted seek, the
        one at the newest record sought, or the one at the moment sought before."""
        self._forget(commands)
        fitting = (stop for stop in reversed(self.stops) if (ms is None or stop.at_ms <= ms) and (seq is None or stop.seq < seq))
        nearest, ahead = next(fitting, self.stops[0]), self._ahead
        newest, latest = self._newest, self._latest
        # It stands right after the step that wrote its last record, so that record may be the one sought.
        if newest is not None and newest.seq >= nearest.seq and (newest.seq <= seq if seq is not None else newest.at_ms <= (ms or 0)):
            nearest = newest
        # A record is not sought from there: it may stand after the step that wrote the record.
        if latest is not None and ms is not None and nearest.at_ms < latest.at_ms <= ms:
            nearest = latest
        is_past = ahead is None or (ms is not None and ahead.world.now_ms > ms) or (seq is not None and ahead.world.seq >= seq)
        if ahead is None or is_past or ahead.world.now_ms <= nearest.at_ms:
            return nearest.course.fork(commands)
        self._ahead = None
        return ahead.fork(commands)

    def _forget(self, commands: Sequence[Stamped]) -> None:
        """Drop the stops beyond a command that was added later: they show a future that did not happen."""
        moments = sorted(stamped.at_ms for stamped in commands)
        self.stops = [stop for stop in self.stops if not stop.at_ms or stop.course.applied_count == bisect_right(moments, stop.at_ms)]
        if self._ahead is not None and not self._ahead.is_within(commands):
            self._ahead = None
        if self._newest is not None and not self._newest.course.is_within(commands):
            self._newest = None
        if self._latest is not None and not self._latest.course.is_within(commands):
            self._latest = None


def _stop_at(course: Course) -> Checkpoint:
    """A checkpoint where the course stands."""
    world = course.world
    rows = rows_copied(world)  # before forking, which may close the layer on top
    return Checkpoint(world.now_ms, world.seq, course.fork(), rows, course.done)


def rows_of(world: World) -> int:
    """How many rows the tables of a world hold; the memory it uses is proportional to that."""
    tables = (getattr(world.tables, name) for name in world.tables.__slots__)
    return sum(len(table) for table in tables)


def rows_copied(world: World) -> int:
    """How many rows a copy of a world does not share, about 200 bytes each: of a layered table only what was written recently,
    since all copies share the rest."""
    tables = (getattr(world.tables, name) for name in world.tables.__slots__)
    return sum(len(table.top) if isinstance(table, Layered) else len(table) for table in tables)


class Divergence(Struct, frozen=True, kw_only=True):
    """Where a replay leaves a stored history: ``stored`` is None where the replay writes more, ``now`` where it writes less.

    ``at_ms`` is the earlier of the two moments: before it both histories are the same.
    """

    seq: Seq
    at_ms: Ms
    stored: Record | None
    now: Record | None

    @property
    def rules(self) -> tuple[str, str]:
        """The rule of the stored record and that of today's, each empty if there is no such record."""
        return (self.stored.rule if self.stored else "", self.now.rule if self.now else "")


class Verification:
    """A replay that is compared with a stored history as it goes. If its purse runs out, it continues from there on the next call."""

    def __init__(self, header: RunHeader, commands: Iterable[Stamped], *, end_ms: Ms, is_whole: bool = True, may_add: bool = False) -> None:
        """It goes to ``end_ms``. A history that ``is_whole`` has all records up to there; ``may_add`` as for ``verify``."""
        self._course = Course(header, commands)
        self._end_ms, self._is_whole, self._may_add = end_ms, is_whole, may_add
        self._made: Sequence[Record] = self._course.world.first_records
        # The records of time 0 are compared before any stretch is driven.
        self._goal_ms: Ms = 0
        self.position = 0
        """How many records of the history have been found equal to today's."""

    @property
    def now_ms(self) -> Ms:
        """The moment that the replay has reached."""
        return self._course.world.now_ms

    def rows(self) -> int:
        """How many rows its world holds."""
        return rows_of(self._course.world)

    def go_on(self, rest: Sequence[Record], purse: Purse, *, keep: Callable[[Course], None] | None = None) -> Divergence | None:
        """The first difference, or None at the end. ``rest`` is what the history holds after ``position``.

        ``keep`` is called with the course whenever it stands between two instants, to fork it. Raises OutOfWork and EngineFailed.
        """
        begun = self.position
        while True:
            for now in self._made:
                here = self.position - begun
                stored = rest[here] if here < len(rest) else None
                # The stored history ends here because it is still being written: not a difference.
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
        """The end of the replay: a difference if the history goes on."""
        return Divergence(seq=left[0].seq, at_ms=left[0].at_ms, stored=left[0], now=None) if left else None

    def _drive(self, purse: Purse, keep: Callable[[Course], None] | None) -> None:
        """Drive one piece of the way. The goal lies beyond the end once that has been reached."""
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
    """Replay and compare with the stored records, which begin at seq 1; the first difference, or None.

    With ``until_ms`` the replay goes that far, and a record beyond the stored ones is a difference too. ``may_add``: today's record
    may carry values that the stored one lacks, and lack the appearance data of early ones. Stops at the difference; costs at most
    what the run cost.
    """
    end_ms = records[-1].at_ms if until_ms is None and records else until_ms or 0
    return Verification(header, commands, end_ms=end_ms, is_whole=until_ms is not None, may_add=may_add).go_on(records, Purse())


_LOOKS = ("tone",)
"""Record data that revisions before 7 wrote about appearance, which is not part of a history."""


def _agrees(stored: Record, now: Record, *, may_add: bool) -> bool:
    """Whether two records say the same."""
    if stored == now:
        return True
    if not may_add or not {item for item in stored.data if item[0] not in _LOOKS} <= set(now.data):
        return False
    return all(getattr(stored, name) == getattr(now, name) for name in Record.__struct_fields__ if name != "data")
