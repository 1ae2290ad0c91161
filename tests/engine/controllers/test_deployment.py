"""Cases of the Deployment controller that no story covers: odd selectors, collisions, refusals, adoption, saturation."""

import json
from typing import Any

import pytest

from simulator.engine import Record, RunHeader, World, advance, apply, new_world
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.apiserver.documents.objects import list_objects, object_document
from simulator.engine.controllers.deployment import deployment as deployment_controller
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import ApiObject

TEMPLATE = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"terminationGracePeriodSeconds": 1, "containers": [{"name": "app", "image": "busybox:1.28", "command": ["sleep", "3600"]}]},
}


def deployment(**spec: Any) -> dict[str, Any]:
    """A Deployment of two pods, with these fields in its spec."""
    wanted = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": wanted}


def replica_set(name: str, **spec: Any) -> dict[str, Any]:
    """A ReplicaSet with the same labels that nobody manages."""
    wanted = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE, **spec}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name, "labels": {"app": "web"}}, "spec": wanted}


def begun(*documents: dict[str, Any], kubernetes: str = "1.35", until_ms: int = 5000) -> tuple[World, list[Record]]:
    """A run of these objects after some seconds, with its records."""
    world = new_world(RunHeader(kubernetes=kubernetes, manifests=tuple(map(json.dumps, documents)), jitter=False))
    return world, [*world.first_records, *advance(world, until_ms=until_ms).records]


def patched(world: World, patch: dict[str, Any], *, kind: str = "Deployment", name: str = "web", for_ms: int = 5000) -> list[Record]:
    """The effects of patching an object, for some seconds."""
    command = PatchObject(kind=kind, namespace="default", name=name, patch=json.dumps(patch), patch_kind="merge")
    records = apply(world, command)
    return [*records, *advance(world, until_ms=world.now_ms + for_ms).records]


def image(name: str) -> dict[str, Any]:
    """A patch that sets another image for the template's container."""
    spec = {**TEMPLATE["spec"], "containers": [{"name": "app", "image": name, "command": ["sleep", "3600"]}]}
    return {"spec": {"template": {"spec": spec}}}


def told(records: list[Record], rule: str) -> list[dict[str, Any]]:
    """The values of every note of a rule."""
    return [dict(record.data) for record in records if record.rule == rule and record.machine == "note"]


def sizes(world: World) -> list[int]:
    """The ReplicaSets' desired replicas, the newest revision last."""
    items = list_objects(world, "ReplicaSet")
    items.sort(key=lambda item: int(item["metadata"]["annotations"]["deployment.kubernetes.io/revision"]))
    return [item["spec"]["replicas"] for item in items]


def condition(world: World, kind: str) -> dict[str, Any]:
    """A condition of the Deployment."""
    status = object_document(world, "Deployment", "default", "web")["status"]
    return next((item for item in status.get("conditions") or () if item["type"] == kind), {})


def test_empty_selector_makes_no_pods():
    """Validation forbids one today, but an old server may have stored one."""
    world = new_world(RunHeader(kubernetes="1.30"))
    records: list[Record] = []
    document = {**deployment(selector={}), "status": {}}
    Effects(world, records).save_object(ApiObject("Deployment", "default", "web", json.dumps(document), created_ms=0, uid="u"))
    records += advance(world, until_ms=1000).records
    assert len(told(records, "DEPLOYMENT-SELECTS-ALL")) == 1
    assert [record.target for record in records if record.machine == "k8s_event"] == ["SelectingAll"]
    assert list_objects(world, "ReplicaSet") == []


def test_foreign_replica_set_of_the_same_name_counts_as_a_collision():
    world, _ = begun(deployment())
    name = list_objects(world, "ReplicaSet")[0]["metadata"]["name"]
    other = replica_set(name, selector={"matchLabels": {"app": "x"}}, template={**TEMPLATE, "metadata": {"labels": {"app": "x"}}})
    other["metadata"]["labels"] = {"app": "x"}
    world, records = begun(other, deployment())
    assert told(records, "DEPLOYMENT-COLLISION") == [{"name": name}]
    assert object_document(world, "Deployment", "default", "web")["status"]["collisionCount"] == 1
    assert [item["metadata"]["name"] != name for item in list_objects(world, "ReplicaSet")].count(True) == 1


def test_replica_set_whose_name_is_too_long_is_reported_and_tried_again():
    document = deployment()
    document["metadata"]["name"] = "w" * 250
    world, records = begun(document)
    assert len(told(records, "DEPLOYMENT-REPLICASET-REFUSED")) > 3
    (found,) = object_document(world, "Deployment", "default", "w" * 250)["status"]["conditions"]
    assert (found["type"], found["status"], found["reason"]) == ("Progressing", "False", "ReplicaSetCreateError")
    assert found["message"].startswith('Failed to create new replica set "www')
    assert {record.target for record in records if record.machine == "k8s_event"} == {"ReplicaSetCreateError"}


def test_replica_set_of_the_same_template_is_adopted_and_becomes_the_first_revision():
    world, records = begun(replica_set("mine", replicas=2), deployment())
    assert [record.subject for record in records if record.rule == "REPLICASET-ADOPTED"] == ["replicaset/default/mine"]
    (item,) = list_objects(world, "ReplicaSet")
    assert item["metadata"]["ownerReferences"][0]["name"] == "web"
    assert item["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "1"
    assert len(list_objects(world, "Pod")) == 2


def test_replica_set_whose_labels_no_longer_match_is_let_go():
    world, _ = begun(deployment())
    name = list_objects(world, "ReplicaSet")[0]["metadata"]["name"]
    records = patched(world, {"metadata": {"labels": {"app": "other"}}}, kind="ReplicaSet", name=name)
    assert [record.rule for record in records if record.rule == "REPLICASET-RELEASED"] == ["REPLICASET-RELEASED"]


def test_new_replica_set_that_was_scaled_past_the_deployment_shrinks():
    world, _ = begun(deployment())
    name = list_objects(world, "ReplicaSet")[0]["metadata"]["name"]
    records = patched(world, {"spec": {"replicas": 5}}, kind="ReplicaSet", name=name)
    assert told(records, "ROLLOUT-SHRINK") == [{"name": name, "before": 5, "after": 2}]
    assert sizes(world) == [2]


def test_old_replica_set_goes_to_nothing_once_the_new_one_has_all():
    """A ReplicaSet that is scaled up while the Deployment is paused and complete."""
    world, _ = begun(deployment())
    patched(world, image("busybox:1.29"), for_ms=20_000)
    old = next(item["metadata"]["name"] for item in list_objects(world, "ReplicaSet") if item["spec"]["replicas"] == 0)
    patched(world, {"spec": {"paused": True}})
    records = patched(world, {"spec": {"replicas": 1}}, kind="ReplicaSet", name=old)
    assert told(records, "DEPLOYMENT-SATURATED") == [{"name": old, "before": 1, "after": 0, "wanted": 2}]
    assert sizes(world) == [0, 2]


def test_rollout_that_has_progressed_since_is_not_given_up():
    world, _ = begun(deployment(progressDeadlineSeconds=4, replicas=3))
    records = patched(world, image("busybox:1.29"), for_ms=20_000)
    assert told(records, "DEPLOYMENT-DEADLINE") == []
    assert condition(world, "Progressing")["reason"] == "NewReplicaSetAvailable"


def test_deployment_without_a_deadline_says_nothing_of_progress():
    world, _ = begun(deployment(progressDeadlineSeconds=2**31 - 1))
    assert condition(world, "Progressing") == {}
    assert condition(world, "Available")["status"] == "True"


def test_failure_of_a_replica_set_is_the_deployments():
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}, "spec": {"hard": {"pods": "1"}}}
    world, _ = begun(quota, deployment(replicas=2))
    found = condition(world, "ReplicaFailure")
    assert (found["status"], found["reason"]) == ("True", "FailedCreate")
    assert "exceeded quota" in found["message"]


def test_pods_count_as_available_after_min_ready_seconds():
    world, _ = begun(deployment(minReadySeconds=4), until_ms=3000)
    status = object_document(world, "Deployment", "default", "web")["status"]
    assert (status["readyReplicas"], status.get("availableReplicas")) == (2, None)
    advance(world, until_ms=8000)
    assert object_document(world, "Deployment", "default", "web")["status"]["availableReplicas"] == 2


def test_change_of_min_ready_seconds_reaches_the_replica_set():
    world, _ = begun(deployment())
    patched(world, {"spec": {"minReadySeconds": 7}})
    assert list_objects(world, "ReplicaSet")[0]["spec"]["minReadySeconds"] == 7
    assert len(list_objects(world, "ReplicaSet")) == 1


def test_return_to_an_old_template_takes_its_replica_set_and_remembers_its_revisions():
    world, _ = begun(deployment())
    patched(world, image("busybox:1.29"), for_ms=15_000)
    patched(world, image("busybox:1.28"), for_ms=15_000)
    found = {item["spec"]["replicas"]: item["metadata"]["annotations"] for item in list_objects(world, "ReplicaSet")}
    assert found[2]["deployment.kubernetes.io/revision"] == "3"
    assert found[2]["deployment.kubernetes.io/revision-history"] == "1"
    assert found[0]["deployment.kubernetes.io/revision"] == "2"


@pytest.mark.parametrize(("kubernetes", "has"), [("1.34", False), ("1.35", True)])
def test_terminating_pods_are_counted_from_their_version_on(kubernetes: str, has: bool):
    world, _ = begun(deployment(), kubernetes=kubernetes)
    assert ("terminatingReplicas" in object_document(world, "Deployment", "default", "web")["status"]) is has


def test_deletion_takes_replica_sets_and_pods_along():
    world, _ = begun(deployment())
    apply(world, DeleteObject(kind="Deployment", namespace="default", name="web"))
    advance(world, until_ms=world.now_ms + 20_000)
    assert list_objects(world, "Pod") == []


def test_rollouts_that_wait_to_be_written_are_not_looked_at_every_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred rollouts exceed their deadline while the first writes of most still wait for the client's limit of twenty per second."""
    looks: list[int] = []

    class Counted(deployment_controller.Rollout):
        def __init__(self, fx: Effects, row: ApiObject) -> None:
            looks.append(fx.now)
            super().__init__(fx, row)

    monkeypatch.setattr(deployment_controller, "Rollout", Counted)
    begun(*(stuck(f"web-{number}") for number in range(200)), until_ms=40_000)
    assert len(looks) <= 8 * 200


def stuck(name: str) -> dict[str, Any]:
    """A Deployment that requests more than is available and exceeds its deadline after nine seconds."""
    document = json.loads(json.dumps(deployment(progressDeadlineSeconds=9)).replace('"app": "web"', f'"app": "{name}"'))
    document["metadata"]["name"] = name
    document["spec"]["template"]["spec"]["nodeSelector"] = {"none": "such"}
    return dict(document)
