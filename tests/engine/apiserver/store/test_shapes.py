"""Requests whose documents do not have the shape of their kind."""

import pytest

from tests.engine.apiserver.store.requests import apply_yaml, budget, config, patch, put, refused, world_of

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
