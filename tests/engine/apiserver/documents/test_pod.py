"""Fields of a pod's status that are not stored in its row."""

from typing import Any

import pytest

from simulator.engine.acts.pods.debug import DebugPod
from simulator.engine.apiserver.documents.pod import pod_document
from tests.engine.worlds import container, header, pod, run

VOLUMES = [{"name": "v", "emptyDir": {}}]
TOKEN = {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": True, "recursiveReadOnly": "Disabled"}


def mounts(kubernetes: str, *written: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The mounts in the status of a container with these, except the token's; None if the status has no such field."""
    document = pod(container("sleep 600", volumeMounts=list(written)), volumes=VOLUMES, automountServiceAccountToken=False)
    world, _ = run(header(document, kubernetes=kubernetes), 5)
    shown: list[dict[str, Any]] | None = pod_document(world, "default/p")["status"]["containerStatuses"][0].get("volumeMounts")
    return shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ({}, {}),
        ({"readOnly": False}, {}),
        ({"readOnly": True}, {"readOnly": True, "recursiveReadOnly": "Disabled"}),
        ({"readOnly": True, "recursiveReadOnly": "Disabled"}, {"readOnly": True, "recursiveReadOnly": "Disabled"}),
        ({"readOnly": True, "recursiveReadOnly": "IfPossible"}, {"readOnly": True, "recursiveReadOnly": "Enabled"}),
        ({"readOnly": True, "recursiveReadOnly": "Enabled"}, {"readOnly": True, "recursiveReadOnly": "Enabled"}),
        ({"subPath": "x"}, {}),
    ],
)
def test_status_of_a_container_names_its_mounts(written: dict[str, Any], shown: dict[str, Any]) -> None:
    place = {"name": "v", "mountPath": "/v"}
    assert mounts("1.31", {**place, **written}) == [{**place, **shown}]


def test_status_names_no_mounts_before_1_31() -> None:
    assert mounts("1.30", {"name": "v", "mountPath": "/v"}) is None


def test_status_without_mounts_has_no_such_field() -> None:
    assert mounts("1.31") is None


def test_every_kind_of_container_has_its_own_mounts() -> None:
    document = pod(
        container("sleep 600"),
        initContainers=[container("true", name="first", volumeMounts=[{"name": "v", "mountPath": "/i"}])],
        volumes=VOLUMES,
    )
    world, _ = run(header(document, kubernetes="1.34"), 10, (5, DebugPod(target="default/p", container="look", image="busybox:1.28")))
    status = pod_document(world, "default/p")["status"]
    token = status["containerStatuses"][0]["volumeMounts"]
    assert [{key: mount[key] for key in mount if key != "name"} for mount in token] == [TOKEN]
    assert [mount["mountPath"] for mount in status["initContainerStatuses"][0]["volumeMounts"]] == ["/i", TOKEN["mountPath"]]
    assert "volumeMounts" not in status["ephemeralContainerStatuses"][0]
