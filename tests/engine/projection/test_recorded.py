"""Values derived from records without a world agree with those of the world they lead to."""

import pytest

from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.kernel.records import Record
from simulator.engine.projection import project
from simulator.engine.projection.recorded import recorded_events, recorded_objects
from tests.engine.worlds import container, header, pod, run

CRASH = pod(container("sleep 2; exit 3"), name="crash")
QUIET = pod(container("sleep 3600"), name="quiet")
SCRIPTED = (
    (20, DeletePod(target="default/crash", grace_s=1)),
    (30, NodeControl(node="node1", kubelet="stop")),
    (40, TaintNode(node="node1", add=("maintenance=yes:NoSchedule",))),
)
MOMENTS = (1, 4, 15, 25, 100)


@pytest.fixture(params=MOMENTS)
def moment(request: pytest.FixtureRequest):
    given = [item for item in SCRIPTED if item[0] <= request.param]
    return run(header(CRASH, QUIET), request.param, *given)


def test_pods_are_reported_as_the_world_has_them(moment):
    world, records = moment
    told = recorded_objects(records).pods
    views = [project.pod_view(world, row.key) for row in project.objects(world)]
    shown = [(view.key, view.is_present, view.phase, view.node) for view in views]
    assert [(item.key, item.is_present, item.phase, item.node) for item in told.values()] == shown
    assert [item.status_word for item in told.values() if item.is_present] == [view.status_word for view in views if view.is_present]


def test_conditions_of_pods_are_reported_as_the_world_has_them(moment):
    world, records = moment
    told = recorded_objects(records).pods
    for key, item in told.items():
        view = project.pod_view(world, key)
        assert {one.type: (one.status, one.reason) for one in item.conditions.values()} == {
            one.type: (one.status, one.reason) for one in view.conditions
        }


def test_containers_are_reported_as_the_world_has_them(moment):
    world, records = moment
    for key, item in recorded_objects(records).pods.items():
        if item.is_present and item.containers:
            (view,) = project.pod_view(world, key).containers
            (told,) = item.containers.values()
            assert (told.state, told.ready, told.exit_code) == (view.state, view.ready, view.exit_code)


def test_nodes_are_reported_as_the_world_has_them(moment):
    world, records = moment
    (view,) = project.project(world).nodes
    (told,) = recorded_objects(records).nodes.values()
    assert (told.name, told.status_word, told.tone) == (view.name, view.status_word.partition(",")[0], view.tone)
    assert [(item.type, item.status) for item in told.conditions.values()] == [(item.type, item.status) for item in view.conditions]
    assert list(told.taints) == list(view.taints)


def test_events_are_reported_as_the_world_has_them(moment):
    world, records = moment
    for row in project.objects(world):
        shown = project.events_view(world, row.key, now_ms=world.now_ms)
        told = recorded_events(records, row.subject, now_ms=world.now_ms)
        assert [(item.reason, item.message, item.count, item.first_ms, item.last_ms, item.component) for item in told] == [
            (item.reason, item.message, item.count, item.first_ms, item.last_ms, item.component) for item in shown
        ]


@pytest.mark.parametrize("subject", ["pod/web", "run", "", "condition/default/web", "probe/a/b/c/d", "node/"])
def test_subjects_of_other_shapes_break_nothing(subject):
    record = Record(1, 0, "transition", subject, "unheard_of", "", "", "on", 0, "NO-SUCH-RULE")
    assert recorded_objects([record]).pods == {}
