"""When an unschedulable pod is retried: which events wake it, by version, and after which back-off."""

import json
from typing import Any

import pytest

from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.versions.usual import COMPARED
from tests.engine.scheduler.placing import HOSTNAME, Json, labelled, on, selecting, web
from tests.engine.worlds import header, run

VERSIONS = COMPARED
WEB = {**selecting(app="web"), "topologyKey": HOSTNAME}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def attempts(*documents: Json, commands: Any, kubernetes: str, seconds: float = 50, **more: Any) -> list[float]:
    """The seconds at which the scheduler tried pod p, from the first command on."""
    _, records = run(header(*documents, kubernetes=kubernetes, **more), seconds, *commands)
    moments = [record.at_ms / 1000 for record in records if record.machine == "scheduling" and record.subject == "pod/default/p"]
    return [moment for moment in moments if moment > commands[0][0]]


def applied(document: Json) -> ApplyManifest:
    return ApplyManifest(documents=(json.dumps(document),))


@pytest.mark.parametrize("kubernetes", VERSIONS)
def test_pod_that_it_wants_to_be_near_wakes_it(kubernetes: str) -> None:
    near = labelled("p", {}, affinity={"podAffinity": {REQUIRED: [WEB]}})
    assert attempts(near, commands=[(20, applied(web("a")))], kubernetes=kubernetes)


@pytest.mark.parametrize("kubernetes", VERSIONS)
def test_any_other_pod_that_is_placed_does_not(kubernetes: str) -> None:
    near = labelled("p", {}, affinity={"podAffinity": {REQUIRED: [WEB]}})
    assert attempts(near, commands=[(20, applied(labelled("a", {"app": "other"})))], kubernetes=kubernetes) == []


@pytest.mark.parametrize(("kubernetes", "woken"), [("1.20", True), ("1.27", False), ("1.37", False)])
def test_label_that_changes_nothing_for_the_pod_wakes_it_only_in_old_versions(kubernetes: str, woken: bool) -> None:
    picky = labelled("p", {}, nodeSelector={"disk": "ssd"})
    label = LabelNode(node="node1", labels={"rack": "7"})
    assert bool(attempts(picky, commands=[(20, label)], kubernetes=kubernetes)) is woken


@pytest.mark.parametrize("kubernetes", VERSIONS)
def test_label_that_it_waits_for_wakes_it(kubernetes: str) -> None:
    picky = labelled("p", {}, nodeSelector={"disk": "ssd"})
    assert attempts(picky, commands=[(20, LabelNode(node="node1", labels={"disk": "ssd"}))], kubernetes=kubernetes)


@pytest.mark.parametrize(("kubernetes", "woken"), [("1.20", True), ("1.27", False), ("1.37", False)])
def test_pod_that_goes_does_not_wake_one_that_no_label_lets_in(kubernetes: str, woken: bool) -> None:
    there = labelled("a", {}), labelled("p", {}, nodeSelector={"disk": "ssd"})
    assert bool(attempts(*there, commands=[(20, DeletePod(target="default/a"))], kubernetes=kubernetes)) is woken


@pytest.mark.parametrize(("kubernetes", "woken"), [("1.27", True), ("1.37", False)])
def test_hint_asks_whether_the_pod_that_goes_held_the_port(kubernetes: str, woken: bool) -> None:
    holder, waiting, other = labelled("a", {}), labelled("p", {}), labelled("b", {})
    for document in (holder, waiting):
        document["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8000}]
    assert bool(attempts(holder, other, waiting, commands=[(20, DeletePod(target="default/b"))], kubernetes=kubernetes)) is woken


@pytest.mark.parametrize("kubernetes", VERSIONS)
def test_taint_that_goes_wakes_it(kubernetes: str) -> None:
    nodes = [{"name": "node1", "taints": ["k=v:NoSchedule"]}]
    free = TaintNode(node="node1", remove=("k=v:NoSchedule",))
    assert attempts(labelled("p", {}), commands=[(20, free)], kubernetes=kubernetes, nodes=nodes)


def test_pod_of_the_same_kind_that_goes_wakes_one_that_must_be_spread() -> None:
    constraint = {**WEB, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "minDomains": 2}
    waiting = web("p", topologySpreadConstraints=[constraint])
    there = web("a", **on("node1")), labelled("b", {})
    assert attempts(*there, waiting, commands=[(20, DeletePod(target="default/b"))], kubernetes="1.37") == []
    assert attempts(*there, waiting, commands=[(20, DeletePod(target="default/a"))], kubernetes="1.37")


def test_labels_of_another_pod_wake_one_that_did_not_want_it_near() -> None:
    apart = labelled("p", {}, affinity={"podAntiAffinity": {REQUIRED: [WEB]}})
    relabel = PatchObject(kind="Pod", namespace="default", name="a", patch=json.dumps({"metadata": {"labels": {"app": "other"}}}))
    assert attempts(web("a"), apart, commands=[(20, relabel)], kubernetes="1.37")


def test_backoff_doubles_up_to_ten_seconds() -> None:
    """A pod that comes and goes wakes it all the time; the back-offs of 1, 2, 4, 8, 10 and 10 s end at the next full second."""
    full = labelled("p", {}, cpu="99")
    coming = [(second + part, command) for second in range(1, 45) for part, command in (
        (0.0, applied(labelled(f"x{second}", {}))), (0.5, DeletePod(target=f"default/x{second}", grace_s=0, force=True)))]  # fmt: skip
    moments = attempts(full, commands=coming, kubernetes="1.30", seconds=45)
    gaps = [later - earlier for earlier, later in zip([0.005, *moments], moments, strict=False)]
    assert [round(gap) for gap in gaps][:6] == [2, 3, 5, 9, 11, 11]


@pytest.mark.parametrize(("kubernetes", "tried_s"), [("1.20", 0.505), ("1.30", 2.0), ("1.37", 0.505)])
def test_change_of_the_pod_itself_ends_its_backoff_only_in_old_versions(kubernetes: str, tried_s: float) -> None:
    """Tried at 0.005 s and held back for a second, the pod is changed at 0.5 s; since 1.33 an idle scheduler does not wait."""
    tolerate = {"spec": {"tolerations": [{"key": "k", "operator": "Exists"}]}}
    change = PatchObject(kind="Pod", namespace="default", name="p", patch=json.dumps(tolerate))
    picky = labelled("p", {}, nodeSelector={"disk": "ssd"})
    assert attempts(picky, commands=[(0.5, change)], kubernetes=kubernetes) == [tried_s]


@pytest.mark.parametrize(("kubernetes", "woken"), [("1.20", True), ("1.27", True), ("1.37", False)])
def test_label_of_the_pod_itself_wakes_it_where_no_hint_is_asked(kubernetes: str, woken: bool) -> None:
    relabel = PatchObject(kind="Pod", namespace="default", name="p", patch=json.dumps({"metadata": {"labels": {"app": "other"}}}))
    picky = labelled("p", {}, nodeSelector={"disk": "ssd"})
    assert bool(attempts(picky, commands=[(20, relabel)], kubernetes=kubernetes)) is woken


def test_own_label_wakes_a_pod_that_its_own_affinity_keeps_out() -> None:
    near = labelled("p", {}, affinity={"podAffinity": {REQUIRED: [WEB]}})
    relabel = PatchObject(kind="Pod", namespace="default", name="p", patch=json.dumps({"metadata": {"labels": {"app": "web"}}}))
    assert attempts(near, commands=[(20, relabel)], kubernetes="1.37")


def test_uncordoned_node_takes_the_waiting_pod_once_its_taint_is_gone() -> None:
    """In 1.20 the second attempt, triggered by the pod's own new condition, comes just after the taint's removal (recording l1)."""
    nodes = [{"name": "node1"}]
    commands = [(1, CordonNode(node="node1")), (2, applied(labelled("p", {}))), (40, CordonNode(node="node1", unschedulable=False))]
    moments = attempts(labelled("a", {}), commands=commands, kubernetes="1.20", nodes=nodes)
    assert moments[-2:] == [40.005, 40.01]
