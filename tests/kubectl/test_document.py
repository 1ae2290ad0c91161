"""The Pod object at a moment."""

import json
from typing import Any

import pytest
import yaml

from simulator.engine import World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.apiserver.documents.pod import image_id, pod_document
from simulator.kubectl.pods import object_yaml
from tests.engine.worlds import container, header, pod, run

KEY = "default/p"


def document(seconds: float, *, script: str = "sleep 600", kubernetes: str = "1.30", **spec: Any) -> dict[str, Any]:
    world, _ = run(header(pod(container(script), **spec), kubernetes=kubernetes), seconds)
    return pod_document(world, KEY)


def deleted() -> World:
    return run(header(pod(container("sleep 600"))), 10, (5, DeletePod(target=KEY)))[0]


def test_document_keeps_every_field_that_the_version_knows() -> None:
    sent = pod(container(), dnsConfig={"options": [{"name": "ndots", "value": "2"}]}, imaginary={"deep": [1, None]})
    sent["metadata"]["annotations"] = {"note": "kept"}
    world, _ = run(header(sent), 1)
    shown = pod_document(world, KEY)
    assert shown["spec"]["dnsConfig"] == {"options": [{"name": "ndots", "value": "2"}]}
    assert "imaginary" not in shown["spec"]
    assert shown["metadata"]["annotations"] == {"note": "kept"}


def test_document_is_filled_in_by_the_system() -> None:
    shown = document(1)
    assert shown["spec"]["nodeName"] == "node1"
    assert shown["spec"]["serviceAccountName"] == "default"
    assert shown["metadata"]["creationTimestamp"] == "2026-01-01T00:00:00Z"


def test_status_is_only_phase_and_qos_when_the_pod_was_just_created() -> None:
    assert document(0)["status"] == {"phase": "Pending", "qosClass": "BestEffort"}


def test_running_container_has_ids_image_and_whole_second() -> None:
    status = document(5)["status"]["containerStatuses"][0]
    assert status["containerID"].startswith("containerd://") and len(status["containerID"]) == 13 + 64
    assert status["image"] == "docker.io/library/busybox:1.28"
    assert status["state"] == {"running": {"startedAt": "2026-01-01T00:00:00Z"}}


def test_container_that_was_never_created_has_no_ids() -> None:
    status = document(0.1)["status"]["containerStatuses"][0]
    assert (status["imageID"], status["image"], "containerID" in status) == ("", "busybox:1.28", False)


def test_last_state_has_the_id_of_the_instance_before() -> None:
    status = document(18.7, script="sleep 1; exit 3")["status"]["containerStatuses"][0]
    ended = status["lastState"]["terminated"]
    assert ended["exitCode"] == 3
    assert ended["containerID"].startswith("containerd://") and ended["containerID"] != status["containerID"]


def test_condition_carries_its_transition_in_whole_seconds() -> None:
    ready = next(item for item in document(5)["status"]["conditions"] if item["type"] == "Ready")
    assert ready == {"type": "Ready", "status": "True", "lastProbeTime": None, "lastTransitionTime": "2026-01-01T00:00:00Z"}


def test_deletion_is_in_the_metadata_when_the_pod_is_being_deleted() -> None:
    metadata = pod_document(deleted(), KEY)["metadata"]
    assert (metadata["deletionTimestamp"], metadata["deletionGracePeriodSeconds"]) == ("2026-01-01T00:00:35Z", 30)


@pytest.mark.parametrize(("kubernetes", "expected"), [("1.20", None), ("1.35", 1)])
def test_generation_is_shown_when_the_version_counts_it(kubernetes: str, expected: int | None) -> None:
    shown = document(5, kubernetes=kubernetes)
    assert shown["metadata"].get("generation") == expected
    assert shown["status"].get("observedGeneration") == expected


def changed(*before: tuple[float, AnyCommand], at: float, until: float) -> dict[str, Any]:
    """The pod after its image was changed, in the newest version."""
    body = {"spec": {"containers": [{"name": "app", "image": "nginx:1.16.1"}]}}
    patch = PatchPod(target=KEY, patch=json.dumps(body))
    return pod_document(run(header(pod(container("sleep 600")), kubernetes="1.35"), until, *before, (at, patch))[0], KEY)


def observed(shown: dict[str, Any], kind: str) -> int:
    return next(item["observedGeneration"] for item in shown["status"]["conditions"] if item["type"] == kind)


def test_observed_generation_is_what_the_kubelet_has_seen() -> None:
    shown = changed((5, NodeControl(node="node1", kubelet="stop")), at=6, until=10)
    assert (shown["metadata"]["generation"], shown["status"]["observedGeneration"], observed(shown, "Ready")) == (2, 1, 1)


def test_observed_generation_follows_when_the_kubelet_syncs() -> None:
    shown = changed(at=6, until=10)
    assert (shown["status"]["observedGeneration"], observed(shown, "Ready"), observed(shown, "PodScheduled")) == (2, 2, 2)


def test_condition_of_another_writer_names_the_generation_it_saw() -> None:
    shown = changed((5, NodeControl(node="node1", kubelet="stop")), at=6, until=120)
    assert (shown["status"]["observedGeneration"], observed(shown, "ContainersReady"), observed(shown, "Ready")) == (1, 1, 2)


def test_pod_that_no_kubelet_has_seen_has_no_observed_generation_of_its_status() -> None:
    world, _ = run(header(pod(container(), schedulingGates=[{"name": "example.com/wait"}]), kubernetes="1.35"), 1)
    status = pod_document(world, KEY)["status"]
    assert (status.get("observedGeneration"), [item["observedGeneration"] for item in status["conditions"]]) == (None, [1])


def test_image_of_a_status_is_that_of_the_instance_until_it_is_replaced() -> None:
    status = changed((5, NodeControl(node="node1", kubelet="stop")), at=6, until=10)["status"]["containerStatuses"][0]
    assert (status["image"], status["imageID"].partition("@")[0]) == ("docker.io/library/busybox:1.28", "docker.io/library/busybox")


def test_image_of_a_container_that_is_being_stopped_is_still_its_own() -> None:
    """The kubelet has seen the change and stops the container, which takes its grace period; meanwhile the status has the old image."""
    sidecar = container("exit 0", name="other")
    body = {"spec": {"containers": [{"name": "app", "image": "nginx:1.16.1"}]}}
    head = header(pod(container("trap '' TERM; while true; do sleep 1; done"), sidecar, restartPolicy="Never"), kubernetes="1.35")
    world, _ = run(head, 20, (6, PatchPod(target=KEY, patch=json.dumps(body))))
    status = next(item for item in pod_document(world, KEY)["status"]["containerStatuses"] if item["name"] == "app")
    assert ("running" in status["state"], status["image"]) == (True, "docker.io/library/busybox:1.28")


@pytest.mark.parametrize(("kubernetes", "prefix"), [("1.20", "default-token-"), ("1.21", "kube-api-access-")])
def test_token_volume_is_named_as_the_version_does(kubernetes: str, prefix: str) -> None:
    assert document(1, kubernetes=kubernetes)["spec"]["volumes"][-1]["name"].startswith(prefix)


def test_document_is_the_same_twice() -> None:
    assert json.dumps(document(5)) == json.dumps(document(5))


def test_document_of_an_unknown_pod_raises() -> None:
    with pytest.raises(KeyError):
        pod_document(deleted(), "default/other")


def test_image_id_is_a_digest_of_the_full_name() -> None:
    assert image_id("nginx").startswith("docker.io/library/nginx@sha256:")
    assert image_id("nginx") == image_id("docker.io/library/nginx:latest") != image_id("nginx:1.25")


def test_yaml_reads_back_as_the_document() -> None:
    world = deleted()
    assert yaml.safe_load(object_yaml(world, KEY)) == pod_document(world, KEY)
