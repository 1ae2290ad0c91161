"""Reviews: who the client is, and what its key permits."""

import json
from typing import Any

import pytest

from simulator.door.answering import answer, review_in
from simulator.door.exchange import DoorRequest
from simulator.door.scene import DoorScene
from simulator.engine import RunHeader, new_world
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.world.world import World
from simulator.headless.session import Session
from tests.engine.worlds import container, header, pod, run

AUTHORIZATION, AUTHENTICATION = "/apis/authorization.k8s.io/v1", "/apis/authentication.k8s.io/v1"
ACCESS = f"{AUTHORIZATION}/selfsubjectaccessreviews"


@pytest.fixture(scope="module")
def world() -> World:
    return new_world(RunHeader(kubernetes="1.30"))


def ask(world: World, path: str, spec: object = None, *, method: str = "POST", writes: bool = False, past: bool = False) -> tuple[int, Any]:
    """Status and document of the answer."""
    body = json.dumps({"spec": spec} if spec is not None else {}).encode()
    scene = DoorScene(world=world, now_ms=0, wall_ms=0, may_write=writes, is_past=past)
    reply = answer(DoorRequest(method=method, path=path, body=body if method == "POST" else b""), scene)
    return reply.status, json.loads(reply.body) if reply.body else None


def may(world: World, verb: str, **key: bool) -> bool:
    status, document = ask(world, ACCESS, {"resourceAttributes": {"verb": verb, "resource": "pods"}}, **key)
    assert status == 201
    return bool(document["status"]["allowed"])


@pytest.mark.parametrize("verb", ["get", "list", "watch"])
def test_every_key_reads(world: World, verb: str) -> None:
    assert may(world, verb) and may(world, verb, writes=True)


@pytest.mark.parametrize("verb", ["create", "delete", "patch", "*", ""])
def test_only_a_key_that_writes_may_do_more_and_not_in_the_past(world: World, verb: str) -> None:
    assert (may(world, verb), may(world, verb, writes=True), may(world, verb, writes=True, past=True)) == (False, True, False)


def test_paths_are_read_with_get(world: World) -> None:
    for verb, allowed in (("get", True), ("post", False)):
        assert ask(world, ACCESS, {"nonResourceAttributes": {"verb": verb, "path": "/healthz"}})[1]["status"]["allowed"] is allowed


@pytest.mark.parametrize("spec", [{}, {"resourceAttributes": {}, "nonResourceAttributes": {}}])
def test_a_review_of_nothing_or_of_two_things_is_invalid(world: World, spec: object) -> None:
    assert ask(world, ACCESS, spec)[0] == 422


def test_rules_list_what_the_key_may_do(world: World) -> None:
    for writes, verbs in ((False, ["get", "list", "watch"]), (True, ["*"])):
        rules = ask(world, f"{AUTHORIZATION}/selfsubjectrulesreviews", {"namespace": "default"}, writes=writes)[1]["status"][
            "resourceRules"
        ]
        assert rules[0] == {"verbs": verbs, "apiGroups": ["*"], "resources": ["*"]}


def test_who_am_i_is_there_from_1_28_on(world: World) -> None:
    path = f"{AUTHENTICATION}/selfsubjectreviews"
    assert ask(world, path)[1]["status"]["userInfo"]["username"] == "reader"
    assert ask(world, path, writes=True)[1]["status"]["userInfo"]["groups"][0] == "system:masters"
    assert ask(new_world(RunHeader(kubernetes="1.27")), path)[0] == 404


def test_an_impersonated_user_may_do_what_roles_allow(world: World) -> None:
    body = json.dumps({"spec": {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"}}}).encode()
    for headers, allowed in (({}, True), ({"impersonate-user": "jane"}, False)):
        asked = DoorRequest(method="POST", path=ACCESS, body=body, headers=headers)
        reply = answer(asked, DoorScene(world=world, now_ms=0, wall_ms=0, may_write=True))
        assert json.loads(reply.body or b"")["status"]["allowed"] is allowed


def test_reviews_of_others_are_for_keys_that_write(world: World) -> None:
    spec = {"user": "jane", "resourceAttributes": {"verb": "get", "resource": "pods"}}
    assert ask(world, f"{AUTHORIZATION}/subjectaccessreviews", spec)[0] == 403
    assert ask(world, f"{AUTHORIZATION}/subjectaccessreviews", spec, writes=True)[1]["status"] == {"allowed": False}
    masters = {**spec, "groups": ["system:masters"]}
    path = f"{AUTHORIZATION}/namespaces/default/localsubjectaccessreviews"
    assert ask(world, path, masters, writes=True)[1]["status"]["allowed"] is True


def test_no_token_is_known(world: World) -> None:
    assert "authenticated" not in ask(world, f"{AUTHENTICATION}/tokenreviews", {"token": "x"}, writes=True)[1]["status"]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_review_is_only_created(world: World, method: str) -> None:
    assert ask(world, ACCESS, method=method)[0] == 405


def test_what_is_not_a_review_is_left_to_others(world: World) -> None:
    scene = DoorScene(world=world, now_ms=0, wall_ms=0, may_write=True)
    assert review_in(DoorRequest(method="POST", path="/api/v1/namespaces/default/pods"), scene) is None
    assert review_in(DoorRequest(method="POST", path="/version"), scene) is None


def test_discovery_names_them_with_create_alone(world: World) -> None:
    resources = ask(world, AUTHORIZATION, method="GET")[1]["resources"]
    assert {item["name"]: item["verbs"] for item in resources}["subjectaccessreviews"] == ["create"]


TOKEN = "/api/v1/namespaces/default/serviceaccounts/default/token"


def test_a_token_of_a_service_account_is_given_to_a_key_that_writes(world: World) -> None:
    scene = DoorScene(world=world, now_ms=0, wall_ms=0, may_write=True)
    body = json.dumps({"spec": {"expirationSeconds": 600}}).encode()
    reply = review_in(DoorRequest(method="POST", path=TOKEN, body=body), scene)
    assert reply is not None and (reply.status, json.loads(reply.body)["status"]["expirationTimestamp"]) == (201, "2026-01-01T00:10:00Z")
    with pytest.raises(ApiError, match="read-only"):
        review_in(DoorRequest(method="POST", path=TOKEN), DoorScene(world=world, now_ms=0, wall_ms=0))
    with pytest.raises(ApiError, match="not found"):
        review_in(DoorRequest(method="POST", path=TOKEN.replace("default/token", "nope/token")), scene)


@pytest.mark.parametrize(
    ("kind", "group"),
    [
        ("selfsubjectreviews", AUTHENTICATION),
        ("tokenreviews", AUTHENTICATION),
        ("selfsubjectaccessreviews", AUTHORIZATION),
        ("selfsubjectrulesreviews", AUTHORIZATION),
        ("subjectaccessreviews", AUTHORIZATION),
    ],
)
def test_a_review_is_answered_as_one_of_its_group(world: World, kind: str, group: str) -> None:
    status, document = ask(
        world,
        f"{group}/{kind}",
        {"resourceAttributes": {"verb": "get", "resource": "pods"}, "user": "a", "token": "b", "namespace": "default"},
        writes=True,
    )
    assert (status, document["apiVersion"], document["kind"].lower() + "s") == (201, group.removeprefix("/apis/"), kind)
    assert ("spec" in document) is (kind != "selfsubjectreviews")


@pytest.mark.parametrize("spec", ["text", ["a"], 7])
def test_a_spec_that_is_not_an_object_asks_nothing(world: World, spec: object) -> None:
    assert ask(world, ACCESS, spec)[0] == 422
    assert ask(world, f"{AUTHORIZATION}/selfsubjectrulesreviews", spec)[0] == 400


def test_who_may_do_what_is_judged_by_the_roles_bound_to_the_user_for_resources_and_paths() -> None:
    made = Session(*run(header(pod(container()), kubernetes="1.33"), 5), now_ms=5_000)
    for line in (
        "create role reader --verb=get --resource=pods --resource=pods/log -n default",
        "create rolebinding reader --role=reader --user=jane -n default",
        "create clusterrole health --verb=get --non-resource-url='/healthz*'",
        "create clusterrolebinding health --clusterrole=health --user=jane",
    ):
        assert "created" in made.ask(f"kubectl {line}"), line
    pods = {"verb": "get", "resource": "pods", "namespace": "default"}
    for spec, allowed in (
        ({"resourceAttributes": pods}, True),
        ({"resourceAttributes": {**pods, "subresource": "log"}}, True),
        ({"resourceAttributes": {**pods, "subresource": "exec"}}, False),
        ({"resourceAttributes": {**pods, "verb": "delete"}}, False),
        ({"resourceAttributes": {**pods, "namespace": "kube-system"}}, False),
        ({"nonResourceAttributes": {"verb": "get", "path": "/healthz"}}, True),
        ({"nonResourceAttributes": {"verb": "get", "path": "/metrics"}}, False),
    ):
        answered = ask(made.world, f"{AUTHORIZATION}/subjectaccessreviews", {"user": "jane", **spec}, writes=True)[1]
        assert answered["status"]["allowed"] is allowed, spec
