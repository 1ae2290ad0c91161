"""The clues in pods and Events that are pasted as YAML or JSON: which parts are read, and which are left alone."""

import json
from typing import Any

import pytest

from simulator.remedies.from_yaml import clues_of_yaml

METADATA = {"name": "web", "namespace": "prod"}
RUNNING = {"phase": "Running"}


def pod(status: Any, **metadata: Any) -> str:
    return json.dumps({"kind": "Pod", "metadata": METADATA | metadata, "status": status})


def event(**fields: Any) -> str:
    about = {"kind": "Pod", "name": "web", "namespace": "prod"}
    return json.dumps({"kind": "Event", "involvedObject": about, "reason": "BackOff", "type": "Warning", **fields})


def found(text: str) -> list[tuple[str, str, str]]:
    return [(clue.kind, clue.word, clue.said) for clue in clues_of_yaml(text).found]


@pytest.mark.parametrize("text", [pod({}), pod(None), pod(RUNNING, name=""), pod("Running")])
def test_pod_without_a_name_or_a_status_is_none(text: str) -> None:
    assert clues_of_yaml(text).pods == {}


@pytest.mark.parametrize(
    ("condition", "clues"),
    [
        ({"reason": "ContainersNotReady", "status": "False"}, [("condition", "ContainersNotReady", "")]),
        ({"reason": "ContainersNotReady", "status": False}, [("condition", "ContainersNotReady", "")]),
        ({"reason": "PodCompleted", "status": "True"}, []),
        ({"status": "False"}, []),
    ],
)
def test_condition_that_is_false_for_a_reason_is_a_clue(condition: dict[str, Any], clues: list[tuple[str, str, str]]) -> None:
    assert found(pod({**RUNNING, "conditions": [{"type": "Ready", **condition}]})) == clues


@pytest.mark.parametrize(
    ("status", "metadata", "clues"),
    [
        ({"phase": "Pending"}, {}, [("status", "Pending", "")]),
        ({"phase": "Pending", "containerStatuses": [{"name": "a"}]}, {}, []),
        (RUNNING, {}, []),
        ({"phase": "Pending"}, {"deletionTimestamp": "2026-05-01T10:00:00Z"}, [("status", "Terminating", "")]),
        (RUNNING, {"deletionTimestamp": "x", "finalizers": ["a/b"]}, [("status", "Terminating", "metadata.finalizers")]),
        ({"phase": "Failed", "reason": "Evicted", "message": "low on memory"}, {}, [("pod", "Evicted", "low on memory")]),
    ],
)
def test_pod_that_waits_or_goes_has_that_as_its_status(
    status: dict[str, Any], metadata: dict[str, Any], clues: list[tuple[str, str, str]]
) -> None:
    assert found(pod(status, **metadata)) == clues


@pytest.mark.parametrize(
    ("field", "state", "is_clue"),
    [
        ("state", {"waiting": {"reason": "ErrImagePull"}}, True),
        ("lastState", {"waiting": {"reason": "ErrImagePull"}}, True),
        ("state", {"terminated": {"reason": "Error", "exitCode": 3}}, True),
        ("state", {"terminated": {"reason": "Error"}}, True),
        ("lastState", {"terminated": {"reason": "Error", "exitCode": 3}}, True),
        ("lastState", {"terminated": {"reason": "Error"}}, False),
        ("state", {"waiting": {"message": "without a reason"}}, False),
        ("state", {"running": {"startedAt": "2026-05-01T10:00:00Z"}}, False),
        ("state", {"waiting": {}}, False),
    ],
)
def test_state_of_a_container_is_a_clue_where_it_says_why(field: str, state: dict[str, Any], is_clue: bool) -> None:
    clues = clues_of_yaml(pod({**RUNNING, "containerStatuses": [{"name": "app", field: state}]})).found
    assert [(clue.container, clue.is_last) for clue in clues] == ([("app", field == "lastState")] if is_clue else [])


@pytest.mark.parametrize(
    ("fields", "clues"),
    [
        ({"message": "Back-off"}, [("event", "BackOff", "Back-off")]),
        ({"note": "Back-off"}, [("event", "BackOff", "Back-off")]),
        ({"message": "one", "note": "other"}, [("event", "BackOff", "one")]),
        ({"reason": 7}, []),
        ({"involvedObject": {"kind": "Node", "name": "web"}}, []),
        ({"involvedObject": {"kind": "Pod"}}, []),
        ({"involvedObject": None, "regarding": {"kind": "Pod", "name": "web"}}, [("event", "BackOff", "")]),
    ],
)
def test_event_about_a_pod_is_a_clue(fields: dict[str, Any], clues: list[tuple[str, str, str]]) -> None:
    assert found(event(**fields)) == clues
