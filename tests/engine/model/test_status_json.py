import pytest

from simulator.engine.kernel.errors import BadManifest
from simulator.engine.model.status import Running, Terminated, Waiting
from simulator.engine.model.status_json import from_state, from_status, to_state, to_status

STATUS = {
    "phase": "Running",
    "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2024-01-01T00:00:05Z"}],
    "startTime": "2024-01-01T00:00:00Z",
    "podIP": "10.0.0.1",
    "containerStatuses": [
        {
            "name": "a",
            "ready": True,
            "started": True,
            "restartCount": 1,
            "containerID": "containerd://x",
            "state": {"running": {"startedAt": "2024-01-01T00:00:04Z"}},
            "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": "2024-01-01T00:00:03Z"}},
        }
    ],
}


def test_status_survives_reading_and_writing():
    status = to_status(STATUS)
    assert to_status(from_status(status)) == status


def test_status_writes_times_from_the_epoch_of_the_run():
    assert from_state(Running(5000), 1_704_067_200_000) == {"running": {"startedAt": "2024-01-01T00:00:05Z"}}


@pytest.mark.parametrize(
    ("document", "expected"),
    [(None, None), ({}, None), ({"waiting": {}}, Waiting()), ({"running": {}}, Running()), ({"terminated": {}}, Terminated())],
)
def test_to_state_takes_the_field_that_is_set(document, expected):
    assert to_state(document) == expected


def test_to_status_refuses_a_bad_time():
    with pytest.raises(BadManifest):
        to_status({"startTime": "yesterday"})


def test_container_that_never_started_began_at_the_runtimes_zero() -> None:
    ended = {"exitCode": 128, "reason": "StartError", "startedAt": "1970-01-01T00:00:00Z", "finishedAt": "2024-01-01T00:00:05Z"}
    state = to_state({"terminated": ended})
    assert isinstance(state, Terminated) and state.started_ms is None
    assert from_state(state) == {"terminated": ended}


def test_container_that_is_lost_has_no_times() -> None:
    assert from_state(Terminated(137, "ContainerStatusUnknown")) == {"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown"}}
