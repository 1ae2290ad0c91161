"""A kubelet that comes back to containers that no longer belong to any pod."""

from typing import Any

import pytest

from simulator.engine import World
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.nodes.shutdown import ShutdownNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.apiserver.documents.node import node_document
from simulator.engine.kernel.ids import boot_id
from tests.engine.worlds import container, events, header, moment, pod, run

AWAY = NodeControl(node="node1", kubelet="kill")
BACK = NodeControl(node="node1", kubelet="start")


@pytest.mark.parametrize("version", ["1.20", "1.21", "1.22", "1.30"])
def test_kubelet_has_done_with_orphans_when_they_are_dead(version: str) -> None:
    gone = pod(container("sleep 3600"), name="gone")
    moved = pod(container("sleep 3600"), name="moved", nodeSelector={"disk": "fast"})
    world, _ = run(
        header(gone, moved, kubernetes=version),
        60,
        (1, LabelNode(node="node1", labels={"disk": "fast"})),
        (10, AWAY),
        (12, DeletePod(target="default/gone", force=True)),
        (13, LabelNode(node="node1", labels={"disk": "slow"})),
        (20, BACK),
    )
    assert not [item for rows in world.tables.instances.values() for item in rows if item.runs]
    assert {key: worker.state for key, worker in world.tables.workers.items()} == {"default/moved": "finished"}


@pytest.mark.parametrize("version", ["1.20", "1.21", "1.22", "1.30"])
def test_kubelet_tries_again_to_kill_an_orphan_when_the_runtime_is_back(version: str) -> None:
    _, records = run(
        header(pod(container("sleep 3600")), kubernetes=version),
        60,
        (10, AWAY),
        (12, DeletePod(target="default/p", force=True)),
        (20, BACK),
        (26.2, NodeControl(node="node1", runtime="stop")),
        (40, NodeControl(node="node1", runtime="start")),
    )
    refused = moment(records, machine="k8s_event", target="FailedKillPod")
    assert refused < moment(records, machine="container", target="stopping") == moment(records, machine="runtime", target="up")


@pytest.mark.parametrize("version", ["1.20", "1.30"])
def test_first_relist_wakes_the_worker_for_all_it_finds(version: str) -> None:
    """CrashLoopBackOff shows a second after the end, not at the next retry: one more sync is pending (recorded on a 1.20.2 node)."""
    _, records = run(header(pod(container("sleep 1; exit 1")), kubernetes=version), 55, (30, AWAY), (36, BACK))
    words = [(item.at_ms, item.target) for item in records if item.machine == "status_word" and item.at_ms > 40_000]
    assert words == [(42_700, "Running"), (43_700, "Error"), (44_700, "CrashLoopBackOff")]


def reboots(*commands: Any, seconds: float = 60) -> tuple[World, list[str]]:
    """The Events about a reboot of node1."""
    world, records = run(header(pod(container("sleep 3600"))), seconds, *commands)
    return world, [text for text in events(records) if text.startswith("Rebooted")]


OFF, ON = ShutdownNode(node="node1", grace_s=0), NodeControl(node="node1", kubelet="start")


def test_machine_that_was_switched_on_again_has_another_boot_id() -> None:
    world, told = reboots((10, OFF), (20, ON))
    first = boot_id(1, "node1", 0)
    shown = node_document(world, "node1")["status"]["nodeInfo"]["bootID"]
    assert shown != first
    assert told == [f"Rebooted: Node node1 has been rebooted, boot id: {shown}"]


def test_kubelet_that_starts_again_on_the_same_boot_says_nothing() -> None:
    _, told = reboots((10, OFF), (20, ON), (30, NodeControl(node="node1", kubelet="stop")), (35, ON))
    assert len(told) == 1


def test_node_object_that_is_made_anew_knows_no_earlier_boot() -> None:
    _, told = reboots((10, OFF), (15, DeleteNode(node="node1")), (20, ON))
    assert told == []
