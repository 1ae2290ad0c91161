import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command


@pytest.fixture
def cases(tmp_path):
    case = {"id": "zero", "input": {"format": "human", "nanoseconds": 0}, "expected": {"text": "0s"}}
    (tmp_path / "human_duration.json").write_text(json.dumps({"cases": [case]}))
    return tmp_path


def run(*arguments):
    out = StringIO()
    call_command("conformance", *map(str, arguments), stdout=out)
    return out.getvalue()


def test_conformance_prints_one_line_per_family(cases):
    assert run("--cases", cases) == "human_duration 1/1\n"


def test_conformance_exits_1_when_a_family_fails(cases):
    (cases / "weather.json").write_text('{"cases": []}')
    with pytest.raises(SystemExit) as stopped:
        run("--cases", cases)
    assert stopped.value.code == 1


def test_conformance_writes_outcomes_as_json(cases, tmp_path):
    run("human_duration", "--cases", cases, "--json", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["human_duration"]["zero"]["passed"]


def test_conformance_refuses_a_missing_directory(tmp_path):
    with pytest.raises(CommandError):
        run("--cases", tmp_path / "none")


def test_conformance_refuses_a_missing_family(cases):
    with pytest.raises(CommandError):
        run("weather", "--cases", cases)
