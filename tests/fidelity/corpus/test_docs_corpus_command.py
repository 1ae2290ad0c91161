"""``manage.py docs_corpus``: its output and when it fails."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: 'nginx:1.25'}]}\n"


def written(tmp_path, phase):
    """A corpus directory with one example that promises a phase."""
    promise = {"id": "web#1", "what": "phase", "op": "eq", "value": phase, "at_s": 20}
    index = {"examples": [{"name": "web", "manifest": "web.yaml", "kinds": ["Pod"], "expectations": [promise]}]}
    (tmp_path / "index.json").write_text(json.dumps(index), encoding="utf-8")
    (tmp_path / "web.yaml").write_text(POD, encoding="utf-8")
    return tmp_path


def test_command_prints_totals_when_everything_holds(tmp_path):
    out = StringIO()
    call_command("docs_corpus", written(tmp_path, "Running"), stdout=out)
    assert out.getvalue().splitlines() == ["web 1/1", "total 1/1 hold (100.0 %), 0 left out: they need a controller"]


def test_command_fails_with_the_reason_when_a_promise_does(tmp_path):
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("docs_corpus", written(tmp_path, "Failed"), stdout=out)
    assert "web#1: found 'Running'" in out.getvalue()


def test_command_writes_json_when_asked(tmp_path):
    call_command("docs_corpus", written(tmp_path, "Running"), json=tmp_path / "out.json", stdout=StringIO())
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))[0]["held"] == 1


@pytest.mark.parametrize("names", [["nobody"], []])
def test_command_refuses_when_there_is_no_such_example_or_index(tmp_path, names):
    directory = written(tmp_path, "Running") if names else tmp_path
    with pytest.raises(CommandError):
        call_command("docs_corpus", directory, *names, stdout=StringIO())
