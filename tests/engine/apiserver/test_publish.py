"""The published status of a container: the state according to the rule of whoever observed it."""

import json
from typing import Any

import pytest

from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.model.status import Terminated, Waiting
from tests.engine.stories import FOLDER, read
from tests.engine.worlds import container, header, pod, run


def by_hand(**status: Any) -> PatchObject:
    """A write of the pod's status by something that is not a component."""
    text = json.dumps({"status": status})
    return PatchObject(kind="Pod", namespace="default", name="p", subresource="status", patch=text, patch_kind="strategic")


@pytest.mark.parametrize(
    ("story", "rule", "shown"),
    [
        ("startup", "STARTED-AT-ONCE", ["running"]),
        ("delete-init-1.20", "SETTLED-1.20", ["terminated"]),
        ("init-lost", "STATUS-LOST", ["waiting", "terminated"]),
        ("eviction-memory-1.20", "STATUS-REPLACED", ["absent"]),
    ],
)
def test_container_is_reported_in_the_state_that_was_seen(story: str, rule: str, shown: list[str]) -> None:
    _, records = read(FOLDER / f"{story}.txt").played()
    assert [record.target for record in records if record.machine == "container_status" and record.rule == rule] == shown


def test_lost_container_is_shown_with_what_it_waits_for() -> None:
    story = read(FOLDER / "init-lost.txt")
    world, _ = run(story.head, 12.5, *story.commands)  # the sync that finds it lost
    (shown,) = world.tables.pods["default/p"].status.init_containers
    assert shown.state == Waiting("PodInitializing")
    assert isinstance(shown.last_state, Terminated)
    assert shown.last_state.reason == "ContainerStatusUnknown"


def test_status_that_was_replaced_names_no_container() -> None:
    world, _ = read(FOLDER / "eviction-memory-1.20.txt").played()
    assert world.tables.pods["default/greedy"].status.containers == ()


@pytest.mark.parametrize("status", ["True", "False", "Unknown"])
def test_condition_written_by_somebody_else_is_stored_as_written(status: str) -> None:
    written = {"type": "example.com/warm", "status": status}
    world, records = run(header(pod(container())), 20, (10, by_hand(conditions=[written])))
    held = world.tables.pods["default/p"].status.condition("example.com/warm")
    told = [record.target for record in records if record.subject == "condition/default/p/example.com/warm"]
    assert (held.status if held else "", told) == (status, [status])


@pytest.mark.parametrize("phase", ["Unknown", "Failed"])
def test_phase_written_by_somebody_else_is_stored_as_written(phase: str) -> None:
    away = NodeControl(node="node1", kubelet="stop")
    world, _ = run(header(pod(container())), 20, (5, away), (10, by_hand(phase=phase)))
    assert world.tables.pods["default/p"].status.phase == phase
