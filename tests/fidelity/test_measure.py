"""Measuring against folders of facts: what is left out, what is counted, what is reported about a difference."""

import json
from pathlib import Path

import pytest

from simulator.fidelity.measure import measure_cases, measure_recordings
from simulator.fidelity.recordings.played import needs_controller

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: busybox, command: [sleep, '9']}]}\n"
COMPARE = """import json, pathlib
def main(argv):
    made = json.loads(pathlib.Path(argv[1]).read_text())
    words = [entry["kubectl_status"] for entry in made["pods"]["p"]["timeline"] if entry["type"] != "DELETED"]
    print("FAIL one: 3/4 aspects agree" if words[-1] == "Running" else "ok one: 4/4 aspects agree")
    print("     p phase: late")
    return 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One recording of a pod, and the program that judges it."""
    recordings = tmp_path / "recordings"
    recordings.mkdir()
    (recordings / "one.yaml").write_text(POD, encoding="utf-8")
    (recordings / "one.json").write_text(json.dumps({"kubernetes": "v1.20.2", "duration": -15}), encoding="utf-8")
    (tmp_path / "cluster.yaml").write_text("nodes: [{name: node1}]\nimages: {present: ['busybox:latest']}\n", encoding="utf-8")
    (tmp_path / "compare.py").write_text(COMPARE, encoding="utf-8")
    return recordings


@pytest.mark.parametrize("kind", ["ReplicationController"])
def test_manifest_with_a_controller_is_left_out(folder: Path, kind: str) -> None:
    (folder / "one.yaml").write_text(POD + f"---\napiVersion: x\nkind: {kind}\n", encoding="utf-8")
    assert needs_controller(folder, "one")


def test_step_that_creates_a_controller_is_left_out(folder: Path) -> None:
    (folder / "one.script.yaml").write_text("- at: 1\n  apply: |\n    kind: ReplicationController\n", encoding="utf-8")
    assert needs_controller(folder, "one")


def test_pod_is_measured(folder: Path) -> None:
    assert not needs_controller(folder, "one")


def test_recordings_are_simulated_and_their_differences_told(folder: Path) -> None:
    suite, differences = measure_recordings(folder, folder.parent / "cluster.yaml", folder.parent / "compare.py")
    assert (suite.agree, suite.total, suite.left_out) == (3, 4, 0)
    assert [(item.name, item.lines) for item in differences] == [("one", ("p phase: late",))]


def test_recording_that_cannot_be_simulated_does_not_drop_out(folder: Path) -> None:
    (folder / "one.yaml").write_text("kind: [", encoding="utf-8")
    with pytest.raises(ValueError, match="one could not be simulated"):
        measure_recordings(folder, folder.parent / "cluster.yaml", folder.parent / "compare.py")


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("", "has no function main"),
        ("raise OSError('gone')", "cannot be loaded: OSError: gone"),
        ("def main(argv): raise KeyError('t')", "one could not be compared: KeyError: 't'"),
        ("def main(argv): print('no idea')", "one could not be compared: no idea"),
        ("def main(argv): raise SystemExit(2)", "one could not be compared: SystemExit: 2"),
        ("def main(argv): pass", "one could not be compared: "),
    ],
)
def test_comparer_that_gives_no_verdict_is_told(folder: Path, program: str, told: str) -> None:
    (folder.parent / "compare.py").write_text(program, encoding="utf-8")
    with pytest.raises(ValueError, match=told):
        measure_recordings(folder, folder.parent / "cluster.yaml", folder.parent / "compare.py")


def test_cases_without_an_evaluator_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "no_such_family.json").write_text('{"family": "no_such_family", "cases": []}', encoding="utf-8")
    assert measure_cases(tmp_path) == []
