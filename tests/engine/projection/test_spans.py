"""The record in force at a moment."""

from simulator.engine.kernel.records import Record
from simulator.engine.projection.spans import record_at, span_at

LANE = "container/default/p/app"


def record(seq: int, at_ms: int, target: str, *, subject: str = LANE, machine: str = "container_status") -> Record:
    return Record(seq, at_ms, "transition", subject, machine, "", "", target, 0, "")


RECORDS = [
    record(1, 0, "waiting"),
    record(2, 10, "running"),
    record(3, 10, "exited", machine="container"),
    record(4, 20, "running"),
    record(5, 25, "other", subject="pod/default/p"),
    record(6, 30, "terminated"),
]


def test_record_at_is_the_last_one_up_to_the_moment() -> None:
    found = record_at(RECORDS, 20, LANE, "container_status")
    assert found is not None and found.seq == 4


def test_record_at_takes_any_machine_when_none_is_named() -> None:
    found = record_at(RECORDS, 15, LANE)
    assert found is not None and found.seq == 3


def test_record_at_is_none_before_the_first() -> None:
    assert record_at(RECORDS, 24, "pod/default/p") is None


def test_span_begins_where_the_state_was_entered_and_ends_where_it_changes() -> None:
    span = span_at(RECORDS, 22, LANE, "container_status")
    assert span is not None and (span.record.seq, span.begin_ms, span.end_ms) == (4, 10, 30)


def test_span_is_open_when_the_state_still_holds() -> None:
    span = span_at(RECORDS, 99, LANE, "container_status")
    assert span is not None and (span.begin_ms, span.end_ms) == (30, None)


def test_span_is_none_before_the_first() -> None:
    assert span_at(RECORDS, 0, "pod/default/p", "phase") is None
