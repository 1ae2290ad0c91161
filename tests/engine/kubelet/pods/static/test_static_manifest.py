"""A rewritten manifest of a static pod: the kubelet treats it as another pod."""

import json
from typing import Any

import pytest

from simulator.engine import Record, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from tests.engine.worlds import container, header, pod, run

STUBBORN = "trap 'sleep 4; exit 0' TERM; while true; do sleep 1; done"
REMOVE = PlaceStaticPod(node="node1", remove="w")


def manifest(script: str = "sleep 600") -> PlaceStaticPod:
    return PlaceStaticPod(node="node1", document=json.dumps(pod(container(script), name="w")))


def after(*acts: tuple[float, AnyCommand], seconds: float = 90, **more: Any) -> tuple[World, list[Record]]:
    return run(header(**more), seconds, *acts)


def commands(world: World) -> list[str]:
    """The commands running in containers now."""
    return [item.spec.command[2] for rows in world.tables.instances.values() for item in rows if item.runs]


@pytest.mark.parametrize("kubernetes", ["1.20", "1.30"])
def test_new_manifest_runs_once_the_old_one_has_ended(kubernetes: str) -> None:
    world, records = after((5, manifest(STUBBORN)), (30, manifest("sleep 900")), kubernetes=kubernetes)
    assert [record.target for record in records if record.machine == "command"] == ["accepted"] * 2
    assert commands(world) == ["sleep 900"]
    ended = [record.at_ms for record in records if record.machine == "container" and record.target == "exited"]
    started = [record.at_ms for record in records if record.rule == "CONTAINER-STARTED" and record.machine == "container"]
    assert len(ended) == 1 and len(started) == 2 and 30_000 < ended[0] <= started[1]
    live = world.live_pod("default", "w-node1")
    assert live is not None and live.status.phase == "Running"


def test_manifest_that_says_the_same_changes_nothing() -> None:
    world, records = after((5, manifest()), (30, manifest()))
    assert commands(world) == ["sleep 600"]
    assert not [record for record in records if record.at_ms > 30_000 and record.machine == "container"]


def test_last_of_several_manifests_counts() -> None:
    world, _ = after((5, manifest(STUBBORN)), (30, manifest("sleep 700")), (31, manifest("sleep 800")))
    assert commands(world) == ["sleep 800"]


def test_manifest_that_is_removed_before_its_turn_never_runs() -> None:
    world, records = after((5, manifest(STUBBORN)), (30, manifest("sleep 700")), (31, REMOVE))
    assert [record.target for record in records if record.machine == "command"] == ["accepted"] * 3
    assert commands(world) == [] and world.live_pod("default", "w-node1") is None
    assert world.tables.static_pods == {}


def test_manifest_written_while_the_kubelet_is_away_runs_when_it_is_back() -> None:
    away = NodeControl(node="node1", kubelet="stop")
    world, _ = after((5, manifest()), (30, away), (32, manifest("sleep 700")), (40, NodeControl(node="node1", kubelet="start")))
    assert commands(world) == ["sleep 700"]
