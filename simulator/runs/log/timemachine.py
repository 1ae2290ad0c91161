"""Any moment of any run, as a world, and any record of it.

A run is determined by its header and its commands, so any of its worlds can be had by playing it
from the beginning. That is too slow for a page, so worlds on the way are kept as checkpoints, and a
seek plays only from the nearest earlier one. Checkpoints are a cache in memory and never the truth:
each process has its own, they may be dropped at any time, and a restart begins without any. Those
of a run that nobody watches, and nobody has asked for within a minute, are let go (``let_go``).

A *line* (``_Line``) holds the checkpoints of one run. Views of many requests look at one run at the
same time, so a line has a lock, and the worlds that are handed out are forks, which are the
caller's own. The cache of lines has a lock of its own that is held only to find one: whoever plays
for seconds keeps only those waiting who want the same run.

How far may a request play? Only so much, whatever it asks for (turns/allowance.py). If that does
not suffice, StillComputing says how far it has come. What was played is kept in the line, so the
next request goes on from there. In the web process, which all visitors share, nothing is played at
all: Elsewhere is raised before it begins, and the request goes to a page worker (elsewhere.py).

A run that another revision of the engine recorded is read from its records, and never rewritten.
``divergence_of`` plays it by today's rules next to the log and says where the two part; up to there
today's worlds are what was recorded. A comparison that the allowance cuts says how far it has come
(``Uncompared``).

The log of a live run grows while one looks. What must belong together (head, commands, moments) is
read by ``standing``, which reads the head again afterwards and starts over if it has moved.
"""

import hashlib
import logging
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from threading import Lock
from time import monotonic
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError
from django.db.models.functions import Now

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.course.header import RunHeader
from simulator.engine.course.replay import PIECE_WORK, Checkpoint, Checkpoints, Course, Divergence, Purse, Verification, rows_of
from simulator.engine.kernel.errors import EngineFailed
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.world.world import World
from simulator.models import Run
from simulator.runs.log import elsewhere, storage
from simulator.runs.log.clock import moment_of, stands_at_beginning
from simulator.runs.log.content import Unreadable
from simulator.runs.log.history import commands_of, commands_until, is_kept
from simulator.runs.turns.allowance import StillComputing, granted, purse
from simulator.runs.turns.constants import RESERVE, STALE_S
from simulator.runs.turns.slots import COMPUTING

logger = logging.getLogger(__name__)

LINES_MAX = 64
"""Runs whose checkpoints are kept, least recently used first out: a class of 50 acts in turn. ``ROWS_MAX`` bounds what they hold."""
LINE_KEPT_S = 45.0
"""The checkpoints of a run that nobody watches stay for so long after they were asked for."""
CHECKPOINTS_MAX = 256
"""Checkpoints of one line; beyond them those go that a seek misses least."""
ROWS_MAX = 1_500_000
"""Rows of all checkpoints together, about 300 MB. A line may have half of them, so the others have to make do with the other half."""
BEGINNINGS_MAX = 16
"""Beginnings that runs share, as the attempts of a class do: at most two checkpoints each, of a piece of work."""
DIVERGENCES_MAX = 256
"""Runs of other revisions of which is remembered where today's rules leave them."""

PAST, MENDED = "past", "mended"
"""What a line makes records for: to tell of what no log has yet, and to put back what one has lost."""

Look = Callable[[World], Ms | None]
"""The next moment at which somebody wants to see a world although nothing is due, None where there is none."""


class LostRecords(Unreadable):
    """Records that the log has lost and that cannot be computed again as they were.

    ``gaps`` are the first and last number of each stretch, ``is_kept`` whether another revision of the engine wrote them.
    """

    def __init__(self, run: Run, gaps: list[tuple[Seq, Seq]], *, is_kept: bool) -> None:
        self.run, self.gaps, self.is_kept = run, gaps, is_kept
        super().__init__(f"run {run.id} of revision {run.revision} has lost records {self.numbers}")

    def __reduce__(self) -> tuple[Any, ...]:
        """A worker says it to the web process, too."""
        return partial(LostRecords, is_kept=self.is_kept), (self.run, self.gaps)

    @property
    def numbers(self) -> str:
        """The lost records in words: ``31–58, 90``."""
        return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in self.gaps)


class Uncompared(Divergence, frozen=True, kw_only=True):
    """How far today's rules have been compared with a recorded history, which is to ``goal_ms``: of what follows nothing is known yet."""

    goal_ms: Ms


class _Made:
    """The records of a run from the first on, as far as a replay has made them, and the course that goes on with them."""

    def __init__(self, header: RunHeader) -> None:
        self.course = Course(header)
        self.records = list(self.course.world.first_records)

    def go_on(self, commands: list[Stamped], within: Purse, *, end_ms: Ms, enough: float = float("inf")) -> None:
        """Make ``enough`` records, or all up to ``end_ms``. Raises StillComputing."""
        self.course = self.course.fork(commands)
        while len(self.records) < enough:
            if within.left <= 0:
                raise StillComputing(self.course.world.now_ms, end_ms)
            leg = self.course.drive(end_ms, limit=min(within.left, PIECE_WORK))
            within.left -= leg.work
            self.records += leg.records
            if leg.is_there:
                return

    def rows(self) -> int:
        """What it takes of memory, in rows."""
        return len(self.records) + rows_of(self.course.world)


class _Line(Checkpoints):
    """The checkpoints of one run, and the replays of it that requests have begun, for one thread at a time."""

    def __init__(self, header: RunHeader, stops: Sequence[Checkpoint] = ()) -> None:
        """``stops``: checkpoints of this history that are at hand, from that of time 0 on."""
        super().__init__(header, size=CHECKPOINTS_MAX, rows_max=ROWS_MAX // 2, stops=stops)
        self.lock = Lock()
        self.used_s = monotonic()
        self.weight = 0
        """What it held when that was counted last."""
        self.is_in_use = False
        """Whether it has been handed out since."""
        self._header = header
        self._made: dict[str, _Made] = {}
        self._compared: tuple[Seq, Verification] | None = None

    def make(self, what: str, commands: list[Stamped], *, end_ms: Ms, enough: float = float("inf")) -> _Made:
        """``enough`` records, or all up to ``end_ms``, for one purpose. Raises StillComputing; asked again it goes on from there.

        It begins again where what has been made is not what these commands lead to.
        """
        made = self._made.pop(what, None)  # one that fails has lost its way
        if made is None or not made.course.is_within(commands) or made.course.world.now_ms > end_ms:
            made = _Made(self._header)
        try:
            made.go_on(commands, purse(), end_ms=end_ms, enough=enough)
        except StillComputing:
            self._made[what] = made
            raise
        self._made[what] = made
        return made

    def let_go_of(self, what: str) -> None:
        """What was made for this has found its place, and is not needed any more."""
        self._made.pop(what, None)

    def compare(self, run: Run, commands: list[Stamped], within: Purse) -> Divergence | None:
        """Where ``verify`` finds a difference; Uncompared where the work does not lead so far. Asked again it goes on from there.

        The worlds on the way are kept: who looks there need not play them.
        """
        # Taken out meanwhile: a comparison that fails has lost its way, and only one that was cut in order is
        # gone on with.
        head_seq, comparison = self._compared or (-1, None)
        self._compared = None
        if comparison is None or head_seq != run.head_seq:
            comparison = Verification(self._header, commands, end_ms=run.head_ms, may_add=True)
        rest = log(run, after=comparison.position, limit=max(0, run.head_seq - comparison.position), mends=False)
        try:
            return comparison.go_on(rest, within, keep=self.keep)
        except StillComputing as met:
            self._compared = run.head_seq, comparison
            return Uncompared(seq=comparison.position + 1, at_ms=met.reached_ms, stored=None, now=None, goal_ms=met.goal_ms)

    def held(self) -> int:
        """Rows of all that is kept. A record counts as one."""
        compared = self._compared[1].rows() if self._compared is not None else 0
        return self.rows() + sum(made.rows() for made in tuple(self._made.values())) + compared


_lines: OrderedDict[str, _Line] = OrderedDict()
_lines_lock = Lock()
_beginnings: OrderedDict[tuple[bytes, bytes, Ms], tuple[Checkpoint, ...]] = OrderedDict()
_divergences: dict[tuple[UUID, Seq, int], Divergence | None] = {}


def seek(run: Run, *, ms: Ms | None = None, seq: Seq | None = None) -> World:
    """The world of ``run`` at ``ms``, or right after the step that wrote record ``seq`` (which wins where both are given).

    It follows from today's rules; of a run that another revision recorded, ``recorded_world`` is what was recorded. A moment
    after the run's present gives the present. Costs one query and the way from the nearest checkpoint. For a record nothing is
    computed that the log does not hold: what the engine fails at later must not hide what was before.
    """
    commands = commands_of(run)
    line = _line(run)
    with line.lock:
        if seq is not None:
            return line.seek_seq(commands, min(seq, run.head_seq), end_ms=run.head_ms, purse=purse())
        end_ms = moment_of(run)
        at_ms = end_ms if ms is None else max(0, min(ms, end_ms))
        return line.seek(commands, ms=at_ms, records_max=settings.SIM_RUN_RECORDS_MAX, purse=purse())


def seek_logged(run: Run) -> World:
    """The world after the last record of the log; where that is too far for a request, an earlier one that is at hand.

    Plays at most RESERVE units of work, whatever the request has played before.
    """
    try:
        with granted(RESERVE):
            return seek(run, seq=run.head_seq)
    except StillComputing:
        line = _line(run)
        with line.lock:
            return line.so_far(commands_of(run), seq_max=run.head_seq)


def walk(run: Run, *, from_ms: Ms, to_ms: Ms, look: Look | None = None, is_ahead: bool = False) -> Iterator[tuple[World, list[Record]]]:
    """The world at ``from_ms``, then at every later instant up to ``to_ms`` at which something is recorded, each with its records.

    Who sees what no record tells gives ``look``: then every step is an instant, and so is the next moment that ``look`` names after
    each. ``is_ahead``: also beyond the run's present, as it will be unless somebody acts. It is one world that goes on: whoever wants to
    keep one forks it. Costs a seek, and what the stretch cost. Raises StillComputing, perhaps in the middle of the instant that it names:
    whatever was before that has been given.
    """
    commands = commands_of(run)
    line = _line(run)
    end_ms = to_ms if is_ahead else min(to_ms, moment_of(run))
    with line.lock:
        start_ms, granted_work = max(0, min(from_ms, end_ms)), purse()
        course = line.course_at(commands, ms=start_ms, records_max=settings.SIM_RUN_RECORDS_MAX, purse=granted_work)
    yield course.world, []
    while (due_ms := _next_instant(course, look)) is not None and due_ms <= end_ms:
        records = course.drive_within(granted_work, due_ms)
        if records or look is not None:
            yield course.world, records


def _next_instant(course: Course, look: Look | None) -> Ms | None:
    """What comes first: something that is due, or a moment that is looked at though nothing is."""
    moments = (course.ahead_ms(), look(course.world) if look is not None else None)
    return min((moment for moment in moments if moment is not None), default=None)


def course_from(run: Run, *, at_ms: Ms, at_seq: Seq | None = None) -> Course:
    """The run on its way as a branch begins, at ``at_ms`` or at the run's present where that is earlier. The course is the caller's.

    With ``at_seq`` it stands before that instant, of which commands after that record are left out. Costs a seek.
    """
    commands = commands_of(run)
    line = _line(run)
    moment_ms = max(0, min(at_ms, moment_of(run)))
    known = {stamped.n for stamped in commands}  # an act may take its place between the two queries
    given = [stamped for stamped in commands_until(run, at_ms=moment_ms, at_seq=at_seq) if stamped.n in known]
    if at_seq is not None and not moment_ms:
        return Course(run.header(), given)
    with line.lock:
        stop_ms = moment_ms if at_seq is None else moment_ms - 1
        course = line.course_at(commands, ms=stop_ms, records_max=settings.SIM_RUN_RECORDS_MAX, purse=purse())
    return course.fork(given)


def seek_shown(run: Run, *, seq: Seq, ms: Ms) -> World:
    """The world at ``ms``, if record ``seq`` is the last one by then, else right after that record.

    Between two records a container may print or count: who looks at a moment after a record sees what has happened meanwhile.
    Costs one seek, seldom two.
    """
    world = seek(run, ms=ms) if ms else None
    return world if world is not None and world.seq == seq else seek(run, seq=seq)


def recorded_world(run: Run, *, seq: Seq) -> World | None:
    """The world after record ``seq`` of a run that another revision recorded; None where today's rules do not lead to it."""
    divergence = divergence_of(run)
    if divergence is not None and seq >= divergence.seq:
        return None
    world = seek(run, seq=seq)
    return world if divergence is None or world.seq < divergence.seq else None


def world_or_divergence(run: Run, *, seq: Seq) -> World | Divergence:
    """The same, with where the histories part instead of None.

    Of what cannot be played within the request the records tell for now: then it is Uncompared.
    """
    divergence = divergence_of(run)
    if divergence is not None and seq >= divergence.seq:
        return divergence
    try:
        world = seek(run, seq=seq)
    except StillComputing as met:
        at_ms = min(met.reached_ms, run.head_ms)
        return Uncompared(seq=seq, at_ms=at_ms, stored=None, now=None, goal_ms=run.head_ms)
    return divergence if divergence is not None and world.seq >= divergence.seq else world


def divergence_of(run: Run) -> Divergence | None:
    """Where today's rules leave the history that another revision recorded; None where they give all of it.

    That today's records carry more values is no difference. Costs a replay up to the difference, once a process; of what a request
    may play it takes half, so that something of the run can be shown, too. Where that does not do, the answer is Uncompared for now,
    and the next request goes on. Raises LostRecords where the log is damaged, and Busy.
    """
    # Never outdated: a history that has grown, or was adopted, has another key.
    key = (run.id, run.head_seq, run.revision)
    # None is an answer too (no difference), so ``get`` would not do.
    with suppress(KeyError):
        return _divergences[key]
    elsewhere.plays()
    with COMPUTING.taken(""):
        found = _compared(run)
    if not isinstance(found, Uncompared):
        _divergences[key] = found
    while len(_divergences) > DIVERGENCES_MAX:
        _divergences.pop(next(iter(_divergences)), None)
    return found


def repeats(run: Run) -> bool:
    """Whether today's rules give exactly the records that another revision stored. Costs as ``divergence_of`` and a seek to the end.

    Raises StillComputing where that is more than the request may play.
    """
    found = divergence_of(run)
    if isinstance(found, Uncompared):
        raise StillComputing(found.at_ms, found.goal_ms)
    if found is not None:
        return False
    with COMPUTING.taken(""):
        world = seek(run, seq=run.head_seq)
    return (world.seq, world.digest()) == (run.head_seq, bytes(run.head_digest))


def _compared(run: Run) -> Divergence | None:
    """Compare as far as half of what the request may play leads."""
    commands, whole = commands_until(run, at_ms=run.head_ms, at_seq=run.head_seq), purse()
    half = Purse(whole.left // 2)
    whole.left -= half.left
    try:
        line = _line(run)
        with line.lock:
            return line.compare(run, commands, half)
    except EngineFailed:
        # What today's engine cannot even play is told from its records alone.
        logger.exception("Run %s of revision %d cannot be played by today's rules", run.id, run.revision)
        return Divergence(seq=1, at_ms=0, stored=record_at(run, 1), now=None)
    finally:
        whole.left += half.left


def past(run: Run, *, seq: Seq) -> list[Record]:
    """Every record of ``run`` up to ``seq``: from the log, or by replay where no runner has filled it yet. O(records)."""
    if seq <= run.head_seq:
        return log(run, after=0, limit=max(0, seq))
    with suppress(storage.BrokenLog):
        found = storage.read(run.id, after=0, limit=seq)
        if len(found) >= seq:
            return found
    commands, end_ms = commands_of(run), moment_of(run)
    line = _line(run)
    with line.lock:
        return line.make(PAST, commands, end_ms=end_ms, enough=seq).records[:seq]


def recorded_seq(run: Run, *, ms: Ms) -> Seq:
    """The number of the last record up to a moment and up to the head that ``run`` names, 0 before the first.

    Reads one chunk of a sound log.
    """
    with suppress(storage.BrokenLog):
        return min(storage.seq_at(run.id, ms), run.head_seq)
    return bisect_right(log(run, after=0, limit=run.head_seq), ms, key=lambda record: record.at_ms)


def log(run: Run, *, after: Seq, limit: int, mends: bool = True) -> list[Record]:
    """At most ``limit`` records of the log that follow ``after``. If it ``mends``, what the log has lost is computed again and put back.

    Raises BrokenLog where it does not mend, LostRecords where mending gives another run than the one that was recorded or where
    another revision recorded it, and Busy where too much is being computed.
    """
    try:
        return storage.read(run.id, after=after, limit=limit, head=run.head_seq)
    except storage.BrokenLog as broken:
        if is_kept(run):
            raise LostRecords(run, storage.gaps(run.id, head=run.head_seq), is_kept=True) from broken
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
    next reader need not pay again; where the database takes nothing, this one is served all the same. Raises StillComputing.
    """
    elsewhere.plays()
    with COMPUTING.taken(""):
        head, commands = standing(run)
        line = _line(head)
        with line.lock:
            made = line.make(MENDED, commands, end_ms=head.head_ms)
            line.let_go_of(MENDED)
    records = made.records
    if len(records) != head.head_seq or made.course.world.digest() != bytes(head.head_digest):
        raise LostRecords(run, storage.gaps(run.id, head=run.head_seq), is_kept=False)
    try:
        storage.mend(run.id, epoch=head.epoch, records=records)
        logger.warning("%s; computed again and put back", broken)
    except DatabaseError as error:
        logger.warning("%s; computed again, but not put back: %s", broken, error)
    return records


def standing(run: Run) -> tuple[Run, list[Stamped]]:
    """The run as it stands, and the commands that belong to just that: its owner may be at work meanwhile.

    A command gets its moment in the transaction that stores its record, so the moments of commands are those of a head. What is read
    besides, such as records, belongs to them up to ``head_seq`` of the run that is returned. ``read_at``: when, by the database's time.
    """
    while True:
        head = Run.objects.annotate(read_at=Now()).get(id=run.id)
        commands = commands_of(head)
        # A command gets its moment together with the head. If the head stands, so do the commands that were
        # read in between.
        if Run.objects.filter(id=run.id, head_seq=head.head_seq).exists():
            return head, commands


def let_go() -> int:
    """Forget the checkpoints of runs that nobody watches and nobody has asked for of late; of how many runs.

    One query where there are any that nobody has asked for, none where there are not. Raises what the database raises.
    """
    unused_s = monotonic() - LINE_KEPT_S
    with _lines_lock:
        # The lock is not held while the database answers: everyone who plays needs it.
        unused = {UUID(hex=key) for key, line in _lines.items() if line.used_s < unused_s}
    if not unused:
        return 0
    lately = Now() - timedelta(seconds=STALE_S)
    unwatched = unused.difference(Run.objects.filter(id__in=unused, viewers_seen_at__gt=lately).values_list("id", flat=True))
    with _lines_lock:
        # One that was asked for meanwhile goes as well. It is only a cache, and its caller holds the line
        # itself.
        for run_id in unwatched:
            _lines.pop(run_id.hex, None)
    return len(unwatched)


def _line(run: Run) -> _Line:
    elsewhere.plays()
    key = run.id.hex
    # Outside of the lock: the first of those that begin alike is played.
    stops = _beginning(run) if key not in _lines else ()
    with _lines_lock:
        # Taken out and put back at the end: the order of the dictionary is that of use.
        line = _lines.pop(key, None) or _Line(run.header(), stops)
        line.used_s = monotonic()
        _lines[key] = line
        # Only those that were handed out can have grown: to count them all takes a tenth of a page.
        for kept in [kept for kept in _lines.values() if kept.is_in_use]:
            kept.weight, kept.is_in_use = kept.held(), False
        line.is_in_use = True
        # A line that is dropped while a request works on it lives on until that one is done.
        while len(_lines) > LINES_MAX or (len(_lines) > 1 and sum(kept.weight for kept in _lines.values()) > ROWS_MAX // 2):
            _lines.popitem(last=False)
        return line


def _beginning(run: Run) -> tuple[Checkpoint, ...]:
    """What all runs share that begin as this one, where nothing has happened to it since: how it was at 0, and how it stands.

    Costs a play, once a process; none where the request may not play so much.
    """
    if not stands_at_beginning(run):
        return ()
    key = (hashlib.sha256(bytes(run.header_body)).digest(), bytes(run.head_digest), run.head_ms)
    with _lines_lock:
        if (known := _beginnings.pop(key, None)) is not None:
            _beginnings[key] = known
            return known
    course, within = Course(run.header(), commands_of(run)), purse()
    first = Checkpoint(0, 0, course.fork())
    leg = course.drive(run.head_ms, limit=min(within.left, PIECE_WORK))
    within.left -= leg.work
    if not (leg.is_there and leg.is_whole) or course.world.digest() != bytes(run.head_digest):
        return ()
    # A run that begins at 0 stands where it begins.
    world = course.world
    stands = Checkpoint(world.now_ms, world.seq, course, rows_of(world), course.done)
    stops = (first, stands) if run.head_ms else (first,)
    with _lines_lock:
        _beginnings[key] = stops
        while len(_beginnings) > BEGINNINGS_MAX:
            _beginnings.popitem(last=False)
    return stops
