"""Requests with documents that do not match the schema of their kind."""

import pytest

from tests.engine.apiserver.store.requests import apply_yaml, budget, config, patch, put, refused, world_of
from tests.engine.worlds import container, pod

WEB = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 0,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "busybox:1.28"}]}},
    },
}


def said(record) -> tuple[str, str]:  # noqa: ANN001
    data = dict(record.data)
    return data["reason"], data["message"]


@pytest.mark.parametrize(
    "body", [{"spec": 5}, {"spec": {"template": 5}}, {"spec": {"template": {"spec": {"containers": "x"}}}}, {"metadata": {"labels": [1]}}]
)
def test_patch_is_refused_when_it_makes_a_value_of_a_wrong_type(body: dict) -> None:
    reason, message = said(refused(world_of(WEB), patch("Deployment", "web", body)))
    assert reason == "Invalid"
    assert "json: cannot unmarshal" in message


def test_budget_is_not_broken_when_its_selector_is_a_number() -> None:
    world = world_of(budget(minAvailable=1))
    assert "of type v1.LabelSelector" in said(refused(world, patch("PodDisruptionBudget", "two", {"spec": {"selector": 5}})))[1]


def test_replacement_is_refused_when_a_value_has_a_wrong_type() -> None:
    expected = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field '
    reason, message = said(refused(world_of(config()), put({**config(), "data": {"a": 1}}, namespace="default")))
    assert (reason, message) == ("BadRequest", f"{expected}ConfigMap.data of type string")


def test_creation_is_refused_when_a_value_has_a_wrong_type() -> None:
    document = {**WEB, "spec": {**WEB["spec"], "replicas": "many"}}
    record = refused(world_of(), apply_yaml(document))
    assert said(record)[0] == "BadRequest"


MISSHAPEN = [
    ({"spec": 5}, "number into Go struct field Node.spec of type v1.NodeSpec"),
    ({"metadata": 5}, "number into Go struct field Node.metadata of type v1.ObjectMeta"),
    ({"status": []}, "array into Go struct field Node.status of type v1.NodeStatus"),
    ({"metadata": {"labels": []}}, "array into Go struct field ObjectMeta.metadata.labels of type map[string]string"),
    ({"metadata": {"labels": {"a": 5}}}, "number into Go struct field ObjectMeta.metadata.labels of type string"),
    ({"metadata": {"annotations": "x"}}, "string into Go struct field ObjectMeta.metadata.annotations of type map[string]string"),
    ({"metadata": {"resourceVersion": 5}}, "number into Go struct field ObjectMeta.metadata.resourceVersion of type string"),
    ({"spec": {"taints": 5}}, "number into Go struct field NodeSpec.spec.taints of type []v1.Taint"),
    ({"spec": {"taints": [5]}}, "number into Go struct field NodeSpec.spec.taints of type v1.Taint"),
    ({"spec": {"unschedulable": "x"}}, "string into Go struct field NodeSpec.spec.unschedulable of type bool"),
]


@pytest.mark.parametrize(("body", "problem"), MISSHAPEN)
def test_patch_of_a_machine_s_node_names_the_field_that_has_a_wrong_type(body: dict, problem: str) -> None:
    reason, message = said(refused(world_of(), patch("Node", "node1", body, namespace="")))
    assert reason == "Invalid"
    assert message.endswith(f": json: cannot unmarshal {problem}")


def test_replacement_of_a_machine_s_node_names_the_field_that_has_a_wrong_type() -> None:
    document = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node1"}, "spec": {"taints": 5}}
    reason, message = said(refused(world_of(), put(document)))
    assert (reason, message.partition(":")[0]) == ("BadRequest", 'Node in version "v1" cannot be handled as a Node')
    assert message.endswith("Go struct field NodeSpec.spec.taints of type []v1.Taint")


@pytest.mark.parametrize("how", ["merge", "json"])
@pytest.mark.parametrize(("kind", "name", "namespace"), [("Pod", "p", "default"), ("ConfigMap", "app", "default"), ("Node", "node1", "")])
def test_metadata_that_is_not_an_object_is_named(how: str, kind: str, name: str, namespace: str) -> None:
    world = world_of(pod(container()), config())
    body = {"metadata": 5} if how == "merge" else [{"op": "replace", "path": "/metadata", "value": 5}]
    message = said(refused(world, patch(kind, name, body, how=how, namespace=namespace)))[1]
    assert message.endswith(f"json: cannot unmarshal number into Go struct field {kind}.metadata of type v1.ObjectMeta")


@pytest.mark.parametrize("subresource", ["", "status"])
@pytest.mark.parametrize(("kind", "name"), [("Pod", "p"), ("Deployment", "web")])
def test_status_that_is_not_an_object_is_named_whichever_part_is_patched(kind: str, name: str, subresource: str) -> None:
    body = {"status": []}
    message = said(refused(world_of(pod(container()), WEB), patch(kind, name, body, subresource=subresource)))[1]
    assert message.endswith(f"json: cannot unmarshal array into Go struct field {kind}.status of type v1.{kind}Status")
