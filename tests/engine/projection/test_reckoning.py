"""The arithmetic behind requests, limits and QoS classes."""

from typing import Any

from simulator.engine import World
from simulator.engine.model.requests import RequestOptions, pod_requests
from simulator.engine.projection.reckoning import qos_of, sums_of
from tests.engine.worlds import container, header, pod, run


def asking(name: str, cpu: str = "", *, limit: str = "", **more: Any) -> dict[str, Any]:
    resources = {key: {"cpu": value} for key, value in (("requests", cpu), ("limits", limit)) if value}
    return container(name=name, resources=resources, **more)


HEAVY = {
    "apiVersion": "node.k8s.io/v1",
    "kind": "RuntimeClass",
    "metadata": {"name": "heavy"},
    "handler": "vm",
    "overhead": {"podFixed": {"cpu": "250m"}},
}


def world_of(*containers: dict[str, Any], **spec: Any) -> World:
    return run(header(HEAVY, pod(*containers, **spec)), 0)[0]


def sum_of(world: World, kind: str = "requests", resource: str = "cpu"):  # noqa: ANN201 - a Sum
    row = world.tables.pods["default/p"]
    return next(item for item in sums_of(world, row) if (item.kind, item.resource) == (kind, resource))


def test_apps_add_up() -> None:
    found = sum_of(world_of(asking("a", "100m"), asking("b", "200m")))
    assert (found.total, [term.amount for term in found.stages[-1].terms]) == ("300m", ["100m", "200m"])


def test_largest_init_container_decides_when_it_asks_for_more() -> None:
    found = sum_of(world_of(asking("a", "100m"), initContainers=[asking("setup", "700m")]))
    assert found.total == "700m"
    assert [stage.is_largest for stage in found.stages] == [True, False]


def test_sidecar_counts_in_every_later_stage() -> None:
    proxy = asking("proxy", "50m", restartPolicy="Always")
    found = sum_of(world_of(asking("a", "100m"), initContainers=[proxy, asking("setup", "300m")]))
    assert [stage.total for stage in found.stages] == ["50m", "350m", "150m"]
    assert found.total == "350m"


def test_overhead_is_added_to_the_total() -> None:
    found = sum_of(world_of(asking("a", "100m"), runtimeClassName="heavy"))
    assert (found.overhead, found.total) == ("250m", "350m")


def test_largest_stage_with_overhead_is_the_total_that_scheduling_counts() -> None:
    world = world_of(asking("a", "100m"), asking("b", "1"), initContainers=[asking("setup", "900m")])
    total = pod_requests(world.tables.pods["default/p"].pod.spec, options=RequestOptions())["cpu"]
    assert sum_of(world).total == "1100m"
    assert total == 1_100_000_000


def test_qos_names_the_missing_limit() -> None:
    world = world_of(asking("a", "100m", limit="100m"))
    qos = qos_of(world, world.tables.pods["default/p"])
    assert qos.name == "Burstable"
    assert [(cell.resource, cell.problem) for cell in qos.cells] == [("cpu", ""), ("memory", "no-limit")]


def test_qos_names_the_request_that_differs() -> None:
    world = world_of(asking("a", "100m", limit="200m"))
    assert qos_of(world, world.tables.pods["default/p"]).cells[0].problem == "differs"


def test_qos_of_a_pod_with_its_own_resources_looks_at_nothing_else() -> None:
    both = {"cpu": "1", "memory": "64Mi"}
    document = pod(asking("a", "100m"), resources={"requests": both, "limits": both})
    world, _ = run(header(document, kubernetes="1.34"), 0)
    qos = qos_of(world, world.tables.pods["default/p"])
    assert (qos.name, qos.of_pod, [cell.container for cell in qos.cells]) == ("Guaranteed", True, ["", ""])
