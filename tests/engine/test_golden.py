"""Golden stories: a manifest, what is done to it, and everything that happens, as a text that reads as a story.

A file is YAML (title, kubernetes, for, pods, nodes, gates …), a line of dashes, and the expected lines. ``make golden`` rewrites
the lines; read the difference and explain it in the commit.
"""

from pathlib import Path

import pytest
import yaml

from simulator.engine import Record
from simulator.engine.rules.rulebook import RULEBOOK
from tests.engine.stories import told

FOLDER = Path(__file__).parent / "golden"
SHOWN = (
    "object",
    "status_word",
    "phase",
    "condition",
    "container",
    "stop",
    "hook",
    "probe",
    "probe_attempt",
    "sandbox",
    "volumes",
    "k8s_event",
    "eviction",
    "resize",
    "user_namespace",
    "command",
    "note",
    "api_object",
    "budget",
    "workload",
    "pod_eviction",
    "requests",
)
NODE_MACHINES = ("node_condition", "taint", "taint_eviction", "kubelet", "runtime", "network", "uplink", "shutdown", "static_pod", "drain",
                 "orphan", "status_report")  # fmt: skip
"""Shown too where the story says how many nodes there are."""
HIDDEN_DATA = ("uid", "group", "component", "field_path", "ip", "pod_ready", "deleting", "scheduled")
"""The last three stand in lines of their own: the condition Ready, the object, the condition PodScheduled."""


def line(record: Record) -> str:
    """One record as one line: time, what, of what, why."""
    name = record.subject.partition("/")[2].removeprefix("default/") or record.subject
    change = f"{record.source} → {record.target}" if record.source else record.target
    data = ", ".join(f"{key}={value}" for key, value in record.data if key not in HIDDEN_DATA and value not in ("", None))
    said = data.replace("\r", "␍").replace("\n", "⏎")
    return f"{record.at_ms / 1000:8.3f}  {name:18} {record.machine:14} {change:34} {record.rule:24} {said}".rstrip()


def story(text: str) -> str:
    """The expected part of a golden file, from what the engine does now."""
    given = yaml.safe_load(text)
    _, records = told("", given).play()
    assert [record.rule for record in records if record.rule not in RULEBOOK] == []
    shown = (*SHOWN, *(NODE_MACHINES if "nodes" in given else ()))
    return "\n".join(line(record) for record in records if record.machine in shown and not is_given(record)) + "\n"


def is_given(record: Record) -> bool:
    """Whether the record only tells that a node begins healthy."""
    return record.machine == "node_condition" and not record.source


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_story_goes_as_written(path: Path, golden) -> None:  # noqa: ANN001 - a fixture of the root conftest
    text, _, _ = path.read_text(encoding="utf-8").partition("\n----\n")
    golden(path, f"{text}\n----\n{story(text)}")
