"""Why a check was not kept, in words."""

import pytest

from simulator.engine.kernel.records import Record
from simulator.levels.words import clock, reason
from simulator.scenarios.grading.attempt import grade
from simulator.scenarios.grading.check import Check
from simulator.scenarios.grading.grader import CheckResult, CheckVerdict
from simulator.scenarios.grading.near import Near
from simulator.scenarios.grading.patterns import RecordPattern

COMPLETE = Record(
    1, 0, "transition", "deployment/default/web", "workload", "", "", "complete", 0, "WORKLOAD-COMPLETE",
    (("wanted", 6), ("there", 6), ("kind", "Deployment"), ("condition", "")),
)  # fmt: skip


def told(**data):
    check = Check(id="c", always=RecordPattern(machine="workload", target="complete", data=data), at="9s")
    (result,) = grade([check], [COMPLETE], end_ms=9000).checks
    return reason(check, result, [COMPLETE])


def test_different_number_is_reported():
    assert told(there=2).endswith("Deployment web has everything it asks for (there: 6).")


def test_value_that_the_record_does_not_have_is_reported_as_none():
    assert told(there=6, since="now").endswith("(there: 6, since: –).")


def test_state_that_began_before_it_was_judged_is_reported_with_both_moments():
    assert told(there=2).startswith("At 0:09.0 this was the state, since 0:00.0: ")


def test_check_that_is_kept_says_nothing():
    assert told(there=6) == ""


def test_state_of_nothing_is_not_called_an_occurrence():
    check = Check(id="c", always=RecordPattern(machine="phase", target="Running"), at="9s")
    (result,) = grade([check], [COMPLETE], end_ms=9000).checks
    assert reason(check, result, [COMPLETE]) == "At 0:09.0 this was not the case."


def test_forbidden_state_is_reported_without_a_duration():
    check = Check(id="c", lasts=RecordPattern(machine="workload", target="complete"), max="0s")
    (result,) = grade([check], [COMPLETE], end_ms=9000).checks
    assert reason(check, result, [COMPLETE]) == "At 0:00.0 it was in a state that this check rules out."


@pytest.mark.parametrize(("at_ms", "told"), [(0, "0:00.0"), (59_960, "0:59.9"), (3_599_900, "59:59.9"), (3_605_300, "1:00:05.3")])
def test_moment_is_written_as_pages_show_it(at_ms, told):
    assert clock(at_ms) == told


PHASE = RecordPattern(machine="phase", target="Running")
ALWAYS, LASTS = Check(id="c", always=PHASE, at="9s"), Check(id="c", lasts=PHASE, max="5s")
ONCE, TWICE = Check(id="c", eventually=PHASE, by="9s"), Check(id="c", eventually=PHASE, by="9s", times=2)
NEVER = Check(id="c", never=PHASE)


@pytest.mark.parametrize(
    ("check", "fields", "told"),
    [
        (NEVER, {"verdict": CheckVerdict.KEPT}, ""),
        (NEVER, {"verdict": CheckVerdict.OPEN}, ""),
        (NEVER, {"verdict": CheckVerdict.VACUOUS}, "Nothing that this check is about happened."),
        (LASTS, {"at_ms": 9000, "spent_ms": 1}, "At 0:09.0 it was in a state that this check rules out."),
        (LASTS, {"at_ms": 9000, "spent_ms": 2}, "By 0:09.0 it had lasted 0.002 s."),
        (LASTS, {"at_ms": 9000, "spent_ms": 5500}, "By 0:09.0 it had lasted 5.5 s."),
        (ONCE, {"at_ms": 9000}, "It had not happened by 0:09.0."),
        (ONCE, {"at_ms": None}, "It had not happened by 0:00.0."),
        (TWICE, {"at_ms": 9000, "count": 1}, "By 0:09.0 it had happened 1 of 2 times."),
        (ALWAYS, {"at_ms": 9000}, "At 0:09.0 this was not the case."),
        (ONCE, {"at_ms": 9000, "seq": 1, "verdict": CheckVerdict.LOST}, "At 0:09.0 it could no longer happen: "),
        (NEVER, {"at_ms": 0, "seq": 1}, "0:00.0 Deployment web has everything it asks for."),
        (NEVER, {"at_ms": 9000, "seq": 1}, "At 0:09.0 this was the state, since 0:00.0: "),
        (ONCE, {"at_ms": 9000, "near_seq": 1, "near": Near.LATE}, "It came -9.0 s too late: 0:00.0 "),
        (ONCE, {"at_ms": 9000, "near_seq": 1, "near": Near.EARLY}, "It came too early to count: 0:00.0 "),
        (ONCE, {"at_ms": 9000, "near_seq": 1, "near": ""}, "The closest record: 0:00.0 "),
    ],
)
def test_reason_says_what_was_decided_and_what_came_closest(check, fields, told):
    result = CheckResult(**{"id": "c", "verdict": CheckVerdict.BROKEN} | fields)
    found = reason(check, result, [COMPLETE])
    assert found == told if told.endswith(".") or not told else told in found
