"""The notes on a run's page about objects that it does not have."""

import pytest

from simulator.manifests.check.left_out import left_out

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: nginx:1.27}]}\n"


def of(api_version: str, kind: str, name: str) -> str:
    return f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: {name}}}\n"


def told(*documents: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(item.kind, item.names) for item in left_out("---\n".join(documents), kubernetes="1.33")]


def test_objects_that_are_left_out_are_reported_by_kind():
    role, budget = "rbac.authorization.k8s.io/v1", "policy/v1beta1"
    found = told(of(role, "Role", "a"), POD, of(budget, "PodDisruptionBudget", "web"), of(role, "Role", "b"))
    assert found == [("Role", ("a", "b")), ("PodDisruptionBudget", ("web",))]


def test_removed_version_is_reported_with_the_servers_message():
    (item,) = left_out(of("policy/v1beta1", "PodDisruptionBudget", "web"), kubernetes="1.33")
    assert item.message.startswith('no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"')


@pytest.mark.parametrize("text", [POD, of("cert-manager.io/v1", "Certificate", "web"), "", "- a", "kind: Pod", "a: [", "kind: 5"])
def test_existing_objects_and_non_objects_are_not_reported(text: str):
    assert left_out(text, kubernetes="1.33") == ()
