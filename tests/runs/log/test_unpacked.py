"""Unpacked chunks are cached by content, within a limit."""

import zlib

import msgspec

from simulator.engine.kernel.records import Record
from simulator.runs.log.unpacked import Unpacked
from tests.factories import make_record


def body_of(first: int, count: int) -> bytes:
    records: list[Record] = [make_record(seq) for seq in range(first, first + count)]
    return zlib.compress(msgspec.msgpack.encode(records))


def test_a_body_that_was_read_is_not_unpacked_again():
    unpacked = Unpacked()
    first = unpacked.records(body_of(1, 3))
    assert first is not None
    assert [record.seq for record in first] == [1, 2, 3]
    assert unpacked.records(body_of(1, 3)) is first


def test_what_was_not_asked_for_longest_goes_first_and_the_bound_holds():
    unpacked = Unpacked(most=6)
    one, two, three = (body_of(first, 3) for first in (1, 4, 7))
    kept = unpacked.records(one)
    gone = unpacked.records(two)
    assert unpacked.records(one) is kept
    unpacked.records(three)
    assert unpacked.held == 6
    assert unpacked.records(one) is kept
    assert unpacked.records(two) == gone
    assert unpacked.records(two) is not gone


def test_one_body_that_is_larger_than_the_bound_is_kept_until_the_next():
    unpacked = Unpacked(most=2)
    large = unpacked.records(body_of(1, 5))
    assert unpacked.records(body_of(1, 5)) is large
    unpacked.records(body_of(9, 1))
    assert unpacked.held == 1


def test_a_body_that_cannot_be_read_is_reported_each_time_and_not_kept():
    unpacked = Unpacked()
    assert unpacked.records(b"no zlib") is None
    assert unpacked.records(zlib.compress(b"no records")) is None
    assert unpacked.held == 0
