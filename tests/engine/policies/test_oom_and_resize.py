"""oom_score_adj, and the permitted changes of a resize."""

import pytest

from simulator.engine.apiserver.defaulting.pod import default_pod_document
from simulator.engine.kubelet.node.oom_score import NodeMemory, oom_score_adj
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.policies.resize_rules import changed_resources, needs_restart, problem_of, resized, with_containers
from simulator.engine.versions.release import Release

GIB = 1 << 30
NODE = NodeMemory(16 * GIB)


def spec(requests=None, limits=None, **more):  # noqa: ANN001, ANN201 - a small builder of documents
    policy = more.pop("resizePolicy", [])
    container = {"name": "app", "image": "i", "resizePolicy": policy, "resources": {"requests": requests or {}, "limits": limits or {}}}
    document = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container], **more}}
    return pod_from_document(default_pod_document(document, release=Release(32))).spec


@pytest.mark.parametrize(
    ("given", "qos", "expected"),
    [
        ({}, "BestEffort", 1000),
        ({}, "Guaranteed", -997),
        ({"requests": {"memory": "4Gi"}}, "Burstable", 750),
        ({"requests": {"memory": "16Gi"}}, "Burstable", 3),
        ({"requests": {"cpu": "1"}}, "Burstable", 999),
        ({"priority": 2_000_001_000}, "BestEffort", -997),
    ],
)
def test_oom_score_follows_qos_and_request(given: dict, qos: str, expected: int) -> None:
    wanted = spec(**given)
    assert oom_score_adj(wanted, wanted.containers[0], qos, NODE) == expected


def test_oom_score_of_a_sidecar_is_not_above_that_of_the_smallest_app() -> None:
    sidecar = {"name": "side", "image": "i", "restartPolicy": "Always", "resources": {"requests": {"memory": "1Gi"}}}
    wanted = spec(requests={"memory": "8Gi"}, initContainers=[sidecar])
    assert oom_score_adj(wanted, wanted.init_containers[0], "Burstable", NODE) == 500


def asked(old, requests=None, limits=None, *, may_shrink=True):  # noqa: ANN001, ANN201
    new = with_containers(old, {"app": resized(old.containers[0], requests or {}, limits or {})})
    return problem_of(old, new, pod_level=True, may_shrink=may_shrink)


BOTH = {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "2Gi"}}


def test_resize_of_cpu_and_memory_is_accepted() -> None:
    assert asked(spec(**BOTH), {"cpu": "1500m"}, {"memory": "3Gi"}) == ""


def test_resize_may_not_change_the_qos_class() -> None:
    assert "Pod QOS Class may not change" in asked(spec(**BOTH), {"cpu": "2", "memory": "2Gi"})


def test_resize_may_not_ask_for_more_than_the_limit() -> None:
    assert "must be less than or equal to cpu limit of 2" in asked(spec(**BOTH), {"cpu": "3"})


def test_resize_may_not_change_other_resources() -> None:
    assert "only cpu and memory resources are mutable" in asked(spec(**BOTH), {"ephemeral-storage": "1Gi"})


def test_memory_limit_shrinks_only_where_the_version_lets_it() -> None:
    assert asked(spec(**BOTH), limits={"memory": "1500Mi"}) == ""
    assert "cannot be decreased" in asked(spec(**BOTH), limits={"memory": "1500Mi"}, may_shrink=False)
    policy = [{"resourceName": "memory", "restartPolicy": "RestartContainer"}]
    assert asked(spec(**BOTH, resizePolicy=policy), limits={"memory": "1500Mi"}, may_shrink=False) == ""


def test_restart_is_needed_where_the_policy_of_a_changed_resource_says_so() -> None:
    old = spec(**BOTH, resizePolicy=[{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]).containers[0]
    more_cpu, more_memory = resized(old, {"cpu": "2"}, {}), resized(old, {}, {"memory": "3Gi"})
    assert needs_restart(old, changed_resources(old.resources, more_cpu.resources))
    assert not needs_restart(old, changed_resources(old.resources, more_memory.resources))


def test_equal_quantities_written_differently_are_not_a_change() -> None:
    old = spec(requests={"cpu": "1"}).containers[0]
    assert changed_resources(old.resources, resized(old, {"cpu": "1000m"}, {}).resources) == ()
