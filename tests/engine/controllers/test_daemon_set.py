"""The DaemonSet controller: which nodes get a pod, failed pods, updates, status."""

import json
from typing import Any

import pytest

from simulator.engine import Record, RunHeader, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.controllers.daemon_set.daemon_set import daemon_set_sync
from simulator.engine.controllers.daemon_set.nodes import target_of, verdict
from simulator.engine.course.step import HANDLERS
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.manifest import stored_pod
from simulator.engine.model.node_affinity import named_nodes
from simulator.engine.workloads.objects import annotations_of, status_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import DaemonSetSync
from simulator.engine.world.lookups import objects_of
from tests.engine import worlds
from tests.engine.worlds import container, events, run

SLEEPS = "trap 'exit 0' TERM; while true; do sleep 1 & wait $!; done"
NEW = {"template": {"metadata": {"annotations": {"v": "2"}}}}


def header(*documents: Json, kubernetes: str = "1.34", nodes: Any = 2) -> RunHeader:
    return worlds.header(*documents, kubernetes=kubernetes, nodes=nodes)


def daemons(strategy: Json | None = None, min_ready_s: int = 0, **spec: Any) -> Json:
    template = {
        "metadata": {"labels": {"app": "ds"}},
        "spec": {"terminationGracePeriodSeconds": 1, "containers": [container(SLEEPS)], **spec},
    }
    given: Json = {"selector": {"matchLabels": {"app": "ds"}}, "template": template, "minReadySeconds": min_ready_s}
    if strategy is not None:
        given["updateStrategy"] = {"type": "RollingUpdate", "rollingUpdate": strategy}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "ds"}, "spec": given}


def patched(at_s: float, **spec: Any) -> tuple[float, AnyCommand]:
    return at_s, PatchObject(kind="DaemonSet", namespace="default", name="ds", patch=json.dumps({"spec": spec}))


def places(world: World) -> list[str]:
    """The nodes of the existing pods, in order."""
    return sorted(row.node for row in world.tables.pods.values() if row.gone_ms is None)


def status(world: World) -> Json:
    return status_of(world.tables.objects[("DaemonSet", "default", "ds")])


def rules(records: list[Record]) -> list[str]:
    return [record.rule for record in records if record.machine == "note"]


def test_every_node_gets_one_pod_that_names_it() -> None:
    world, _ = run(header(daemons(), nodes=3), 5)
    assert places(world) == ["node1", "node2", "node3"]
    assert (status(world)["desiredNumberScheduled"], status(world)["numberAvailable"]) == (3, 3)


def test_only_nodes_that_match_get_a_pod_and_a_label_makes_one_match() -> None:
    document = daemons(nodeSelector={"disk": "ssd"})
    world, _ = run(header(document), 5)
    assert places(world) == []
    world, _ = run(header(document), 10, (5, LabelNode(node="node2", labels={"disk": "ssd"})))
    assert places(world) == ["node2"]


def test_verdict_names_the_taint() -> None:
    nodes = [{"name": "node1", "taints": ["dedicated=db:NoSchedule"]}]
    world, _ = run(header(daemons(), nodes=nodes), 2)
    found = verdict(world.tables.objects[("DaemonSet", "default", "ds")], world.tables.nodes["node1"])
    assert (found.runs, found.may_stay, found.rule) == (False, True, "DAEMONSET-NODE-TAINT")
    assert dict(found.data) == {"taint": "dedicated=db:NoSchedule"}


def test_template_that_names_a_node_is_for_that_node() -> None:
    world, _ = run(header(daemons(nodeName="node2")), 5)
    assert places(world) == ["node2"]
    row = world.tables.objects[("DaemonSet", "default", "ds")]
    assert verdict(row, world.tables.nodes["node1"]).rule == "DAEMONSET-NODE-NAME"
    assert verdict(row, world.tables.nodes["node2"]).rule == "DAEMONSET-NODE-FITS"


def test_pod_stays_on_a_node_that_gets_a_taint_of_no_schedule() -> None:
    world, _ = run(header(daemons()), 8, (4, TaintNode(node="node1", add=("dedicated=db:NoSchedule",))))
    assert places(world) == ["node1", "node2"]
    assert status(world)["numberMisscheduled"] == 1


def test_pod_comes_back_only_when_the_old_object_is_gone() -> None:
    document = daemons()
    document["spec"]["template"]["spec"] |= {"terminationGracePeriodSeconds": 4, "containers": [container("trap '' TERM; sleep 3600")]}
    first = next(row.key for row in run(header(document), 3)[0].tables.pods.values())
    world, _ = run(header(document, nodes=1), 6, (3, DeletePod(target=first)))
    assert len(places(world)) == 1
    world, _ = run(header(document, nodes=1), 10, (3, DeletePod(target=first)))
    assert [row.deletion_ms for row in world.tables.pods.values() if row.gone_ms is None] == [None]


def test_failed_pod_is_deleted_with_a_back_off_for_its_node() -> None:
    _, records = run(header(daemons(activeDeadlineSeconds=1), nodes=1), 60)
    waits = [int(record.get("backoff_s")) for record in records if record.rule == "DAEMONSET-FAILED" and record.machine == "note"]
    assert waits[:5] == [1, 2, 4, 8, 16]
    texts = [text for text in events(records) if text.startswith("FailedDaemonPod")]
    assert texts[0].startswith("FailedDaemonPod: Found failed daemon pod default/ds-")
    assert texts[0].endswith(" on node node1, will try to kill it")


@pytest.mark.parametrize(("version", "told"), [("1.25", False), ("1.26", True)])
def test_succeeded_pod_is_deleted_from_1_26(version: str, told: bool) -> None:
    first = next(row.key for row in run(header(daemons(), kubernetes=version, nodes=1), 3)[0].tables.pods.values())
    ends = PatchPod(target=first, patch=json.dumps({"status": {"phase": "Succeeded"}}), subresource="status")
    _, records = run(header(daemons(), kubernetes=version, nodes=1), 4, (3, ends))
    assert any(text.startswith("SucceededDaemonPod: Found succeeded daemon pod") for text in events(records)) is told
    assert ("DAEMONSET-SUCCEEDED" in rules(records)) is told


@pytest.mark.parametrize(("version", "soon"), [("1.25", False), ("1.26", True)])
def test_pod_that_has_ended_frees_its_node_from_1_26(version: str, soon: bool) -> None:
    held = daemons()
    held["spec"]["template"]["metadata"]["finalizers"] = ["a/b"]
    first = next(row.key for row in run(header(held, kubernetes=version, nodes=1), 3)[0].tables.pods.values())
    ends = PatchPod(target=first, patch=json.dumps({"status": {"phase": "Failed"}}), subresource="status")
    world, _ = run(header(held, kubernetes=version, nodes=1), 6, (3, DeletePod(target=first)), (3.1, ends))
    assert (len(places(world)) == 2) is soon


def test_update_replaces_one_node_after_the_other() -> None:
    world, records = run(header(daemons(), nodes=3), 40, patched(5, **NEW))
    told = [record for record in records if record.rule == "DAEMONSET-UPDATE"]
    assert [record.get("node") for record in told] == ["node1", "node2", "node3"]
    assert all(int(record.get("unavailable")) < int(record.get("allowed")) for record in told)
    assert status(world)["updatedNumberScheduled"] == 3


def test_update_deletes_unavailable_pods_at_once() -> None:
    document = daemons()
    document["spec"]["template"]["spec"]["containers"][0]["image"] = "missing:1"
    good = {"template": {"spec": {"containers": [{"name": "app", "image": "busybox:1.28"}]}}}
    _, records = run(header(document, nodes=3), 8, patched(5, **good))
    assert rules(records).count("DAEMONSET-UPDATE-UNAVAILABLE") == 3


@pytest.mark.parametrize(("version", "more"), [("1.20", 0), ("1.21", 1), ("1.27", 1), ("1.28", 0)])
def test_old_unavailable_pods_count_towards_the_limit_but_from_1_21_to_1_27(version: str, more: int) -> None:
    gated = daemons(readinessGates=[{"conditionType": "example.com/up"}])
    world, _ = run(header(gated, kubernetes=version), 4)
    good = [row.key for row in world.tables.pods.values()]
    yes = PatchPod(
        target=good[0], patch=json.dumps({"status": {"conditions": [{"type": "example.com/up", "status": "True"}]}}), subresource="status"
    )
    _, records = run(header(gated, kubernetes=version), 5.05, (3, yes), patched(5, **NEW))
    assert rules(records).count("DAEMONSET-UPDATE") == more
    assert rules(records).count("DAEMONSET-UPDATE-UNAVAILABLE") == 1


@pytest.mark.parametrize(("version", "down"), [("1.20", 1), ("1.21", 3), ("1.31", 1)])
def test_bad_updates_take_one_node_each_only_where_old_unavailable_pods_do_not_count(version: str, down: int) -> None:
    bad = [patched(at, template={"spec": {"containers": [{"name": "app", "image": f"missing:{at}"}]}}) for at in (5, 25, 45)]
    world, _ = run(header(daemons(), kubernetes=version, nodes=4), 65, *bad)
    live = [row for row in world.tables.pods.values() if row.gone_ms is None]
    assert sum(row.status.phase == "Pending" for row in live) == down


@pytest.mark.parametrize(("version", "places"), [("1.22", ["", "node2"]), ("1.28", ["", "node2"]), ("1.29", [])])
def test_node_whose_taint_is_no_longer_tolerated_gets_a_surge_pod_until_1_28(version: str, places: list[str]) -> None:
    """With a NoSchedule taint the old pod may stay, and the new one cannot be placed. Later the old one goes, as none is wanted there."""
    document = daemons({"maxSurge": 1, "maxUnavailable": 0}, tolerations=[{"key": "dedicated", "operator": "Exists"}])
    tainted = (1, TaintNode(node="node2", add=("dedicated=db:NoSchedule",)))
    other = patched(10, template={"spec": {"tolerations": [{"key": "other", "operator": "Exists"}]}})
    world, _ = run(header(document, kubernetes=version), 40, tainted, other)
    meant = [row for row in world.tables.pods.values() if row.gone_ms is None and target_of(row) == "node2"]
    assert sorted(row.node for row in meant) == places


def test_surge_keeps_an_available_pod_on_every_node() -> None:
    world, records = run(header(daemons({"maxSurge": 1, "maxUnavailable": 0})), 30, patched(5, **NEW))
    assert "DAEMONSET-UPDATE" not in rules(records)
    assert rules(records).count("DAEMONSET-SURGED") == 2
    told = [int(record.get("available")) for record in records if record.rule == "DAEMONSET-STATUS" and record.at_ms > 5000]
    assert min(told) == 2
    assert len(places(world)) == 2


def test_on_delete_changes_nothing_by_itself() -> None:
    document = daemons()
    document["spec"]["updateStrategy"] = {"type": "OnDelete"}
    world, records = run(header(document), 10, patched(5, **NEW))
    assert status(world).get("updatedNumberScheduled", 0) == 0
    assert "DAEMONSET-UPDATE" not in rules(records)


def test_pod_of_a_node_that_is_gone_and_never_took_it_is_deleted() -> None:
    big = daemons()
    big["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "500"}}
    world, records = run(header(big), 10, (5, DeleteNode(node="node2")))
    assert "DAEMONSET-NODE-GONE" in rules(records)
    assert len(places(world)) == 1


def test_pod_that_is_too_many_on_a_node_is_deleted() -> None:
    twin = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "twin", "labels": {"app": "ds"}},
        "spec": {"nodeName": "node1", "terminationGracePeriodSeconds": 1, "containers": [container(SLEEPS)]},
    }  # fmt: skip
    _, records = run(header(daemons(), nodes=1), 8, (4, ApplyManifest(documents=(json.dumps(twin),))))
    assert "DAEMONSET-EXCESS" in rules(records)


def test_template_generation_counts_templates() -> None:
    world, _ = run(header(daemons()), 10, patched(5, **NEW), patched(7, minReadySeconds=1))
    assert annotations_of(world.tables.objects[("DaemonSet", "default", "ds")]) == {"deprecated.daemonset.template.generation": "2"}
    labels = {row.pod.metadata.labels["pod-template-generation"] for row in world.tables.pods.values() if row.gone_ms is None}
    assert "2" in labels


def test_revisions_beyond_the_limit_are_deleted() -> None:
    document = daemons()
    document["spec"]["revisionHistoryLimit"] = 0
    world, _ = run(header(document, nodes=1), 20, patched(5, **NEW))
    assert len(list(objects_of(world.tables, "ControllerRevision"))) == 1


def test_second_round_in_an_unchanged_world_writes_nothing() -> None:
    world, _ = run(header(daemons(min_ready_s=2)), 20)
    out: list[Record] = []
    before = dict(world.tables.objects)
    daemon_set_sync(Effects(world, out), DaemonSetSync("default", "ds"))
    assert out == []
    assert world.tables.objects == before


def test_pod_is_typed_as_its_text_says_and_names_its_own_node() -> None:
    preferred = [{"weight": 1, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}]
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    world, _ = run(header(daemons(affinity=affinity), nodes=3), 5)
    pods = [row.pod for row in world.tables.pods.values()]
    assert [named_nodes(pod.spec) for pod in pods] == [("node1",), ("node2",), ("node3",)]
    assert [stored_pod(row.document).spec for row in world.tables.pods.values()] == [pod.spec for pod in pods]


ORPHAN: Json = {
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "orphan", "labels": {"app": "ds"}},
    "spec": {"nodeName": "node3", "containers": [container(SLEEPS)]},
}  # fmt: skip
MIXED = daemons({"maxSurge": 1, "maxUnavailable": 0}, nodeSelector={"disk": "ssd"})
CHANGES: tuple[tuple[float, AnyCommand], ...] = (
    *((1 + n, LabelNode(node=f"node{n}", labels={"disk": "ssd"})) for n in range(1, 6)),
    (20, ApplyManifest(documents=(json.dumps(ORPHAN),))),
    (30, LabelNode(node="node2", labels={"disk": "hdd"})),
    (40, TaintNode(node="node4", add=("x=y:NoExecute",))),
    (50, patched(0, **NEW)[1]),
    (70, LabelNode(node="node2", labels={"disk": "ssd"})),
    (80, TaintNode(node="node4", remove=("x",))),
    (100, DeleteNode(node="node1")),
    (110, patched(0, updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 2}})[1]),
    (115, patched(0, minReadySeconds=3, template={"metadata": {"annotations": {"v": "3"}}})[1]),
)


def _forgetful(fx: Effects, event: DaemonSetSync) -> None:
    fx.world.memo.clear()
    daemon_set_sync(fx, event)


@pytest.mark.parametrize("kubernetes", ["1.25", "1.34"])
def test_rounds_that_remember_nothing_decide_the_same(kubernetes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    began = header(MIXED, kubernetes=kubernetes, nodes=5)
    pod = next(row.key for row in run(began, 15, *CHANGES)[0].tables.pods.values() if row.node == "node5")
    other = (25.0, PatchPod(target=pod, patch=json.dumps({"metadata": {"labels": {"app": "other"}}})))
    changes = sorted((*CHANGES, other), key=lambda change: change[0])
    remembered = run(began, 170, *changes)
    monkeypatch.setitem(HANDLERS, DaemonSetSync, ("daemonset-controller", _forgetful))
    _, records = run(began, 170, *changes)
    assert records == remembered[1]
    assert {"DAEMONSET-SURGED", "DAEMONSET-UPDATE", "DAEMONSET-NOT-HERE", "POD-ADOPTED", "POD-RELEASED"} <= {
        record.rule for record in records
    }


def test_daemons_that_are_refused_on_many_nodes_are_tried_again_later_and_later():
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"pods": "2"}}}
    world, records = run(header(quota, daemons(), nodes=20), 60)
    rounds = [record.at_ms for record in records if record.rule == "DAEMONSET-CREATE"]
    assert len([moment for moment in rounds if moment > 20_000]) <= 2
    assert (status(world)["numberReady"], len(places(world))) == (2, 2)
