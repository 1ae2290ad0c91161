"""The run that repeats a recording: with the nodes that existed then."""

import json
import re
from pathlib import Path

import pytest

from simulator.fidelity.recordings.played import read_recordings
from simulator.fidelity.recordings.traces import trace_of

SPEC = "{containers: [{name: a, image: busybox, resources: {requests: {cpu: '100'}}}]}"
POD = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {SPEC}\n"
TOLD = "0/1 nodes are available: 1 Insufficient cpu."


def recorded(folder: Path, *, message: str, manifest: str = POD) -> dict[str, object]:
    """The trace of the run that repeats a recording with that message, made on a cluster whose file now has two nodes."""
    (folder / "cluster.yaml").write_text("nodes: [{name: node1}, {name: node2}]\nimages: {present: ['busybox:latest']}\n", encoding="utf-8")
    (folder / "one.yaml").write_text(manifest, encoding="utf-8")
    seen = {"kubernetes": "v1.20.2", "duration": 5, "pods": {"p": {"events": [{"message": message}]}}}
    (folder / "one.json").write_text(json.dumps(seen), encoding="utf-8")
    ((item,), _) = read_recordings(folder, folder / "cluster.yaml")
    return trace_of(item)


def counted(trace: dict[str, object]) -> set[str]:
    """How many nodes the scheduler of the run evaluated."""
    return set(re.findall(r"0/(\d+) nodes", json.dumps(trace)))


def test_node_that_the_recorded_scheduler_did_not_count_was_not_there(tmp_path: Path) -> None:
    assert TOLD in json.dumps(recorded(tmp_path, message=TOLD))


@pytest.mark.parametrize("message", ["0/2 nodes are available: 2 Insufficient cpu.", "Stopping container a"])
def test_all_nodes_were_there_unless_the_recording_says_otherwise(tmp_path: Path, message: str) -> None:
    assert counted(recorded(tmp_path, message=message)) == {"2"}


def test_node_that_the_recording_names_was_there_whatever_was_counted(tmp_path: Path) -> None:
    assert counted(recorded(tmp_path, message=TOLD, manifest=POD.replace("{name: p}", "{name: p, labels: {of: node2}}"))) == {"2"}


def test_wrong_count_of_the_nodes_there_is_still_reported(tmp_path: Path) -> None:
    """Only nodes of the file can be omitted: a recording that counts more of them than exist differs."""
    assert counted(recorded(tmp_path, message="0/3 nodes are available: 3 Insufficient cpu.")) == {"2"}
