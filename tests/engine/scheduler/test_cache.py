"""What the scheduler counts as used: the objects' values, whatever the node has made of them."""

import json

import pytest

from simulator.engine import World
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.bind import BindPod
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.resize import ResizePod
from tests.engine.worlds import container, header, milli, pod, run


def asks(cpu: str, name: str, **spec: object) -> dict[str, object]:
    """A pod that requests this much of a node's 4 CPU."""
    return pod(container("sleep 3600", resources={"requests": {"cpu": cpu}}), name=name, **spec)


def applied(document: dict[str, object]) -> ApplyManifest:
    """The document, applied later."""
    return ApplyManifest(documents=(json.dumps(document),))


def told(world: World, key: str) -> str:
    """The message of the pod's PodScheduled condition; empty once it has a node."""
    condition = world.tables.pods[key].status.condition("PodScheduled")
    return condition.message if condition is not None else ""


def test_pod_that_came_with_a_node_takes_room_before_its_kubelet_has_seen_it() -> None:
    dead = NodeControl(node="node1", kubelet="kill")
    world, _ = run(header(), 5, (1, dead), (2, applied(asks("3", "a", nodeName="node1"))), (3, applied(asks("2", "b"))))
    assert told(world, "default/b").startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert (world.tables.admitted, world.tables.scheduled) == ({}, {"default/a": milli(3000)})


def test_pod_that_is_rejected_by_its_kubelet_frees_its_room() -> None:
    fits = asks("1", "fits", nodeName="node1")
    world, _ = run(header(asks("4", "first", nodeName="node1"), fits), 5)
    assert world.tables.pods["default/fits"].status.phase == "Failed"
    assert [(room.pods, room.cpu_milli) for room in world.tables.room_scheduled.values()] == [(1, 4000)]


def test_pod_that_is_bound_by_hand_takes_room() -> None:
    other = asks("3", "a", schedulerName="mine")
    world, _ = run(header(other), 5, (2, BindPod(target="default/a", node="node1")), (3, applied(asks("2", "b"))))
    assert world.tables.scheduled == {"default/a": milli(3000)}


def test_pod_that_is_gone_frees_its_room_for_one_that_waits() -> None:
    world, _ = run(header(asks("3", "a"), asks("2", "b")), 60, (5, DeletePod(target="default/a", grace_s=1)))
    assert world.tables.scheduled == {"default/b": milli(2000)}


@pytest.mark.parametrize(("cpu", "counted"), [("3", 3000), ("5", 1000)])
def test_resize_that_waits_counts_as_what_it_asks_and_one_that_never_fits_as_what_it_has(cpu: str, counted: int) -> None:
    ask = ResizePod(target="default/a", requests={"cpu": cpu})
    world, _ = run(header(asks("1", "a"), asks("2", "b"), kubernetes="1.35"), 10, (5, ask))
    assert world.tables.scheduled["default/a"] == milli(counted)


def test_resize_counts_from_the_moment_it_is_stored() -> None:
    ask, dead = ResizePod(target="default/a", requests={"cpu": "3"}), NodeControl(node="node1", kubelet="kill")
    world, _ = run(header(asks("1", "a"), kubernetes="1.35"), 8, (4, dead), (5, ask), (6, applied(asks("2", "b"))))
    assert world.tables.scheduled == {"default/a": milli(3000)}


def test_resize_down_frees_nothing_before_the_container_has_less() -> None:
    """The kubelet has agreed to it, but a limit below the container's usage cannot be set."""
    resources = {kind: {"cpu": "1", "memory": "200Mi"} for kind in ("requests", "limits")}
    document = pod(container("sleep 3600", resources=resources), name="a")
    document["metadata"]["annotations"] = {
        "podscope.dev/behaviour": '{"app": {"memory": [{"at": 0, "bytes": "150Mi"}, {"at": 25, "bytes": "40Mi"}]}}'
    }
    less = {"memory": "100Mi"}
    ask = ResizePod(target="default/a", requests=less, limits=less)
    waits, _ = run(header(document, kubernetes="1.35"), 15, (10, ask))
    done, _ = run(header(document, kubernetes="1.35"), 120, (10, ask))
    assert [world.tables.resizes["default/a"].state for world in (waits, done)] == ["error", "done"]
    assert [world.tables.admitted["default/a"].memory_bytes >> 20 for world in (waits, done)] == [100, 100]
    assert [world.tables.scheduled["default/a"].memory_bytes >> 20 for world in (waits, done)] == [200, 100]
