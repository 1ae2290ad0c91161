"""The six words, their scopes and verdicts, on hand-made records. The browser's test reads the same cases."""

import json
from pathlib import Path

import msgspec
import pytest

from simulator.engine.kernel.records import Record
from simulator.scenarios.grading.attempt import AttemptGrader, grade
from simulator.scenarios.grading.check import Check
from simulator.scenarios.grading.patterns import Range

SHARED = json.loads((Path(__file__).parent / "grading.json").read_text())
RUNS = {
    name: [
        Record(
            row["seq"],
            row["at_ms"],
            row["kind"],
            row["subject"],
            row["machine"],
            row["source"],
            "",
            row["target"],
            row["cause"],
            row["rule"],
            tuple(row["data"].items()),
        )
        for row in rows
    ]
    for name, rows in SHARED["runs"].items()
}


def check_of(**fields):
    return msgspec.convert({"id": "c", **fields}, Check)


def given_in(case):
    return [(at_ms, do) for at_ms, do in case.get("given", [])]


def result_of(case):
    grader = AttemptGrader([check_of(**case["check"])], given_in(case))
    ends = "end_ms" in case
    grader.add(record for record in RUNS[case["run"]] if record.at_ms <= case["end_ms" if ends else "now_ms"])
    if ends:
        return grader.finish(case["end_ms"]).checks[0]
    grader.reach(case["now_ms"])
    return grader.result().checks[0]


@pytest.mark.parametrize("case", SHARED["cases"], ids=lambda case: case["what"])
def test_verdict(case):
    found = json.loads(msgspec.json.encode(result_of(case)))
    assert {name: found[name] for name in case["want"]} == case["want"]


@pytest.mark.parametrize("case", [case for case in SHARED["cases"] if "end_ms" in case], ids=lambda case: case["what"])
def test_a_finished_log_is_graded_as_the_run_that_plays(case):
    records, end_ms = RUNS[case["run"]], case["end_ms"]
    playing = AttemptGrader([check_of(**case["check"])], given_in(case))
    for record in records:
        playing.reach(record.at_ms - 1)
        if record.at_ms <= end_ms:
            playing.add([record])
    assert playing.finish(end_ms) == grade([check_of(**case["check"])], records, end_ms=end_ms, given=given_in(case))


STATE = {"machine": "phase", "target": "x"}


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({}, "exactly one of"),
        ({"eventually": {}, "never": {}}, "eventually and never"),
        ({"order": {}}, "order and then"),
        ({"lasts": {"machine": "phase", "target": "x"}}, "lasts and max"),
        ({"at_most": {}}, "at_most needs times"),
        ({"never": {}, "times": 2}, "times goes with"),
        ({"always": {"machine": "phase"}, "at": "3s"}, "needs a machine and a target"),
        ({"never": {}, "at": "3s"}, "at goes with always"),
        ({"eventually": {}, "each": True}, "need after"),
        ({"eventually": {}, "after": {}, "each": True, "any": True}, "exclude each other"),
        ({"never": {}, "after": {}, "any": True}, "any goes with eventually"),
        ({"always": {"machine": "phase", "target": "x", "or": [{}]}}, "or goes with occurrences"),
        ({"eventually": {}, "least": 2}, "needs a machine and a target"),
        ({"eventually": {"machine": "phase", "target": "x"}, "most": 2}, "least and most go with"),
        ({"never": {}, "most": 2}, "least and most go with"),
        ({"lasts": {"machine": "phase", "target": "x"}, "max": "1s", "least": 0}, "least must be at least 1"),
        ({"lasts": {"machine": "phase", "target": "x"}, "max": "1s", "least": 3, "most": 2}, "no less than least"),
        ({"eventually": {"machine": "phase", "target": "x"}, "least": 1, "times": 2}, "exclude each other"),
        ({"never": {}, "by": "soon"}, "no span of time"),
        ({"never": {"data": {"exit_code": {}}}}, "a range needs"),
    ],
)
def test_check_that_says_nothing_clear_is_refused(fields, problem):
    with pytest.raises(msgspec.ValidationError, match=problem):
        check_of(**fields)


def test_many_stars_cost_little():
    pattern = msgspec.convert({"id": "c", "never": {"subject": "*a" * 200 + "b"}}, Check).pattern
    record = Record(1, 0, "note", "a" * 5000, "note", "", "", "x", 0, "", ())
    assert not pattern.matches(record)


@pytest.mark.parametrize(
    ("bounds", "found", "is_in"),
    [
        ({"min": 2}, 1, False),
        ({"min": 2}, 2, True),
        ({"min": 2}, 99, True),
        ({"max": 2}, 2, True),
        ({"max": 2}, 3, False),
        ({"min": 2, "max": 2}, 2, True),
        ({"min": 2, "max": 4}, 1, False),
        ({"min": 2, "max": 4}, 4, True),
        ({"min": 2, "max": 4}, 5, False),
        ({"min": 0, "max": 1}, True, False),
        ({"min": 0}, "1", False),
    ],
)
def test_range_holds_its_ends(bounds, found, is_in):
    assert Range(**bounds).holds(found) is is_in


def test_range_the_wrong_way_round_is_refused():
    with pytest.raises(ValueError, match="no more than max"):
        Range(min=3, max=2)


@pytest.mark.parametrize(
    ("fields", "is_taken"),
    [
        ({"eventually": {}, "times": 1}, True),
        ({"eventually": {}, "times": 0}, False),
        ({"at_most": {}, "times": 0}, True),
        ({"at_most": {}, "times": -1}, False),
        ({"never": {}, "points": 0}, True),
        ({"never": {}, "points": 100}, True),
        ({"never": {}, "points": 101}, False),
        ({"never": {}, "points": -1}, False),
        ({"always": STATE, "least": 1, "most": 1}, True),
        ({"always": STATE, "most": 0}, True),
        ({"always": STATE, "least": 2, "most": 1}, False),
        ({"eventually": {}, "after": {}, "each": True}, True),
        ({"eventually": {}, "after": {}, "any": True}, True),
        ({"eventually": {}, "any": True}, False),
        ({"always": STATE, "at": "3s"}, True),
        ({"always": STATE, "at": "3s", "by": "5s"}, False),
        ({"eventually": STATE, "least": 2}, True),
        ({"eventually": STATE, "least": 2, "most": 3}, False),
    ],
)
def test_check_is_taken_exactly_where_its_parts_fit(fields, is_taken):
    if is_taken:
        assert check_of(**fields)
    else:
        with pytest.raises(msgspec.ValidationError):
            check_of(**fields)
