"""One small case of our own per family: the document form is read as the README of the cases says."""

import pytest

from simulator.fidelity.cases.families import FAMILIES
from simulator.fidelity.cases.run import run_case
from simulator.fidelity.cases.table import Case

POD = {"metadata": {"name": "p"}, "spec": {"nodeName": "n", "containers": [{"name": "c"}]}, "status": {"phase": "Running"}}
NOW = "2024-01-01T00:00:10Z"
RUNNING = {"name": "c", "containerID": "x://1", "started": True, "state": {"running": {"startedAt": "2024-01-01T00:00:00Z"}}}
PROBE_STEPS = [
    {"op": "setStatus", "status": {"phase": "Running", "containerStatuses": [RUNNING]}},
    {"op": "probe", "outcome": "failure", "now": NOW},
    {"op": "setStarted", "value": False},
    {"op": "probe", "outcome": "success", "now": NOW},
    {"op": "deletePod"},
    {"op": "probe", "outcome": "success", "now": NOW},
]
BACKOFF_STEPS = [
    {"op": "has", "at": 0},
    {"op": "next", "at": 0},
    {"op": "inBackOffSince", "at": 1, "event": 0},
    {"op": "get", "at": 1},
    {"op": "gc", "at": 99},
    {"op": "has", "at": 99},
    {"op": "next", "at": 99},
    {"op": "reset", "at": 99},
    {"op": "get", "at": 99},
]
NAMELESS = {"metadata": {"name": "p"}, "spec": {"containers": []}}
CASES = {
    "active_deadline": (
        {"pod": {"spec": {"activeDeadlineSeconds": 10}, "status": {"startTime": "2024-01-01T00:00:00Z"}}, "now": NOW},
        {"exceeded": True, "reason": "DeadlineExceeded"},
    ),
    "backoff": (
        {"initialSeconds": 2, "maxSeconds": 8, "steps": BACKOFF_STEPS},
        {"steps": [False, None, True, 2, None, False, None, None, 0]},
    ),
    "conditions": (
        {"conditionType": "Initialized", "spec": {"containers": []}, "containerStatuses": [], "phase": "Running"},
        {"type": "Initialized", "status": "True"},
    ),
    "defaulting": ({"pod": NAMELESS}, {"values": {"/spec/restartPolicy": "Always"}}),
    "downward_api": ({"op": "envFieldRef", "pod": {"status": {"podIP": "1.2.3.4"}}, "fieldPath": "status.podIP"}, {"value": "1.2.3.4"}),
    "human_duration": ({"format": "short", "nanoseconds": 61_000_000_000}, {"text": "1m"}),
    "image_pull": (
        {
            "policy": "Always",
            "imagePresent": False,
            "inspectFails": False,
            "pullFails": True,
            "backoffInitialSeconds": 2,
            "backoffMaxSeconds": 8,
            "attemptAtSeconds": [1, 2],
        },
        {"attempts": [{"pulled": True, "reason": "ErrImagePull"}, {"pulled": False, "reason": "ImagePullBackOff"}]},
    ),
    "phase": ({"pod": POD, "podIsTerminal": False, "podHasInitialized": False}, {"phase": "Pending"}),
    "pod_actions": ({"pod": POD, "sandboxes": [], "containerStatuses": []}, {"killPod": True, "containersToStart": ["c"]}),
    "pod_available": (
        {"pod": {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, "minReadySeconds": 0, "now": NOW},
        {"available": True},
    ),
    "pod_requests": ({"pod": {"spec": {"overhead": {"cpu": "100m"}}}, "options": {}}, {"requests": {"cpu": "0.1"}, "limits": {}}),
    "printed_status": ({"pod": POD, "now": NOW}, {"ready": "0/1", "status": "Running", "restarts": "0", "readinessGates": "<none>"}),
    "probe_worker": (
        {"probeType": "liveness", "probe": {"failureThreshold": 2}, "restartPolicy": "Always", "containerName": "c", "steps": PROBE_STEPS},
        {
            "probes": [
                {"continue": True, "result": "Success", "resultRun": 1},
                {"continue": True, "resultRun": 1},
                {"continue": False, "result": "Success"},
            ]
        },
    ),
    "qos": ({"pod": POD}, {"qosClass": "BestEffort"}),
    "quantity": ({"op": "parse", "text": "1.5Gi"}, {"valid": True, "value": "1610612736", "canonical": "1536Mi"}),
    "termination_grace": (
        {"op": "checkGracefulDelete", "pod": POD, "deleteOptions": {"gracePeriodSeconds": 7}},
        {"gracePeriodSeconds": 7, "immediate": False},
    ),
    "validation_create": ({"pod": NAMELESS}, {"valid": False, "errors": [{"type": ["Required"], "field": "spec.containers"}]}),
    "validation_update": (
        {"subresource": "", "old": NAMELESS, "new": NAMELESS},
        {"valid": False, "errors": [{"type": "Required", "field": ["spec.containers"]}]},
    ),
}


@pytest.mark.parametrize("family", sorted(CASES))
def test_family_answers_a_case(family):
    case_input, expected = CASES[family]
    outcome = run_case(family, Case("own", case_input, expected))
    assert outcome.passed, outcome.got


@pytest.mark.parametrize("family", sorted(CASES))
def test_family_fails_a_case_that_expects_something_else(family):
    expected = {"pod_requests": {"requests": {"cpu": "9"}}, "validation_create": {"valid": True}, "validation_update": {"valid": True}}.get(
        family, {"nonsense": 1}
    )
    assert not FAMILIES[family].agrees(expected, {"requests": {}, "valid": False, "errors": []})
