"""``kubectl top``: sums, order and what is said while nothing is known, of pods that use something."""

import json

import pytest

from simulator.engine import World
from simulator.engine.kernel.json_text import Json
from simulator.kubectl.kubectl import kubectl
from tests.engine.worlds import container, header, pod, run


def using(name: str, cpu: str, memory: str, namespace: str = "default") -> Json:
    """A pod of one container that uses so much."""
    document = pod(container(), name=name)
    document["metadata"] |= {
        "namespace": namespace,
        "annotations": {"podscope.dev/behaviour": json.dumps({"app": {"cpu": cpu, "memory": memory}})},
    }
    return document


@pytest.fixture(scope="module")
def world() -> World:
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "apart"}}
    pods = [using("b", "300m", "8Mi"), using("c", "100m", "64Mi"), using("a", "200m", "32Mi"), using("z", "50m", "16Mi", "apart")]
    return run(header(space, *pods), 180)[0]


def rows(world: World, line: str) -> list[list[str]]:
    return [row.split() for row in kubectl(world, f"top {line}", now_ms=world.now_ms).splitlines()]


@pytest.mark.parametrize(
    ("line", "names"),
    [("", "abc"), ("--sort-by=cpu", "bac"), ("--sort-by=memory", "cab"), ("-A", "zabc"), ("-n apart", "z"), ("c", "c")],
)
def test_pods_come_by_namespace_and_name_or_by_what_they_use_the_most_first(world: World, line: str, names: str) -> None:
    found = rows(world, f"pods {line} --no-headers")
    assert "".join(row[1 if line == "-A" else 0] for row in found) == names


@pytest.mark.parametrize(
    ("line", "total"),
    [("pods --sum", ["600m", "104Mi"]), ("pods --sum -A", ["650m", "120Mi"]), ("pods --sum --containers", ["600m", "104Mi"])],
)
def test_sum_stands_below_what_is_shown(world: World, line: str, total: list[str]) -> None:
    assert rows(world, line)[-2:] == [["________", "________"], total]


def test_sum_is_left_out_where_there_is_no_header(world: World) -> None:
    assert rows(world, "pods --sum --no-headers") == rows(world, "pods --no-headers")


def test_node_uses_what_its_pods_do(world: World) -> None:
    assert rows(world, "nodes")[1] == ["node1", "650m", "16%", "120Mi", "0%"]


@pytest.mark.parametrize(
    ("now_ms", "said"),
    [
        (120_000, "error: metrics not available yet\n"),
        (121_000, "error: Metrics not available for pod default/p, age: 2m1s\n"),
    ],
)
def test_pod_of_which_nothing_is_known_may_be_two_minutes_old(now_ms: int, said: str) -> None:
    world, _ = run(header(pod(container(), nodeSelector={"no": "such"})), 1)
    assert kubectl(world, "top pods", now_ms=now_ms) == said
