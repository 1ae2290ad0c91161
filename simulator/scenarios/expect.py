"""What a story promises and what its steps wait for: statements about the records of a run.

The browser ticks steps off by the same rules while a run plays (``static/js/learn/story-checks.js``); ``tests/scenarios/checks.json`` holds
the two together.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from enum import StrEnum
from functools import cache
from itertools import islice

from msgspec import Struct

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Scalar


class RecordPattern(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which records are meant; empty fields match everything. In a ``subject`` each ``*`` stands for anything, also for nothing.

    ``container/default/web-*/app`` is that container of the pods whose names begin with their owner's.
    """

    kind: str = ""
    machine: str = ""
    subject: str = ""
    source: str = ""
    target: str = ""
    rule: str = ""
    data: dict[str, str | int | bool] = {}

    def matches(self, record: Record) -> bool:
        """Whether ``record`` is one of those meant."""
        wanted = (self.kind, self.machine, self.source, self.target, self.rule)
        found = (record.kind, record.machine, record.source, record.target, record.rule)
        if any(text not in ("", other) for text, other in zip(wanted, found, strict=True)):
            return False
        return self._is_about(record.subject) and all(_same(record.get(name), value) for name, value in self.data.items())

    def _is_about(self, subject: str) -> bool:
        if "*" in self.subject:
            return _wild(self.subject).fullmatch(subject) is not None
        return self.subject in ("", subject)


class Expectation(RecordPattern, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Eventually: records like this occur ``times`` times until ``by`` (a number with ``s``; empty: at any time).

    ``never``: until ``by`` there is none. ``within`` (a number with ``s``): one comes at most so long after a record like ``after``.
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


class StepOutcome(StrEnum):
    """How a statement stands to a run so far."""

    OPEN = "open"
    DONE = "done"
    BROKEN = "broken"


def verdict(expectation: Expectation, records: Sequence[Record], *, now_ms: Ms) -> StepOutcome:
    """How the statement stands after ``records``, at ``now_ms``. What is done or broken stays so. O(records)."""
    until = span_ms(expectation.by) if expectation.by else None
    seen = _seen(expectation, records, until)
    is_over = until is not None and now_ms >= until
    if expectation.never:
        return StepOutcome.BROKEN if seen else StepOutcome.DONE if is_over else StepOutcome.OPEN
    if seen >= expectation.times:
        return StepOutcome.DONE
    return StepOutcome.BROKEN if is_over else StepOutcome.OPEN


def fulfilment(expectation: Expectation, records: Iterable[Record]) -> Record | None:
    """The record with which the statement has come true; None before that, and where it says that something never happens. O(records)."""
    counted = _counted(expectation, records, span_ms(expectation.by) if expectation.by else None)
    return None if expectation.never else next(islice(counted, expectation.times - 1, None), None)


def _seen(expectation: Expectation, records: Iterable[Record], until: Ms | None) -> int:
    """How many records the statement counts."""
    return sum(1 for _record in _counted(expectation, records, until))


def _counted(expectation: Expectation, records: Iterable[Record], until: Ms | None) -> Iterator[Record]:
    """The records that the statement counts."""
    since: Ms | None = None
    for record in records:
        if until is not None and record.at_ms > until:
            break
        if expectation.after is not None and expectation.after.matches(record):
            since = record.at_ms
        elif expectation.matches(record) and (
            expectation.after is None or (since is not None and record.at_ms - since <= span_ms(expectation.within))
        ):
            yield record


@cache
def _wild(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


def _same(found: Scalar, wanted: Scalar) -> bool:
    return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)


def span_ms(text: str) -> Ms:
    """Milliseconds of a text like ``90s`` or ``20.5s``."""
    return int(Decimal(text.removesuffix("s")) * 1000)


def horizon_ms(expectations: Iterable[Expectation]) -> Ms:
    """The last moment any expectation speaks of."""
    return max((span_ms(expectation.by) for expectation in expectations if expectation.by), default=0)


def broken(expectations: Iterable[Expectation], records: Sequence[Record]) -> list[Expectation]:
    """The expectations that ``records`` do not keep, in their order, once everything that is to come has come."""
    found = ((expectation, verdict(expectation, records, now_ms=_END_MS)) for expectation in expectations)
    return [expectation for expectation, how in found if how != StepOutcome.DONE]


_END_MS: Ms = 2**62
