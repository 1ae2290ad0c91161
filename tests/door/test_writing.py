"""Writes as commands of a run: the command of a request, and the answer."""

import json

import pytest

from simulator.door.answering import answer, written_to
from simulator.door.exchange import DoorRequest
from simulator.door.scene import DoorScene
from simulator.door.writing import dry_run, tried, written_reply
from simulator.engine import RunHeader, advance, new_world
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.workloads.scale import ScaleWorkload
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.world.world import World
from tests.factories import pod_json

PODS = "/api/v1/namespaces/default/pods"
DEPLOYS = "/apis/apps/v1/namespaces/default/deployments"
DEPLOY = {
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "default"},
    "spec": {
        "replicas": 1, "selector": {"matchLabels": {"app": "d"}},
        "template": {"metadata": {"labels": {"app": "d"}}, "spec": {"containers": [{"name": "a", "image": "nginx:1.27"}]}},
    },
}  # fmt: skip
MERGE, STRATEGIC = "application/merge-patch+json", "application/strategic-merge-patch+json"


@pytest.fixture(scope="module")
def world() -> World:
    world = new_world(RunHeader(kubernetes="1.30", manifests=(pod_json("a"), json.dumps(DEPLOY))))
    advance(world, until_ms=30_000)
    return world


def asking(method: str, path: str, body: object = None, *, content_type: str = "application/json", **query: str) -> DoorRequest:
    headers = {"content-type": content_type, "user-agent": "python"}
    text = b"" if body is None else json.dumps(body).encode()
    return DoorRequest(method=method, path=path, query=tuple(query.items()), headers=headers, body=text)


def write(world: World, asked: DoorRequest):
    """The command, and the answer to it."""
    scene = DoorScene(world=world, now_ms=30_000, wall_ms=1_800_000_000_000, may_write=True)
    place, resource = written_to(asked, scene)
    writing, after = tried(asked, place, resource, scene)
    reply = written_reply(asked, place, resource, DoorScene(world=after, now_ms=30_000, wall_ms=scene.wall_ms), writing)
    return writing.command, reply.status, json.loads(reply.body)


def refused(world: World, asked: DoorRequest) -> tuple[int, str]:
    with pytest.raises(ApiError) as caught:
        write(world, asked)
    return caught.value.answer.code, caught.value.answer.message


def test_a_pod_is_deleted_by_the_command_of_its_button_and_the_answer_is_the_pod(world: World) -> None:
    command, status, body = write(world, asking("DELETE", f"{PODS}/a", {"propagationPolicy": "Background"}))
    assert (command, status) == (DeletePod(target="default/a"), 200)
    assert body["kind"] == "Pod" and "deletionTimestamp" in body["metadata"]


def test_no_grace_is_force(world: World) -> None:
    command, _, body = write(world, asking("DELETE", f"{PODS}/a", {"gracePeriodSeconds": 0}))
    assert (command, body["metadata"]["name"]) == (DeletePod(target="default/a", grace_s=0, force=True), "a")


def test_another_object_that_goes_is_a_status_with_its_uid(world: World) -> None:
    _, _, body = write(world, asking("DELETE", f"{DEPLOYS}/d", {"propagationPolicy": "Background"}))
    assert (body["status"], body["details"]["kind"], bool(body["details"]["uid"])) == ("Success", "deployments", True)


def test_an_object_is_created_with_its_defaults(world: World) -> None:
    pod = {"metadata": {"name": "new"}, "spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]}}
    command, status, body = write(world, asking("POST", PODS, pod))
    assert isinstance(command, ApplyManifest) and command.create and status == 201
    assert (body["metadata"]["name"], body["spec"]["restartPolicy"], body["status"]["phase"]) == ("new", "Always", "Pending")


def test_what_is_there_cannot_be_created(world: World) -> None:
    assert refused(world, asking("POST", PODS, json.loads(pod_json("a")))) == (409, 'pods "a" already exists')


def test_another_namespace_than_that_of_the_address_is_refused(world: World) -> None:
    pod = json.loads(pod_json("x", namespace="other"))
    assert refused(world, asking("POST", PODS, pod))[0] == 400


def test_patches_of_pods_and_of_others(world: World) -> None:
    command, _, body = write(world, asking("PATCH", f"{PODS}/a", {"metadata": {"labels": {"x": "y"}}}, content_type=MERGE))
    assert isinstance(command, PatchPod) and body["metadata"]["labels"]["x"] == "y"
    command, _, body = write(world, asking("PATCH", f"{DEPLOYS}/d", {"spec": {"replicas": 3}}, content_type=STRATEGIC))
    assert isinstance(command, PatchObject) and body["spec"]["replicas"] == 3


def test_a_patch_of_scale_is_the_command_scale(world: World) -> None:
    command, _, body = write(world, asking("PATCH", f"{DEPLOYS}/d/scale", {"spec": {"replicas": 4}}, content_type=MERGE))
    assert command == ScaleWorkload(kind="Deployment", namespace="default", name="d", replicas=4, manager="python")
    assert (body["kind"], body["spec"]["replicas"]) == ("Scale", 4)


def test_an_eviction_is_only_tried_where_its_options_say_so() -> None:
    body = {"kind": "Eviction", "metadata": {"name": "a"}, "deleteOptions": {"dryRun": ["All"]}}
    assert [dry_run(asking("POST", f"{PODS}/a/eviction", each)) for each in (body, {})] == [True, False]


def test_an_eviction_is_answered_as_created(world: World) -> None:
    command, status, _ = write(world, asking("POST", f"{PODS}/a/eviction", {"kind": "Eviction", "metadata": {"name": "a"}}))
    assert (command, status) == (EvictPod(target="default/a"), 201)


def test_a_node_goes_by_its_own_command(world: World) -> None:
    assert write(world, asking("DELETE", "/api/v1/nodes/node1"))[0] == DeleteNode(node="node1")


def test_an_invalid_change_names_the_field(world: World) -> None:
    patch = {"spec": {"containers": [{"name": "app", "image": ""}]}}
    code, message = refused(world, asking("PATCH", f"{PODS}/a", patch, content_type=STRATEGIC))
    assert (code, "spec.containers[0].image" in message) == (422, True)


def test_what_is_not_there_is_not_found(world: World) -> None:
    assert refused(world, asking("DELETE", f"{PODS}/none")) == (404, 'pods "none" not found')


@pytest.mark.parametrize("content_type", ["application/vnd.kubernetes.protobuf", "text/plain"])
def test_a_body_that_cannot_be_read_is_an_unsupported_media_type(world: World, content_type: str) -> None:
    assert refused(world, asking("PATCH", f"{PODS}/a", {}, content_type=content_type))[0] == 415


@pytest.mark.parametrize("content_type", [MERGE, "text/plain"])
def test_nobody_looks_at_the_format_of_a_body_that_a_delete_does_not_have(world: World, content_type: str) -> None:
    assert write(world, asking("DELETE", f"{PODS}/a", content_type=content_type))[1] == 200
    assert refused(world, asking("DELETE", f"{PODS}/a", {}, content_type=content_type))[0] == 415


@pytest.mark.parametrize("asked", [asking("PUT", PODS), asking("POST", f"{PODS}/a"), asking("POST", "/api/v1/namespaces/default/events")])
def test_verbs_that_are_not_there(world: World, asked: DoorRequest) -> None:
    assert refused(world, asked)[0] == 405


def test_a_try_changes_nothing(world: World) -> None:
    digest = world.digest()
    write(world, asking("DELETE", f"{PODS}/a"))
    assert world.digest() == digest


def test_a_dry_run_is_said_by_query_or_body() -> None:
    assert dry_run(asking("DELETE", PODS, {"dryRun": ["All"]})) and dry_run(asking("POST", PODS, {}, dryRun="All"))
    assert not dry_run(asking("POST", PODS, {}))


def test_body_that_is_nested_too_deep_is_refused(world):
    deep: object = 1
    for _ in range(200):
        deep = {"a": deep}
    assert refused(world, asking("PATCH", f"{PODS}/a", deep, content_type=MERGE)) == (400, "the body of the request is not valid JSON")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("DELETE", f"{PODS}/a", {"preconditions": 5}),
        ("DELETE", f"{PODS}/a", {"gracePeriodSeconds": []}),
        ("POST", f"{PODS}/a/eviction", {"deleteOptions": "now"}),
        ("PUT", f"{DEPLOYS}/d/scale", {"spec": [3]}),
        ("PUT", f"{DEPLOYS}/d/scale", {"spec": {"replicas": "9" * 5000}}),
    ],
)
def test_a_body_whose_parts_have_wrong_types_is_refused(world: World, method: str, path: str, body: object) -> None:
    code, message = refused(world, asking(method, path, body))
    assert code == 400 and len(message) < 200


def test_a_dry_run_that_is_no_list_is_none(world: World) -> None:
    assert not dry_run(asking("DELETE", f"{PODS}/a", {"dryRun": 5}))


def test_a_namespace_that_every_cluster_has_is_answered_by_its_name(world):
    _, status, body = write(world, asking("POST", "/api/v1/namespaces", {"kind": "Namespace", "metadata": {"name": "kube-public"}}))
    assert (status, body["kind"], body["metadata"]["name"]) == (201, "Namespace", "kube-public")


def test_an_object_of_a_kind_without_behaviour_is_stored(world):
    made = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "web"}, "spec": {}}
    command, status, body = write(world, asking("POST", "/apis/networking.k8s.io/v1/namespaces/default/ingresses", made))
    assert (type(command), status, body["kind"]) == (ApplyManifest, 201, "Ingress")


def test_an_object_of_no_namespace_is_stored_without_one(world):
    made = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "look"}, "rules": []}
    _, status, body = write(world, asking("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", made))
    assert (status, body["metadata"]["name"], "namespace" in body["metadata"]) == (201, "look", False)


def test_ephemeral_containers_of_old_versions_are_a_list_of_their_own():
    old = new_world(RunHeader(kubernetes="1.20", manifests=(pod_json("a"),)))
    advance(old, until_ms=30_000)
    sent = {"kind": "EphemeralContainers", "apiVersion": "v1", "metadata": {"name": "a"}}
    sent["ephemeralContainers"] = [{"name": "dbg", "image": "busybox:1.28", "command": ["sleep", "9"]}]
    command, status, body = write(old, asking("PUT", f"{PODS}/a/ephemeralcontainers", sent))
    assert (type(command), command.subresource) == (PatchPod, "ephemeralcontainers")
    assert (status, body["kind"], [item["name"] for item in body["ephemeralContainers"]]) == (200, "EphemeralContainers", ["dbg"])


@pytest.mark.parametrize(("kubernetes", "kind"), [("1.20", "EphemeralContainers"), ("1.24", "Pod")])
def test_ephemeral_containers_are_read_as_the_version_has_them(kubernetes, kind):
    read = new_world(RunHeader(kubernetes=kubernetes, manifests=(pod_json("a"),)))
    advance(read, until_ms=30_000)
    scene = DoorScene(world=read, now_ms=30_000, wall_ms=1_800_000_000_000)
    assert json.loads(answer(asking("GET", f"{PODS}/a/ephemeralcontainers"), scene).body)["kind"] == kind


def test_a_document_is_a_command_as_clients_send_it(world: World) -> None:
    command, _, _ = write(world, asking("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "c"}, "data": {"a": "b"}}))
    assert '"data":{"a":"b"}' in command.documents[0]


def test_a_body_that_is_not_json_is_reported_by_how_it_begins(world: World) -> None:
    asked = DoorRequest(method="POST", path=PODS, headers={"content-type": "application/json"}, body=b"apiVersion: v1\n")
    why = (
        "couldn't get version/kind; json parse error: invalid character 'a' looking for beginning of value (61706956657273696f6e3a2076310a)"
    )
    assert refused(world, asked) == (400, f"the object provided is unrecognized (must be of type Pod): {why}")


@pytest.mark.parametrize(("manager", "kind"), [("kubectl-set", "SetPodImage"), ("kubectl-client-side-apply", "PatchPod")])
def test_what_kubectl_diff_tries_is_not_an_act_of_a_button(world: World, manager: str, kind: str) -> None:
    body = {"spec": {"containers": [{"name": "app", "image": "nginx:1.28"}]}}
    command, _, _ = write(world, asking("PATCH", f"{PODS}/a", body, content_type=STRATEGIC, fieldManager=manager))
    assert type(command).__name__ == kind


def test_a_collection_is_not_deleted_by_a_selector_that_would_be_passed_over(world: World) -> None:
    assert refused(world, asking("DELETE", PODS, fieldSelector="metadata.name=a"))[0] == 400
    assert refused(world, asking("DELETE", DEPLOYS, fieldSelector="metadata.name=d"))[0] == 400
