"""The pod garbage collector: finished pods beyond a number, and pods that no kubelet will ever end."""

import pytest
from msgspec.structs import replace

from simulator.engine import Record, World, advance, apply, new_world
from simulator.engine.acts.pods.delete import DeletePod
from tests.engine.worlds import container, header, pod


def kept(count: int, *scripts: str, kubernetes: str = "1.30") -> tuple[World, list[Record]]:
    """A minute of pods named a, b, … that run a script once, in a cluster that keeps so many finished ones."""
    pods = [pod(container(script), name=name, restartPolicy="Never") for name, script in zip("abcdef", scripts, strict=False)]
    world = new_world(header(*pods, kubernetes=kubernetes))
    world.profile = replace(world.profile, pod_gc_threshold=count)
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


@pytest.mark.parametrize(("kubernetes", "phase"), [("1.25", "Pending"), ("1.26", "Failed")])
def test_pod_without_a_node_that_a_finalizer_holds_is_marked_failed(kubernetes: str, phase: str) -> None:
    held = pod(container(), nodeSelector={"no": "where"})
    held["metadata"]["finalizers"] = ["example.com/hold"]
    world = new_world(header(held, kubernetes=kubernetes))
    advance(world, until_ms=1000)
    apply(world, DeletePod(target="default/p"))
    records = advance(world, until_ms=30_000).records
    (row,) = world.tables.pods.values()
    assert (row.status.phase, row.gone_ms) == (phase, None)
    rules = {record.rule for record in records if record.machine == "phase"}
    assert rules == ({"POD-GC-UNSCHEDULED"} if phase == "Failed" else set())


def test_finished_pods_that_are_too_many_go_in_one_round() -> None:
    world = new_world(header(*(pod(container("exit 0"), name=name, restartPolicy="Never") for name in "abc")))
    world.profile = replace(world.profile, pod_gc_threshold=2)
    advance(world, until_ms=5_000)
    rounds = 0
    while not (batch := advance(world, until_ms=10_000, limit=1)).exhausted:
        rounds += any(record.rule == "POD-GC-FINISHED" for record in batch.records)
    assert (rounds, left(world)) == (1, ["b", "c"])
