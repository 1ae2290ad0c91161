"""Validation messages that exist in one version but not in the adjacent one."""

import pytest

from simulator.engine.apiserver.validation.change.update import validate_pod_update
from simulator.engine.apiserver.validation.go_diff import object_diff
from simulator.engine.versions.release import Release
from simulator.manifests.editor.reference.mutable import mutable_paths
from tests.engine.apiserver.validation.pods import wrong_container, wrong_spec

BLANK = ["a b"]
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}


def required_affinity(values: list[str]) -> dict[str, object]:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": values}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}}


def spread(values: list[str]) -> dict[str, object]:
    selector = {"matchExpressions": [{"key": "app", "operator": "In", "values": values}]}
    return {"topologySpreadConstraints": [{**SPREAD, "labelSelector": selector}]}


@pytest.mark.parametrize(("minor", "count"), [(26, 0), (27, 1)])
def test_values_of_a_label_selector_are_label_values_from_1_27(minor: int, count: int) -> None:
    assert len(wrong_spec(spread(BLANK), minor=minor)) == count


@pytest.mark.parametrize(("minor", "count"), [(32, 0), (33, 1)])
def test_values_of_a_node_affinity_are_label_values_from_1_33(minor: int, count: int) -> None:
    assert len(wrong_spec(required_affinity(BLANK), minor=minor)) == count


@pytest.mark.parametrize(("minor", "count"), [(21, 1), (22, 0)])
def test_huge_pages_can_be_shown_to_a_container_from_1_22(minor: int, count: int) -> None:
    field = {"name": "PAGES", "valueFrom": {"resourceFieldRef": {"resource": "limits.hugepages-2Mi"}}}
    assert len(wrong_container({"env": [field]}, minor=minor)) == count


@pytest.mark.parametrize(("minor", "words"), [(20, "letter or number (a-z, 0-9)"), (21, "letter (a-z)")])
def test_port_name_of_a_probe_needs_a_letter(minor: int, words: str) -> None:
    probe = {"tcpSocket": {"port": "1-1"}}
    assert any(words in text for text in wrong_container({"livenessProbe": probe}, minor=minor))


@pytest.mark.parametrize(("minor", "order"), [(20, ["metadata", "spec", "metadata"]), (21, ["metadata", "metadata", "spec"])])
def test_change_of_metadata_is_named_before_the_new_pod_from_1_21(minor: int, order: list[str]) -> None:
    old = {"metadata": {"name": "p", "namespace": "default", "resourceVersion": "1", "uid": "a"}, "spec": _spec("busybox")}
    new = {"metadata": {**old["metadata"], "uid": "b"}, "spec": _spec("busybox", policy="No")}
    found = validate_pod_update(old, new, release=Release(minor))
    told = ("metadata.uid", "spec.containers[0].imagePullPolicy")
    assert [error.field.partition(".")[0] for error in found if error.field in told] == order


def _spec(image: str, policy: str = "Always") -> dict[str, object]:
    app = {"name": "a", "image": image, "imagePullPolicy": policy, "terminationMessagePolicy": "File", "terminationMessagePath": "/dev/log"}
    return {"containers": [app], "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "terminationGracePeriodSeconds": 30}


@pytest.mark.parametrize(("minor", "length", "by_piece"), [(22, 63, False), (22, 64, True), (23, 31, False), (23, 32, True)])
def test_long_texts_are_compared_piece_by_piece(minor: int, length: int, by_piece: bool) -> None:
    text = "x" * (length - 1)
    shown = object_diff("PodSpec", {"hostname": f"{text}a"}, {"hostname": f"{text}b"}, minor=minor)
    assert ("strings.Join" in shown) is by_piece


@pytest.mark.parametrize(("minor", "may_go"), [(25, False), (26, True)])
def test_scheduling_gates_may_be_removed_from_1_26(minor: int, may_go: bool) -> None:
    assert ("spec.schedulingGates" in mutable_paths("Pod", minor)) is may_go
