"""Why a check was not kept, in words."""

import pytest

from simulator.engine.kernel.records import Record
from simulator.levels.words import clock, reason
from simulator.scenarios.grading.attempt import grade
from simulator.scenarios.grading.check import Check
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
