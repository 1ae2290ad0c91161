"""What a story promises and what its steps wait for: a check (grading/check.py) with one of the two words that stories use.

The browser ticks off steps by the same rules while a run plays (``static/js/learn/story-checks.js``);
``tests/scenarios/checks.json`` keeps the two consistent.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.scenarios.grading.attempt import AttemptGrader
from simulator.scenarios.grading.check import Check
from simulator.scenarios.grading.grader import CheckVerdict
from simulator.scenarios.grading.patterns import RecordPattern
from simulator.scenarios.grading.spans import span_ms


class Expectation(RecordPattern, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Eventually: records like this occur ``times`` times until ``by`` (a number with ``s``; empty: at any time).

    ``never``: there is none until ``by``. ``within`` (a number with ``s``): one comes at most that long after a record
    like ``after``.
    """

    by: str = ""
    times: int = 1
    never: bool = False
    after: RecordPattern | None = None
    within: str = ""

    def __post_init__(self) -> None:
        if self.never and not self.by:
            raise ValueError("never needs by: until when?")
        if bool(self.within) != (self.after is not None):
            raise ValueError("within and after belong together")

    def check(self) -> Check:
        """The equivalent check: if several records match ``after``, it is enough that one of them is followed in time."""
        pattern = RecordPattern(**{name: getattr(self, name) for name in RecordPattern.__struct_fields__})
        if self.never:
            return Check(id="", never=pattern, by=self.by, after=self.after, within=self.within)
        is_after = self.after is not None
        return Check(id="", eventually=pattern, times=self.times, by=self.by, after=self.after, any_=is_after, within=self.within)


class StepOutcome(StrEnum):
    """The state of an expectation in a run so far."""

    OPEN = "open"
    DONE = "done"
    BROKEN = "broken"


_OUTCOMES = {CheckVerdict.OPEN: StepOutcome.OPEN, CheckVerdict.KEPT: StepOutcome.DONE}


def verdict(expectation: Expectation, records: Sequence[Record], *, now_ms: Ms) -> StepOutcome:
    """The state of the expectation after ``records``, at ``now_ms``. Once done or broken it stays so. O(records)."""
    attempt = AttemptGrader([expectation.check()])
    attempt.add(records)
    attempt.reach(now_ms)
    return _OUTCOMES.get(attempt.graders[0].verdict, StepOutcome.BROKEN)


def fulfilment(expectation: Expectation, records: Iterable[Record]) -> Record | None:
    """The record with which the expectation is met; None before that, and for expectations that something never happens. O(records)."""
    attempt = AttemptGrader([expectation.check()])
    for record in records:
        attempt.add([record])
        (grader,) = attempt.graders
        if grader.verdict is not CheckVerdict.OPEN:
            return record if grader.verdict is CheckVerdict.KEPT and not expectation.never else None
    return None


def horizon_ms(expectations: Iterable[Expectation]) -> Ms:
    """The last moment that any expectation refers to."""
    return max((span_ms(expectation.by) for expectation in expectations if expectation.by), default=0)


def broken(expectations: Iterable[Expectation], records: Sequence[Record]) -> list[Expectation]:
    """The expectations that ``records`` do not meet, in order, at the end of a run."""
    found = ((expectation, verdict(expectation, records, now_ms=_END_MS)) for expectation in expectations)
    return [expectation for expectation, how in found if how != StepOutcome.DONE]


_END_MS: Ms = 2**62
