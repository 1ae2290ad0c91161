"""Which of too many pods is deleted first: one test per rule, and the ages that logarithmic scale-down treats as equal."""

import pytest

from simulator.engine.versions import resolve
from simulator.engine.workloads.ranking import Ranked, decides, deletion_cost, in_order_of_deletion

NOW = 1_000_000
READY = {"node": "n", "is_ready": True, "ready_since_ms": 0, "created_ms": 0}
PAIRS = {
    "RANK-UNASSIGNED": ({}, {"node": "n"}),
    "RANK-PHASE": ({"node": "n", "phase": "Pending"}, {"node": "m"}),
    "RANK-READY": ({"node": "n"}, READY),
    "RANK-COST": ({**READY, "cost": -3}, {**READY, "cost": 2}),
    "RANK-DOUBLED": ({**READY, "rank": 2}, {**READY, "rank": 1}),
    "RANK-READY-TIME": ({**READY, "ready_since_ms": 900_000}, READY),
    "RANK-RESTARTS": ({**READY, "restarts": (2, 0)}, {**READY, "restarts": (1, 9)}),
    "RANK-AGE": ({**READY, "created_ms": 900_000}, READY),
    "RANK-UID": ({**READY, "created_ms": 1, "uid": "a"}, {**READY, "uid": "b"}),
}


def decided(one, other, minor="1.30", gates=None):
    return decides(Ranked(name="one", **one), Ranked(name="other", **other), NOW, resolve(minor, gates or {}))


@pytest.mark.parametrize("rule", PAIRS)
def test_rule_decides_and_says_the_opposite_the_other_way_round(rule):
    one, other = PAIRS[rule]
    (first, told), (second, again) = decided(one, other), decided(other, one)
    assert (first < 0 < second, told, again) == (True, rule, rule)


def test_nothing_tells_equal_pods_apart():
    assert decided(READY, READY) == (0, "RANK-EQUAL")


def test_cost_counts_from_the_version_that_knows_it():
    assert [decided(*PAIRS["RANK-COST"], minor)[1] for minor in ("1.20", "1.21", "1.22")] == ["RANK-EQUAL", "RANK-EQUAL", "RANK-COST"]


def test_without_logarithmic_scale_down_the_later_moment_decides():
    pair = {**READY, "created_ms": 1, "uid": "b"}, {**READY, "uid": "a"}
    assert (decided(*pair, "1.20")[1], decided(*pair, "1.30")[1]) == ("RANK-AGE", "RANK-UID")


def test_a_pod_without_a_ready_time_counts_as_ready_for_the_shortest_time():
    assert decided({**READY, "ready_since_ms": None}, READY) == (-1, "RANK-READY-TIME")


@pytest.mark.parametrize(
    ("text", "cost"), [("", 0), ("12", 12), ("-7", -7), ("+3", 0), ("012", 0), ("2147483648", 0), ("x", 0), ("-2147483648", -(2**31))]
)
def test_cost_of_an_annotation(text, cost):
    assert deletion_cost({"controller.kubernetes.io/pod-deletion-cost": text}) == cost


def test_pods_stand_in_the_order_of_their_deletion():
    pods = [Ranked(name="old", **READY), Ranked(name="new", **{**READY, "ready_since_ms": 999_999}), Ranked(name="lone")]
    assert [pod.name for pod in in_order_of_deletion(pods, NOW, resolve("1.30", {}))] == ["lone", "new", "old"]
