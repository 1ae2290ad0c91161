"""What a kubelet counts as used: the pods it has admitted itself, with their allocated resources."""

from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.pods.resize import ResizePod
from simulator.engine.policies.room import EMPTY, with_pod
from simulator.engine.world.rows import Room
from tests.engine.worlds import container, header, milli, pod, run

THREE = with_pod(EMPTY, milli(3000))
"""The usage of one pod with 3 CPU."""


def bound(name: str, cpu: str, **spec: object) -> dict[str, object]:
    """A pod bound to the only node, which has 4 CPU."""
    return pod(container("sleep 3600", resources={"requests": {"cpu": cpu}}), name=name, nodeName="node1", **spec)


def test_pod_that_is_rejected_never_counts() -> None:
    world, records = run(header(bound("a", "3"), bound("b", "2")), 5)
    assert world.tables.pods["default/b"].status.reason == "OutOfcpu"
    assert [record.get("message") for record in records if record.get("reason") == "OutOfcpu" and record.machine == "phase"] == [
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000"
    ]
    assert world.tables.room_admitted == {"node1": THREE}


def test_pod_that_has_ended_counts_no_longer_while_its_object_stays() -> None:
    world, _ = run(header(pod(container("sleep 2"), nodeName="node1", restartPolicy="Never")), 20)
    assert world.tables.pods["default/p"].status.phase == "Succeeded"
    assert (world.tables.admitted, world.tables.room_admitted) == ({}, {"node1": Room()})


def test_kubelet_that_is_down_holds_no_room_and_counts_again_when_it_is_back() -> None:
    head = header(bound("a", "3"))
    down, _ = run(head, 8, (5, NodeControl(node="node1", kubelet="kill")))
    back, _ = run(head, 20, (5, NodeControl(node="node1", kubelet="kill")), (10, NodeControl(node="node1", kubelet="start")))
    assert (down.tables.room_admitted, down.tables.room_scheduled) == ({"node1": Room()}, {"node1": THREE})
    assert back.tables.room_admitted == {"node1": THREE}


def test_kubelet_counts_what_it_has_agreed_to_while_a_resize_waits() -> None:
    head = header(bound("a", "2"), bound("b", "1"), kubernetes="1.35")
    world, _ = run(head, 10, (5, ResizePod(target="default/b", requests={"cpu": "3"})))
    assert world.tables.resizes["default/b"].state == "deferred"
    assert world.tables.admitted == {"default/a": milli(2000), "default/b": milli(1000)}
    assert world.tables.scheduled == {"default/a": milli(2000), "default/b": milli(3000)}


def test_kubelet_that_comes_back_counts_a_waiting_resize_as_before() -> None:
    away, back = NodeControl(node="node1", kubelet="kill"), NodeControl(node="node1", kubelet="start")
    head = header(bound("a", "2"), bound("b", "1"), kubernetes="1.35")
    world, _ = run(head, 30, (5, ResizePod(target="default/b", requests={"cpu": "3"})), (10, away), (15, back))
    assert world.tables.admitted == {"default/a": milli(2000), "default/b": milli(1000)}
    assert world.tables.pods["default/b"].status.phase == "Running"
