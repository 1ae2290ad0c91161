"""Finding the record that applies at a moment: lanes are read from the list of records, without a world."""

from bisect import bisect_right
from collections.abc import Sequence

from msgspec import Struct

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Subject


class StateSpan(Struct, frozen=True, gc=False):
    """How long a state lasted: from its record to the next one of the same lane; ``end_ms`` None: it still lasts."""

    record: Record
    begin_ms: Ms
    end_ms: Ms | None


def _is_of(record: Record, subject: Subject, machine: str) -> bool:
    return record.subject == subject and (not machine or record.machine == machine)


def record_at(records: Sequence[Record], at_ms: Ms, subject: Subject, machine: str = "") -> Record | None:
    """The last record about ``subject`` (of ``machine``, if given) up to ``at_ms``; None before the first. O(records)."""
    # Backwards: the record is usually close to the moment.
    for position in range(_after(records, at_ms) - 1, -1, -1):
        if _is_of(records[position], subject, machine):
            return records[position]
    return None


def span_at(records: Sequence[Record], at_ms: Ms, subject: Subject, machine: str) -> StateSpan | None:
    """The span of a lane at ``at_ms``; None before the first. Records that keep the state end no span."""
    begin = record_at(records, at_ms, subject, machine)
    if begin is None:
        return None
    after = (record for record in records[_after(records, at_ms) :] if _is_of(record, subject, machine))
    end = next((record.at_ms for record in after if record.target != begin.target), None)
    return StateSpan(begin, _first_of(records, begin).at_ms, end)


def _first_of(records: Sequence[Record], begin: Record) -> Record:
    """The record that entered the state which ``begin`` only kept."""
    first = begin
    # Records are numbered without gaps, so a seq is a position.
    for position in range(begin.seq - records[0].seq, -1, -1):
        record = records[position]
        if _is_of(record, begin.subject, begin.machine):
            if record.target != begin.target:
                break
            first = record
    return first


def _after(records: Sequence[Record], at_ms: Ms) -> int:
    """How many records are at or before ``at_ms``."""
    return bisect_right(records, at_ms, key=lambda record: record.at_ms)
