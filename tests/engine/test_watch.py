"""Watches: components are notified of what they asked for, and their queues hold a key once per moment."""

import pytest

from simulator.engine import RunHeader, advance, apply, new_world
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.pods.bind import BindPod
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course import components
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ClaimSweep
from simulator.engine.world.queue import Lane
from simulator.engine.world.watch import ADDED, BOUND, CHANGED, DELETING, EVERY_KIND, GONE, STATUS, Queue, Watch, Watches

POD = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"containers":[{"name":"app","image":"nginx:1.27"}]}}'
SIDES = {ADDED: "added", CHANGED: "changed", BOUND: "bound", DELETING: "deleting", STATUS: "status", GONE: "gone"}


@pytest.fixture
def told():
    """The notifications of a watcher of everything: kind of row and side, in order."""
    return []


@pytest.fixture
def world(told):
    """A world with a pod and one more component, which only listens."""
    world = new_world(RunHeader(kubernetes="1.30", manifests=(POD,)))
    listening = [
        Watch("listener", kind, side, lambda fx, old, row, side=side: told.append((type(row).__name__, SIDES[side])))
        for kind in ("Pod", "Node")
        for side in SIDES
    ]
    world.watches = Watches([line for component in components.COMPONENTS for line in component.watches] + listening)
    return world


def test_binding_and_status_are_told_apart(world, told):
    advance(world, until_ms=5)
    assert told == [("PodRow", "bound"), ("PodRow", "status")]


def test_removal_is_reported_once(world, told):
    advance(world, until_ms=5_000)
    told.clear()
    apply(world, DeletePod(target="default/web", grace_s=0, force=True))
    assert told == [("PodRow", "deleting"), ("PodRow", "gone")]


def test_what_only_a_kubelet_keeps_of_a_node_is_nobodys_business(world, told):
    advance(world, until_ms=30_000)
    assert not [item for item in told if item[0] == "NodeRow"]
    apply(world, LabelNode(node="node1", labels={"disk": "ssd"}))
    assert told[-1] == ("NodeRow", "changed")


def test_key_stands_in_a_queue_once_a_moment():
    world = new_world(RunHeader(kubernetes="1.30"))
    fx = Effects(world, [])
    queue, before = Queue("q", Lane.CONTROLLER, "watch_ms"), len(world.queue)
    for _ in range(3):
        fx.enqueue(queue, ClaimSweep("default", "data"))
    assert len(world.queue) == before + 1
    fx.enqueue(queue, ClaimSweep("default", "data"), after_ms=1000)
    assert len(world.queue) == before + 2
    advance(world, until_ms=5_000)
    fx = Effects(world, [])
    fx.enqueue(queue, ClaimSweep("default", "data"))
    assert len(world.queue) == before + 1


def test_pod_that_is_bound_to_no_node_is_collected():
    world = new_world(RunHeader(kubernetes="1.30", manifests=(POD.replace('"spec":{', '"spec":{"schedulerName":"mine",'),)))
    advance(world, until_ms=1_000)
    apply(world, BindPod(target="default/web", node="nowhere"))
    advance(world, until_ms=180_000)
    assert world.live_pod("default", "web") is None


def test_every_event_has_one_component():
    handled = [event for component in components.COMPONENTS for event in component.handles]
    assert len(handled) == len(set(handled)) == len(components.HANDLERS)


def test_every_watch_names_its_component_and_a_side():
    for component in components.COMPONENTS:
        for line in component.watches:
            assert line.component == component.name
            assert line.on in range(1, 2 * GONE)
            assert line.kind == EVERY_KIND or line.kind[0].isupper()
