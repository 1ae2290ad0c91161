"""Custom kinds in the OpenAPI documents."""

import json
from typing import Any

import pytest

from simulator.door.openapi.version2 import in_protobuf
from tests.door.test_custom_kinds import CRDS, definition
from tests.door.test_server_side_apply import Cluster

NAME, PLACE = "com.example.shop.v1.Shop", "/openapi/v3/apis/shop.example.com/v1"
META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


@pytest.fixture
def cluster() -> Cluster:
    cluster = Cluster()
    cluster.ask("POST", CRDS, definition())
    return cluster


def test_version_2_has_them_with_what_every_object_has(cluster: Cluster) -> None:
    found = cluster.ask("GET", "/openapi/v2")
    shop = found["definitions"][NAME]
    assert shop["x-kubernetes-group-version-kind"] == [{"group": "shop.example.com", "kind": "Shop", "version": "v1"}]
    assert list(shop["properties"]) == ["spec", "status", "apiVersion", "kind", "metadata"]
    assert shop["properties"]["metadata"]["$ref"] == f"#/definitions/{META}" and META in found["definitions"]
    assert "/apis/shop.example.com/v1/namespaces/{namespace}/shops/{name}" in found["paths"]
    assert NAME.encode() in in_protobuf(found)


def test_version_2_says_of_a_schema_what_it_can(cluster: Cluster) -> None:
    fields = cluster.ask("GET", "/openapi/v2")["definitions"][NAME]["properties"]["spec"]["properties"]
    assert fields["size"] == {"type": "integer", "format": "int32"}
    assert fields["any"] == {"x-kubernetes-int-or-string": True}
    assert fields["free"] == {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


LOOSE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "object", "nullable": True, "properties": {"a": {"type": "string"}}, "required": ["a"]}, {}),
    ({"type": "string", "anyOf": [{"minLength": 1}], "description": "Words."}, {"type": "string", "description": "Words."}),
    (
        {"type": "object", "additionalProperties": {"type": "string", "enum": ["a"]}},
        {"type": "object", "additionalProperties": {"type": "string"}},
    ),
]


@pytest.mark.parametrize(("schema", "told"), LOOSE)
def test_what_kubectl_cannot_read_is_left_out_of_version_2(schema: dict[str, Any], told: dict[str, Any]) -> None:
    cluster, crd = Cluster(), definition()
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = schema
    cluster.ask("POST", CRDS, crd)
    assert cluster.ask("GET", "/openapi/v2")["definitions"][NAME]["properties"]["spec"] == told


def test_a_kind_that_takes_any_field_has_none_in_version_2() -> None:
    cluster, crd = Cluster(), definition()
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["x-kubernetes-preserve-unknown-fields"] = True
    cluster.ask("POST", CRDS, crd)
    assert "properties" not in cluster.ask("GET", "/openapi/v2")["definitions"][NAME]


def test_version_3_has_a_document_for_each_of_their_group_versions(cluster: Cluster) -> None:
    assert PLACE.removeprefix("/openapi/v3/") in cluster.ask("GET", "/openapi/v3")["paths"]
    found = cluster.ask("GET", PLACE)
    spec = found["components"]["schemas"][NAME]["properties"]["spec"]["properties"]
    assert (spec["size"]["maximum"], spec["tier"]["enum"]) == (9, ["dev", "prod"])
    assert META in found["components"]["schemas"]
    assert list(found["paths"]) == [
        "/apis/shop.example.com/v1/namespaces/{namespace}/shops",
        "/apis/shop.example.com/v1/shops",
        "/apis/shop.example.com/v1/namespaces/{namespace}/shops/{name}",
    ]


def test_documents_follow_the_definitions(cluster: Cluster) -> None:
    before = cluster.ask("GET", "/openapi/v3")["paths"]
    cluster.ask("DELETE", f"{CRDS}/shops.shop.example.com")
    after = cluster.ask("GET", "/openapi/v3")["paths"]
    assert set(before) - set(after) == {"apis/shop.example.com/v1"}
    assert NAME not in json.dumps(cluster.ask("GET", "/openapi/v2"))
