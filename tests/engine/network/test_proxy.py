"""What a node's service proxy knows, and since when."""

import json
from typing import Any

import pytest

from simulator.engine import RunHeader, World, advance, apply, new_world
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.network.endpoints import read_slice
from simulator.engine.network.proxy import backends, learnt, proxy_delay
from tests.engine.network.test_load import service, web
from tests.engine.worlds import header, run


def known(world: World, node: str) -> list[str]:
    """The pods to which a node's proxy sends connections."""
    return sorted(item.pod for item in backends(world, learnt(world, "default", "web", node), ""))


def at(seconds: float, *, jitter: bool = False, kubernetes: str = "1.30") -> World:
    documents = (service("rate=0"), web("a"), web("b"))
    return run(header(*documents, nodes=2, jitter=jitter, kubernetes=kubernetes), seconds, (5, DeletePod(target="default/a")))[0]


def test_each_node_takes_a_time_of_its_own_and_keeps_it() -> None:
    world = at(1, jitter=True)
    first, second = (proxy_delay(world, node) for node in ("node1", "node2"))
    assert first != second and (first, second) == tuple(proxy_delay(at(9, jitter=True), node) for node in ("node1", "node2"))


def test_node_sends_to_a_pod_until_it_has_learnt_that_it_is_deleted() -> None:
    assert known(at(5.2), "node1") == ["a", "b"] and known(at(5.3), "node1") == ["b"]


def test_node_that_is_quicker_knows_earlier() -> None:
    world = at(5, jitter=True)
    quick, slow = sorted(("node1", "node2"), key=lambda node: proxy_delay(world, node))
    moment = (5060 + (proxy_delay(world, quick) + proxy_delay(world, slow)) // 2) / 1000
    later = at(moment, jitter=True)
    assert (known(later, quick), known(later, slow)) == (["b"], ["a", "b"])


@pytest.mark.parametrize("moment", [0.5, 1.1])
def test_third_round_waits_for_a_second_to_pass(moment: float) -> None:
    assert known(at(moment), "node1") == []


def test_what_no_node_goes_by_any_more_is_forgotten() -> None:
    assert len(at(30).tables.proxied[("default", "web")]) <= 2


@pytest.mark.parametrize(
    ("written", "addresses"),
    [
        ({"endpoints": [{"addresses": ["192.0.2.9"]}], "ports": [{"port": 80}]}, ["192.0.2.9"]),
        ({"endpoints": [{"addresses": ["192.0.2.9"], "conditions": {}}], "ports": [{"port": 80}]}, ["192.0.2.9"]),
        ({"endpoints": [{"conditions": {"ready": True}}], "ports": [{"port": 80}]}, []),
        ({"endpoints": [{"addresses": ["192.0.2.9"]}], "ports": [{"port": "many"}]}, []),
        ({"endpoints": "none"}, []),
        ({}, []),
    ],
)
def test_slice_that_a_user_writes_has_the_endpoints_that_can_be_read(written: dict[str, Any], addresses: list[str]) -> None:
    document = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": {"name": "own"}, "addressType": "IPv4", **written}
    world = new_world(RunHeader(kubernetes="1.33"))
    records = apply(world, ApplyManifest(documents=(json.dumps(document),), namespace="default"))
    assert [record.target for record in records if record.kind == "command"] == ["accepted"]
    advance(world, until_ms=3_000)
    stored = world.tables.objects["EndpointSlice", "default", "own"]
    assert [address for endpoint in read_slice(stored.document).endpoints or () for address in endpoint.addresses] == addresses
