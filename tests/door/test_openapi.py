"""The OpenAPI documents: what clients look up in them, their form, and how they are sent."""

import gzip
import json
from typing import Any

import pytest

from simulator.door.answering import answer
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.openapi.definitions import described as resources_described
from simulator.door.openapi.definitions import types_of
from simulator.door.openapi.version2 import in_protobuf, swagger
from simulator.door.protobuf import BadProtobuf, FieldBudget, message_fields
from simulator.door.resources import built_in
from simulator.door.scene import DoorScene
from simulator.engine import RunHeader, new_world
from simulator.engine.apiserver.wire.catalog import OLDEST_MINOR
from simulator.engine.versions.minors import NEWEST

DEPLOYMENT = "io.k8s.api.apps.v1.Deployment"
PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
BASE = "/r/demo/k8s/key"


def ask(path: str, *, kubernetes: str = "1.30", **headers: str) -> DoorReply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    asked = DoorRequest(path=path, base=BASE, headers=named)
    return answer(asked, DoorScene(world=new_world(RunHeader(kubernetes=kubernetes)), now_ms=0, wall_ms=0))


def document(path: str, **of: str) -> Any:
    return json.loads(ask(path, **of).body)


def parameters(found: Any, kubernetes_path: str, method: str) -> set[str]:
    return {item["name"] for item in found["paths"][kubernetes_path][method]["parameters"]}


@pytest.mark.parametrize("minor", range(20, 39))
def test_every_reference_leads_to_a_definition_in_every_release(minor: int) -> None:
    found = swagger(minor)
    text = json.dumps(found)
    wanted = {part.partition('"')[0] for part in text.split("#/definitions/")[1:]}
    assert wanted <= found["definitions"].keys() and len(found["definitions"]) > 200


@pytest.mark.parametrize("minor", range(20, 39))
def test_every_kind_that_is_served_is_described_by_its_group_and_version(minor: int) -> None:
    mark = "x-kubernetes-group-version-kind"
    served = {tuple(sorted(operation[mark].items())) for item in swagger(minor)["paths"].values() for operation in item.values()}
    described = {tuple(sorted(each.items())) for item in types_of(minor).definitions.values() for each in item.get(mark, ())}
    undescribed = [item for item in built_in(minor) if item not in resources_described(types_of(minor))]
    named = ({"group": item.info.group, "kind": item.info.kind, "version": item.version} for item in undescribed)
    assert served - described == {tuple(sorted(each.items())) for each in named}


def test_lists_say_what_they_are_merged_by() -> None:
    containers = swagger(30)["definitions"]["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"]
    assert (containers["x-kubernetes-patch-strategy"], containers["x-kubernetes-patch-merge-key"]) == ("merge", "name")
    assert containers["items"] == {"$ref": "#/definitions/io.k8s.api.core.v1.Container"}


def test_a_field_that_an_older_release_lacks_is_not_in_its_document() -> None:
    fields = [swagger(minor)["definitions"]["io.k8s.api.core.v1.Probe"]["properties"] for minor in (22, 23)]
    assert ["grpc" in each for each in fields] == [False, True]


def test_the_server_validates_fields_from_1_25_on() -> None:
    path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
    assert ["fieldValidation" in parameters(swagger(minor), path, "patch") for minor in (24, 25)] == [False, True]
    assert "dryRun" in parameters(swagger(20), path, "patch")


def parts(data: bytes) -> list[tuple[int, Any]]:
    return list(message_fields(data, FieldBudget()))


def test_protobuf_says_what_json_says() -> None:
    found = swagger(30)
    named = [dict(parts(item)) for _, item in parts(dict(parts(in_protobuf(found)))[9])]
    assert [item[1].decode() for item in named] == list(found["definitions"])
    schema = next(item[2] for item in named if item[1].decode() == DEPLOYMENT)
    fields = [dict(parts(item))[1].decode() for _, item in parts(dict(parts(schema))[25])]
    assert fields == list(found["definitions"][DEPLOYMENT]["properties"])


def test_version_2_is_sent_as_it_is_asked_for() -> None:
    assert ask("/openapi/v2", accept=PROTOBUF).content_type == "application/octet-stream"
    assert document("/openapi/v2", accept="application/json")["swagger"] == "2.0"
    assert document("/openapi/v2")["info"]["version"] == "v1.30.0"
    assert ask("/openapi/v2", accept="text/html").status == 406


def test_the_index_of_version_3_leads_through_the_address_of_the_run_to_its_documents() -> None:
    index = document("/openapi/v3")["paths"]
    assert {"api/v1", "apis/apps/v1", "apis/batch/v1"} <= index.keys()
    url = index["apis/apps/v1"]["serverRelativeURL"]
    assert url.startswith(f"{BASE}/openapi/v3/apis/apps/v1?hash=")
    reply = ask("/openapi/v3/apis/apps/v1")
    assert f'"{url.partition("hash=")[2]}"' == dict(reply.headers)["ETag"]
    found = json.loads(reply.body)
    assert found["components"]["schemas"][DEPLOYMENT]["properties"]["spec"]["allOf"] == [
        {"$ref": "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec"}
    ]
    assert "fieldValidation" in parameters(found, "/apis/apps/v1/namespaces/{namespace}/deployments", "post")


def test_version_3_is_there_from_1_24_on() -> None:
    assert [ask("/openapi/v3", kubernetes=each).status for each in ("1.23", "1.24")] == [404, 200]


@pytest.mark.parametrize("path", ["/openapi/v3/apis/nope/v1", "/openapi/v3x", "/openapi/v4", "/openapi/v2/x"])
def test_other_paths_are_not_found(path: str) -> None:
    assert ask(path).status == 404


def test_a_document_that_is_still_the_same_is_not_sent_again() -> None:
    first = ask("/openapi/v2", accept_encoding="gzip")
    headers = dict(first.headers)
    assert (headers["Content-Encoding"], json.loads(gzip.decompress(first.body))["swagger"]) == ("gzip", "2.0")
    again = ask("/openapi/v2", if_none_match=headers["ETag"])
    assert (again.status, again.body, dict(again.headers)["ETag"]) == (304, b"", headers["ETag"])
    assert ask("/openapi/v2", kubernetes="1.31", if_none_match=headers["ETag"]).status == 200


@pytest.mark.parametrize(("group", "kind"), [("rbac.authorization.k8s.io", "Role"), ("networking.k8s.io", "Ingress")])
def test_a_kind_without_a_definition_can_be_tried_by_an_old_kubectl(group: str, kind: str) -> None:
    mark = "x-kubernetes-group-version-kind"
    found = [item["patch"] for item in swagger(20)["paths"].values() if "patch" in item and item["patch"][mark]["kind"] == kind]
    assert any(each[mark]["group"] == group and "dryRun" in {item["name"] for item in each["parameters"]} for each in found)


def test_protobuf_of_as_many_fields_as_may_be_read_is_read() -> None:
    data = bytes((1 << 3, 5, 2 << 3, 128, 1))
    assert list(message_fields(data, FieldBudget(left=2))) == [(1, 5), (2, 128)]
    with pytest.raises(BadProtobuf, match="more than"):
        list(message_fields(data, FieldBudget(left=1)))


@pytest.mark.parametrize(("minor", "same_as"), [(OLDEST_MINOR - 1, OLDEST_MINOR), (99, NEWEST)])
def test_a_version_beyond_those_known_has_the_types_of_the_nearest(minor: int, same_as: int) -> None:
    assert types_of(minor).definitions.keys() >= types_of(same_as).definitions.keys()


def test_the_types_of_versions_differ() -> None:
    assert types_of(OLDEST_MINOR).definitions.keys() != types_of(NEWEST).definitions.keys()
