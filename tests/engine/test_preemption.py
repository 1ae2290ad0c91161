"""Preemption by the scheduler: which pods make room for one of higher priority, and on which node."""

import json
from typing import Any

import pytest

from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from tests.engine.apiserver.store.requests import patch
from tests.engine.worlds import container, header, pod, run

CLASSES = [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
           for name, value in (("high", 1000), ("middle", 5))]  # fmt: skip


def sized(name: str, cpu: str, *, app: str = "", **spec: Any) -> dict[str, Any]:
    document = pod(container("sleep 3600", resources={"requests": {"cpu": cpu}}), name=name, terminationGracePeriodSeconds=1, **spec)
    document["metadata"]["labels"] = {"app": app} if app else {}
    return document


def budget(app: str | None, **spec: Any) -> dict[str, Any]:
    selector = {"matchLabels": {"app": app}} if app else {}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "two"}, "spec": {"selector": selector, **spec}}


def victims(*documents: dict[str, Any], nodes: Any = 1, cpu: str = "2", kubernetes: str = "1.30") -> list[str]:
    """The pods deleted for a pod of high priority that comes after ten seconds."""
    urgent = sized("urgent", cpu, priorityClassName="high")
    world, _ = run(
        header(*CLASSES, *documents, nodes=nodes, kubernetes=kubernetes), 20, (10, ApplyManifest(documents=(json.dumps(urgent),)))
    )
    return sorted(row.name for row in world.tables.pods.values() if row.deletion_ms is not None)


def on(node: str) -> dict[str, Any]:
    return {"nodeSelector": {"kubernetes.io/hostname": node}}


def test_pod_that_began_later_goes_first() -> None:
    assert victims(sized("a", "2"), sized("b", "2", app="web")) == ["b"]


def test_pod_whose_leaving_would_violate_a_budget_may_stay_first() -> None:
    assert victims(sized("a", "2"), sized("b", "2", app="web"), budget("web", minAvailable=1)) == ["a"]


def test_budget_that_allows_the_disruption_protects_nobody() -> None:
    assert victims(sized("a", "2"), sized("b", "2", app="web"), budget("web", minAvailable=0)) == ["b"]


def test_budget_is_best_effort() -> None:
    assert victims(sized("b", "3", app="web"), budget("web", minAvailable=1)) == ["b"]


@pytest.mark.parametrize(("kubernetes", "chosen"), [("1.28", ["high", "low"]), ("1.29", ["mid"])])
def test_first_victim_found_passes_for_the_most_important_until_1_28(kubernetes: str, chosen: list[str]) -> None:
    """On node1 the pod that violates a budget is found first, and it is the less important of two."""
    first = [sized("high", "2", priorityClassName="middle", **on("node1")), sized("low", "2", app="low", **on("node1"))]
    second = sized("mid", "4", app="mid", **on("node2"), priorityClassName="lower")
    lower = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "lower"}, "value": 2}
    budgets = [{**budget(app, minAvailable=1), "metadata": {"name": app}} for app in ("low", "mid")]
    found = victims(lower, *first, second, *budgets, nodes=2, cpu="4", kubernetes=kubernetes)
    assert found == chosen


def test_node_with_fewer_violations_is_chosen_before_that_with_less_important_pods() -> None:
    first, second = sized("a", "3", app="web", **on("node1")), sized("b", "3", priorityClassName="middle", **on("node2"))
    assert victims(first, second, nodes=2) == ["a"]
    assert victims(first, second, budget("web", minAvailable=1), nodes=2) == ["b"]


def test_each_victim_takes_a_disruption_of_the_budget() -> None:
    """The budget allows one disruption: two on one node violate it once."""
    web = [sized("a", "2", app="web", **on("node1")), sized("b", "2", app="web", **on("node1"))]
    other = sized("c", "4", priorityClassName="middle", **on("node2"))
    assert victims(*web, other, budget("web", minAvailable=1), nodes=2, cpu="4") == ["c"]
    assert victims(*web, other, budget("web", minAvailable=0), nodes=2, cpu="4") == ["a", "b"]


@pytest.mark.parametrize("labelled", ["", "web"])
def test_empty_selector_selects_nothing_for_the_scheduler(labelled: str) -> None:
    assert victims(sized("a", "2"), sized("b", "2", app=labelled), budget(None, minAvailable=2)) == ["b"]


def test_more_important_pod_takes_the_room_that_a_node_kept_for_another() -> None:
    """middle has had room made for it, but while its victim is still terminating, urgent needs the node."""
    slow = sized("low", "3")
    slow["spec"]["terminationGracePeriodSeconds"] = 30
    later = [(1, sized("middle", "3", priorityClassName="middle")), (5, sized("urgent", "4", priorityClassName="high"))]
    commands = [(at, ApplyManifest(documents=(json.dumps(document),))) for at, document in later]
    before, _ = run(header(*CLASSES, slow), 4, *commands[:1])
    assert before.tables.pods["default/middle"].status.nominated_node == "node1"
    world, _ = run(header(*CLASSES, slow), 8, *commands)
    assert {row.name: row.status.nominated_node for row in world.tables.pods.values()} == {"low": "", "middle": "", "urgent": "node1"}
    end, _ = run(header(*CLASSES, slow), 60, *commands)
    assert {row.name: row.node for row in end.tables.pods.values()} == {"low": "node1", "middle": "", "urgent": "node1"}


@pytest.mark.parametrize(("kubernetes", "kept"), [("1.34", "node1"), ("1.35", "")])
def test_nominated_node_goes_with_the_binding_since_1_35(kubernetes: str, kept: str) -> None:
    urgent = ApplyManifest(documents=(json.dumps(sized("urgent", "3", priorityClassName="high")),))
    world, _ = run(header(*CLASSES, sized("low", "3"), kubernetes=kubernetes), 20, (5, urgent))
    row = world.tables.pods["default/urgent"]
    assert (row.node, row.status.nominated_node) == ("node1", kept)


def test_text_of_preemption_says_what_a_node_still_lacks_without_its_victims() -> None:
    there = sized("low", "1"), sized("other", "3", priorityClassName="high")
    urgent = ApplyManifest(documents=(json.dumps(sized("urgent", "2", priorityClassName="high")),))
    world, _ = run(header(*CLASSES, *there), 20, (5, urgent))
    told = world.tables.pods["default/urgent"].status.condition("PodScheduled")
    assert told is not None and told.message.endswith("preemption: 0/1 nodes are available: 1 Insufficient cpu.")


@pytest.mark.parametrize(("kubernetes", "node"), [("1.21", "node1"), ("1.22", "node2")])
def test_nominated_node_is_asked_first_from_1_22(kubernetes: str, node: str) -> None:
    nominate = patch("Pod", "p", {"status": {"nominatedNodeName": "node2"}}, subresource="status")
    labels = [(8, LabelNode(node=name, labels={"disk": "ssd"})) for name in ("node1", "node2")]
    waiting = pod(container(), nodeSelector={"disk": "ssd"})
    world, _ = run(header(waiting, nodes=2, kubernetes=kubernetes), 20, (2, nominate), *labels)
    assert world.tables.pods["default/p"].node == node


@pytest.mark.parametrize(
    ("kubernetes", "gates", "reason", "message"),
    [
        ("1.25", {"PodDisruptionConditions": True}, "PreemptionByKubeScheduler", "Kube-scheduler: preempting"),
        ("1.26", {}, "PreemptionByKubeScheduler", "default-scheduler: preempting to accommodate a higher priority pod"),
        ("1.27", {}, "PreemptionByScheduler", "default-scheduler: preempting to accommodate a higher priority pod"),
    ],
)
def test_victim_is_told_why_in_the_words_of_the_version(kubernetes: str, gates: dict[str, bool], reason: str, message: str) -> None:
    urgent = ApplyManifest(documents=(json.dumps(sized("urgent", "3", priorityClassName="high")),))
    slow = sized("low", "3")
    slow["spec"]["terminationGracePeriodSeconds"] = 30
    slow["spec"]["containers"][0]["command"] = ["sh", "-c", "trap '' TERM; sleep 600"]
    world, _ = run(header(*CLASSES, slow, kubernetes=kubernetes, gates=gates), 8, (5, urgent))
    told = world.tables.pods["default/low"].status.condition("DisruptionTarget")
    assert told is not None and (told.reason, told.message) == (reason, message)


@pytest.mark.parametrize(("kubernetes", "nominated"), [("1.26", "node1"), ("1.27", "node2")])
def test_pod_that_leaves_its_nominated_node_for_another_reason_is_awaited_until_1_26(kubernetes: str, nominated: str) -> None:
    """The pod on node1 was deleted by a user. Since 1.27 that is no reason to wait, and the pod on node2 is less important."""
    slow = sized("slow", "3", priorityClassName="middle", **on("node1"))
    slow["spec"]["terminationGracePeriodSeconds"] = 60
    slow["spec"]["containers"][0]["command"] = ["sh", "-c", "trap '' TERM; sleep 600"]
    other = sized("other", "3", **on("node2"))
    urgent = ApplyManifest(documents=(json.dumps(sized("urgent", "3", priorityClassName="high")),))
    nominate = patch("Pod", "urgent", {"status": {"nominatedNodeName": "node1"}}, subresource="status")
    nodes = ("node1", "node2")
    acts = [*((2, CordonNode(node=name)) for name in nodes), (3, urgent), (4, nominate), (5, DeletePod(target="default/slow"))]
    acts += [(9, CordonNode(node=name, unschedulable=False)) for name in nodes]
    world, _ = run(header(*CLASSES, slow, other, nodes=2, kubernetes=kubernetes), 20, *acts)
    assert world.tables.pods["default/urgent"].status.nominated_node == nominated
