"""Affinity and anti-affinity between pods: placement because of other pods, and the messages about it."""

from typing import Any

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from tests.engine.scheduler.placing import HOSTNAME, ZONE, Json, labelled, nodes_of, on, placed, said_of, selecting, web, zoned

NO_AFFINITY = "node(s) didn't match pod affinity rules"
NO_ANTI = "node(s) didn't match pod anti-affinity rules"
NO_EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def near(*terms: Json) -> Json:
    return {"affinity": {"podAffinity": {REQUIRED: list(terms)}}}


def apart(*terms: Json) -> Json:
    return {"affinity": {"podAntiAffinity": {REQUIRED: list(terms)}}}


def rather(kind: str, weight: int, term: Json) -> Json:
    return {"affinity": {kind: {PREFERRED: [{"weight": weight, "podAffinityTerm": term}]}}}


WEB = {**selecting(app="web"), "topologyKey": HOSTNAME}
WEB_IN_ZONE = {**selecting(app="web"), "topologyKey": ZONE}


def test_pod_goes_where_the_pods_are_that_it_wants_to_be_near() -> None:
    world = placed(web("a", **on("node2")), labelled("p", {}, **near(WEB)), nodes=2)
    assert nodes_of(world)["p"] == "node2"


def test_pod_without_its_required_neighbours_waits_and_preemption_does_not_help() -> None:
    world = placed(labelled("p", {}, **near(WEB)), nodes=2)
    assert said_of(world, "p") == f"0/2 nodes are available: 2 {NO_AFFINITY}."
    told = world.tables.pods["default/p"].status.condition("PodScheduled")
    assert told is not None and told.message.endswith("2 Preemption is not helpful for scheduling.")


def test_first_of_a_group_goes_anywhere_with_the_label_and_the_others_follow() -> None:
    world = placed(web("a", **near(WEB_IN_ZONE)), web("b", **near(WEB_IN_ZONE)), nodes=zoned("", "east", "west"))
    assert nodes_of(world) == {"a": "node2", "b": "node2"}


def test_affinity_holds_within_the_topology_not_only_on_the_node() -> None:
    full = web("a", cpu="4", **on("node1"))
    world = placed(full, labelled("p", {}, cpu="1", **near(WEB_IN_ZONE)), nodes=zoned("east", "west", "east"))
    assert nodes_of(world)["p"] == "node3"


def test_all_terms_must_be_met_by_the_same_pods() -> None:
    both = near(WEB, {**selecting(tier="front"), "topologyKey": HOSTNAME})
    world = placed(web("a"), labelled("b", {"tier": "front"}), labelled("p", {}, **both), nodes=1)
    assert said_of(world, "p") == f"0/1 nodes are available: 1 {NO_AFFINITY}."


def test_replicas_that_keep_apart_take_a_node_each_and_the_last_waits() -> None:
    world = placed(*(web(name, **apart(WEB)) for name in ("a", "b", "c")), nodes=2)
    assert sorted(filter(None, nodes_of(world).values())) == ["node1", "node2"]
    assert said_of(world, "c") == f"0/2 nodes are available: 2 {NO_ANTI}."


def test_anti_affinity_of_a_pod_that_is_there_holds_against_newcomers() -> None:
    world = placed(labelled("alone", {}, **on("node1"), **apart(WEB)), web("p", **on("node1")), nodes=1)
    assert said_of(world, "p") == f"0/1 nodes are available: 1 {NO_EXISTING}."


def test_pod_that_keeps_others_away_is_missed_no_longer_once_it_is_gone() -> None:
    gone = (5, DeletePod(target="default/alone"))
    world = placed(labelled("alone", {}, **apart(WEB)), web("p"), nodes=1, seconds=30, commands=(gone,))
    assert nodes_of(world)["p"] == "node1"
    assert (len(world.tables.pods_with_affinity), world.tables.affinity_of) == (0, {})


@pytest.mark.parametrize(
    ("kubernetes", "said"),
    [
        ("1.20", f"1 node(s) didn't match pod affinity/anti-affinity, 1 {NO_ANTI}"),
        ("1.21", f"1 node(s) didn't match pod affinity/anti-affinity rules, 1 {NO_ANTI}"),
        ("1.23", f"1 {NO_ANTI}"),
        ("1.37", f"1 {NO_ANTI}"),
    ],
)
def test_old_schedulers_say_it_twice(kubernetes: str, said: str) -> None:
    world = placed(web("a"), web("p", **apart(WEB)), nodes=1, kubernetes=kubernetes)
    assert said_of(world, "p") == f"0/1 nodes are available: {said}."


@pytest.mark.parametrize(
    ("more", "kept_apart"),
    [({}, False), ({"namespaces": ["other"]}, True), ({"namespaceSelector": {}}, True),
     ({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "other"}}}, True),
     ({"namespaceSelector": {"matchLabels": {"team": "a"}}}, True), ({"namespaceSelector": {"matchLabels": {"team": "b"}}}, False)],
)  # fmt: skip
def test_rule_means_pods_of_its_own_namespace_unless_it_says_others(more: Json, kept_apart: bool) -> None:
    other = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other", "labels": {"team": "a"}}}
    world = placed(other, web("a", namespace="other"), labelled("p", {}, **apart({**WEB, **more})), nodes=1)
    assert (nodes_of(world)["p"] == "") is kept_apart


@pytest.mark.parametrize(
    ("more", "kept_apart"),
    [({"matchLabelKeys": ["v"]}, False), ({"mismatchLabelKeys": ["v"]}, True), ({"matchLabelKeys": ["nothing"]}, True)],
)
def test_label_keys_compare_with_the_own_labels(more: Json, kept_apart: bool) -> None:
    first, then = labelled("a", {"app": "web", "v": "1"}), labelled("p", {"app": "web", "v": "2"}, **apart({**WEB, **more}))
    world = placed(first, then, nodes=1, kubernetes="1.33")
    assert (nodes_of(world)["p"] == "") is kept_apart


@pytest.mark.parametrize(("kind", "node"), [("podAffinity", "node1"), ("podAntiAffinity", "node2")])
def test_preference_scores(kind: str, node: str) -> None:
    busy = web("a", cpu="1", **on("node1")), labelled("b", {}, cpu="1500m", **on("node2"))
    world = placed(*busy, labelled("p", {}, cpu="1", **rather(kind, 100, WEB)), nodes=2)
    assert nodes_of(world)["p"] == node


@pytest.mark.parametrize(
    ("affinity", "node"),
    [(rather("podAffinity", 50, WEB), "node1"), (rather("podAntiAffinity", 50, WEB), "node2"), (near(WEB), "node1")],
    ids=["preferred", "preferred against", "required"],
)
def test_rules_of_pods_that_are_there_score_newcomers(affinity: Any, node: str) -> None:
    """Required terms of other pods count too, with a weight of 1."""
    there = (
        web("w", cpu="100m", **on("node1")),
        labelled("a", {}, cpu="1", **on("node1"), **affinity),
        labelled("b", {}, cpu="1500m", **on("node2")),
    )
    assert nodes_of(placed(*there, web("p", cpu="100m"), nodes=2))["p"] == node


def test_victims_that_keep_it_away_are_preempted() -> None:
    """Two pods of low priority are obstacles because of their terms, not because of the room they take; one is elsewhere in the zone."""
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
    world = placed(high, web("a"), labelled("p", {}, priorityClassName="high", **apart(WEB)), nodes=1, seconds=10)
    assert nodes_of(world)["p"] == "node1"
    assert world.tables.pods["default/a"].deletion_ms is not None
