"""The API's answers, request by request, without a client."""

import base64
import json
from typing import Any

import pytest

from simulator.door.answering import answer
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.reading import Continued, continued
from simulator.door.scene import DoorScene
from simulator.engine import RunHeader, advance, new_world
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.world.world import World
from tests.factories import pod_json

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
WALL_MS = 1_800_000_000_000
NOW_MS = 60_500


def world_with(*names: str, kubernetes: str = "1.30") -> World:
    """A world of quiet pods, after a minute."""
    world = new_world(RunHeader(kubernetes=kubernetes, manifests=tuple(pod_json(name) for name in names)))
    advance(world, until_ms=NOW_MS)
    return world


@pytest.fixture(scope="module")
def world() -> World:
    return world_with("a", "b", "c")


def ask(world: World, path: str, *, accept: str = "", method: str = "GET", agent: str = "python", **query: str) -> DoorReply:
    """The answer to a request; query parameters that are Python keywords get a trailing underscore."""
    headers = {"accept": accept, "user-agent": agent}
    asked = DoorRequest(method=method, path=path, query=tuple((key.strip("_"), value) for key, value in query.items()), headers=headers)
    return answer(asked, DoorScene(world=world, now_ms=NOW_MS, wall_ms=WALL_MS))


def told(reply: DoorReply) -> Any:
    return json.loads(reply.body)


def names(reply: DoorReply) -> list[str]:
    return [item["metadata"]["name"] for item in told(reply)["items"]]


PODS = "/api/v1/namespaces/default/pods"


def test_the_version_is_that_of_the_run(world: World) -> None:
    assert told(ask(world, "/version"))["gitVersion"] == "v1.30.0"


@pytest.mark.parametrize("path", ["/version/", "/api/", "/apis/", "/healthz", "/livez", "/readyz", "/readyz/ping"])
def test_a_slash_at_the_end_and_checks_of_health_are_answered(world: World, path: str) -> None:
    assert ask(world, path).status == 200


@pytest.mark.parametrize("version", ["v2", "v2beta1"])
def test_aggregated_discovery_names_the_version_that_was_asked_for(world: World, version: str) -> None:
    accept = f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList,application/json"
    reply = ask(world, "/apis", accept=accept)
    assert f";v={version};" in reply.content_type
    assert told(reply)["apiVersion"] == f"apidiscovery.k8s.io/{version}"


def test_a_list_leaves_out_what_it_says_of_all(world: World) -> None:
    document = told(ask(world, PODS))
    assert (document["kind"], "kind" in document["items"][0]) == ("PodList", False)


def test_a_table_has_a_row_with_metadata_for_each_object(world: World) -> None:
    table = told(ask(world, PODS, accept=TABLE))
    assert [row["cells"][0] for row in table["rows"]] == ["a", "b", "c"]
    assert set(table["rows"][0]["object"]) == {"kind", "apiVersion", "metadata"}


def test_a_table_brings_whole_objects_where_they_are_asked_for(world: World) -> None:
    assert "spec" in told(ask(world, PODS, accept=TABLE, includeObject="Object"))["rows"][0]["object"]


def test_metadata_alone_can_be_asked_for(world: World) -> None:
    accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
    document = told(ask(world, PODS, accept=accept))
    assert document["kind"] == "PartialObjectMetadataList"
    assert "spec" not in document["items"][0]


def test_what_cannot_be_answered_is_not_acceptable(world: World) -> None:
    assert ask(world, PODS, accept="application/vnd.kubernetes.protobuf").status == 406


def test_protobuf_is_passed_over_where_json_is_read_too(world: World) -> None:
    assert ask(world, PODS, accept="application/vnd.kubernetes.protobuf,application/json").content_type == "application/json"


@pytest.mark.parametrize(
    ("selector", "found"),
    [("metadata.name=b", ["b"]), ("metadata.name=b,metadata.name=b", ["b"]), ("spec.host=nowhere", []), ("status.phase!=Running", [])],
)
def test_field_selectors(world: World, selector: str, found: list[str]) -> None:
    assert names(ask(world, PODS, fieldSelector=selector)) == found


def test_a_field_that_no_table_has_is_refused_by_name(world: World) -> None:
    reply = ask(world, PODS, fieldSelector="spec.image=x")
    assert (reply.status, told(reply)["message"]) == (400, "field label not supported: spec.image")


def test_a_field_that_is_accepted_but_compared_with_nothing(world: World) -> None:
    assert ask(world, "/apis/apps/v1/statefulsets", fieldSelector="status.successful=1").status == 200


def test_a_list_is_cut_and_goes_on(world: World) -> None:
    first = told(ask(world, PODS, limit="2"))
    assert first["metadata"]["remainingItemCount"] == 1
    assert names(ask(world, PODS, limit="2", continue_=first["metadata"]["continue"])) == ["c"]


def test_a_continue_that_was_not_made_here_is_refused(world: World) -> None:
    assert ask(world, PODS, continue_="nonsense").status == 400


def test_an_unknown_group_is_not_a_status_and_an_unknown_resource_is_one(world: World) -> None:
    assert ask(world, "/apis/no.such/v1/things").body == b"404 page not found\n"
    assert told(ask(world, "/api/v1/things"))["reason"] == "NotFound"


def test_an_object_that_is_not_there_is_named(world: World) -> None:
    status = told(ask(world, f"{PODS}/none"))
    assert (status["message"], status["details"]) == ('pods "none" not found', {"name": "none", "kind": "pods"})


def test_a_list_at_a_position_that_is_still_to_come_is_refused_with_when_to_ask_again(world: World) -> None:
    reply = ask(world, PODS, resourceVersion="999999")
    assert (reply.status, dict(reply.headers)["Retry-After"]) == (504, "1")


def test_ages_count_from_the_clock_of_the_client(world: World) -> None:
    created = told(ask(world, f"{PODS}/a"))["metadata"]["creationTimestamp"]
    assert created == "2027-01-15T07:59:00Z"  # a minute before WALL_MS, in whole seconds


def test_what_kubectl_get_prints_keeps_the_moments_of_the_run(world: World) -> None:
    document = told(ask(world, f"{PODS}/a", accept="application/json", agent="kubectl/v1.20.0"))
    assert document["metadata"]["creationTimestamp"] == "2026-01-01T00:00:00Z"


def test_leases_are_never_moved(world: World) -> None:
    lease = told(ask(world, "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"))["items"][0]
    assert lease["spec"]["renewTime"].startswith("2026-01-01T00:0")


def test_a_container_must_be_one_of_the_pod(world: World) -> None:
    assert told(ask(world, f"{PODS}/a/log", container="nope"))["message"] == "container nope is not valid for pod a"


@pytest.mark.parametrize(
    "path", [f"{PODS}/a/portforward", "/api/v1/pods/a", "/api/v1/namespaces/default/nodes", f"{PODS}/a/nope", "/nope", "/a/b"]
)
def test_what_is_not_there_is_refused_and_not_a_failure(world: World, path: str) -> None:
    assert ask(world, path).status in (404, 405)


@pytest.mark.parametrize(("method", "verb"), [("GET", "attach"), ("POST", "attach"), ("POST", "portforward")])
def test_what_needs_an_upgraded_connection_says_what_to_use(world: World, method: str, verb: str) -> None:
    reply = ask(world, f"{PODS}/a/{verb}", method=method)
    assert (reply.status, "WebSocket" in told(reply)["message"]) == (405, True)


def test_a_moment_of_the_past_takes_no_writes(world: World) -> None:
    asked = DoorRequest(method="DELETE", path=f"{PODS}/a")
    reply = answer(asked, DoorScene(world=world, now_ms=NOW_MS, wall_ms=WALL_MS, is_past=True, may_write=True))
    assert (reply.status, "branch" in told(reply)["message"]) == (409, True)


def test_a_key_that_reads_does_not_write(world: World) -> None:
    assert ask(world, f"{PODS}/a", method="DELETE").status == 403


@pytest.mark.parametrize(("kubernetes", "warned"), [("1.32", False), ("1.33", True)])
def test_a_deprecated_kind_is_warned_of(kubernetes: str, warned: bool) -> None:
    reply = ask(world_with("a", kubernetes=kubernetes), "/api/v1/endpoints")
    assert ("Warning" in dict(reply.headers)) is warned


def named_versions(world: World) -> set[str]:
    return {each["groupVersion"] for group in told(ask(world, "/apis"))["groups"] for each in group["versions"]}


def test_versions_whose_objects_are_not_kept_are_named() -> None:
    old = world_with(kubernetes="1.20")
    assert {"autoscaling/v2beta1", "apiextensions.k8s.io/v1beta1", "events.k8s.io/v1", "extensions/v1beta1"} <= named_versions(old)
    assert told(ask(old, "/apis/autoscaling/v2beta1"))["resources"] == []


def test_those_of_a_later_release_are_not(world: World) -> None:
    assert not {"autoscaling/v2beta1", "apiextensions.k8s.io/v1beta1", "extensions/v1beta1"} & named_versions(world)


def test_definitions_in_their_old_version_are_read_with_a_warning() -> None:
    reply = ask(world_with(kubernetes="1.20"), "/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions")
    warning = dict(reply.headers)["Warning"]
    assert told(reply)["apiVersion"] == "apiextensions.k8s.io/v1beta1"
    assert "CustomResourceDefinition is deprecated in v1.16+, unavailable in v1.22+" in warning


def test_events_have_the_fields_of_the_group_that_is_asked(world: World) -> None:
    paths = (f"{root}/namespaces/default/events" for root in ("/api/v1", "/apis/events.k8s.io/v1"))
    old, new = (told(ask(world, path))["items"] for path in paths)
    assert [item["involvedObject"] for item in old] == [item["regarding"] for item in new]
    assert [item["message"] for item in old] == [item["note"] for item in new]
    assert "involvedObject" not in new[0]


def test_a_list_at_the_position_of_the_store_is_answered(world: World) -> None:
    position = told(ask(world, PODS))["metadata"]["resourceVersion"]
    assert ask(world, PODS, resourceVersion=position).status == 200
    assert ask(world, PODS, resourceVersion=str(int(position) + 1)).status == 504


@pytest.mark.parametrize(
    ("limit", "shown", "remaining"), [("2", ["a", "b"], 1), ("3", ["a", "b", "c"], None), ("0", ["a", "b", "c"], None)]
)
def test_a_list_that_fits_its_limit_is_whole(world: World, limit: str, shown: list[str], remaining: int | None) -> None:
    reply = ask(world, PODS, limit=limit)
    metadata = told(reply)["metadata"]
    assert (names(reply), metadata.get("remainingItemCount"), "continue" in metadata) == (shown, remaining, remaining is not None)


@pytest.mark.parametrize("kubernetes", ["1.20", "1.33"])
def test_the_root_lists_paths(kubernetes: str) -> None:
    reply = ask(world_with(kubernetes=kubernetes), "/")
    assert (reply.status, "/api" in told(reply)["paths"], type(told(reply)["paths"])) == (200, True, list)


@pytest.mark.parametrize(("ms", "is_valid"), [(0, True), (1, True), (-1, False)])
def test_a_list_goes_on_at_a_moment_of_the_run(ms: int, is_valid: bool) -> None:
    token = base64.urlsafe_b64encode(json.dumps({"ms": ms, "ns": "default", "name": "a"}).encode()).decode()
    if is_valid:
        assert continued(token) == Continued(ms, "default", "a")
    else:
        with pytest.raises(ApiError, match="continue key is not valid"):
            continued(token)
