"""Custom kinds with real kubectls: a definition is applied and awaited; its objects are applied, printed, scaled, refused, deleted."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.engine import RunHeader, new_world
from simulator.kubectl.kubectl import kubectl
from tests.door.clients import VERSIONS, Kubectl
from tests.door.cluster import cluster_of
from tests.door.serving import door_of
from tests.door.test_custom_kinds import definition, shop


@pytest.fixture(params=["1.20", "1.30", "1.37"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kubectl]:
    with cluster_of(request.param) as url:
        yield Kubectl(request.param, url, tmp_path)


def apply(client: Kubectl, document: dict) -> str:
    done = client.run("apply", "-f", "-", stdin=json.dumps(document))
    return done.stdout + done.stderr


def test_a_custom_kind_from_its_definition_to_its_end(client: Kubectl) -> None:
    assert client.said("get", "crd") == "No resources found\n"
    crd = "customresourcedefinition.apiextensions.k8s.io/shops.shop.example.com"
    assert apply(client, definition()) == f"{crd} created\n"
    assert client.said("wait", "--for=condition=Established", "crd/shops.shop.example.com", "--timeout=20s") == f"{crd} condition met\n"
    assert apply(client, shop()) == "shop.shop.example.com/a created\n"
    head, row = client.said("get", "sh").splitlines()
    assert (head.split(), row.split()[:2]) == (["NAME", "SIZE", "AGE"], ["a", "2"])
    assert client.said("get", "sh", "-o", "wide").split()[:4] == ["NAME", "SIZE", "TIER", "AGE"]
    assert client.said("scale", "shop/a", "--replicas=3") == "shop.shop.example.com/a scaled\n"
    text = 'The Shop "a" is invalid: spec.size: Invalid value: 50: spec.size in body should be less than or equal to 9\n'
    assert apply(client, shop(size=50)) == text
    assert client.run("delete", "crd", "shops.shop.example.com").returncode == 0
    assert client.run("get", "shops").returncode == 1


def test_all_shows_what_the_definition_lists_there(client: Kubectl) -> None:
    apply(client, definition())
    apply(client, shop())
    assert "shop.shop.example.com/a" in client.said("get", "all")


def test_a_custom_kind_is_explained_by_its_schema(client: Kubectl) -> None:
    told = definition()
    schema = told["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["description"], schema["properties"]["status"]["description"] = "A Shop sells.", "What a Shop has sold."
    apply(client, told)
    kind = client.run("explain", "shops").stdout
    assert [word in kind for word in ("A Shop sells.", "What a Shop has sold.", "metadata\t<Object")] == [True] * 3
    spec = client.run("explain", "sh.spec").stdout
    assert [word in spec for word in ("size\t<integer> -required-", "ports\t<[]Object>", "host\t<string>")] == [True] * 3
    assert "Map of string keys and values" in client.run("explain", "shop.metadata.labels").stdout
    assert client.run("explain", "shop.nope").stderr == 'error: field "nope" does not exist\n'


EXPLAINED = (
    *("shop", "shops.spec", "sh.spec.size", "shop.spec.tier", "shop.spec.free", "shop.spec.any", "shop.spec.ports", "shop.spec.ports.n"),
    *("shop.nope", "shop.metadata", "shop.metadata.labels", "shop.status", "shop.spec.words", "shop.spec.none", "shop.spec.date"),
    *("pod.metadata", "pod.status"),
)
MORE = {
    "words": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Words of it."},
    "none": {"type": "object", "nullable": True, "properties": {"x": {"type": "string"}}},
    "date": {"type": "string", "format": "date-time"},
}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_tab_explains_as_kubectl_does(version: str, tmp_path: Path) -> None:
    world, told = new_world(RunHeader(kubernetes=version)), definition()
    schema = told["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    spec = schema["properties"]["spec"]
    schema["description"] = "A Shop sells."
    schema["properties"]["spec"] = {**spec, "description": "What is wanted.", "properties": {**spec["properties"], **MORE}}
    with door_of(world, writes=True) as served:
        client = Kubectl(version, served.url, tmp_path)
        apply(client, told)
        for word in EXPLAINED:
            assert client.said("explain", word) == kubectl(served.world, f"explain {word}", now_ms=0), word


def test_a_field_that_the_schema_lacks_is_refused(client: Kubectl) -> None:
    apply(client, definition())
    said = apply(client, shop(nope=1))
    assert 'unknown field "' in said and "nope" in said, said
    assert apply(client, shop(free={"nope": 1})) == "shop.shop.example.com/a created\n"
