"""What a pod with pod-level resources requests from its node."""

from typing import Any

import pytest

from simulator.engine.apiserver.defaulting.pod import default_pod_document
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.quantity import NANO
from simulator.engine.model.requests import pod_requests
from simulator.engine.versions.minors import minor_number
from simulator.engine.versions.release import Release


def asked(kubernetes: str, resources: dict[str, Any], **container: Any) -> dict[str, int]:
    """Whole units that the pod requests."""
    spec = {"resources": resources, "containers": [{"name": "c", "image": "c:1", "resources": container}]}
    release = Release(minor_number(kubernetes))
    pod = pod_from_document(default_pod_document({"metadata": {"name": "p"}, "spec": spec}, release=release))
    return {name: amount // NANO for name, amount in pod_requests(pod.spec).items()}


@pytest.mark.parametrize(("kubernetes", "cpu"), [("1.33", None), ("1.34", 2)])
def test_limit_of_the_pod_is_its_request_since_1_34(kubernetes: str, cpu: int | None) -> None:
    assert asked(kubernetes, {"limits": {"cpu": "2"}}).get("cpu") == cpu


def test_requests_of_the_containers_come_before_the_limit() -> None:
    assert asked("1.34", {"limits": {"cpu": "4"}}, requests={"cpu": "3"}) == {"cpu": 3}
