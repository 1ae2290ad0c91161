"""Levels as TOML: which values stand on one line; and results of their tests."""

import tomllib
from typing import Any

import pytest

from simulator.levels import results
from simulator.levels.writing import inline_toml, lean, lines_toml
from simulator.scenarios.grading.check import Check
from simulator.scenarios.grading.patterns import RecordPattern


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (["a", "b"], 1),
        (["a" * 60, "b" * 60], 4),
        (["a" * 46, "b" * 46], 1),
        (["a" * 46, "b" * 47], 4),
        ([{"do": "delete_pod"}], 3),
        ({"do": "delete_pod"}, 1),
        ([], 1),
        ("one", 1),
        ("one\ntwo", 3),
        ("it's\n\x07so", 3),
        ("a" * 200, 1),
        (True, 1),
    ],
)
def test_value_is_written_over_several_lines_where_one_would_be_hard_to_read(value: Any, lines: int) -> None:
    text = lines_toml({"it": value})
    assert tomllib.loads(text) == {"it": value}
    assert len(text.rstrip("\n").split("\n")) == lines


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", '"plain"'),
        ("it's", '"it\'s"'),
        ('say "so"', "'say \"so\"'"),
        ("a\\b", "'a\\b'"),
        ('"a\\b"', "'\"a\\b\"'"),
        ('it\'s "so"', "'''it's \"so\"'''"),
        ('"so" it is\'', '"\\"so\\" it is\'"'),
        ("a'''b\"", "\"a'''b\\\"\""),
        ('"\x07"', '"\\"\\u0007\\""'),
    ],
)
def test_text_is_written_in_the_quotes_that_need_the_fewest_escapes(value: str, text: str) -> None:
    assert inline_toml(value) == text
    assert tomllib.loads(f"it = {text}") == {"it": value}


def test_fields_that_have_their_defaults_are_left_out() -> None:
    check = Check(id="a", never=RecordPattern(machine="stop", data={"exit_code": 0}))
    assert lean(check) == {"id": "a", "never": {"machine": "stop", "data": {"exit_code": 0}}}
    assert lean(Check(id="a", at_most=RecordPattern(machine="stop"), times=0))["times"] == 0


@pytest.mark.parametrize(
    ("statuses", "message", "status"),
    [
        (["pass", "pass"], None, "pass"),
        (["pass", "fail"], None, "fail"),
        (["fail", "fail"], None, "fail"),
        ([], None, "fail"),
        (["pass"], "no level", "error"),
    ],
)
def test_results_pass_where_all_tests_do(statuses: list[Any], message: str | None, status: str) -> None:
    rows = [results.TestRow(name=str(n), status=each) for n, each in enumerate(statuses)]
    assert results.results_of(rows, message=message).status == status
