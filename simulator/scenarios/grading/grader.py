"""One check, applied to the records of a run.

Theory. A scope is a sequence of windows: each opens at a moment or right after a record, and closes at a moment or
right before a record. All windows of a check have the same length and end at the same records, so they close in the
order in which they opened, and anything that is counted has been counted longest for the first of them. So the first
window decides, in O(1) per record.

The words are automata over the windows. A decision is final: *kept* as soon as nothing can change it (what had to come
has come), *broken* at the record or millisecond that breaks it, *lost* as soon as nothing can keep it, because the
thing it is about is gone for good.

Between two records only time passes. ``reach`` says that every record up to a moment has been added, so that a deadline
that has passed is decided at its own instant and not at that of the next record. ``finish`` ends the attempt.

The browser has the same automata (static/js/learn/checks/grader.js); tests/scenarios/grading.json keeps the two
consistent.
"""

from collections import deque
from copy import copy
from enum import StrEnum

from msgspec import Struct

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Seq
from simulator.scenarios.grading.check import Check, CheckWord
from simulator.scenarios.grading.near import Near, NearMisses
from simulator.scenarios.grading.patterns import Lineage, is_open, thing_of
from simulator.scenarios.grading.spans import span_ms
from simulator.scenarios.grading.states import OF_THE_API, ON_THE_NODE, States


class CheckVerdict(StrEnum):
    """The state of a check. All but the first are final."""

    OPEN = "open"
    KEPT = "kept"
    BROKEN = "broken"
    VACUOUS = "vacuous"
    LOST = "lost"


_SEQS_MAX = 100
"""The most records that a result lists; more are counted but not listed."""


class CheckResult(Struct, frozen=True, kw_only=True):
    """The result of a check. ``at_ms`` and ``seq`` are the instant and record that decided it; seq 0 means that time did.

    ``near_seq`` is the record that came nearest to what was asked for, ``near`` how it differs. ``seqs`` are the
    records that were counted, at most 100, ``count`` their number; ``spent_ms`` is the time in a state and
    ``stretches`` when it was.
    """

    id: str
    verdict: CheckVerdict
    at_ms: Ms | None = None
    seq: Seq = 0
    near_seq: Seq = 0
    near: str = ""
    seqs: tuple[Seq, ...] = ()
    count: int = 0
    spent_ms: Ms = 0
    stretches: tuple[tuple[Ms, Ms], ...] = ()


class _Window(Struct, frozen=True):
    """An open window: until when, and what had been counted when it opened."""

    until_ms: Ms | None
    base: int


class CheckGrader:
    """Decides one check. Add every record of a run in order, from the first one on, each after it was added to the run's lineage."""

    def __init__(self, check: Check) -> None:
        self.check = check
        self.verdict = CheckVerdict.OPEN
        self.at_ms: Ms | None = None
        self.seq: Seq = 0
        self._word, self._pattern = check.word, check.pattern
        self._from_ms, self._by_ms, self._within_ms = check.from_ms, check.by_ms, check.within_ms
        self._times = 1 if check.times is None else check.times
        self._max_ms = span_ms(check.max) if check.max else 0
        self._windows: deque[_Window] = deque()
        self._spent_before: Ms = 0
        """The time spent in the state before the deciding window."""
        self._is_ahead = check.after is None
        """Whether the window that opens at a moment has not opened yet."""
        self._has_opened = self._has_held = False
        self._is_gone = self._is_finished = False
        self._added_ms: Ms = -1
        """The moment of the last record."""
        self._count = 0
        self._seqs: list[Seq] = []
        self._states = States(self._pattern, least=check.least, most=check.most) if check.is_state else None
        self._near = NearMisses(self._pattern) if self._word is CheckWord.EVENTUALLY and self._states is None else None

    def fork(self) -> "CheckGrader":
        """An independent copy that has seen the same records."""
        twin = copy(self)
        twin._windows, twin._seqs = self._windows.copy(), self._seqs.copy()
        twin._states = self._states.fork() if self._states is not None else None
        twin._near = self._near.fork() if self._near is not None else None
        return twin

    @property
    def is_settled(self) -> bool:
        """Whether no later record can change its result."""
        if self.verdict is CheckVerdict.OPEN:
            return False
        is_missed = self.verdict in (CheckVerdict.BROKEN, CheckVerdict.LOST)
        return self._near is None or not is_missed or self._near.is_final

    def add(self, record: Record, lineage: Lineage) -> None:
        """Add the next record."""
        if record.at_ms > self._added_ms:
            self._added_ms = record.at_ms
            self.reach(record.at_ms - 1)
        if self.verdict is not CheckVerdict.OPEN:
            self._miss(record, lineage)
            return
        if self._is_ahead and self._states is None and record.at_ms >= self._from_ms:
            # An occurrence counts from the first record of the moment on; a state is evaluated when the moment is over.
            self._open(self._from_ms)
        if self._windows and self.check.until is not None and self.check.until.matches(record, lineage):
            self._close_all(record.at_ms, record.seq)
        opens = self._opens(record, lineage)
        self._take(record, lineage, counts=not opens)
        if opens and self.verdict is CheckVerdict.OPEN:
            self._open(record.at_ms, record.seq)

    def reach(self, now_ms: Ms) -> None:
        """Every record up to ``now_ms`` has been added."""
        if self.verdict is CheckVerdict.OPEN and self._is_ahead and now_ms >= self._from_ms:
            self._open(self._from_ms)
        while self.verdict is CheckVerdict.OPEN and self._windows:
            until_ms = self._windows[0].until_ms
            self._pass(now_ms if until_ms is None else min(until_ms, now_ms))
            if until_ms is None or now_ms < until_ms or self.verdict is not CheckVerdict.OPEN:
                return
            self._close(until_ms, 0)
        if self.verdict is CheckVerdict.OPEN and not self._is_ahead and self._by_ms is not None and now_ms >= self._by_ms:
            self._end(self._by_ms)

    def finish(self, end_ms: Ms) -> None:
        """The attempt ends here: decide the check if it is still open."""
        self.reach(end_ms)
        self._close_all(end_ms, 0)
        if self.verdict is CheckVerdict.OPEN:
            self._end(end_ms)

    def result(self) -> CheckResult:
        """The current state of the check."""
        is_missed = self.verdict in (CheckVerdict.BROKEN, CheckVerdict.LOST)
        near_seq, near = self._near.best() if self._near is not None and is_missed else (0, "")
        return CheckResult(
            id=self.check.id,
            verdict=self.verdict,
            at_ms=self.at_ms,
            seq=self.seq,
            near_seq=near_seq,
            near=near,
            seqs=tuple(self._seqs),
            count=self._count,
            spent_ms=self._states.spent_ms(self.at_ms) - self._spent_before if self._states is not None and self.at_ms is not None else 0,
            stretches=tuple(self._states.stretches) if self._states is not None else (),
        )

    # Windows.

    def _opens(self, record: Record, lineage: Lineage) -> bool:
        check = self.check
        if check.after is None or (self._has_opened and not (check.each or check.any_)):
            return False
        in_time = record.at_ms >= self._from_ms and (self._by_ms is None or record.at_ms <= self._by_ms)
        return in_time and check.after.matches(record, lineage)

    def _open(self, at_ms: Ms, seq: Seq = 0) -> None:
        self._is_ahead, self._has_opened = False, True
        ends = [end for end in (self._by_ms, None if self._within_ms is None else at_ms + self._within_ms) if end is not None]
        if self.check.any_:
            # Anything that would hold after an earlier record also holds after the last one, or has held already;
            # counts are kept.
            self._windows.clear()
        base = 0 if self.check.any_ else self._count if self._states is None else self._states.spent_ms(at_ms)
        self._windows.append(_Window(min(ends, default=None), base))
        if self._states is not None:
            self._judge_state(at_ms, self._states.outside_seq or seq)

    def _close(self, at_ms: Ms, seq: Seq) -> None:
        """The first window ends undecided."""
        self._windows.popleft()
        if self._word not in (CheckWord.EVENTUALLY, CheckWord.ORDER):
            self._hold(at_ms, seq)
        elif not self.check.any_:
            self._decide(CheckVerdict.BROKEN, at_ms, seq)

    def _close_all(self, at_ms: Ms, seq: Seq) -> None:
        if self.verdict is CheckVerdict.OPEN and self._windows:
            self._pass(at_ms)
        while self.verdict is CheckVerdict.OPEN and self._windows:
            self._close(at_ms, seq)

    def _hold(self, at_ms: Ms, seq: Seq) -> None:
        """The check held in one window; with ``each`` there may be others."""
        self._has_held = True
        if not self.check.each:
            self._decide(CheckVerdict.KEPT, at_ms, seq)

    def _end(self, at_ms: Ms) -> None:
        """No window is open, and none will open."""
        if self._has_held or (not self._has_opened and self.check.vacuous_ok):
            self._decide(CheckVerdict.KEPT, at_ms, 0)
        else:
            self._decide(CheckVerdict.BROKEN if self._has_opened else CheckVerdict.VACUOUS, at_ms, 0)

    def _decide(self, verdict: CheckVerdict, at_ms: Ms, seq: Seq) -> None:
        self.verdict, self.at_ms, self.seq = verdict, at_ms, seq
        if self._states is not None:
            self._states.cut(at_ms)

    # Words.

    def _take(self, record: Record, lineage: Lineage, *, counts: bool) -> None:
        if self._states is not None:
            self._take_state(record, lineage)
        elif counts and self._windows and self._pattern.matches(record, lineage):
            self._occur(record)
        elif self._word is CheckWord.ORDER and self._windows and self.check.then is not None and self.check.then.matches(record, lineage):
            self._decide(CheckVerdict.BROKEN, record.at_ms, record.seq)
        else:
            self._miss(record, lineage)
            self._lose(record)

    def _occur(self, record: Record) -> None:
        """The pattern occurred in the scope."""
        self._count += 1
        if len(self._seqs) < _SEQS_MAX:
            self._seqs.append(record.seq)
        if self._word is CheckWord.NEVER or (self._word is CheckWord.AT_MOST and self._count - self._windows[0].base > self._times):
            self._decide(CheckVerdict.BROKEN, record.at_ms, record.seq)
        if self._word is CheckWord.ORDER:
            self._windows.clear()
            self._hold(record.at_ms, record.seq)
        while self._word is CheckWord.EVENTUALLY and self._windows and self._count - self._windows[0].base >= self._times:
            self._windows.popleft()
            self._hold(record.at_ms, record.seq)

    def _take_state(self, record: Record, lineage: Lineage) -> None:
        assert self._states is not None
        if self._states.take(record, lineage) and self._windows:
            self._judge_state(record.at_ms, record.seq)

    def _judge_state(self, at_ms: Ms, seq: Seq) -> None:
        """Evaluate the state when a scope opens, and at every change."""
        assert self._states is not None
        if self._word is CheckWord.ALWAYS and not self._states.holds:
            self._decide(CheckVerdict.BROKEN, at_ms, seq)
        while self._word is CheckWord.EVENTUALLY and self._windows and self._states.holds:
            self._windows.popleft()
            self._hold(at_ms, self._states.seq)

    def _pass(self, now_ms: Ms) -> None:
        """Time has passed with the first window open: a state may last too long."""
        if self._word is not CheckWord.LASTS or self._states is None:
            return
        self._spent_before = self._windows[0].base
        at_ms = self._states.passes_ms(self._spent_before + self._max_ms)
        if at_ms is not None and at_ms <= now_ms:
            self._decide(CheckVerdict.BROKEN, at_ms, self._states.seq)

    def _miss(self, record: Record, lineage: Lineage) -> None:
        """A record that was not counted may be the nearest miss."""
        if self._near is not None and self.verdict is not CheckVerdict.KEPT:
            outside = Near.LATE if self._has_opened else Near.EARLY
            self._near.take(record, lineage, when=None if self._windows else outside)

    def _lose(self, record: Record) -> None:
        """The pod's object is gone, and one of the same name would be a different pod; what runs on its node may outlive it."""
        pattern = self._pattern
        if self._word is not CheckWord.EVENTUALLY or pattern.or_ or is_open(pattern.subject) or record.subject != thing_of(pattern.subject):
            return
        self._is_gone = self._is_gone or (record.machine == "object" and record.target == "gone")
        self._is_finished = self._is_finished or (record.machine == "pod_worker" and record.target == "finished")
        is_over = self._is_gone and (self._is_finished or pattern.machine in (*OF_THE_API, "object"))
        if is_over and self._windows and pattern.machine in (*OF_THE_API, *ON_THE_NODE, "object"):
            self._decide(CheckVerdict.LOST, record.at_ms, record.seq)
