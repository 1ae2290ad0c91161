"""The store: uids, resource versions, generations, finalizers, what a write changes and what it leaves."""

import json

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.documents.objects import list_objects, object_document
from tests.engine.apiserver.store.requests import accepted, after, apply_yaml, budget, config, delete, patch, put, refused, web, world_of
from tests.engine.worlds import container, pod


def shown(world, kind, name):  # noqa: ANN001, ANN201 - a short hand
    return object_document(world, kind, "default", name)


def version(world, kind, name) -> int:  # noqa: ANN001
    return int(shown(world, kind, name)["metadata"]["resourceVersion"])


def test_every_write_gets_a_higher_resource_version_than_any_before() -> None:
    world = world_of(pod(container()), config())
    before = version(world, "Pod", "p")
    accepted(world, patch("ConfigMap", "app", {"data": {"a": "2"}}))
    changed = version(world, "ConfigMap", "app")
    accepted(world, patch("Pod", "p", {"metadata": {"labels": {"x": "y"}}}))
    assert before < changed < version(world, "Pod", "p")


@pytest.mark.parametrize(("kind", "name"), [("Pod", "p"), ("ConfigMap", "app")])
def test_write_that_changes_nothing_leaves_no_trace(kind: str, name: str) -> None:
    world = world_of(pod(container()), config())
    before = version(world, kind, name)
    assert accepted(world, put(shown(world, kind, name))) == []
    assert version(world, kind, name) == before


@pytest.mark.parametrize("metadata", [{"annotations": {}}, {"labels": {}}, {"finalizers": []}])
def test_pod_is_kept_without_metadata_that_says_nothing(metadata: dict) -> None:
    world = world_of({**pod(container()), "metadata": {"name": "p", **metadata}})
    assert not set(metadata) & set(shown(world, "Pod", "p")["metadata"])
    assert accepted(world, put(shown(world, "Pod", "p"))) == []


def test_object_created_again_under_its_name_has_another_uid() -> None:
    world = world_of(config())
    first = shown(world, "ConfigMap", "app")["metadata"]["uid"]
    accepted(world, delete("ConfigMap", "app"))
    accepted(world, apply_yaml(config()))
    assert shown(world, "ConfigMap", "app")["metadata"]["uid"] != first


def test_generation_counts_changes_of_the_spec_alone() -> None:
    world = world_of(budget(minAvailable=1))
    accepted(world, patch("PodDisruptionBudget", "two", {"metadata": {"labels": {"a": "b"}}}))
    assert shown(world, "PodDisruptionBudget", "two")["metadata"]["generation"] == 1
    accepted(world, patch("PodDisruptionBudget", "two", {"spec": {"minAvailable": 2}}))
    assert shown(world, "PodDisruptionBudget", "two")["metadata"]["generation"] == 2


def test_pod_generation_grows_with_spec_and_deletion_but_not_with_labels() -> None:
    world = world_of(pod(container()), kubernetes="1.34")
    accepted(world, patch("Pod", "p", {"metadata": {"labels": {"a": "b"}}}))
    assert shown(world, "Pod", "p")["metadata"]["generation"] == 1
    accepted(world, patch("Pod", "p", {"spec": {"activeDeadlineSeconds": 500}}))
    accepted(world, DeletePod(target="default/p", grace_s=60))
    accepted(world, DeletePod(target="default/p", grace_s=50))
    assert shown(world, "Pod", "p")["metadata"]["generation"] == 3


def test_pods_show_no_generation_before_1_33() -> None:
    assert "generation" not in shown(world_of(pod(container()), kubernetes="1.32"), "Pod", "p")["metadata"]


def test_finalizer_holds_an_object_until_it_is_taken_away() -> None:
    world = world_of(config(metadata={"finalizers": ["example.com/hold"]}))
    assert [record.rule for record in accepted(world, delete("ConfigMap", "app"))] == ["OBJECT-HELD"]
    assert "deletionTimestamp" in shown(world, "ConfigMap", "app")["metadata"]
    assert [record.rule for record in accepted(world, patch("ConfigMap", "app", {"metadata": {"finalizers": None}}))] == ["OBJECT-REMOVED"]
    with pytest.raises(KeyError):
        shown(world, "ConfigMap", "app")


def test_finalizer_holds_a_pod_without_grace_until_it_is_taken_away() -> None:
    document = pod(container())
    document["metadata"]["finalizers"] = ["example.com/hold"]
    world = world_of(document)
    accepted(world, delete("Pod", "p", grace_s=0))
    after(world, 5)
    assert "FINALIZERS-GONE" in [record.rule for record in accepted(world, patch("Pod", "p", {"metadata": {"finalizers": None}}))]


def test_finalizers_cannot_be_added_to_an_object_on_its_way_out() -> None:
    world = world_of(config(metadata={"finalizers": ["example.com/hold"]}))
    accepted(world, delete("ConfigMap", "app"))
    record = refused(world, patch("ConfigMap", "app", {"metadata": {"finalizers": ["example.com/hold", "a/b"]}}))
    assert "no new finalizers can be added if the object is being deleted" in str(record.get("message"))


def test_patch_leaves_the_stored_pod_complete_and_without_what_its_row_keeps() -> None:
    world = world_of(pod(container()))
    before = json.loads(world.tables.pods["default/p"].document)
    accepted(world, PatchPod(target="default/p", patch='{"metadata": {"annotations": {"a": "b"}}}', kind="merge"))
    stored = json.loads(world.tables.pods["default/p"].document)
    assert stored["metadata"] == {**before["metadata"], "annotations": {"a": "b"}}
    assert stored["spec"] == before["spec"] and "status" not in stored


@pytest.mark.parametrize("kubernetes", ["1.20", "1.30", "1.37"])
def test_stored_pod_is_the_one_that_is_shown(kubernetes: str) -> None:
    world = world_of(pod(container(livenessProbe={"httpGet": {"port": 80}}), volumes=[{"name": "v"}]), kubernetes=kubernetes)
    row = world.tables.pods["default/p"]
    document = shown(world, "Pod", "p")
    assert json.loads(row.document)["spec"] == {key: value for key, value in document["spec"].items() if key != "nodeName"}
    assert [item.key for item in row.pod.spec.tolerations] == ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]
    assert row.pod.spec.containers[0].liveness_probe.period_seconds == 10


def test_image_change_through_a_put_of_the_whole_object_restarts_that_container_only() -> None:
    world = world_of(pod(container(), container(name="side")))
    document = shown(world, "Pod", "p")
    document["spec"]["containers"][0]["image"] = "nginx:1.16.1"
    accepted(world, put(document))
    ended = {record.subject for record in after(world, 30) if record.machine == "container" and record.target == "exited"}
    assert ended == {"container/default/p/app"}


def test_lists_are_ordered_by_namespace_and_name_and_selected_by_labels_and_fields() -> None:
    other = web("a", nodeName="node1")
    other["metadata"]["namespace"] = "zoo"
    world = world_of(web("c"), pod(container(), name="b"), other)
    names = [item["metadata"]["name"] for item in list_objects(world, "Pod")]
    assert names == ["b", "c", "a"]
    assert [item["metadata"]["name"] for item in list_objects(world, "Pod", labels="app in (web),!x")] == ["c", "a"]
    assert [item["metadata"]["name"] for item in list_objects(world, "Pod", "default", fields="status.phase=Running,metadata.name!=b")] == [
        "c"
    ]


def test_field_that_cannot_be_asked_for_is_refused_in_the_words_of_the_api_server() -> None:
    with pytest.raises(ApiError, match="^field label not supported: spec.x$"):
        list_objects(world_of(pod(container())), "Pod", fields="spec.x=y")


def test_generated_names_differ() -> None:
    world = world_of()
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "app-"}}
    accepted(world, apply_yaml(document))
    accepted(world, apply_yaml(document))
    names = [item["metadata"]["name"] for item in list_objects(world, "ConfigMap")]
    assert len(set(names)) == 2
    assert all(name.startswith("app-") and len(name) == 9 for name in names)


def test_stored_object_has_its_defaults() -> None:
    world = world_of()
    accepted(world, apply_yaml({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "b"}}))
    document = shown(world, "Secret", "s")
    assert (document["type"], document["data"]) == ("Opaque", {"a": "Yg=="})


def test_empty_lists_of_metadata_are_not_stored() -> None:
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "finalizers": [], "labels": {}}}
    world = world_of(document)
    assert json.loads(world.tables.objects[("ConfigMap", "default", "c")].document)["metadata"] == {"name": "c", "namespace": "default"}
