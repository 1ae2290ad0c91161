"""EndpointSlices and Endpoints: which pods are listed, with which conditions, by version."""

import json
import re
from typing import Any

import pytest

from simulator.engine import World
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.apiserver.documents.objects import list_objects
from simulator.engine.controllers.endpoint_slice import SlicePlan, endpoint_slice_sync, planned
from simulator.engine.controllers.endpoints import endpoints_sync, truncated
from simulator.engine.network.endpoints import Endpoint, EndpointConditions, EndpointPort, as_json
from simulator.engine.world.cluster import ClusterSpec, NodeSpec
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import EndpointSliceSync, EndpointsSync
from simulator.engine.world.world import ApiObject
from tests.engine.worlds import container, header, pod, run

LASTS = "trap '' TERM; while true; do sleep 1; done"
"""A container that keeps running for the whole grace period."""
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


def slices(world: World) -> list[dict[str, Any]]:
    return list_objects(world, "EndpointSlice", "default")


def endpoints(world: World) -> list[dict[str, Any]]:
    return list_objects(world, "Endpoints", "default")


def world_of(*documents: dict[str, Any], kubernetes: str = "1.30", delete: tuple[str, ...] = (), seconds: int = 8, **more: Any) -> World:
    """A world in which some pods were deleted at second 5 and are still terminating."""
    commands = [(5, DeletePod(target=f"default/{name}")) for name in delete]
    return run(header(*documents, kubernetes=kubernetes, **more), seconds, *commands)[0]


def listed(world: World) -> dict[str, dict[str, bool]]:
    """The conditions of each endpoint by pod name."""
    found = (entry for item in slices(world) for entry in item["endpoints"] or ())
    return {entry["targetRef"]["name"]: entry["conditions"] for entry in found}


def names(world: World) -> tuple[list[str], list[str]]:
    """The pods in the addresses of the Endpoints, ready and not."""
    (item,) = endpoints(world)
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


def test_pod_that_is_deleted_stays_in_its_slice_next_to_a_ready_one() -> None:
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
    (item,) = slices(world_of(service()))
    assert (item["endpoints"], item["ports"]) == (None, None)
    (item,) = endpoints(world_of(service()))
    assert "subsets" not in item


def test_pods_with_other_numbers_behind_a_port_name_have_a_slice_of_their_own() -> None:
    world = world_of(service(), member("a"), member("b", port=9090))
    found = slices(world)
    assert sorted([port["port"] for port in item["ports"]] for item in found) == [[8080], [9090]]
    assert len({item["metadata"]["name"] for item in found}) == 2
    (item,) = endpoints(world)
    assert [subset["ports"] for subset in item["subsets"]] == [[{"port": 8080, "protocol": "TCP"}], [{"port": 9090, "protocol": "TCP"}]]


def test_headless_service_needs_no_ports() -> None:
    world = world_of(service(clusterIP="None", ports=None), member())
    (item,) = endpoints(world)
    assert "ports" not in item["subsets"][0] and item["metadata"]["labels"] == {"tier": "front", "service.kubernetes.io/headless": ""}


def test_slice_names_its_service_and_its_place() -> None:
    zoned = ClusterSpec(nodes=(NodeSpec(name="node1", labels={"topology.kubernetes.io/zone": "a"}),))
    new, old = (slices(world_of(service(), member(), kubernetes=version, cluster=zoned))[0] for version in ("1.21", "1.20"))
    assert new["metadata"]["ownerReferences"][0]["name"] == new["metadata"]["labels"]["kubernetes.io/service-name"] == "web"
    assert (new["apiVersion"], new["endpoints"][0]["nodeName"], new["endpoints"][0]["zone"]) == ("discovery.k8s.io/v1", "node1", "a")
    assert old["apiVersion"] == "discovery.k8s.io/v1beta1"
    assert old["endpoints"][0]["topology"] == {"kubernetes.io/hostname": "node1", "topology.kubernetes.io/zone": "a"}


def test_host_name_is_told_where_the_pod_belongs_to_the_service_by_name() -> None:
    world = world_of(service(), member("a", hostname="one", subdomain="web"), member("b", hostname="two", subdomain="other"))
    (item,) = slices(world)
    assert [entry.get("hostname") for entry in item["endpoints"]] == ["one", None]


def test_slice_is_an_object_with_a_generated_name_and_the_time_of_what_changed_last() -> None:
    later = {"readinessProbe": {"exec": {"command": ["true"]}, "initialDelaySeconds": 3, "periodSeconds": 1}}
    (item,) = slices(world_of(service(), member(container=later)))
    metadata = item["metadata"]
    assert re.fullmatch("web-[bcdfghjklmnpqrstvwxz2456789]{5}", metadata["name"]) and metadata["generateName"] == "web-"
    assert metadata["labels"]["endpointslice.kubernetes.io/managed-by"] == "endpointslice-controller.k8s.io" and metadata["resourceVersion"]
    assert metadata["generation"] > 1
    assert metadata["annotations"] == {"endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:03Z"}


@pytest.mark.parametrize(("kubernetes", "label"), [("1.32", None), ("1.33", "endpoint-controller")])
def test_endpoints_say_who_manages_them_since_they_are_deprecated(kubernetes: str, label: str | None) -> None:
    (item,) = endpoints(world_of(service(), member(), kubernetes=kubernetes))
    assert item["metadata"]["labels"].get("endpoints.kubernetes.io/managed-by") == label


def test_endpoints_follow_a_pod_within_60_ms() -> None:
    records = run(header(service(), member()), 8, (5, DeletePod(target="default/p")))[1]
    written = [record.at_ms for record in records if record.machine == "api_object" and record.at_ms >= 5000]
    assert [moment - 5000 for moment in written] == [50, 50]


def test_endpoints_of_a_service_go_with_it() -> None:
    command = (5, DeleteObject(kind="Service", namespace="default", name="web"))
    world = run(header(service(), member()), 8, command)[0]
    assert (slices(world), endpoints(world)) == ([], [])


def test_slice_that_somebody_deletes_is_recreated() -> None:
    head = header(service(), member())
    (item,) = slices(run(head, 5)[0])
    command = (5, DeleteObject(kind="EndpointSlice", namespace="default", name=item["metadata"]["name"]))
    (again,) = slices(run(head, 8, command)[0])
    assert again["metadata"]["uid"] != item["metadata"]["uid"] and again["endpoints"] == item["endpoints"]


def test_a_second_round_writes_nothing() -> None:
    world = world_of(service(), member("a"), member("b", port=9090))
    records: list[Any] = []
    fx = Effects(world, records)
    endpoint_slice_sync(fx, EndpointSliceSync("default", "web"))
    endpoints_sync(fx, EndpointsSync("default", "web"))
    assert records == []


@pytest.mark.parametrize(("kubernetes", "delete"), [("1.30", ()), ("1.30", ("b",)), ("1.20", ("b",)), ("1.30", ("a", "b"))])
def test_what_rounds_change_pod_by_pod_comes_to_what_the_slices_say(kubernetes: str, delete: tuple[str, ...]) -> None:
    documents = (service(), member("a"), member("b"), member("c", container=NEVER_READY))
    world, records = run(header(*documents, kubernetes=kubernetes), 8, *[(5, DeletePod(target=f"default/{name}")) for name in delete])
    told = dict[str, str]()
    for record in records:
        if record.rule == "ENDPOINTSLICE-SYNC":
            told.update(entry.split(":") for entry in str(dict(record.data)["pods"]).split())
    said = {name: [word for word in ("ready", "serving", "terminating") if has.get(word)] for name, has in listed(world).items()}
    for has in said.values():
        if kubernetes == "1.20" and "ready" in has:
            has.append("serving")
    assert {name: has.split("+") if has else [] for name, has in told.items() if has != "-"} == said
    assert set(told) == {"a", "b", "c"}


def test_cluster_without_services_has_no_round() -> None:
    world, records = run(header(member()), 8, (5, DeletePod(target="default/p")))
    assert not world.tables.triggers and not [record for record in records if record.rule.startswith("ENDPOINT")]


def ends(first: int, last: int, *, ready: bool = True) -> list[Endpoint]:
    """Endpoints with numbers for addresses."""
    state = EndpointConditions(ready=ready)
    return [Endpoint(addresses=(str(number),), conditions=state) for number in range(first, last)]


PORTS = (EndpointPort(port=80),)


def stored(*lists: list[Endpoint]) -> list[ApiObject]:
    """Slices s0, s1 … with these endpoints."""
    rows = []
    for number, items in enumerate(lists):
        document = {"metadata": {"labels": {}}, "endpoints": as_json(tuple(items)), "ports": as_json(PORTS)}
        rows.append(ApiObject("EndpointSlice", "default", f"s{number}", json.dumps(document), 0))
    return rows


def sizes(plan: SlicePlan) -> tuple[dict[str, int], list[int], list[str]]:
    """The sizes of the slices that a sync changes or creates; the names of those that it deletes."""
    changed = {name: len(items) for name, (_, items) in plan.changed.items()}
    return changed, [len(items) for _, items in plan.created], plan.deleted


def test_slices_hold_a_hundred_endpoints() -> None:
    assert sizes(planned([], {PORTS: ends(0, 250)})) == ({}, [100, 100, 50], [])


def test_one_that_goes_changes_its_own_slice_only() -> None:
    existing = stored(ends(0, 100), ends(100, 150))
    assert sizes(planned(existing, {PORTS: [*ends(0, 7), *ends(8, 150)]})) == ({"s0": 99}, [], [])


def test_new_ones_fill_up_a_slice_that_changes_anyway_and_then_the_fullest_that_has_room() -> None:
    existing = stored(ends(0, 50), ends(50, 140), ends(140, 160))
    assert sizes(planned(existing, {PORTS: [*ends(0, 160), *ends(200, 205)]})) == ({"s1": 95}, [], [])
    gone = [*ends(0, 50), *ends(50, 140), *ends(141, 160), *ends(200, 205)]
    assert sizes(planned(existing, {PORTS: gone})) == ({"s2": 24}, [], [])


def test_slice_without_endpoints_left_goes_and_the_last_one_becomes_empty() -> None:
    assert sizes(planned(stored(ends(0, 100), ends(100, 101)), {PORTS: ends(0, 100)})) == ({}, [], ["s1"])
    assert sizes(planned(stored(ends(0, 3)), {})) == ({"s0": 0}, [], [])


def test_condition_that_changes_keeps_the_place_of_its_endpoint() -> None:
    plan = planned(stored(ends(0, 3)), {PORTS: [*ends(0, 1), *ends(1, 2, ready=False), *ends(2, 3)]})
    assert [item.conditions.ready for item in plan.changed["s0"][1]] == [True, False, True]


def test_ports_that_only_some_pods_offer_make_a_subset_of_their_own() -> None:
    more = member("b")
    more["spec"]["containers"][0]["ports"].append({"name": "admin", "containerPort": 9})
    both = service(ports=[{"name": "a", "port": 80, "targetPort": "http"}, {"name": "b", "port": 81, "targetPort": "admin"}])
    (item,) = endpoints(world_of(both, member("a"), more))
    assert [(len(subset["addresses"]), [port["name"] for port in subset["ports"]]) for subset in item["subsets"]] == [
        (2, ["a"]),
        (1, ["b"]),
    ]


def test_endpoints_over_a_thousand_are_cut_by_their_share_and_the_ready_ones_stay() -> None:
    subsets = [{"addresses": [1] * 600, "notReadyAddresses": [2] * 300}, {"addresses": [3] * 300, "notReadyAddresses": [4] * 100}]
    cut = truncated(subsets)
    assert [(len(item["addresses"]), len(item["notReadyAddresses"])) for item in cut] == [(600, 75), (300, 25)]
    many = truncated([{"addresses": [1] * 900}, {"addresses": [1] * 900, "notReadyAddresses": [2]}])
    assert [(len(item["addresses"]), "notReadyAddresses" in item) for item in many] == [(500, False), (500, False)]
