"""What happens to dependents when their owner is deleted."""

import pytest

from simulator.engine.apiserver.documents.objects import object_document
from tests.engine.apiserver.store.requests import Document, accepted, after, config, delete, web, world_of

OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "app", "uid": "u"}


def owned(name: str, *owners: Document) -> Document:
    """A pod with these owners."""
    document = web(name, terminationGracePeriodSeconds=1)
    document["metadata"]["ownerReferences"] = list(owners)
    return document


def test_background_deletes_what_has_no_owner_left() -> None:
    world = world_of(config(), owned("a", OWNER))
    accepted(world, delete("ConfigMap", "app", propagation="Background"))
    assert "GARBAGE-COLLECTED" in {record.rule for record in after(world, 5)}
    assert world.live_pod("default", "a") is None


def test_dependent_with_another_owner_stays_and_loses_the_reference() -> None:
    world = world_of(config(), config("other"), owned("a", OWNER, {**OWNER, "name": "other"}))
    accepted(world, delete("ConfigMap", "app"))
    after(world, 5)
    owners = object_document(world, "Pod", "default", "a")["metadata"]["ownerReferences"]
    assert [owner["name"] for owner in owners] == ["other"]


def test_orphan_leaves_the_dependents_without_the_owner() -> None:
    world = world_of(config(), owned("a", OWNER))
    accepted(world, delete("ConfigMap", "app", propagation="Orphan"))
    assert "GARBAGE-ORPHANED" in {record.rule for record in after(world, 5)}
    assert "ownerReferences" not in object_document(world, "Pod", "default", "a")["metadata"]
    with pytest.raises(KeyError):
        object_document(world, "ConfigMap", "default", "app")


def test_foreground_keeps_the_owner_until_the_last_dependent_is_gone() -> None:
    world = world_of(config(), owned("a", {**OWNER, "blockOwnerDeletion": True}))
    assert "GARBAGE-FOREGROUND" in [record.rule for record in accepted(world, delete("ConfigMap", "app", propagation="Foreground"))]
    after(world, 0.5)
    assert object_document(world, "ConfigMap", "default", "app")["metadata"]["finalizers"] == ["foregroundDeletion"]
    gone = {record.subject: record.seq for record in after(world, 10) if record.target == "gone"}
    assert gone["pod/default/a"] < gone["configmap/default/app"]


def test_foreground_goes_down_to_the_pods_of_a_deployment() -> None:
    template = {"metadata": {"labels": {"app": "d"}}, "spec": web("x")["spec"]}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "d"}}, "template": template}
    world = world_of({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec})
    after(world, 5)
    accepted(world, delete("Deployment", "d", propagation="Foreground"))
    gone = [record.subject.split("/")[0] for record in after(world, 60) if record.target == "gone"]
    assert [kind for kind in gone if kind in ("pod", "replicaset", "deployment")] == ["pod", "replicaset", "deployment"]
