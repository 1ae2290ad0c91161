"""Any moment of any run, as a world, and any record of it.

A run is determined by its header and its commands, so any of its worlds can be had by playing it
from the beginning. That is too slow for a page, so worlds on the way are kept as checkpoints, and a
seek plays only from the nearest earlier one. Checkpoints are a cache in memory and never the truth:
each process has its own, they may be dropped at any time, and a restart begins without any.
Checkpoints of a run that nobody watches, and that nobody has requested within a minute, are
dropped (``let_go``).

A *line* (``_Line``) holds the checkpoints of one run. Many requests look at one run at the same
time, so a line has a lock, and the worlds that are handed out are forks, which belong to the
caller. The cache of lines has its own lock, which is held only to find a line: a request that plays
for seconds only holds up others that want the same run.

A request may play only a limited amount, whatever it asks for (turns/allowance.py). If that is not
enough, StillComputing says how far it got. What was played is kept in the line, so the next request
continues from there. In the web process, which all visitors share, nothing is played at all:
Elsewhere is raised before it begins, and the request goes to a page worker (elsewhere.py).

A run that another revision of the engine recorded is read from its records, and never rewritten.
``divergence_of`` plays it by today's rules alongside the log and says where the two diverge; up to
there, today's worlds are what was recorded. A comparison that is cut short by the allowance says
how far it got (``Uncompared``).

The log of a live run grows while it is being read. Data that must be consistent (head, commands,
moments) is read by ``standing``, which reads the head again afterwards and starts over if it moved.
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
"""Runs whose checkpoints are kept (LRU); more than the 50 of a class whose pupils act in turn. ``ROWS_MAX`` limits their size."""
LINE_KEPT_S = 45.0
"""How long after their last use the checkpoints of an unwatched run are kept."""
CHECKPOINTS_MAX = 256
"""Checkpoints per line; beyond that, those that seeks miss least are dropped."""
ROWS_MAX = 1_500_000
"""Rows in all checkpoints together, about 300 MB. A single line may have half of them, and the others share the other half."""
BEGINNINGS_MAX = 16
"""Beginnings shared by several runs, such as the attempts of a class: at most two checkpoints each."""
DIVERGENCES_MAX = 256
"""Runs of other revisions whose divergence from today's rules is remembered."""

PAST, MENDED = "past", "mended"
"""Why a line recomputes records: because no log has them yet, and to put back records that a log has lost."""

Look = Callable[[World], Ms | None]
"""The next moment at which a world is of interest although nothing is due, or None."""


class LostRecords(Unreadable):
    """Records that the log has lost and that cannot be recomputed.

    ``gaps`` are the first and last number of each gap; ``is_kept`` says whether another revision of the engine wrote them.
    """

    def __init__(self, run: Run, gaps: list[tuple[Seq, Seq]], *, is_kept: bool) -> None:
        self.run, self.gaps, self.is_kept = run, gaps, is_kept
        super().__init__(f"run {run.id} of revision {run.revision} has lost records {self.numbers}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling: workers pass this exception to the web process."""
        return partial(LostRecords, is_kept=self.is_kept), (self.run, self.gaps)

    @property
    def numbers(self) -> str:
        """The numbers of the lost records as text: ``31–58, 90``."""
        return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in self.gaps)


class Uncompared(Divergence, frozen=True, kw_only=True):
    """How far today's rules have been compared with a recorded history that extends to ``goal_ms``; beyond that nothing is known yet."""

    goal_ms: Ms


class _Made:
    """The records of a run from the first on, as far as a replay has produced them, and the course that continues it."""

    def __init__(self, header: RunHeader) -> None:
        self.course = Course(header)
        self.records = list(self.course.world.first_records)

    def go_on(self, commands: list[Stamped], within: Purse, *, end_ms: Ms, enough: float = float("inf")) -> None:
        """Continue to ``enough`` records, or to ``end_ms``. Raises StillComputing."""
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
        """Its memory use, in rows."""
        return len(self.records) + rows_of(self.course.world)


class _Line(Checkpoints):
    """The checkpoints of one run, and replays of it that requests have started. For one thread at a time."""

    def __init__(self, header: RunHeader, stops: Sequence[Checkpoint] = ()) -> None:
        """``stops``: known checkpoints of this history, starting with the one at time 0."""
        super().__init__(header, size=CHECKPOINTS_MAX, rows_max=ROWS_MAX // 2, stops=stops)
        self.lock = Lock()
        self.used_s = monotonic()
        self.weight = 0
        """Rows held when they were last counted."""
        self.is_in_use = False
        """Whether it has been handed out since then."""
        self._header = header
        self._made: dict[str, _Made] = {}
        self._compared: tuple[Seq, Verification] | None = None

    def make(self, what: str, commands: list[Stamped], *, end_ms: Ms, enough: float = float("inf")) -> _Made:
        """Replay to ``enough`` records, or to ``end_ms``, for one purpose. Raises StillComputing; the next call continues from there.

        Starts over if the replay so far does not match these commands.
        """
        made = self._made.pop(what, None)  # taken out: a replay that fails must not be continued
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
        """Drop the replay for this purpose, which is not needed any more."""
        self._made.pop(what, None)

    def compare(self, run: Run, commands: list[Stamped], within: Purse) -> Divergence | None:
        """Where ``verify`` finds a difference; Uncompared if the allowance runs out first. The next call continues from there.

        The worlds on the way are kept as checkpoints.
        """
        # Taken out meanwhile: only a comparison that was cut short properly is continued, not one that failed.
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
        """Rows of everything that is kept. A record counts as one."""
        compared = self._compared[1].rows() if self._compared is not None else 0
        return self.rows() + sum(made.rows() for made in tuple(self._made.values())) + compared


_lines: OrderedDict[str, _Line] = OrderedDict()
_lines_lock = Lock()
_beginnings: OrderedDict[tuple[bytes, bytes, Ms], tuple[Checkpoint, ...]] = OrderedDict()
_divergences: dict[tuple[UUID, Seq, int], Divergence | None] = {}


def seek(run: Run, *, ms: Ms | None = None, seq: Seq | None = None) -> World:
    """The world of ``run`` at ``ms``, or right after the step that wrote record ``seq`` (which takes precedence).

    It is computed by today's rules; for a run that another revision recorded, see ``recorded_world``. A moment after the run's present
    gives the present. Costs one query and playing from the nearest checkpoint. For a record, nothing beyond the log is computed, so that
    a later failure of the engine does not hide what came before.
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
    """The world after the last record of the log; if that is too far for a request, an earlier one that is available.

    Plays at most RESERVE units of work, regardless of what the request has played before.
    """
    try:
        with granted(RESERVE):
            return seek(run, seq=run.head_seq)
    except StillComputing:
        line = _line(run)
        with line.lock:
            return line.so_far(commands_of(run), seq_max=run.head_seq)


def walk(run: Run, *, from_ms: Ms, to_ms: Ms, look: Look | None = None, is_ahead: bool = False) -> Iterator[tuple[World, list[Record]]]:
    """Yield the world at ``from_ms``, then at every later instant up to ``to_ms`` at which something is recorded, with its records.

    Pass ``look`` to see changes that no record mentions: then every step is yielded, and the next moment that ``look`` returns after each.
    ``is_ahead``: also beyond the run's present, as it will be unless somebody acts. The same world object advances each time; fork it to
    keep it. Costs a seek and playing the interval. Raises StillComputing, perhaps in the middle of the instant that it names, after
    everything before that has been yielded.
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
    """The earlier of the next due event and the next moment of interest to ``look``."""
    moments = (course.ahead_ms(), look(course.world) if look is not None else None)
    return min((moment for moment in moments if moment is not None), default=None)


def course_from(run: Run, *, at_ms: Ms, at_seq: Seq | None = None) -> Course:
    """A course positioned where a branch at ``at_ms`` would begin, or at the run's present if that is earlier. It belongs to the caller.

    With ``at_seq`` it stands just before that instant, and commands of that instant after that record are left out. Costs a seek.
    """
    commands = commands_of(run)
    line = _line(run)
    moment_ms = max(0, min(at_ms, moment_of(run)))
    known = {stamped.n for stamped in commands}  # an act may be carried out between the two queries
    given = [stamped for stamped in commands_until(run, at_ms=moment_ms, at_seq=at_seq) if stamped.n in known]
    if at_seq is not None and not moment_ms:
        return Course(run.header(), given)
    with line.lock:
        stop_ms = moment_ms if at_seq is None else moment_ms - 1
        course = line.course_at(commands, ms=stop_ms, records_max=settings.SIM_RUN_RECORDS_MAX, purse=purse())
    return course.fork(given)


def seek_shown(run: Run, *, seq: Seq, ms: Ms) -> World:
    """The world at ``ms`` if record ``seq`` is the last one by then, otherwise right after that record.

    Between two records a container may print or count, so a moment after a record shows what has happened since. One seek, rarely two.
    """
    world = seek(run, ms=ms) if ms else None
    return world if world is not None and world.seq == seq else seek(run, seq=seq)


def recorded_world(run: Run, *, seq: Seq) -> World | None:
    """The world after record ``seq`` of a run that another revision recorded; None if today's rules do not lead to it."""
    divergence = divergence_of(run)
    if divergence is not None and seq >= divergence.seq:
        return None
    world = seek(run, seq=seq)
    return world if divergence is None or world.seq < divergence.seq else None


def world_or_divergence(run: Run, *, seq: Seq) -> World | Divergence:
    """Like ``recorded_world``, but returns the point of divergence instead of None.

    If the request cannot play that far, the result is Uncompared, and only the records can be shown for now.
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
    """Where today's rules diverge from the history that another revision recorded; None if they reproduce all of it.

    Additional values in today's records do not count as a difference. Costs a replay up to the difference, once per process. It uses half
    of the request's allowance, so that part of the run can also be shown. If that is not enough, the answer is Uncompared for now, and the
    next request continues. Raises LostRecords if the log is damaged, and Busy.
    """
    # Never stale: a history that has grown, or was adopted, has another key.
    key = (run.id, run.head_seq, run.revision)
    # None is a valid answer (no difference), so ``get`` would not do.
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
    """Whether today's rules give exactly the records that another revision stored. Costs ``divergence_of`` and a seek to the end.

    Raises StillComputing if that is more than the request may play.
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
    """Compare as far as half of the request's allowance permits."""
    commands, whole = commands_until(run, at_ms=run.head_ms, at_seq=run.head_seq), purse()
    half = Purse(whole.left // 2)
    whole.left -= half.left
    try:
        line = _line(run)
        with line.lock:
            return line.compare(run, commands, half)
    except EngineFailed:
        # If today's engine cannot play it at all, only its records can be shown.
        logger.exception("Run %s of revision %d cannot be played by today's rules", run.id, run.revision)
        return Divergence(seq=1, at_ms=0, stored=record_at(run, 1), now=None)
    finally:
        whole.left += half.left


def past(run: Run, *, seq: Seq) -> list[Record]:
    """Every record of ``run`` up to ``seq``: from the log, or by replay if no runner has filled it yet. O(records)."""
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

    Reads one chunk, unless the log is damaged.
    """
    with suppress(storage.BrokenLog):
        return min(storage.seq_at(run.id, ms), run.head_seq)
    return bisect_right(log(run, after=0, limit=run.head_seq), ms, key=lambda record: record.at_ms)


def log(run: Run, *, after: Seq, limit: int, mends: bool = True) -> list[Record]:
    """At most ``limit`` records of the log after ``after``. With ``mends``, lost records are recomputed and put back.

    If the log is damaged: raises BrokenLog without ``mends``, LostRecords if recomputing gives a different run or if another revision
    recorded it, and Busy if too much is being computed.
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
    """The record with that number, or None."""
    found = log(run, after=seq - 1, limit=1) if 0 < seq <= run.head_seq else []
    return found[0] if found else None


def _mended(run: Run, broken: storage.BrokenLog) -> list[Record]:
    """Every record up to the head, recomputed from header and commands.

    They are the recorded ones if the world at the head has the digest that was stored with it. They are written back, so that the next
    reader need not pay again; if the database accepts no writes, this reader is served anyway. Raises StillComputing.
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
    """The run's current row and the commands that belong to exactly that state, although its owner may be writing meanwhile.

    A command gets its moment in the transaction that stores its record, so the commands' moments belong to a head. Other data read with
    them, such as records, is consistent up to the returned run's ``head_seq``. ``read_at`` is the database's time of the read.
    """
    while True:
        head = Run.objects.annotate(read_at=Now()).get(id=run.id)
        commands = commands_of(head)
        # A command gets its moment together with the head. If the head has not moved, the commands read in between are current too.
        if Run.objects.filter(id=run.id, head_seq=head.head_seq).exists():
            return head, commands


def let_go() -> int:
    """Drop the checkpoints of runs that nobody watches and nobody has used recently; return of how many runs.

    One query if there are any unused ones, otherwise none. Raises database errors.
    """
    unused_s = monotonic() - LINE_KEPT_S
    with _lines_lock:
        # The lock is not held during the query: everybody who plays needs it.
        unused = {UUID(hex=key) for key, line in _lines.items() if line.used_s < unused_s}
    if not unused:
        return 0
    lately = Now() - timedelta(seconds=STALE_S)
    unwatched = unused.difference(Run.objects.filter(id__in=unused, viewers_seen_at__gt=lately).values_list("id", flat=True))
    with _lines_lock:
        # One that has been requested meanwhile is dropped as well. It is only a cache, and its caller holds the line itself.
        for run_id in unwatched:
            _lines.pop(run_id.hex, None)
    return len(unwatched)


def _line(run: Run) -> _Line:
    elsewhere.plays()
    key = run.id.hex
    # Outside the lock, because the first of several runs that begin alike has to be played.
    stops = _beginning(run) if key not in _lines else ()
    with _lines_lock:
        # Removed and put back at the end: the dictionary is ordered by last use.
        line = _lines.pop(key, None) or _Line(run.header(), stops)
        line.used_s = monotonic()
        _lines[key] = line
        # Only lines that were handed out can have grown: counting all of them takes a tenth of a page's time.
        for kept in [kept for kept in _lines.values() if kept.is_in_use]:
            kept.weight, kept.is_in_use = kept.held(), False
        line.is_in_use = True
        # A line that is dropped while a request uses it lives on until that request is done.
        while len(_lines) > LINES_MAX or (len(_lines) > 1 and sum(kept.weight for kept in _lines.values()) > ROWS_MAX // 2):
            _lines.popitem(last=False)
        return line


def _beginning(run: Run) -> tuple[Checkpoint, ...]:
    """The checkpoints shared by all runs that begin like this one, if nothing has happened to it since: at time 0, and where it stands.

    Costs a play, once per process; empty if the request may not play that much.
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
    # A run that stands at 0 needs only one.
    world = course.world
    stands = Checkpoint(world.now_ms, world.seq, course, rows_of(world), course.done)
    stops = (first, stands) if run.head_ms else (first,)
    with _lines_lock:
        _beginnings[key] = stops
        while len(_beginnings) > BEGINNINGS_MAX:
            _beginnings.popitem(last=False)
    return stops
