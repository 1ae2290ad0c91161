"""The resources of a pod as its inspector shows them."""

import pytest

from simulator.engine.acts.pods.resize import ResizePod
from simulator.engine.apiserver.documents.pod import pod_document
from simulator.engine.projection.resources import resources_view
from tests.engine.worlds import container, header, pod, run

GIVEN = {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "2Gi"}}


def test_effective_request_is_the_larger_of_apps_together_and_the_largest_init() -> None:
    small = {"resources": {"requests": {"cpu": "250m", "memory": "64Mi"}}}
    big = {"resources": {"requests": {"memory": "1Gi"}}}
    document = pod(container(**small), container(name="b", **small), initContainers=[container("true", name="init", **big)])
    world, _ = run(header(document), 5)
    view = resources_view(world, world.tables.pods["default/p"])
    assert (view.requests, view.request_rule) == ((("cpu", "500m"), ("memory", "1Gi")), "REQUEST-EFFECTIVE")


@pytest.mark.parametrize(
    ("resources", "rule"),
    [
        ({}, "QOS-BEST-EFFORT"),
        (GIVEN, "QOS-BURSTABLE"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "QOS-GUARANTEED"),
    ],
)
def test_qos_class_is_explained_by_its_rule(resources: dict, rule: str) -> None:
    world, _ = run(header(pod(container(resources=resources))), 1)
    assert resources_view(world, world.tables.pods["default/p"]).qos_rule == rule


def test_container_shows_score_and_memory_while_it_runs() -> None:
    world, _ = run(header(pod(container(resources=GIVEN))), 5)
    (app,) = resources_view(world, world.tables.pods["default/p"]).containers
    assert (app.oom_score_adj, app.oom_rule) == (938, "OOM-SCORE")
    assert (app.actual, app.memory) == ((("cpu", "1"), ("memory", "1Gi")), "768Ki")


def test_deferred_resize_shows_what_is_asked_and_what_is_allocated() -> None:
    filler = pod(container(resources={"requests": {"cpu": "2"}}), name="other")
    ask = ResizePod(target="default/p", requests={"cpu": "3"}, limits={"cpu": "3"})
    world, _ = run(header(filler, pod(container(resources=GIVEN)), kubernetes="1.35"), 8, (5, ask))
    view = resources_view(world, world.tables.pods["default/p"])
    assert (view.resize, view.containers[0].requests[0], view.containers[0].allocated[0]) == ("deferred", ("cpu", "3"), ("cpu", "1"))


def test_status_in_yaml_has_allocated_and_actual_resources_where_they_can_change() -> None:
    world, _ = run(header(pod(container(resources=GIVEN)), kubernetes="1.35"), 5)
    status = pod_document(world, "default/p")["status"]["containerStatuses"][0]
    assert status["allocatedResources"] == {"cpu": "1", "memory": "1Gi"}
    assert status["resources"] == GIVEN


def test_resize_shows_in_a_field_of_its_own_in_older_versions() -> None:
    gates = {"InPlacePodVerticalScaling": True}
    ask = ResizePod(target="default/p", requests={"cpu": "5"}, limits={"cpu": "5"})
    world, _ = run(header(pod(container(resources=GIVEN)), kubernetes="1.30", gates=gates), 8, (5, ask))
    assert pod_document(world, "default/p")["status"]["resize"] == "Infeasible"
