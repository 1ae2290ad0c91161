"""The promises of a story, checked with hand-made records."""

import json
from pathlib import Path

import msgspec
import pytest

from simulator.engine.kernel.records import Record
from simulator.scenarios.expect import Expectation, broken, fulfilment, horizon_ms, verdict
from simulator.scenarios.grading.spans import span_ms

CASES = json.loads((Path(__file__).parent / "checks.json").read_text())
RUN = [
    Record(1, 1000, "transition", "pod/default/web", "phase", "Pending", "", "Running", 0, "PHASE"),
    Record(2, 3000, "command", "pod/default/web", "command", "", "", "accepted", 0, "COMMAND", (("grace_s", 1), ("force", False))),
    Record(3, 5000, "transition", "pod/default/web", "phase", "Running", "", "Failed", 2, "PHASE"),
]
"""The run of these cases; the browser's test has the same one."""


def record(at_ms, target, **data):
    return Record(1, at_ms, "transition", "pod/default/web", "status_word", "", "", target, 0, "RULE", tuple(data.items()))


def test_span_reads_decimals_exactly():
    assert span_ms("20.5s") == 20_500


def test_expectation_is_kept_when_a_record_comes_in_time():
    wanted = Expectation(by="10s", machine="status_word", target="Running")
    assert broken([wanted], [record(10_000, "Running")]) == []


def test_expectation_is_broken_when_the_record_comes_late():
    wanted = Expectation(by="10s", target="Running")
    assert broken([wanted], [record(10_001, "Running")]) == [wanted]


def test_expectation_is_broken_when_the_record_comes_too_seldom():
    wanted = Expectation(by="10s", target="Running", times=2)
    assert broken([wanted], [record(1, "Running")]) == [wanted]


def test_never_is_broken_when_the_record_comes():
    wanted = Expectation(by="10s", target="Failed", never=True)
    assert broken([wanted], [record(5, "Failed")]) == [wanted]


@pytest.mark.parametrize(
    ("wanted", "at_ms"),
    [
        (Expectation(by="10s", target="Failed"), 9000),
        (Expectation(by="9s", target="Failed"), 9000),
        (Expectation(by="8s", target="Failed"), None),
        (Expectation(by="10s", target="Failed", times=2), None),
        (Expectation(by="10s", target="Failed", never=True), None),
        (Expectation(by="8s", target="Failed", never=True), None),
    ],
)
def test_statement_comes_true_with_the_record_that_it_waits_for_and_with_none_that_comes_too_late(wanted, at_ms):
    found = fulfilment(wanted, [record(1000, "Running"), record(9000, "Failed"), record(12_000, "Running")])
    assert (None if found is None else found.at_ms) == at_ms


def test_data_tells_false_from_zero():
    wanted = Expectation(by="10s", data={"exit_code": 0})
    assert broken([wanted], [record(5, "terminated", exit_code=False)]) == [wanted]


def test_horizon_is_the_last_moment_of_all():
    assert horizon_ms([Expectation(by="10s"), Expectation(by="3s")]) == 10_000


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_verdict_on_a_run(case):
    assert verdict(msgspec.convert(case["check"], Expectation), RUN, now_ms=case["now_ms"]) == case["verdict"]


@pytest.mark.parametrize("wrong", [{"never": True}, {"within": "3s"}, {"after": {"kind": "command"}}])
def test_statement_that_lacks_a_part_is_refused(wrong):
    with pytest.raises(msgspec.ValidationError, match="needs by|belong together"):
        msgspec.convert(wrong, Expectation)
