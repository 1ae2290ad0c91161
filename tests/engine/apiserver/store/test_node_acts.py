"""Acts on nodes are changes of their objects, and are validated as such."""

import pytest

from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.nodes.taint import TaintNode
from tests.engine.apiserver.store.requests import accepted, refused, world_of


@pytest.mark.parametrize(
    ("command", "field"),
    [
        (LabelNode(node="node1", labels={"a b": "x"}), "metadata.labels"),
        (LabelNode(node="node1", labels={"a": "x y"}), "metadata.labels"),
        (TaintNode(node="node1", add=("a b=c:NoSchedule",)), "metadata.taints[0].key"),
        (TaintNode(node="node1", add=("a=c d:NoSchedule",)), "metadata.taints[0].value"),
    ],
)
def test_node_act_is_refused_when_the_object_could_not_be_changed_so(command, field):
    record = refused(world_of(), command)
    assert dict(record.data)["reason"] == "Invalid"
    assert f"{field}: Invalid value" in dict(record.data)["message"]


def test_node_act_changes_the_object_when_it_may():
    world = world_of()
    accepted(world, LabelNode(node="node1", labels={"zone": "a"}))
    accepted(world, TaintNode(node="node1", add=("only=me:NoSchedule",)))
    row = world.tables.nodes["node1"]
    assert row.labels["zone"] == "a" and ("only", "me", "NoSchedule") in row.taints
