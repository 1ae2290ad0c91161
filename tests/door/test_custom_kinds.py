"""CustomResourceDefinitions in the API: their kinds in discovery, validation by their schema, their tables and subresources."""

import json
from typing import Any

import pytest

from simulator.engine import advance
from simulator.engine.apiserver.answer import Answer, ApiError
from tests.door.test_server_side_apply import MERGE, Cluster

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SHOPS = "/apis/shop.example.com/v1/namespaces/default/shops"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
SPEC: dict[str, Any] = {
    "type": "object", "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 9, "format": "int32"},
        "tier": {"type": "string", "enum": ["dev", "prod"], "default": "dev"},
        "host": {"type": "string", "pattern": r"^[a-z.]+$", "maxLength": 12},
        "ports": {"type": "array", "maxItems": 2, "items": {"type": "object", "properties": {"n": {"type": "integer", "default": 80}}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "any": {"x-kubernetes-int-or-string": True},
    },
}  # fmt: skip


def definition(**changes: Any) -> dict:
    version = {
        "name": "v1", "served": True, "storage": True,
        "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"spec": SPEC, "status": {"type": "object", "properties": {"ready": {"type": "integer"}}}},
        }},
        "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.ready"}},
        "additionalPrinterColumns": [
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
            {"name": "Tier", "type": "string", "jsonPath": ".spec.tier", "priority": 1},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        ],
    }  # fmt: skip
    names = {"plural": "shops", "kind": "Shop", "shortNames": ["sh"], "categories": ["all"]}
    spec = {"group": "shop.example.com", "scope": "Namespaced", "names": names, "versions": [version], **changes}
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return {**head, "metadata": {"name": "shops.shop.example.com"}, "spec": spec}


def shop(name: str = "a", **spec: Any) -> dict:
    return {"apiVersion": "shop.example.com/v1", "kind": "Shop", "metadata": {"name": name}, "spec": {"size": 2, **spec}}


@pytest.fixture
def cluster() -> Cluster:
    cluster = Cluster()
    cluster.ask("POST", CRDS, definition())
    return cluster


def refused(cluster: Cluster, path: str, body: dict) -> Answer:
    with pytest.raises(ApiError) as caught:
        cluster.ask("POST", path, body)
    return caught.value.answer


def test_without_definitions_there_is_an_empty_list() -> None:
    found = Cluster().ask("GET", CRDS)
    assert (found["kind"], found["items"]) == ("CustomResourceDefinitionList", [])


def test_a_definition_is_established(cluster: Cluster) -> None:
    (found,) = cluster.ask("GET", CRDS)["items"]
    conditions = {item["type"]: item["status"] for item in found["status"]["conditions"]}
    assert (conditions, found["status"]["storedVersions"]) == ({"NamesAccepted": "True", "Established": "True"}, ["v1"])
    assert found["status"]["acceptedNames"]["listKind"] == "ShopList" and found["metadata"].get("namespace") is None


def test_its_kind_is_in_discovery(cluster: Cluster) -> None:
    plain = cluster.ask("GET", "/apis/shop.example.com/v1")["resources"]
    assert [item["name"] for item in plain] == ["shops", "shops/scale", "shops/status"]
    assert (plain[0]["shortNames"], plain[0]["categories"], plain[0]["namespaced"]) == (["sh"], ["all"], True)
    for version in ("v2", "v2beta1"):
        groups = cluster.ask("GET", "/apis", accept=AGGREGATED.format(version))["items"]
        assert "shop.example.com" in [item["metadata"]["name"] for item in groups]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"group": "other.example.com"},
            'metadata.name: Invalid value: "shops.shop.example.com": must be spec.names.plural+"."+spec.group',
        ),
        ({"scope": "Everywhere"}, 'spec.scope: Unsupported value: "Everywhere": supported values: "Cluster", "Namespaced"'),
        ({"versions": []}, "must have exactly one version marked as storage version"),
        ({"versions": [{"name": "v1", "storage": True}]}, "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"),
        ({"names": {"plural": "shops", "kind": "Pod"}}, "spec.names.kind: Invalid value"),
    ],
)
def test_a_definition_that_is_wrong_is_refused(changes: dict, text: str) -> None:
    found = refused(Cluster(), CRDS, definition(**changes))
    assert (found.code, text in found.message) == (422, True), found.message


def test_an_object_is_pruned_and_gets_its_defaults(cluster: Cluster) -> None:
    body = cluster.ask("POST", SHOPS, shop(unknown=1, ports=[{"x": 1}], free={"x": 1}, any="80%"))
    assert body["spec"] == {"size": 2, "tier": "dev", "ports": [{"n": 80}], "free": {"x": 1}, "any": "80%"}


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"size": "big"}, 'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"'),
        ({"size": 10}, "spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9"),
        ({"tier": "test"}, 'spec.tier: Unsupported value: "test": supported values: "dev", "prod"'),
        ({"host": "A"}, "spec.host: Invalid value: \"A\": spec.host in body should match '^[a-z.]+$'"),
        ({"host": "a" * 13}, "spec.host: Too long: may not be more than 12 bytes"),
        ({"ports": [{}, {}, {}]}, "spec.ports: Too many: 3: must have at most 2 items"),
        ({"any": True}, "spec.any in body must be of type integer,string"),
    ],
)
def test_an_object_that_the_schema_does_not_take_is_refused(cluster: Cluster, spec: dict, text: str) -> None:
    found = refused(cluster, SHOPS, shop(**spec))
    assert (found.code, text in found.message) == (422, True), found.message


def test_what_is_required_must_be_there(cluster: Cluster) -> None:
    found = refused(cluster, SHOPS, {**shop(), "spec": {}})
    assert found.message == 'Shop.shop.example.com "a" is invalid: spec.size: Required value'


def test_a_pattern_that_would_explode_elsewhere_is_matched_at_once() -> None:
    cluster = Cluster()
    version = definition()["spec"]["versions"][0]
    version["schema"]["openAPIV3Schema"]["properties"]["spec"] = {
        "type": "object", "properties": {"size": {"type": "integer"}, "host": {"type": "string", "pattern": "^(a+)+$"}}
    }  # fmt: skip
    cluster.ask("POST", CRDS, definition(versions=[version]))
    assert refused(cluster, SHOPS, shop(host="a" * 5000 + "!")).code == 422


def test_a_change_is_judged_too(cluster: Cluster) -> None:
    cluster.ask("POST", SHOPS, shop())
    with pytest.raises(ApiError, match="less than or equal to 9"):
        cluster.ask("PATCH", f"{SHOPS}/a", {"spec": {"size": 20}}, sort=MERGE)
    assert cluster.ask("PATCH", f"{SHOPS}/a", {"spec": {"size": 3}}, sort=MERGE)["metadata"]["generation"] == 2


def test_the_status_is_changed_by_its_subresource_alone(cluster: Cluster) -> None:
    assert "status" not in cluster.ask("POST", SHOPS, {**shop(), "status": {"ready": 1}})
    assert "status" not in cluster.ask("PATCH", f"{SHOPS}/a", {"status": {"ready": 1}}, sort=MERGE)
    body = cluster.ask("PATCH", f"{SHOPS}/a/status", {"spec": {"size": 5}, "status": {"ready": 1}}, sort=MERGE)
    assert (body["spec"]["size"], body["status"]) == (2, {"ready": 1})
    body = cluster.ask("PUT", f"{SHOPS}/a/status", {**body, "status": {"ready": 2}})
    assert (body["status"], cluster.ask("GET", f"{SHOPS}/a")["status"]) == ({"ready": 2}, {"ready": 2})


def test_a_scale_is_read_and_written(cluster: Cluster) -> None:
    cluster.ask("POST", SHOPS, shop())
    assert cluster.ask("GET", f"{SHOPS}/a/scale")["spec"] == {"replicas": 2}
    assert cluster.ask("PATCH", f"{SHOPS}/a/scale", {"spec": {"replicas": 4}}, sort=MERGE)["spec"] == {"replicas": 4}
    assert cluster.ask("GET", f"{SHOPS}/a")["spec"]["size"] == 4


def test_a_table_has_the_columns_of_the_definition(cluster: Cluster) -> None:
    cluster.ask("POST", SHOPS, shop())
    advance(cluster.world, until_ms=65_000)
    table = cluster.ask("GET", SHOPS, accept=TABLE)
    assert [(item["name"], item["priority"]) for item in table["columnDefinitions"]] == [("Name", 0), ("Size", 0), ("Tier", 1), ("Age", 0)]
    assert table["rows"][0]["cells"] == ["a", 2, "dev", "60s"]


def test_a_cell_has_what_is_there_if_it_is_of_the_columns_type() -> None:
    kinds = ("integer", "number", "boolean", "string")
    columns = [
        {"name": f"{kind} {key}", "type": kind, "jsonPath": f".spec.free.{key}"} for kind in kinds for key in ("n", "f", "b", "s", "none")
    ]
    cluster = Cluster()
    version = {**definition()["spec"]["versions"][0], "additionalPrinterColumns": columns}
    cluster.ask("POST", CRDS, definition(versions=[version]))
    cluster.ask("POST", SHOPS, shop(free={"n": 1, "f": 2.5, "b": True, "s": "x"}))
    cells = cluster.ask("GET", SHOPS, accept=TABLE)["rows"][0]["cells"][1:]
    assert [cells[5 * n : 5 * n + 5] for n in range(len(kinds))] == [
        [1, None, None, None, None],
        [1, 2.5, None, None, None],
        [None, None, True, None, None],
        ["1", "2.5", "True", "x", None],
    ]


def test_a_kind_of_the_whole_cluster_has_no_namespace() -> None:
    cluster = Cluster()
    cluster.ask("POST", CRDS, definition(scope="Cluster"))
    body = cluster.ask("POST", "/apis/shop.example.com/v1/shops", shop())
    assert "namespace" not in body["metadata"]
    assert cluster.ask("GET", "/apis/shop.example.com/v1/shops/a")["spec"]["size"] == 2
    assert cluster.ask("DELETE", "/apis/shop.example.com/v1/shops/a")["status"] == "Success"


def test_server_side_apply_knows_the_schema(cluster: Cluster) -> None:
    body = cluster.ask("PATCH", f"{SHOPS}/a", shop(), sort="application/apply-patch+yaml", fieldManager="x")
    assert body["metadata"]["managedFields"][0]["fieldsV1"] == {"f:spec": {"f:size": {}}}


def test_a_kind_goes_with_its_objects(cluster: Cluster) -> None:
    cluster.ask("POST", SHOPS, shop())
    cluster.ask("DELETE", f"{CRDS}/shops.shop.example.com")
    assert "shop.example.com" not in [item["name"] for item in cluster.ask("GET", "/apis")["groups"]]
    assert not [key for key in cluster.world.tables.objects if key[0] in ("Shop", "CustomResourceDefinition")]


def test_documents_can_be_read_again(cluster: Cluster) -> None:
    assert json.loads(json.dumps(cluster.ask("GET", f"{CRDS}/shops.shop.example.com")))["spec"]["names"]["singular"] == "shop"


def broken(path: str, value: object) -> dict:
    """The definition with one value replaced."""
    document = json.loads(json.dumps(definition()))
    *steps, last = path.split("/")
    at: Any = document["spec"]
    for step in steps:
        at = at[int(step) if step.isdecimal() else step]
    at[last] = value
    return document


SCHEMA = "versions/0/schema/openAPIV3Schema/properties/spec"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("names/shortNames", 5),
        ("names/categories", "all"),
        ("names/kind", 1.5),
        ("names/plural", "a/../b"),
        ("names/kind", "<b>"),
        ("versions", [None, 4]),
        ("versions/0/name", "v" + "9" * 5000),
        ("versions/0/subresources", 3),
        ("versions/0/subresources", {"scale": []}),
        ("versions/0/subresources", {"scale": {"statusReplicasPath": ".status.ready"}}),
        ("versions/0/subresources", {"scale": {"specReplicasPath": ".spec" + ".a" * 5000, "statusReplicasPath": ".status.ready"}}),
        ("versions/0/additionalPrinterColumns", 5),
        ("versions/0/additionalPrinterColumns", [{"name": "A", "priority": {}}]),
        (f"{SCHEMA}/properties", ["size"]),
        (f"{SCHEMA}/required", [{}]),
        (f"{SCHEMA}/required", True),
        (f"{SCHEMA}/properties", {"l": {"items": {"properties": "x"}}}),
        (f"{SCHEMA}/additionalProperties", {"properties": "x"}),
    ],
)
def test_a_definition_whose_fields_have_wrong_types_is_refused(path: str, value: object) -> None:
    cluster = Cluster()
    assert refused(cluster, CRDS, broken(path, value)).code in (400, 422)
    assert cluster.ask("GET", "/apis")["kind"] == "APIGroupList"


def test_null_says_nothing_in_a_definition() -> None:
    cluster = Cluster()
    cluster.ask("POST", CRDS, broken(f"{SCHEMA}/properties", {"size": {"maximum": None}, "tier": {"pattern": None}, "x": None}))
    assert cluster.ask("POST", SHOPS, shop(tier="dev"))["spec"] == {"size": 2, "tier": "dev"}


@pytest.mark.parametrize(
    "metadata",
    [{"labels": "x"}, {"annotations": 5}, {"finalizers": 5}, {"ownerReferences": 5}, {"ownerReferences": [1]}, {"ownerReferences": [None]}],
)
def test_metadata_of_custom_objects_has_its_types(cluster: Cluster, metadata: dict) -> None:
    body = {**shop(), "metadata": {"name": "a", **metadata}}
    assert refused(cluster, SHOPS, body).code == 400
    cluster.ask("POST", SHOPS, shop())
    with pytest.raises(ApiError) as caught:
        cluster.ask("PATCH", f"{SHOPS}/a", {"metadata": metadata}, sort=MERGE)
    assert caught.value.answer.code in (400, 422)
    assert cluster.ask("GET", SHOPS, labelSelector="a=b")["items"] == []


@pytest.mark.parametrize(
    ("name", "schema", "value"),
    [
        ("pattern", {"type": "string", "pattern": "(a|b)*a(a|b){900}c"}, "ab" * 50_000),
        ("choice", {"items": {"allOf": [{}] * 1000}}, [1] * 1000),
        ("default", {"items": {"properties": {"x": {"default": "x" * 100_000}}}}, [{}] * 1000),
        ("enum", {"items": {"enum": list(range(1000))}}, [999] * 1000),
        ("words", {"items": {"enum": ["x" * 100_000]}}, ["y"] * 1000),
        ("fields", {"items": {"properties": {f"f{n}": {} for n in range(10_000)}}}, [{}] * 1000),
    ],
)
def test_what_explodes_by_schema_and_value_together_is_refused(name: str, schema: dict, value: object) -> None:
    cluster = Cluster()
    cluster.ask("POST", CRDS, broken(f"{SCHEMA}/properties", {"size": {}, "big": schema}))
    assert "too large to be judged" in refused(cluster, SHOPS, shop(big=value)).message


def test_whole_numbers_beyond_all_fractions_are_judged() -> None:
    cluster = Cluster()
    cluster.ask("POST", CRDS, broken(f"{SCHEMA}/properties", {"size": {"multipleOf": 0.5}, "part": {"multipleOf": 10**400}}))
    assert refused(cluster, SHOPS, shop(size=10**400)).code == 422
    cluster.ask("POST", SHOPS, shop(part=1.5))
