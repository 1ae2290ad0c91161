"""Topology spread: how many matching pods each domain may have, and where the next one should go."""

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from tests.engine.scheduler.placing import HOSTNAME, ZONE, Json, labelled, nodes_of, on, placed, said_of, selecting, web, zoned

UNEVEN = "node(s) didn't match pod topology spread constraints"
MISSING = f"{UNEVEN} (missing required label)"


def evenly(key: str = ZONE, *, must: bool = True, **more: object) -> Json:
    action = "DoNotSchedule" if must else "ScheduleAnyway"
    return {"topologySpreadConstraints": [{**selecting(app="web"), "maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": action, **more}]}


def test_pod_goes_to_the_zone_with_fewer() -> None:
    world = placed(web("a", **on("node1")), web("p", cpu="3", **evenly()), nodes=zoned("east", "west"))
    assert nodes_of(world)["p"] == "node2"


def test_spread_that_cannot_be_met_waits_and_says_why() -> None:
    """The other zone has no room, and a second pod in this one would be one too many."""
    full = labelled("full", {}, cpu="4", **on("node2"))
    world = placed(full, web("a", **on("node1")), web("p", cpu="1", **evenly()), nodes=zoned("east", "west", ""))
    assert said_of(world, "p") == f"0/3 nodes are available: 1 Insufficient cpu, 1 {UNEVEN}, 1 {MISSING}."


def test_missing_label_cannot_be_mended_by_preemption_but_skew_can() -> None:
    world = placed(web("a", **on("node1")), web("p", **evenly(minDomains=2)), nodes=zoned("east", ""))
    told = world.tables.pods["default/p"].status.condition("PodScheduled")
    assert told is not None
    assert told.message.endswith("1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.")


def test_pod_that_its_own_selector_does_not_mean_adds_nothing() -> None:
    world = placed(web("a", **on("node1")), labelled("p", {}, **evenly(HOSTNAME, minDomains=2)), nodes=1)
    assert nodes_of(world)["p"] == "node1"


def test_pods_on_their_way_out_do_not_count() -> None:
    leaving = web("a", **on("node1"))
    leaving["spec"]["terminationGracePeriodSeconds"] = 600
    late = web("p", **evenly(HOSTNAME, minDomains=2))
    world = placed(leaving, late, nodes=1, seconds=400, commands=((5, DeletePod(target="default/a")),))
    assert nodes_of(world)["p"] == "node1"


@pytest.mark.parametrize(("more", "waits"), [({}, True), ({"nodeTaintsPolicy": "Honor"}, False)])
def test_tainted_nodes_are_places_unless_the_constraint_minds_taints(more: Json, waits: bool) -> None:
    nodes = [{"name": "node1"}, {"name": "node2", "taints": ["k=v:NoSchedule"]}]
    world = placed(web("a"), web("p", **evenly(HOSTNAME, **more)), nodes=nodes)
    assert (nodes_of(world)["p"] == "") is waits


@pytest.mark.parametrize(("more", "waits"), [({}, False), ({"nodeAffinityPolicy": "Ignore"}, True)])
def test_ineligible_nodes_do_not_count_unless_the_constraint_ignores_that(more: Json, waits: bool) -> None:
    world = placed(web("a", **on("node1")), web("p", **on("node1"), **evenly(HOSTNAME, **more)), nodes=2)
    assert (nodes_of(world)["p"] == "") is waits


def test_wish_to_spread_outweighs_a_little_more_room() -> None:
    world = placed(
        web("a", **on("node1")), labelled("b", {}, cpu="1", **on("node2")), web("p", cpu="1", **evenly(HOSTNAME, must=False)), nodes=2
    )
    assert nodes_of(world)["p"] == "node2"


SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}
REPLICAS = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "metadata": {"name": "r", "uid": "u"},
    "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}}},
}


@pytest.mark.parametrize(("extra", "node"), [((), "node1"), ((SERVICE,), "node2")], ids=["nobody", "a Service"])
def test_pods_of_a_service_spread_without_being_told(extra: tuple[Json, ...], node: str) -> None:
    """node1 has more room, but three pods of the Service already."""
    there = [web(name, cpu="100m", **on("node1")) for name in ("a", "b", "c")]
    world = placed(*extra, *there, labelled("x", {}, cpu="1", **on("node2")), web("p", cpu="100m"), nodes=2)
    assert nodes_of(world)["p"] == node


def test_pods_of_a_replica_set_spread_without_being_told() -> None:
    REPLICAS["spec"]["template"]["spec"] = web("t")["spec"]
    owned = web("p", cpu="100m")
    owned["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}]
    there = [web(name, cpu="100m", **on("node1")) for name in ("a", "b", "c")]
    world = placed(REPLICAS, *there, labelled("x", {}, cpu="1", **on("node2")), owned, nodes=2)
    assert nodes_of(world)["p"] == "node2"
