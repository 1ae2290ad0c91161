"""Let cells of one seed share their past: whatever happens before the swept field first matters is played once.

Two cells differ only in one number of a manifest, so their runs are the same until something depends on that number. When that happens
cannot be known in advance, so two cells are played and compared (``engine/course/between.py``): a cell whose value lies between theirs
begins at the latest stop where both still had the same past, and is played from there. The first effect of a number is usually that a
time is up, and the smaller the number, the earlier. So the two largest values are kept for comparison, and the others come in ascending
order (``in_turn``): each begins where the time of the previous one was up.

Only amounts are shared (``AMOUNTS``): seconds and thresholds, which the engine compares by size and adds to moments. Other numbers are
more like names: between two ports on which nothing listens there may be one on which something does. The engine treats 0 specially, so 0
never counts as lying between.

A cell between others that were played to the end may be inferred from them without being played (``inferred.py``).

Stops are forks of a course in progress: the tables of its world are copied, their rows are shared. A stop is dropped as soon as no
remaining cell could begin there.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from simulator.engine import Course, Record, RunHeader
from simulator.engine.course.between import TooDifferent, ValueEnds, course_between, have_same_past
from simulator.engine.kernel.units import Ms
from simulator.engine.world.queue import TracedQueue
from simulator.headless.refused import is_refusal
from simulator.headless.sweeps.inferred import CellEnd, EndedPlay, InferredRuns, Trace
from simulator.headless.sweeps.outcomes import failed_requests

AMOUNTS = ("seconds", "threshold")
"""Suffixes of the names of such fields, in lower case."""
BETWEEN_MIN = 1
"""Smaller values are never assumed to behave like their neighbours."""
TRACE_MAX = 200_000
"""Nothing is inferred from a play with more records and events than this."""
STRETCH_WORK = 3000
"""Units of work (engine/world/work.py) after which records that no outcome reads are discarded."""
STOP_WORK = 40
"""Units of work between two stops of a small world; copying one costs about two."""
RECORDS_A_UNIT = 20
"""Every this many records of history add a unit of work between two stops, because the world has more rows to copy."""
STOP_RECORDS_MAX = 50_000
"""Records before all stops of a play together, roughly the number of rows in their worlds; beyond that every other stop is dropped."""


def is_amount(path: str) -> bool:
    """Whether the field at a path is an amount, judging by its name."""
    return path.rpartition(".")[2].lower().endswith(AMOUNTS)


def in_turn(values: Collection[int]) -> list[int]:
    """The order in which the cells for these values share most: the largest, the smallest that can be an end, then the others."""
    ordered = sorted(values)
    first = max(0, bisect_left(ordered, BETWEEN_MIN) - 1)
    apart, between = ordered[:first], ordered[first:]
    if len(between) < 3:
        return [*reversed(between), *apart]
    return [between[-1], between[0], between[-2], *between[1:-2], *apart]


class CellStop(Struct, frozen=True):
    """A point in a play: a course that is only ever forked, and how much had been kept by then.

    ``n`` counts the stops so far, including dropped ones: two plays with the same past had them at the same points.
    """

    n: int
    course: Course
    kept: int
    refused: int
    records: int
    taken: int


class CellPlay:
    """The run of a cell in progress. It keeps the records of ``machines``, and those of refused acts.

    ``stepped`` is the work done here, in units, without the shared past. ``trace`` is kept if other cells may be inferred from it.
    """

    __slots__ = ("_machines", "_n", "_stride", "course", "is_there", "kept", "refused", "stepped", "stops", "trace")

    def __init__(self, course: Course, machines: Collection[str], *, is_traced: bool = False) -> None:
        self.course, self._machines = course, machines
        self.kept = [record for record in course.world.first_records if record.machine in machines]
        self.refused: list[Record] = []
        self.stops: dict[int, CellStop] = {}
        self.stepped, self._n, self._stride = 0, 0, 1
        self.is_there = False
        self.trace: Trace | None = None
        if is_traced:
            self._trace(Trace(list(course.world.first_records), []))

    def from_stop(self, stop: CellStop, course: Course) -> "CellPlay":
        """A play that continues ``course`` from a stop of this one."""
        twin = CellPlay(course, self._machines)
        twin.kept, twin.refused = self.kept[: stop.kept], self.refused[: stop.refused]
        twin._n, twin._stride = stop.n, self._stride
        if self.trace is not None:
            twin._trace(Trace(self.trace.records[: stop.records], self.trace.taken[: stop.taken]))
        return twin

    def _trace(self, trace: Trace) -> None:
        self.trace = trace
        self.course.world.queue = TracedQueue(self.course.world.queue, trace.taken)

    def go_on(self, until_ms: Ms, *, work_max: int, with_stops: bool) -> None:
        """Advance by one stretch; sets ``is_there`` once ``until_ms`` is reached. The whole run may cost ``work_max`` units."""
        course, trace = self.course, self.trace
        if with_stops and not self._n % self._stride:
            self._stop()
        stretch = STOP_WORK + course.world.seq // RECORDS_A_UNIT if with_stops else STRETCH_WORK
        leg = course.drive(until_ms, limit=min(stretch, work_max - course.done))
        self._n += 1
        self.stepped += leg.work
        self.kept += (record for record in leg.records if record.machine in self._machines)
        self.refused += filter(is_refusal, leg.records)
        self.is_there = leg.is_there
        if trace is not None:
            trace.records += leg.records
            if len(trace.records) + len(trace.taken) > TRACE_MAX:
                self.trace = None
                course.world.queue = course.world.queue.copy()

    def end(self) -> CellEnd:
        """The end of the run."""
        world = self.course.world
        return CellEnd(kept=self.kept, refused=self.refused, failed=failed_requests(world), digest=world.digest)

    def ended(self) -> EndedPlay | None:
        """The play in the form from which others are inferred; None if it did not reach its end, or was too large to trace."""
        if self.trace is None or not self.is_there:
            return None
        world = self.course.world
        return EndedPlay(trace=self.trace, failed=failed_requests(world), has_autoscaler=bool(world.tables.autoscalers))

    def _stop(self) -> None:
        records, taken = (len(self.trace.records), len(self.trace.taken)) if self.trace is not None else (0, 0)
        self.stops[self._n] = CellStop(self._n, self.course.fork(), len(self.kept), len(self.refused), records, taken)
        while len(self.stops) > 1 and sum(stop.course.world.seq for stop in self.stops.values()) > STOP_RECORDS_MAX:
            self._stride *= 2
            self.stops = {n: stop for n, stop in self.stops.items() if not n % self._stride}


class SharedPasts:
    """The plays of one seed by value, kept as long as a cell may begin at their stops or be inferred from them."""

    def __init__(self, values: Collection[int], act_moments: Sequence[Ms] | None = None) -> None:
        """``act_moments`` are the moments at which acts are given; without them nothing is inferred."""
        self._left = set(values)
        self._plays: dict[int, CellPlay] = {}
        self._act_moments = act_moments
        self._inferred: tuple[ValueEnds, InferredRuns | None] = ValueEnds(0, 0), None

    @property
    def infers(self) -> bool:
        """Whether plays should be traced."""
        return self._act_moments is not None

    def inferred(self, value: int, machines: Collection[str]) -> CellEnd | None:
        """The end of the run with this value if it can be inferred from others, otherwise None."""
        ends = self._ends(value)
        if ends is None or self._act_moments is None or not ends.have_neighbour:
            return None
        if self._inferred[0] != ends:
            plays = (self._plays[end].ended() for end in (ends.low, ends.witness, ends.high))
            self._inferred = ends, _runs_between(plays, ends, self._act_moments)
        runs = self._inferred[1]
        if runs is not None:
            self._left.discard(value)
            return runs.end(value, machines)
        return None

    def begun(self, value: int, header: RunHeader) -> CellPlay | None:
        """The run with this value, as far as others had the same past; None if none had."""
        ends = self._ends(value)
        if ends is None:
            return None
        return _begun_between(self._plays[ends.low], self._plays[ends.high], self._plays.get(ends.witness), ends, value, header)

    def _ends(self, value: int) -> ValueEnds | None:
        """The nearest played value below and the nearest two above; None if it does not lie between two."""
        below = max((other for other in self._plays if other < value), default=None)
        above = sorted(other for other in self._plays if other > value)[-2:]
        if value < BETWEEN_MIN or below is None or not above:
            return None
        return ValueEnds(below, above[0], above[1] if len(above) > 1 else 0)

    def add(self, value: int, play: CellPlay) -> bool:
        """Add a play that is about to start; return whether a later cell may begin at its stops."""
        self._left.discard(value)
        self._plays[value] = play
        largest = sorted(self._plays)[-2:]
        # The next cell needs the nearest play below it and two above it.
        for other in [other for other in self._plays if other not in largest and not self._is_below_next(other)]:
            del self._plays[other]
        return value in self._plays and any(other >= BETWEEN_MIN for other in self._left)

    def _is_below_next(self, value: int) -> bool:
        nearer = [other for other in self._plays if other > value]
        return any(value < other and not any(each < other for each in nearer) for other in self._left if other >= BETWEEN_MIN)


def _runs_between(plays: Iterable[EndedPlay | None], ends: ValueEnds, act_moments: Sequence[Ms]) -> InferredRuns | None:
    low, witness, high = plays
    try:
        return InferredRuns(low, witness, high, ends, act_moments) if low and witness and high else None
    except TooDifferent:
        return None


def _begun_between(
    low: CellPlay,
    high: CellPlay,
    witness: CellPlay | None,
    ends: ValueEnds,
    value: int,
    header: RunHeader,
) -> CellPlay | None:
    """A play that begins at the latest stop at which neither value had had an effect yet."""
    shared = sorted(low.stops.keys() & high.stops.keys())
    end = bisect_left(shared, True, key=lambda n: not have_same_past(low.stops[n].course, high.stops[n].course))
    # Usually the last of them will do. An effect of the number persists, so if one stop is unusable, so are all later ones.
    first, middle, found = 0, end - 1, None
    while first < end:
        n = shared[middle]
        stop, third = low.stops[n], witness.stops.get(n) if witness is not None else None
        try:
            course = course_between(
                stop.course, high.stops[n].course, ends, value, header, witness=third.course if third is not None else None
            )
        except TooDifferent:
            end = middle
        else:
            found, first = low.from_stop(stop, course), middle + 1
        middle = (first + end) // 2
    return found
