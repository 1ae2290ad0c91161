"""What may change in a pod through its subresources."""

from typing import Any

import pytest

from simulator.engine.apiserver.defaulting.pod import default_pod_document
from simulator.engine.apiserver.validation.change.update import validate_pod_update
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.release import Release

ENDED = {"state": {"terminated": {"exitCode": 0}}}
AGAIN = {"state": {"running": {}}}
SMALL = {"requests": {"cpu": "100m", "memory": "64Mi"}}


def pod(status: Json | None = None, *, resources: Json | None = None, metadata: Json | None = None, **spec: Any) -> Json:
    containers = [{"name": "app", "image": "busybox:1.28", "resources": resources or {}}]
    document = {"metadata": {"name": "p", "namespace": "ns", **(metadata or {})}, "spec": {"containers": containers, **spec}}
    return {**default_pod_document(document, release=Release(35)), "status": status or {}}


def texts(old: Json, new: Json, subresource: str, *, minor: int = 35) -> list[str]:
    found = validate_pod_update(old, new, release=Release(minor), subresource=subresource)
    return [f"{error.field}: {error.message}" for error in found]


@pytest.mark.parametrize(
    ("policy", "old", "accepted"),
    [
        ("Always", {"exitCode": 0}, True),
        ("OnFailure", {"exitCode": 1}, True),
        ("OnFailure", {"exitCode": 0}, False),
        ("Never", {"exitCode": 1}, False),
    ],
)
def test_container_that_is_over_stays_over_as_its_policy_says(policy: str, old: Json, accepted: bool) -> None:
    before = pod({"containerStatuses": [{"name": "app", "state": {"terminated": old}}]}, restartPolicy=policy)
    after = pod({"containerStatuses": [{"name": "app", **AGAIN}]}, restartPolicy=policy)
    refusal = ["status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"]
    assert texts(before, after, "status") == ([] if accepted else refusal)


def test_sidecar_may_run_again_whatever_the_policy() -> None:
    sidecar = [{"name": "s", "image": "s:1", "restartPolicy": "Always"}]
    before = pod({"initContainerStatuses": [{"name": "s", **ENDED}]}, restartPolicy="Never", initContainers=sidecar)
    after = pod({"initContainerStatuses": [{"name": "s", **AGAIN}]}, restartPolicy="Never", initContainers=sidecar)
    assert texts(before, after, "status") == []


def test_ephemeral_container_never_runs_again() -> None:
    before, after = (pod({"ephemeralContainerStatuses": [{"name": "d", **state}]}) for state in (ENDED, AGAIN))
    assert texts(before, after, "status") == [
        "status.ephemeralContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"
    ]


@pytest.mark.parametrize(("minor", "accepted"), [(20, True), (35, False)])
def test_qos_class_stays_in_versions_that_look_at_it(minor: int, accepted: bool) -> None:
    found = texts(pod({"qosClass": "Burstable"}), pod({"qosClass": "BestEffort"}), "status", minor=minor)
    assert found == ([] if accepted else ['status.qosClass: Invalid value: "BestEffort": field is immutable'])


@pytest.mark.parametrize(("minor", "path"), [(20, "metadata.conditions[0].Type"), (35, "status.conditions[0].Type")])
def test_condition_type_is_a_qualified_name(minor: int, path: str) -> None:
    (text,) = texts(pod(), pod({"conditions": [{"type": "a b", "status": "Maybe"}]}), "status", minor=minor)
    assert text.startswith(f'{path}: Invalid value: "a b": name part must consist of')


def test_own_condition_types_and_any_status_are_accepted() -> None:
    assert texts(pod(), pod({"conditions": [{"type": "Ready", "status": "Maybe"}]}), "status") == []


def test_nominated_node_has_the_name_of_a_node() -> None:
    (text,) = texts(pod(), pod({"nominatedNodeName": "Bad_Name"}), "status")
    assert text.startswith('status.nominatedNodeName: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain')


def test_pod_has_one_address_of_each_family() -> None:
    found = texts(pod(), pod({"podIPs": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}]}), "status")
    assert found[0].startswith("status.podIPs: Invalid value") and found[0].endswith("no more than one IP for each IP family")


def test_ephemeral_containers_come_but_do_not_go_or_change() -> None:
    one, two = {"name": "d", "image": "busybox:1.28"}, {"name": "e", "image": "busybox:1.28"}
    assert texts(pod(), pod(ephemeralContainers=[one]), "ephemeralcontainers") == []
    assert texts(pod(ephemeralContainers=[one]), pod(ephemeralContainers=[two, one]), "ephemeralcontainers") == []
    (gone,) = texts(pod(ephemeralContainers=[one]), pod(ephemeralContainers=[two]), "ephemeralcontainers")
    assert gone == 'spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be removed\n'
    (changed,) = texts(pod(ephemeralContainers=[one]), pod(ephemeralContainers=[{**one, "image": "x:1"}]), "ephemeralcontainers")
    assert changed.startswith('spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be changed\n')


@pytest.mark.parametrize(
    ("subresource", "words"),
    [("ephemeralcontainers", "static pods do not support ephemeral containers"), ("resize", "static pods cannot be resized")],
)
def test_static_pod_is_left_alone(subresource: str, words: str) -> None:
    mirror = pod(metadata={"annotations": {"kubernetes.io/config.mirror": "x"}}, nodeName="n")
    assert texts(mirror, mirror, subresource) == [f": Forbidden: {words}"]


def test_cpu_and_memory_may_be_resized() -> None:
    larger = {"requests": {"cpu": "200m", "memory": "128Mi"}}
    assert texts(pod(resources=SMALL), pod(resources=larger), "resize") == []


def test_request_cannot_be_removed_by_a_resize() -> None:
    found = texts(pod(resources=SMALL), pod(resources={"requests": {"cpu": "100m"}}), "resize")
    assert "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed" in found


def test_qos_class_may_not_change_by_a_resize() -> None:
    full = {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}}
    found = texts(pod({"qosClass": "Burstable"}, resources=SMALL), pod({"qosClass": "Burstable"}, resources=full), "resize")
    assert 'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing' in found


@pytest.mark.parametrize(("minor", "accepted"), [(33, False), (34, True)])
def test_memory_limit_goes_down_without_a_restart_since_1_34(minor: int, accepted: bool) -> None:
    before, after = ({"requests": {"memory": "1Mi"}, "limits": {"memory": limit}} for limit in ("2Gi", "1Gi"))
    found = texts(pod(resources=before), pod(resources=after), "resize", minor=minor)
    words = "memory limits cannot be decreased unless resizePolicy is RestartContainer"
    assert found == ([] if accepted else [f"spec.containers[0].resources.limits[memory]: Forbidden: {words}"])


def test_resources_other_than_cpu_and_memory_stay() -> None:
    after = {"requests": {**SMALL["requests"], "ephemeral-storage": "1Gi"}}
    assert texts(pod(resources=SMALL), pod(resources=after), "resize") == ["spec: Forbidden: only cpu and memory resources are mutable"]


def test_resize_is_refused_where_the_node_does_not_report_resources() -> None:
    old = pod({"containerStatuses": [{"name": "app", **AGAIN}]}, resources=SMALL)
    assert texts(old, old, "resize") == ["spec: Forbidden: Pod running on node without support for resize"]


def test_pod_with_resources_of_its_own_is_not_resized() -> None:
    own = pod()
    own["spec"]["resources"] = {"limits": {"cpu": "1"}}
    assert texts(own, own, "resize", minor=37) == [": Forbidden: pods with pod-level resources cannot be resized"]


def test_containers_may_not_come_or_change_places_by_a_resize() -> None:
    two = [{"name": "app", "image": "a:1", "resources": {}}, {"name": "b", "image": "b:1", "resources": {}}]
    one, other = pod(containers=two), pod(containers=two[::-1])
    assert texts(one, pod(), "resize") == ["spec.containers: Forbidden: containers may not be added or removed on resize"]
    assert texts(one, other, "resize")[0] == "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize"


def test_resources_of_a_plain_init_container_stay() -> None:
    before, after = (pod(initContainers=[{"name": "i", "image": "i:1", "resources": {"requests": {"cpu": cpu}}}]) for cpu in ("1", "2"))
    assert "spec: Forbidden: resources for non-sidecar init containers are immutable" in texts(before, after, "resize")


def test_address_of_a_pod_is_one_in_the_words_of_the_version() -> None:
    wrong = pod({"podIPs": [{"ip": "x"}]})
    assert texts(pod(), wrong, "status", minor=20) == ['status.podIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7)']
    assert texts(wrong, wrong, "status", minor=20) == []


def test_addresses_are_printed_as_structures_until_1_33() -> None:
    twice = pod({"podIPs": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.1"}]})
    assert texts(pod(), twice, "status", minor=20) == [
        'status.podIPs: Invalid value: []core.PodIP{core.PodIP{IP:"10.0.0.1"}, core.PodIP{IP:"10.0.0.1"}}: '
        "may specify no more than one IP for each IP family",
        'status.podIPs[1]: Duplicate value: core.PodIP{IP:"10.0.0.1"}',
    ]
