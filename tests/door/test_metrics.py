"""The metrics API that ``kubectl top`` uses, from the same source as the run's own ``top``."""

import json
from typing import Any

import pytest

from simulator.door.answering import answer, watched
from simulator.door.exchange import DoorRequest
from simulator.door.scene import DoorScene
from simulator.engine import RunHeader, advance, new_world
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.world.world import World
from tests.factories import pod_json

ROOT = "/apis/metrics.k8s.io/v1beta1"
PODS = f"{ROOT}/namespaces/default/pods"
NOW_MS = 95_000


@pytest.fixture(scope="module")
def world() -> World:
    labelled = json.loads(pod_json("b"))
    labelled["metadata"]["labels"] = {"app": "b"}
    made = new_world(RunHeader(kubernetes="1.30", manifests=(pod_json("a"), json.dumps(labelled))))
    advance(made, until_ms=NOW_MS)
    return made


def ask(world: World, path: str, *, method: str = "GET", now_ms: int = NOW_MS, **query: str) -> tuple[int, Any]:
    asked = DoorRequest(method=method, path=path, query=tuple(query.items()), headers={"user-agent": "python"})
    reply = answer(asked, DoorScene(world=world, now_ms=now_ms, wall_ms=1_800_000_000_000, may_write=True))
    return reply.status, json.loads(reply.body)


def test_pods_have_the_usage_of_each_container(world: World) -> None:
    status, found = ask(world, PODS)
    assert (status, found["kind"], [item["metadata"]["name"] for item in found["items"]]) == (200, "PodMetricsList", ["a", "b"])
    container = found["items"][0]["containers"][0]
    assert set(container["usage"]) == {"cpu", "memory"} and found["items"][0]["window"] == "15s"


def test_nodes_have_theirs(world: World) -> None:
    status, found = ask(world, f"{ROOT}/nodes/node1")
    assert (status, found["kind"], "usage" in found) == (200, "NodeMetrics", True)


def test_a_selector_chooses_by_the_labels_of_the_pods(world: World) -> None:
    assert [item["metadata"]["name"] for item in ask(world, PODS, labelSelector="app=b")[1]["items"]] == ["b"]


def test_a_pod_of_which_nothing_is_known_yet_is_not_there(world: World) -> None:
    assert ask(world, PODS, now_ms=5_000)[1]["items"] == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (f"{PODS}/none", 'podmetrics.metrics.k8s.io "default/none" not found'),
        (f"{ROOT}/nodes/none", 'nodes "none" not found'),
    ],
)
def test_what_is_missing_is_reported_in_the_words_of_metrics_server(world: World, path: str, message: str) -> None:
    status, found = ask(world, path)
    assert (status, found["message"]) == (404, message)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_metrics_are_read_alone(world: World, method: str) -> None:
    assert ask(world, PODS, method=method)[0] == 405


def test_metrics_are_not_watched(world: World) -> None:
    asked = DoorRequest(path=PODS, query=(("watch", "1"),))
    with pytest.raises(ApiError) as caught:
        watched(asked, DoorScene(world=world, now_ms=NOW_MS, wall_ms=0))
    assert caught.value.answer.code == 405
