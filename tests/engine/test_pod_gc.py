"""The pod garbage collector: finished pods beyond a number, and pods that no kubelet will ever terminate."""

import pytest
from msgspec.structs import replace

from simulator.engine import Record, World, advance, apply, new_world
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.pods.delete import DeletePod
from tests.engine.worlds import container, header, pod, run

STOP = NodeControl(node="node1", kubelet="stop")


def keeping(count: int, *scripts: str, kubernetes: str = "1.30") -> World:
    """Pods named a, b, … that run a script once, in a cluster with this threshold for finished ones."""
    pods = [pod(container(script), name=name, restartPolicy="Never") for name, script in zip("abcdef", scripts, strict=False)]
    head = header(*pods, kubernetes=kubernetes)
    return new_world(replace(head, cluster=replace(head.cluster, terminated_pod_gc_threshold=count)))


def kept(count: int, *scripts: str, kubernetes: str = "1.30") -> tuple[World, list[Record]]:
    """The remaining pods after a minute."""
    world = keeping(count, *scripts, kubernetes=kubernetes)
    return world, advance(world, until_ms=60_000).records


def left(world: World) -> list[str]:
    return [row.name for row in world.tables.pods.values() if row.gone_ms is None]


def test_finished_pods_beyond_the_number_go_oldest_first() -> None:
    world, records = kept(1, "exit 0", "exit 1", "exit 0")
    assert left(world) == ["c"]
    assert [record.subject for record in records if record.rule == "POD-GC-FINISHED"] == ["pod/default/a", "pod/default/b"]


def test_running_pods_do_not_count_as_finished() -> None:
    assert left(kept(1, "exit 0", "sleep 999")[0]) == ["a", "b"]


def test_number_of_zero_keeps_all() -> None:
    assert left(kept(0, "exit 0", "exit 0")[0]) == ["a", "b"]


@pytest.mark.parametrize(("kubernetes", "collected"), [("1.22", "a"), ("1.23", "b")])
def test_evicted_pod_goes_before_an_older_one_from_1_23(kubernetes: str, collected: str) -> None:
    world = keeping(1, "exit 0", "sleep 999", kubernetes=kubernetes)
    advance(world, until_ms=25_000)
    apply(world, SetNodePressure(node="node1", signal="memory.available", available="50Mi"))
    records = advance(world, until_ms=100_000).records
    assert world.tables.pods["default/b"].status.reason == "Evicted"
    assert [record.subject for record in records if record.rule == "POD-GC-FINISHED"] == [f"pod/default/{collected}"]


OFF = {"PodDisruptionConditions": False}


@pytest.mark.parametrize(
    ("kubernetes", "gates", "phase"),
    [
        ("1.25", {}, "Pending"),
        ("1.25", {"PodDisruptionConditions": True}, "Pending"),
        ("1.26", {}, "Failed"),
        ("1.28", OFF, "Pending"),
        ("1.28", {**OFF, "JobPodReplacementPolicy": True}, "Failed"),
        ("1.29", OFF, "Failed"),
    ],
)
def test_pod_without_a_node_that_a_finalizer_holds_is_marked_failed(kubernetes: str, gates: dict[str, bool], phase: str) -> None:
    held = pod(container(), nodeSelector={"no": "where"})
    held["metadata"]["finalizers"] = ["example.com/hold"]
    world = new_world(header(held, kubernetes=kubernetes, gates=gates))
    advance(world, until_ms=1000)
    apply(world, DeletePod(target="default/p"))
    records = advance(world, until_ms=30_000).records
    (row,) = world.tables.pods.values()
    assert (row.status.phase, row.gone_ms) == (phase, None)
    rules = {record.rule for record in records if record.machine == "phase"}
    assert rules == ({"POD-GC-UNSCHEDULED"} if phase == "Failed" else set())


def test_finished_pods_that_are_too_many_go_in_one_round() -> None:
    world = keeping(2, "exit 0", "exit 0", "exit 0")
    advance(world, until_ms=5_000)
    rounds = 0
    while not (batch := advance(world, until_ms=10_000, limit=1)).exhausted:
        rounds += any(record.rule == "POD-GC-FINISHED" for record in batch.records)
    assert (rounds, left(world)) == (1, ["b", "c"])


@pytest.mark.parametrize(
    ("kubernetes", "gates", "is_gone"),
    [
        ("1.23", {}, False),
        ("1.24", {}, False),
        ("1.24", {"NodeOutOfServiceVolumeDetach": True}, True),
        ("1.26", {}, True),
        ("1.27", {"NodeOutOfServiceVolumeDetach": False}, False),
    ],
)
def test_pods_of_a_node_out_of_service_go_where_the_gate_is_on(kubernetes: str, gates: dict[str, bool], is_gone: bool) -> None:
    taint = TaintNode(node="node1", add=("node.kubernetes.io/out-of-service:NoExecute",))
    world, records = run(header(pod(container()), kubernetes=kubernetes, gates=gates), 200, (10, STOP), (80, taint))
    assert (world.tables.pods["default/p"].gone_ms is not None) is is_gone
    assert ("Failed" in {record.target for record in records if record.machine == "phase"}) is (kubernetes == "1.26")


@pytest.mark.parametrize(("gates", "told"), [({}, False), ({"PodDisruptionConditions": True}, True)])
def test_pod_of_a_lost_node_is_told_so_before_it_is_marked_failed_at_all(gates: dict[str, bool], told: bool) -> None:
    _, records = run(header(pod(container()), kubernetes="1.25", gates=gates), 200, (10, DeleteNode(node="node1")), (10.5, STOP))
    conditions = [record.get("reason") for record in records if record.machine == "condition" and "DisruptionTarget" in record.subject]
    assert conditions == (["DeletionByPodGC"] if told else [])
    assert "Failed" not in {record.target for record in records if record.machine == "phase"}
