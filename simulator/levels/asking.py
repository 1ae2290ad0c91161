"""Find out what a run does after a prediction was asked for: the answer comes from the engine, not from the author.

Raises Elsewhere in a process that leaves playing to others.
"""

from collections.abc import Sequence

from msgspec import Struct

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.course.header import RunHeader
from simulator.engine.course.replay import Course
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.runs.log import elsewhere
from simulator.scenarios.asks import Ask
from simulator.scenarios.grading.patterns import Lineage, RecordPattern
from simulator.scenarios.grading.spans import span_ms

ASK_WORK = 300_000


class AskedTruth(Struct, frozen=True, kw_only=True):
    """What the run does. ``choice`` is the number of the right one, or None if a flag is placed instead; ``record`` shows it.

    If there is no record, nothing that was asked about happens by ``until_ms``.
    """

    choice: int | None
    record: Record | None
    until_ms: Ms
    records: list[Record]


def truth_of(ask: Ask, header: RunHeader, commands: Sequence[Stamped]) -> AskedTruth:
    """The right answer, found by playing the run from the moment of the question without further acts."""
    elsewhere.plays()
    at_ms = span_ms(ask.at)
    until_ms = at_ms + span_ms(ask.within)
    course = Course(header, [stamped for stamped in commands if stamped.at_ms <= at_ms])
    records = [*course.world.first_records, *course.drive(until_ms, limit=ASK_WORK).records]
    patterns = [choice.comes for choice in ask.choices] or [ask.place]
    found = _first(patterns, records, at_ms)
    if ask.place is not None:
        return AskedTruth(choice=None, record=found[1] if found else None, until_ms=until_ms, records=records)
    none = next((n for n, choice in enumerate(ask.choices) if choice.comes is None), None)
    return AskedTruth(choice=found[0] if found else none, record=found[1] if found else None, until_ms=until_ms, records=records)


def has_right_choice(ask: Ask, records: Sequence[Record], *, until_ms: Ms) -> bool:
    """Whether one of the choices is right in a play with these records, of which those after ``until_ms`` do not count. O(records)."""
    if any(choice.comes is None for choice in ask.choices):
        return True
    shown = [record for record in records if record.at_ms <= until_ms]
    return _first([choice.comes for choice in ask.choices], shown, span_ms(ask.at)) is not None


def _first(patterns: Sequence[RecordPattern | None], records: Sequence[Record], after_ms: Ms) -> tuple[int, Record] | None:
    """The first record after a moment that matches one of the patterns, with the pattern's number."""
    lineage = Lineage()
    for record in records:
        lineage.add(record)
        if record.at_ms > after_ms:
            for n, pattern in enumerate(patterns):
                if pattern is not None and pattern.matches(record, lineage):
                    return n, record
    return None


def is_right(ask: Ask, truth: AskedTruth, *, choice: int | None, at_ms: Ms | None) -> bool:
    """Whether an answer is right: the choice that happens, or a flag close enough."""
    if ask.place is None:
        return choice is not None and choice == truth.choice
    if truth.record is None or at_ms is None:
        return truth.record is None and at_ms is None
    return abs(truth.record.at_ms - at_ms) <= span_ms(ask.tolerance)
