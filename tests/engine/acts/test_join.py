"""A machine that joins: its properties, and its allowed names."""

import pytest

from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.nodes.join import JoinNode
from tests.engine.worlds import container, header, pod, run, words

NODE = {"name": "node1", "allocatable": {"cpu": "2", "example.com/gpu": "1"}, "labels": {"zone": "a"}}


def joined(*commands, nodes=(NODE,), seconds=15, **more):
    return run(header(pod(container("sleep 3600")), nodes=list(nodes), **more), seconds, *commands)


def refusals(records):
    return [str(record.get("message")) for record in records if record.machine == "command" and record.target == "refused"]


def test_machine_is_like_the_one_that_is_named():
    world, _ = joined((1, JoinNode(node="node2", like="node1", labels={"zone": "b"}, taints=("k=v:NoSchedule",))))
    row = world.tables.nodes["node2"]
    assert (row.allocatable_cpu_milli, row.allocatable_other, row.taints) == (2000, {"example.com/gpu": 1}, (("k", "v", "NoSchedule"),))
    assert (row.labels["zone"], row.labels["kubernetes.io/hostname"]) == ("b", "node2")


def test_node_is_there_when_its_kubelet_has_started():
    world, records = joined((1, JoinNode(node="node2")))
    assert words(records, machine="node_condition", subject="node/node2")
    assert [record.at_ms for record in records if record.rule == "NODE-REGISTERED"][0] == 1000 + world.profile.kubelet_startup_ms


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (JoinNode(node="node1"), "there is a machine named node1"),
        (JoinNode(node="Node_2"), "'Node_2' is no name for a node"),
        (JoinNode(node="node2", like="none"), "there is no node 'none' to be like"),
        (JoinNode(node="node2", taints=("nonsense",)), "'nonsense' is no taint: key=value:effect"),
    ],
)
def test_machine_that_cannot_join_is_refused(command, why):
    _, records = joined((1, command))
    assert refusals(records) == [why]


def test_drained_node_can_be_replaced():
    world, records = joined((1, JoinNode(node="node2")), (9, DrainNode(node="node1", force=True)), seconds=60)
    assert refusals(records) == [] and not world.tables.nodes["node2"].is_deleted
