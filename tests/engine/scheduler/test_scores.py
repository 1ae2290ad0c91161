"""Scores: which of the feasible nodes is chosen."""

import pytest

from simulator.engine.policies.room import EMPTY
from simulator.engine.scheduler.plugins.balanced_allocation import balance
from simulator.engine.scheduler.plugins.image_locality import locality
from simulator.engine.scheduler.plugins.node_resources_fit import least_allocated
from simulator.engine.scheduler.plugins.pod_topology_spread import cost_of, normalised, weight_of
from simulator.engine.world.rows import Need, NodeRow
from simulator.engine.world.world import Tables
from tests.engine.scheduler.placing import HOSTNAME, labelled, nodes_of, on, placed, said_of

NODE = NodeRow(
    name="n", ip="", labels={}, taints=(), allocatable_cpu_milli=4000, allocatable_memory_bytes=10_000, allocatable_storage_bytes=0,
    allocatable_pods=110,
)  # fmt: skip
"""A node of the upstream tests of these plugins."""


@pytest.mark.parametrize(
    ("cpu", "memory", "points"), [(0, 0, 100), (3000, 5000, (25 + 50) // 2), (6000, 5000, (0 + 50) // 2), (4000, 10_000, 0)]
)
def test_least_allocated_is_the_mean_of_what_is_left(cpu: int, memory: int, points: int) -> None:
    assert least_allocated(NODE, EMPTY, Need(0, 0, nonzero_cpu_milli=cpu, nonzero_memory_bytes=memory)) == points


@pytest.mark.parametrize(("cpu", "memory", "points"), [(0, 0, 100), (3000, 5000, 87), (6000, 0, 50), (2000, 5000, 100)])
def test_balance_is_less_the_more_the_used_parts_differ(cpu: int, memory: int, points: int) -> None:
    assert balance(NODE, EMPTY, Need(cpu, memory)) == points


def test_large_image_that_many_nodes_have_counts_more() -> None:
    tables = Tables()
    images = (("big:1", 600 << 20),)
    tables.present[("n", "big:1")] = True
    points = []
    for nodes in (1, 2, 4):
        tables.image_nodes["big:1"] = nodes
        points.append(locality(tables, images, "n", 4))
    assert points == [100 * (150 - 23) // 977, 100 * (300 - 23) // 977, 100 * (600 - 23) // 977]
    assert locality(tables, images, "m", 4) == 0


def test_spread_costs_weigh_by_the_number_of_places_and_are_turned_round() -> None:
    """As in the plugin's upstream tests: four nodes with 2, 1, 0 and 3 pods, maxSkew 1."""
    costs = [cost_of([(count, weight_of(4), 1)]) for count in (2, 1, 0, 3)]
    assert [normalised(cost, min(costs), max(costs)) for cost in costs] == [20, 60, 100, 0]


def test_pod_without_requests_counts_a_little_so_that_such_pods_do_not_gather() -> None:
    world = placed(*(labelled(name, {}) for name in "abcd"), nodes=2)
    assert list(nodes_of(world).values()) == ["node1", "node2", "node1", "node2"]


@pytest.mark.parametrize(("kubernetes", "node"), [("1.22", "node1"), ("1.23", "node2")])
def test_soft_taint_weighs_more_since_1_23(kubernetes: str, node: str) -> None:
    """The pod prefers node1, which has more room but also a taint that the pod does not tolerate."""
    nodes = [{"name": "node1", "taints": ["k=v:PreferNoSchedule"]}, {"name": "node2"}]
    term = {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": ["node1"]}]}
    likes = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": term}]}}
    full = labelled("x", {}, cpu="3", **on("node2"))
    world = placed(full, labelled("p", {}, cpu="1", affinity=likes), nodes=nodes, kubernetes=kubernetes)
    assert nodes_of(world)["p"] == node


def test_soft_taint_is_better_avoided() -> None:
    world = placed(labelled("p", {}, cpu="1"), nodes=[{"name": "node1", "taints": ["k=v:PreferNoSchedule"]}, {"name": "node2"}])
    assert nodes_of(world)["p"] == "node2"


@pytest.mark.parametrize(
    ("kubernetes", "said"),
    [
        ("1.23", "1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector"),
        ("1.24", "1 Insufficient cpu"),
        ("1.30", "1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]"),
    ],
)
def test_nodes_that_the_affinity_does_not_name_are_not_asked_about(kubernetes: str, said: str) -> None:
    """The affinity of a DaemonSet's pods."""
    named = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node2"]}]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": named}}
    world = placed(labelled("p", {}, cpu="99", affinity=affinity), nodes=3, kubernetes=kubernetes)
    assert said_of(world, "p") == f"0/3 nodes are available: {said}."
    assert nodes_of(placed(labelled("p", {}, affinity=affinity), nodes=3, kubernetes=kubernetes)) == {"p": "node2"}
