"""Sets of completion indexes as written in statuses."""

import pytest

from simulator.engine.controllers.job.indexes import first_missing, has, including, indexes_text, met_success_rule, parsed_indexes, total


@pytest.mark.parametrize("text", ["", "0", "0,1", "0-2", "1,3-5,7", "0,2,4-6"])
def test_text_of_a_set_reads_back(text):
    assert indexes_text(parsed_indexes(text, 100)) == text


def test_parts_that_cannot_be_read_or_are_out_of_range_are_left_out():
    assert indexes_text(parsed_indexes("x,1,3-y,5-9,12", 8)) == "1,5-7"


def test_neighbours_merge():
    found = including(parsed_indexes("0-2,6", 10), [4, 3, 9])
    assert (indexes_text(found), total(found), has(found, 3), has(found, 5)) == ("0-4,6,9", 7, True, False)


@pytest.mark.parametrize(
    ("taken", "count", "found"), [("", 3, [0, 1, 2]), ("0,2-3", 3, [1, 4, 5]), ("0-8", 5, [9]), ("0-9", 1, []), ("1", 0, [])]
)
def test_first_missing_indexes(taken, count, found):
    assert first_missing(parsed_indexes(taken, 10), count, 10) == found


@pytest.mark.parametrize(
    ("rule", "done", "met"),
    [
        ({"succeededCount": 2}, "0,5", 0),
        ({"succeededCount": 3}, "0,5", -1),
        ({"succeededIndexes": "0,2-3"}, "0,2-3,7", 0),
        ({"succeededIndexes": "0,2-3"}, "0,2,7", -1),
        ({"succeededIndexes": "0,2-3", "succeededCount": 2}, "0,2,7", 0),
        ({"succeededIndexes": "0"}, "", -1),
    ],
)
def test_success_rule(rule, done, met):
    assert met_success_rule({"rules": [rule]}, 10, parsed_indexes(done, 10)) == met
