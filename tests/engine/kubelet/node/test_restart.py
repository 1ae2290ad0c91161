"""A kubelet that comes back to containers which are nobody's any more."""

import pytest

from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.pods.delete import DeletePod
from tests.engine.worlds import container, header, moment, pod, run

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
    """CrashLoopBackOff shows a second after the end, not at the next retry: one sync more is waiting (recorded on a 1.20.2 node)."""
    _, records = run(header(pod(container("sleep 1; exit 1")), kubernetes=version), 55, (30, AWAY), (36, BACK))
    words = [(item.at_ms, item.target) for item in records if item.machine == "status_word" and item.at_ms > 40_000]
    assert words == [(42_700, "Running"), (43_700, "Error"), (44_700, "CrashLoopBackOff")]
