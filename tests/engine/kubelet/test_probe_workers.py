"""When probe workers begin and end, and what they are asked for between two ticks: at once, or right after what they are busy with."""

import json
from itertools import pairwise
from typing import Any

import pytest

from simulator.engine import Record
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from tests.engine.worlds import container, header, moment, pod, run

SLOW = {"exec": {"command": ["sleep", "2"]}, "timeoutSeconds": 5, "periodSeconds": 10}
"""An attempt of two seconds every ten."""


def attempts(kubernetes: str, for_s: float, *commands: Any, readiness: dict[str, Any] = SLOW) -> list[tuple[int, int]]:
    """When each attempt was over, and when it said that the next one comes, in ms."""
    _, records = run(header(pod(container(readinessProbe=readiness)), kubernetes=kubernetes), for_s, *commands)
    return [(record.at_ms, next_of(record)) for record in records if record.machine == "probe_attempt"]


def restart_at(second: float) -> tuple[tuple[float, NodeControl], ...]:
    """A kubelet that is killed at that second and works again 11.7 s later."""
    return (second, NodeControl(node="node1", kubelet="kill")), (second + 6, NodeControl(node="node1", kubelet="start"))


def probe(answer: str, period_s: int, **more: Any) -> dict[str, Any]:
    """A probe whose command succeeds or fails at once."""
    return {"exec": {"command": [answer]}, "periodSeconds": period_s, **more}


def shown(records: list[Record], since_ms: int) -> list[tuple[int, Any]]:
    """Every READY that kubectl prints from a moment on."""
    words = [(record.at_ms, record.get("ready")) for record in records if record.machine == "status_word" and record.at_ms >= since_ms]
    return words[:1] + [after for before, after in pairwise(words) if after[1] != before[1]]


def next_of(record: Record) -> int:
    """What the attempt says of the next one."""
    told = record.get("next_ms")
    assert isinstance(told, int)
    return told


@pytest.mark.parametrize(
    ("kubernetes", "found"),
    [
        ("1.21", [(12_015, 20_015), (22_015, 30_015)]),
        ("1.30", [(2_500, 2_500), (4_500, 10_015), (12_015, 20_015), (22_015, 30_015)]),
        ("1.35", [(2_500, 2_500), (4_500, 12_500), (14_500, 22_500), (24_500, 32_500)]),
    ],
)
def test_poke_during_an_attempt_is_taken_right_after_it(kubernetes: str, found: list[tuple[int, int]]) -> None:
    """The first Running status begins an attempt at 0.5 s; the sync after the next look at the runtime, at 1.5 s, finds it under way."""
    assert attempts(kubernetes, 30) == found


def test_attempt_without_a_poke_meanwhile_is_followed_by_the_next_tick() -> None:
    quick = SLOW | {"exec": {"command": ["sleep", "0.9"]}}
    assert attempts("1.30", 15, readiness=quick) == [(1_400, 10_015), (10_915, 20_015)]


def test_of_several_pokes_during_an_attempt_one_is_kept() -> None:
    changes = [(at, PatchPod(target="default/p", patch=f'{{"metadata": {{"labels": {{"at": "{at}"}}}}}}')) for at in (2.2, 3.2)]
    long = SLOW | {"exec": {"command": ["sleep", "4"]}}
    assert [at for at, _ in attempts("1.30", 15, *changes, readiness=long)] == [4_500, 8_500, 14_015]


def test_poke_and_tick_that_were_both_kept_make_two_attempts() -> None:
    often = SLOW | {"exec": {"command": ["sleep", "4"]}, "periodSeconds": 3}
    assert [at for at, _ in attempts("1.30", 14, readiness=often)] == [4_500, 8_500, 12_500]


def test_tick_that_was_kept_is_gone_once_a_poke_begins_the_period_anew() -> None:
    often = SLOW | {"exec": {"command": ["sleep", "4"]}, "periodSeconds": 5}
    assert [at for at, _ in attempts("1.34", 20, readiness=often)] == [4_500, 8_500, 12_500, 16_500]
    assert [at for at, _ in attempts("1.35", 20, readiness=often)] == [4_500, 8_500, 13_500, 18_500]


def test_worker_that_still_sleeps_after_a_restart_of_the_kubelet_takes_a_poke_with_its_first_tick() -> None:
    after = [at for at, _ in attempts("1.30", 60, *restart_at(30)) if at > 36_000]
    first = after[0] - 2_000
    assert first > 42_000, "the kubelet is up at 41.7 s, the worker sleeps for a part of its period"
    assert after == [first + 2_000, first + 4_000, first + 12_000]


@pytest.mark.parametrize(("kubernetes", "first_ms"), [("1.23", 80_015), ("1.24", 103_915)])
def test_probes_begin_once_the_volumes_are_mounted(kubernetes: str, first_ms: int) -> None:
    """Until 1.23 they begin when the kubelet learns of the pod, and their ticks fall where they would without volumes."""
    mounted = container("sleep 1000", livenessProbe=probe("false", 40), volumeMounts=[{"name": "c", "mountPath": "/c"}])
    document = pod(mounted, volumes=[{"name": "c", "configMap": {"name": "cm"}}])
    late = ApplyManifest(documents=('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm"}, "data": {"a": "b"}}',))
    _, records = run(header(document, kubernetes=kubernetes), 110, (61, late))
    assert next(record.at_ms for record in records if record.machine == "probe_attempt") == first_ms


READY_AND_NOT = (
    container("sleep 1000", name="a", readinessProbe=probe("true", 20)),
    container("sleep 1000", name="b", readinessProbe=probe("false", 20, failureThreshold=1)),
)


@pytest.mark.parametrize(
    ("kubernetes", "first"),
    [
        ("1.23", [(51_700, "0/2")]),
        ("1.34", [(51_700, "2/2"), (52_700, "0/2")]),
        ("1.35", [(51_700, "0/2")]),
    ],
)
def test_kubelet_that_restarted_takes_a_container_for_ready_as_long_as_it_has_no_worker_for_it(kubernetes: str, first: list[Any]) -> None:
    """From 1.24 on the first status is worked out before the workers begin; 1.35 keeps what was Ready, and only that."""
    _, records = run(header(pod(*READY_AND_NOT), kubernetes=kubernetes), 53, *restart_at(40))
    assert shown(records, 51_000) == first


@pytest.mark.parametrize(("kubernetes", "states"), [("1.34", ["False", "True"]), ("1.35", [])])
def test_container_that_was_ready_stays_so_over_a_restart_from_1_35_on(kubernetes: str, states: list[str]) -> None:
    _, records = run(header(pod(READY_AND_NOT[0]), kubernetes=kubernetes), 80, *restart_at(40))
    found = [record.target for record in records if record.subject == "condition/default/p/Ready" and record.at_ms > 51_000]
    assert found == states


@pytest.mark.parametrize("kubernetes", ["1.34", "1.35"])
def test_ready_that_was_kept_does_not_keep_the_probe_from_being_asked_for(kubernetes: str) -> None:
    """No success is stored after the restart: the poke waits for the first tick, so that two attempts come there."""
    _, records = run(header(pod(READY_AND_NOT[0]), kubernetes=kubernetes), 100, *restart_at(40))
    after = [record.at_ms for record in records if record.machine == "probe_attempt" and record.at_ms > 51_000]
    assert after[0] == after[1]
    assert after[2] == after[0] + 20_000


@pytest.mark.parametrize(("kubernetes", "found"), [("1.21", []), ("1.22", [40_010]), ("1.36", [40_010])])
def test_pod_that_is_deleted_while_unready_is_probed_once_more_at_once(kubernetes: str, found: list[int]) -> None:
    document = pod(container("sleep 1000", readinessProbe=probe("false", 300)), terminationGracePeriodSeconds=15)
    _, records = run(header(document, kubernetes=kubernetes), 60, (40, DeletePod(target="default/p")))
    assert [record.at_ms for record in records if record.machine == "probe_attempt" and record.at_ms >= 40_000] == found


@pytest.mark.parametrize(("kubernetes", "is_probed"), [("1.20", True), ("1.23", True), ("1.24", False)])
def test_kubelet_that_finds_a_terminating_pod_probes_it_again_until_1_23(kubernetes: str, is_probed: bool) -> None:
    deaf = container("trap '' TERM; while true; do sleep 1; done", readinessProbe=probe("true", 4))
    document = pod(deaf, terminationGracePeriodSeconds=60)
    _, records = run(header(document, kubernetes=kubernetes), 70, (39, DeletePod(target="default/p")), *restart_at(40))
    assert any(record.machine == "probe_attempt" and record.at_ms > 51_000 for record in records) is is_probed
    ready = [word for _, word in shown(records, 40_000)]
    assert ready[:3] == (["0/1", "1/1"] if is_probed else [])


@pytest.mark.parametrize("kubernetes", ["1.21", "1.22", "1.36"])
def test_probes_of_a_pod_whose_deadline_is_over_end_with_the_next_tick(kubernetes: str) -> None:
    """From 1.22 on the API is told that the pod Failed when nothing runs any more; probes go by what the kubelet knows at once."""
    deaf = container("trap '' TERM; while true; do sleep 1; done", readinessProbe=probe("true", 4))
    document = pod(deaf, terminationGracePeriodSeconds=30, activeDeadlineSeconds=20)
    _, records = run(header(document, kubernetes=kubernetes), 60)
    told = moment(records, machine="stop", target="term") * 1000
    assert [record.at_ms for record in records if record.machine == "probe_attempt" and record.at_ms > told] == []
    assert moment(records, machine="stop", target="killed") * 1000 == told + 30_000


def test_probes_of_a_static_pod_whose_file_is_gone_go_on_until_it_has_stopped() -> None:
    """Nothing has failed: to the kubelet the pod is one that is stopped, not one that has ended."""
    deaf = container("trap '' TERM; while true; do sleep 1; done", readinessProbe=probe("true", 4))
    placed = PlaceStaticPod(node="node1", document=json.dumps(pod(deaf, terminationGracePeriodSeconds=30)))
    _, records = run(header(kubernetes="1.30"), 90, (1, placed), (30, PlaceStaticPod(node="node1", remove="p")))
    told = moment(records, machine="stop", target="term") * 1000
    after = [record.at_ms for record in records if record.machine == "probe_attempt" and record.at_ms > told]
    assert len(after) >= 7
    assert max(after) < moment(records, machine="stop", target="killed") * 1000
