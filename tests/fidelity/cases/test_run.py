import json

import pytest

from simulator.fidelity.cases.agreement import covers, covers_with_sets
from simulator.fidelity.cases.run import as_json, run_family
from simulator.fidelity.cases.table import Case, load_families

GOOD = Case("good", {"format": "human", "nanoseconds": 0}, {"text": "0s"})
WRONG = Case("wrong", {"format": "human", "nanoseconds": 0}, {"text": "1s"})
BROKEN = Case("broken", {}, {"text": "1s"})


def test_report_counts_and_names_what_failed():
    report = run_family("human_duration", (GOOD, WRONG, BROKEN))
    assert list(report.lines()) == ["human_duration 1/3", "  wrong", "  broken"]


def test_report_keeps_the_error_as_what_was_got():
    assert run_family("human_duration", (BROKEN,)).outcomes[0].got == "KeyError: 'format'"


def test_report_says_so_when_a_family_has_no_evaluator():
    report = run_family("weather", (GOOD,))
    assert (list(report.lines()), report.has_failed) == (["weather: not implemented"], True)


def test_report_passes_when_every_case_does():
    assert not run_family("human_duration", (GOOD,)).has_failed


def test_as_json_lists_every_outcome():
    reports = [run_family("human_duration", (GOOD,)), run_family("weather", ())]
    assert as_json(reports) == {"human_duration": {"good": {"passed": True, "got": {"text": "0s"}}}, "weather": {}}


def test_load_families_reads_all_files_or_the_named_ones(tmp_path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"cases": [{"id": name, "input": {}, "expected": {}}]}))
    assert list(load_families(tmp_path)) == ["a", "b"]
    assert load_families(tmp_path, ("b",)) == {"b": (Case("b", {}, {}),)}


def test_load_families_fails_when_a_named_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_families(tmp_path, ("a",))


@pytest.mark.parametrize(
    ("expected", "got", "result"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"b": 2}, False),
        ({"a": [{"x": 1}]}, {"a": [{"x": 1, "y": 2}]}, True),
        ({"a": [1]}, {"a": [1, 2]}, False),
        ({"a": True}, {"a": 1}, False),
        ({"a": None}, {"a": None}, True),
    ],
)
def test_covers_compares_only_expected_keys(expected, got, result):
    assert covers(expected, got) is result


def test_covers_with_sets_ignores_the_order_of_named_lists():
    assert covers_with_sets({"a": [1, 2]}, {"a": [2, 1]}, sets=("a",))
    assert not covers_with_sets({"b": [1, 2]}, {"b": [2, 1]}, sets=("a",))
