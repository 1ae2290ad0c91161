"""Statuses that somebody else has overwritten: the kubelet's status manager restores its own fields."""

import json
from typing import Any

import pytest

from simulator.engine import Record, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.pods.patch import PatchPod
from tests.engine.worlds import container, header, moment, pod, run

FAILED = {"phase": "Failed", "reason": "Mine", "message": "so"}
RUNS, DONE = pod(container("sleep 3600")), pod(container("exit 0"), restartPolicy="Never")
"""Without jitter the first tick comes five seconds after the first status that waits for it."""


def written(status: dict[str, Any]) -> PatchPod:
    return PatchPod(target="default/p", patch=json.dumps({"status": status}), kind="strategic", subresource="status")


def played(
    document: dict[str, Any], *commands: tuple[float, AnyCommand], seconds: float = 40, version: str = "1.30"
) -> tuple[World, list[Record]]:
    return run(header(document, kubernetes=version), seconds, *commands)


@pytest.mark.parametrize("version", ["1.20", "1.30"])
def test_status_of_a_finished_pod_is_written_again(version: str) -> None:
    world, _ = played(DONE, (10, written({"phase": "Running", "reason": "Mine"})), seconds=14.9, version=version)
    assert world.tables.pods["default/p"].status.phase == "Running"
    world, _ = played(DONE, (10, written({"phase": "Running", "reason": "Mine"})), seconds=15, version=version)
    status = world.tables.pods["default/p"].status
    assert (status.phase, status.reason) == ("Succeeded", "")


@pytest.mark.parametrize("version", ["1.20", "1.30"])
def test_write_to_the_status_gives_no_sync(version: str) -> None:
    """The kubelet does not end a pod because of a phase that only the API has, unless a sync comes first."""
    world, records = played(RUNS, (10, written(FAILED)), version=version)
    assert moment(records, machine="phase", target="Running", nth=1) == 15
    assert not any(record.machine == "stop" for record in records)
    assert "default/p" in world.tables.admitted  # it takes room again


def test_condition_of_the_kubelet_keeps_its_time_and_those_of_others_stay() -> None:
    before, _ = played(RUNS, seconds=5)
    ours = [{"type": "Ready", "status": "False"}, {"type": "example.com/mine", "status": "True"}]
    world, _ = played(RUNS, (10, written({"conditions": ours})))
    old, new = (item.tables.pods["default/p"].status for item in (before, world))
    assert new.condition("Ready") == old.condition("Ready")
    assert [item.type for item in new.conditions][0] == "example.com/mine"


@pytest.mark.parametrize("version", ["1.20", "1.23", "1.33"])
@pytest.mark.parametrize("script", ["sleep 4", "sleep 0.2; exit 0"])
def test_result_of_a_probe_that_took_its_time_is_the_kubelets_own(version: str, script: str) -> None:
    probe = {"exec": {"command": ["sh", "-c", script]}, "timeoutSeconds": 6, "periodSeconds": 20}
    world, records = played(pod({**container("sleep 3600"), "readinessProbe": probe}), version=version)
    assert world.tables.pods["default/p"].status.condition("Ready").status == "True"
    assert not any(record.rule == "STATUS-RECONCILED" for record in records)


def test_condition_owned_by_others_is_left_alone_by_the_kubelet() -> None:
    world, records = played(RUNS, (10, written({"conditions": [{"type": "example.com/mine", "status": "True"}]})), seconds=12)
    assert (world.tables.reports, [type(key).__name__ for key in world.tables.checks if "Reconcile" in type(key).__name__]) == ({}, [])
    assert not any(record.rule == "STATUS-RECONCILED" for record in records)


def test_sync_in_the_meantime_has_the_last_word() -> None:
    """The container ends between the write and the tick, so that a sync finds the pod failed in the API."""
    _, records = played(RUNS, (10, written(FAILED)), (12, ExitContainer(target="default/p", container="app", exit_code=1)))
    assert not any(record.rule == "STATUS-RECONCILED" for record in records)


def test_kubelet_that_was_started_anew_knows_no_other_status_of_a_finished_pod() -> None:
    stop, start = NodeControl(node="node1", kubelet="stop"), NodeControl(node="node1", kubelet="start")
    world, _ = played(DONE, (10, written(FAILED)), (11, stop), (12, start))
    assert world.tables.pods["default/p"].status.phase == "Failed"


def test_pod_with_readiness_gates_is_synced_at_once() -> None:
    gated = pod(container("sleep 3600"), readinessGates=[{"conditionType": "example.com/gate"}])
    _, records = played(gated, (10, written({"conditions": [{"type": "example.com/gate", "status": "True"}]})))
    ready = [record.at_ms for record in records if record.subject == "condition/default/p/Ready" and record.target == "True"]
    assert ready == [10_010]
