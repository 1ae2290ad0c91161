"""EndpointSlices and Endpoints: who is listed, and as what, by version."""

from typing import Any

import pytest

from simulator.engine import World
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.apiserver.documents.endpoints import endpoints, slices
from simulator.engine.world.cluster import ClusterSpec, NodeSpec
from tests.engine.worlds import container, header, pod, run

LASTS = "trap '' TERM; while true; do sleep 1; done"
"""A container that outlives its deletion for the whole grace period."""
NEVER_READY = {"readinessProbe": {"exec": {"command": ["false"]}, "periodSeconds": 1}}


def member(name: str = "p", **more: Any) -> dict[str, Any]:
    """A pod behind the Service, with a port ``http``."""
    ports = [{"name": "http", "containerPort": more.pop("port", 8080)}]
    found = pod(container(LASTS, ports=ports, **more.pop("container", {})), name=name, **more)
    found["metadata"]["labels"] = {"app": "web"}
    return found


def service(**spec: Any) -> dict[str, Any]:
    given = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}], **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "labels": {"tier": "front"}}, "spec": given}


def world_of(*documents: dict[str, Any], kubernetes: str = "1.30", delete: tuple[str, ...] = (), seconds: int = 8, **more: Any) -> World:
    """A world in which some pods were deleted at second 5 and still stop."""
    commands = [(5, DeletePod(target=f"default/{name}")) for name in delete]
    return run(header(*documents, kubernetes=kubernetes, **more), seconds, *commands)[0]


def listed(world: World) -> dict[str, dict[str, bool]]:
    """The conditions of each endpoint by the name of its pod."""
    found = (entry for item in slices(world, "default") for entry in item["endpoints"] or ())
    return {entry["targetRef"]["name"]: entry["conditions"] for entry in found}


def names(world: World) -> tuple[list[str], list[str]]:
    """The pods in the addresses of the Endpoints, ready and not."""
    (item,) = endpoints(world, "default")
    return tuple(  # type: ignore[return-value]
        [entry["targetRef"]["name"] for subset in item.get("subsets", ()) for entry in subset.get(field, ())]
        for field in ("addresses", "notReadyAddresses")
    )


def test_ready_pod_is_ready() -> None:
    world = world_of(service(), member())
    assert listed(world) == {"p": {"ready": True, "serving": True, "terminating": False}} and names(world) == (["p"], [])


def test_pod_that_is_deleted_serves_on_and_is_not_ready_though_nobody_else_is_there() -> None:
    world = world_of(service(), member(), delete=("p",))
    assert listed(world) == {"p": {"ready": False, "serving": True, "terminating": True}} and names(world) == ([], [])


def test_pod_that_is_deleted_stays_in_its_slice_beside_a_ready_one() -> None:
    world = world_of(service(), member("a"), member("b"), delete=("a",))
    assert {name: found["terminating"] for name, found in listed(world).items()} == {"a": True, "b": False}
    assert names(world) == (["b"], [])


def test_pod_that_is_not_ready_is_listed_as_such() -> None:
    world = world_of(service(), member(container=NEVER_READY))
    assert listed(world) == {"p": {"ready": False, "serving": False, "terminating": False}} and names(world) == ([], ["p"])


@pytest.mark.parametrize("kubernetes", ["1.20", "1.21"])
def test_old_slices_know_ready_only_and_drop_pods_that_are_deleted(kubernetes: str) -> None:
    documents = (service(), member("a"), member("b"), member("c", container=NEVER_READY))
    assert listed(world_of(*documents, kubernetes=kubernetes, delete=("a",))) == {"b": {"ready": True}, "c": {"ready": False}}


def test_gate_brings_the_conditions_to_an_old_version_and_takes_them_from_a_later_one() -> None:
    gate = "EndpointSliceTerminatingCondition"
    assert set(listed(world_of(service(), member(), kubernetes="1.21", gates={gate: True}))["p"]) == {"ready", "serving", "terminating"}
    assert listed(world_of(service(), member(), kubernetes="1.24", gates={gate: False}, delete=("p",))) == {}


def test_service_that_publishes_what_is_not_ready_calls_it_ready() -> None:
    documents = (service(publishNotReadyAddresses=True), member("a", container=NEVER_READY), member("b"))
    world = world_of(*documents, delete=("b",))
    assert listed(world) == {
        "a": {"ready": True, "serving": False, "terminating": False},
        "b": {"ready": True, "serving": True, "terminating": True},
    }
    assert names(world) == (["a", "b"], [])


def test_pod_without_an_address_or_that_has_ended_is_not_listed() -> None:
    done = member("done", restartPolicy="Never")
    done["spec"]["containers"][0]["command"] = ["true"]
    waits = member("waits", nodeSelector={"none": "such"})
    world = world_of(service(), done, waits)
    assert listed(world) == {} and names(world) == ([], [])


def test_service_without_pods_has_an_empty_slice() -> None:
    (item,) = slices(world_of(service()), "default")
    assert (item["endpoints"], item["ports"]) == (None, None)
    (item,) = endpoints(world_of(service()), "default")
    assert "subsets" not in item


def test_pods_with_other_numbers_behind_a_port_name_have_a_slice_of_their_own() -> None:
    world = world_of(service(), member("a"), member("b", port=9090))
    found = list(slices(world, "default"))
    assert [[port["port"] for port in item["ports"]] for item in found] == [[8080], [9090]]
    assert len({item["metadata"]["name"] for item in found}) == 2
    (item,) = endpoints(world, "default")
    assert [subset["ports"] for subset in item["subsets"]] == [[{"port": 8080, "protocol": "TCP"}], [{"port": 9090, "protocol": "TCP"}]]


def test_headless_service_needs_no_ports() -> None:
    world = world_of(service(clusterIP="None", ports=None), member())
    (item,) = endpoints(world, "default")
    assert "ports" not in item["subsets"][0] and item["metadata"]["labels"] == {"tier": "front", "service.kubernetes.io/headless": ""}


def test_slice_names_its_service_and_its_place() -> None:
    zoned = ClusterSpec(nodes=(NodeSpec(name="node1", labels={"topology.kubernetes.io/zone": "a"}),))
    new, old = (next(slices(world_of(service(), member(), kubernetes=version, cluster=zoned), "default")) for version in ("1.21", "1.20"))
    assert new["metadata"]["ownerReferences"][0]["name"] == new["metadata"]["labels"]["kubernetes.io/service-name"] == "web"
    assert (new["apiVersion"], new["endpoints"][0]["nodeName"], new["endpoints"][0]["zone"]) == ("discovery.k8s.io/v1", "node1", "a")
    assert old["apiVersion"] == "discovery.k8s.io/v1beta1"
    assert old["endpoints"][0]["topology"] == {"kubernetes.io/hostname": "node1", "topology.kubernetes.io/zone": "a"}


def test_host_name_is_told_where_the_pod_belongs_to_the_service_by_name() -> None:
    world = world_of(service(), member("a", hostname="one", subdomain="web"), member("b", hostname="two", subdomain="other"))
    (item,) = slices(world, "default")
    assert [entry.get("hostname") for entry in item["endpoints"]] == ["one", None]
