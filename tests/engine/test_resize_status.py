"""A pod's status about the resources of its containers, and who may be resized because of it."""

import pytest

from simulator.engine import apply
from simulator.engine.acts.pods.resize import ResizePod
from simulator.engine.apiserver.documents.pod import pod_document
from tests.engine.apiserver.store.requests import world_of
from tests.engine.worlds import container, pod

SMALL = {"requests": {"cpu": "100m"}, "limits": {"cpu": "200m"}}


@pytest.mark.parametrize("first", ["a", "z"])
def test_pod_is_resized_though_another_container_has_no_resources(first: str) -> None:
    world = world_of(pod(container(name=first), container(resources=SMALL)), kubernetes="1.33")
    (record, *_) = apply(world, ResizePod(target="default/p", container="app", requests={"cpu": "150m"}, limits={"cpu": "200m"}))
    assert record.target == "accepted"


def test_running_container_without_resources_says_so() -> None:
    world = world_of(pod(container()), kubernetes="1.33")
    (status,) = pod_document(world, "default/p")["status"]["containerStatuses"]
    assert status["resources"] == {}
