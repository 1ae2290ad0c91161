"""The parts of an updated pod that an endpoint accepts."""

from typing import Any

from simulator.engine.apiserver.validation.change.prepare import prepare_pod_update

OLD: dict[str, Any] = {
    "metadata": {"name": "p", "resourceVersion": "1", "labels": {"a": "1"}, "ownerReferences": [{"name": "o"}]},
    "spec": {"containers": [{"name": "c", "image": "c:1", "resources": {}}], "initContainers": [{"name": "i", "resources": {}}]},
    "status": {"phase": "Running", "qosClass": "BestEffort"},
}
NEW: dict[str, Any] = {
    "metadata": {"name": "p", "resourceVersion": "1", "labels": {"a": "2"}},
    "spec": {
        "containers": [{"name": "c", "image": "c:2", "resources": {"limits": {"cpu": "1"}}}],
        "initContainers": [{"name": "i", "resources": {"limits": {"cpu": "1"}}}],
        "ephemeralContainers": [{"name": "e"}],
    },
    "status": {"phase": "Failed"},
}


def test_pod_itself_takes_everything_but_the_status() -> None:
    assert prepare_pod_update(OLD, NEW) == {**NEW, "status": OLD["status"]}


def test_status_takes_labels_and_status_only() -> None:
    taken = prepare_pod_update(OLD, NEW, subresource="status")
    assert (taken["spec"], taken["status"]["phase"]) == (OLD["spec"], "Failed")
    assert taken["metadata"] == {**NEW["metadata"], "ownerReferences": [{"name": "o"}]}


def test_status_keeps_the_qos_class_when_the_request_leaves_it_out() -> None:
    assert prepare_pod_update(OLD, NEW, subresource="status")["status"]["qosClass"] == "BestEffort"


def test_ephemeral_containers_are_all_that_their_endpoint_takes() -> None:
    taken = prepare_pod_update(OLD, NEW, subresource="ephemeralcontainers")
    assert taken == {**OLD, "spec": {**OLD["spec"], "ephemeralContainers": [{"name": "e"}]}}


def test_resize_takes_the_resources_of_running_containers() -> None:
    spec = prepare_pod_update(OLD, NEW, subresource="resize")["spec"]
    assert spec["containers"] == [{"name": "c", "image": "c:1", "resources": {"limits": {"cpu": "1"}}}]
    assert spec["initContainers"] == OLD["spec"]["initContainers"]


def test_resize_leaves_renamed_containers_for_validation() -> None:
    renamed = {**NEW, "spec": {"containers": [{"name": "other"}]}}
    assert prepare_pod_update(OLD, renamed, subresource="resize")["spec"] == renamed["spec"]
