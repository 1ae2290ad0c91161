"""``manage.py sweep`` as used on the command line."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: app
    image: busybox:1.28
    command: [sh, -c, "sleep 7; touch /tmp/ok; sleep 600"]
    readinessProbe: {exec: {command: [cat, /tmp/ok]}, periodSeconds: 5}
"""
PERIOD = "spec.containers[0].readinessProbe.periodSeconds"


@pytest.fixture
def manifest(tmp_path: Path) -> str:
    """A pod that becomes ready after a while."""
    path = tmp_path / "web.yaml"
    path.write_text(POD)
    return str(path)


def sweep(*words: str) -> str:
    """The output of the command."""
    out = StringIO()
    call_command("sweep", *words, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_sweep_prints_a_row_for_each_value(manifest: str) -> None:
    lines = sweep("-f", manifest, "--field", PERIOD, "--values", "5..10/5", "--seeds", "1..2", "--for", "30s", "--jobs", "1").splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["value", "happened"], ["5", "2/2"], ["10", "2/2"]]


def test_sweep_prints_every_cell_as_json(manifest: str) -> None:
    found = json.loads(sweep("-f", manifest, "--field", PERIOD, "--values", "5", "--seeds", "1..2", "--jobs", "1", "--json"))
    assert [cell["seed"] for cell in found["values"][0]["cells"]] == [1, 2] and found["unit"] == "ms"


def test_script_is_played_in_every_run(manifest: str, tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("- {at: 15, delete: {names: [web]}}\n")
    grace = ("--field", "spec.terminationGracePeriodSeconds", "--values", "2", "--seeds", "1", "--jobs", "1", "--for", "30s")
    found = json.loads(sweep("-f", manifest, "--script", str(script), *grace, "--outcome", "time-to-gone", "--json"))
    assert 2_000 <= found["values"][0]["cells"][0]["value"] < 4_000


def test_script_that_writes_the_field_is_refused_with_its_line(manifest: str, tmp_path: Path) -> None:
    steps = tmp_path / "script.yaml"
    steps.write_text(
        "# two steps\n- {at: 9, delete: {names: [web]}}\n- at: 5\n  patch: {name: web, body: {spec: {activeDeadlineSeconds: 9}}}\n"
    )
    asked = ("--field", "spec.activeDeadlineSeconds", "--values", "1..2", "--script", str(steps))
    with pytest.raises(CommandError, match=r"script\.yaml:3: --field: An action in the run sets this field at 5 s"):
        sweep("-f", manifest, *asked)


def test_refused_act_is_reported_and_its_runs_are_not_counted(manifest: str, tmp_path: Path) -> None:
    steps = tmp_path / "script.yaml"
    steps.write_text("- {at: 5, delete: {names: [other]}}\n")
    found = sweep("-f", manifest, "--field", PERIOD, "--values", "5", "--seeds", "1..2", "--jobs", "1", "--script", str(steps))
    assert "0/0" in found and "2 × 5 s, Delete default/other: There is no pod with that name at this moment." in found


def test_sweep_lists_fields_and_outcomes(manifest: str) -> None:
    assert f"{PERIOD}  (5, written)" in sweep("-f", manifest, "--fields")
    assert "events:REASON" in sweep("--outcomes")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--field", "spec.x", "--values", "1"), "--field: Pod has no field spec.x."),
        (("--field", PERIOD, "--values", "x"), "--values: “x” is not a whole number."),
        (("--field", PERIOD, "--values", "1", "--seeds", "x"), "--seeds: “x” is not a whole number."),
        (("--field", PERIOD, "--values", "1", "--outcome", "x"), "--outcome: “x” is not an outcome"),
        (("--field", PERIOD, "--values", "1", "--for", "x"), "--for: x is not a duration"),
        (("--field", PERIOD, "--values", "1", "--for", "48h"), "--for: A run in a sweep can last"),
        (("--field", PERIOD), "--values is missing"),
        (("--field", PERIOD, "--values", "1", "--jobs", "-1"), "--jobs"),
    ],
)
def test_option_that_cannot_be_used_is_named(manifest: str, words: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError) as refused:
        sweep("-f", manifest, *words)
    assert said in str(refused.value)


def test_manifest_is_needed() -> None:
    with pytest.raises(CommandError, match="--manifest is missing"):
        sweep("--field", PERIOD)
