"""When probe workers start and stop, and extra attempts between two ticks: at once, or right after the current attempt."""

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
    """When each attempt was over, and when it announced the next one, in ms."""
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
    """When the attempt announces the next one."""
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
    """The first Running status starts an attempt at 0.5 s; the sync after the next relist, at 1.5 s, finds it still running."""
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


def test_tick_that_was_kept_is_gone_once_a_poke_begins_the_period_again() -> None:
    often = SLOW | {"exec": {"command": ["sleep", "4"]}, "periodSeconds": 5}
    assert [at for at, _ in attempts("1.34", 20, readiness=often)] == [4_500, 8_500, 12_500, 16_500]
    assert [at for at, _ in attempts("1.35", 20, readiness=often)] == [4_500, 8_500, 13_500, 18_500]


def test_worker_that_still_sleeps_after_a_restart_of_the_kubelet_takes_a_poke_with_its_first_tick() -> None:
    after = [at for at, _ in attempts("1.30", 60, *restart_at(30)) if at > 36_000]
    first = after[0] - 2_000
    assert first > 42_000, "the kubelet is up at 41.7 s, the worker sleeps for a part of its period"
    assert after == [first + 2_000, first + 4_000, first + 12_000]


@pytest.mark.parametrize(("kubernetes", "first_ms"), [("1.21", 80_015), ("1.22", 103_915)])
def test_probes_begin_once_the_volumes_are_mounted(kubernetes: str, first_ms: int) -> None:
    """Until 1.21 they start when the kubelet learns about the pod, and their ticks fall where they would without volumes."""
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
        ("1.21", [(51_700, "0/2")]),
        ("1.22", [(51_700, "2/2"), (52_700, "0/2")]),
        ("1.34", [(51_700, "2/2"), (52_700, "0/2")]),
        ("1.35", [(51_700, "0/2")]),
    ],
)
def test_kubelet_that_restarted_takes_a_container_for_ready_as_long_as_it_has_no_worker_for_it(kubernetes: str, first: list[Any]) -> None:
    """Since 1.22 the first status is computed before the workers start; 1.35 keeps what was Ready, and only that."""
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


@pytest.mark.parametrize(("kubernetes", "is_probed"), [("1.20", True), ("1.21", True), ("1.22", False)])
def test_kubelet_that_finds_a_terminating_pod_probes_it_again_until_1_21(kubernetes: str, is_probed: bool) -> None:
    deaf = container("trap '' TERM; while true; do sleep 1; done", readinessProbe=probe("true", 4))
    document = pod(deaf, terminationGracePeriodSeconds=60)
    _, records = run(header(document, kubernetes=kubernetes), 70, (39, DeletePod(target="default/p")), *restart_at(40))
    assert any(record.machine == "probe_attempt" and record.at_ms > 51_000 for record in records) is is_probed
    ready = [word for _, word in shown(records, 40_000)]
    assert ready[:3] == (["0/1", "1/1"] if is_probed else [])


@pytest.mark.parametrize("kubernetes", ["1.21", "1.22", "1.36"])
def test_probes_of_a_pod_whose_deadline_is_over_end_with_the_next_tick(kubernetes: str) -> None:
    """Since 1.22 the API is told that the pod Failed once nothing runs any more; probes follow the kubelet's own knowledge at once."""
    deaf = container("trap '' TERM; while true; do sleep 1; done", readinessProbe=probe("true", 4))
    document = pod(deaf, terminationGracePeriodSeconds=30, activeDeadlineSeconds=20)
    _, records = run(header(document, kubernetes=kubernetes), 60)
    told = moment(records, machine="stop", target="term") * 1000
    assert [record.at_ms for record in records if record.machine == "probe_attempt" and record.at_ms > told] == []
    assert moment(records, machine="stop", target="killed") * 1000 == told + 30_000


def test_probes_of_a_static_pod_whose_file_is_gone_go_on_until_it_has_stopped() -> None:
    """Nothing has failed: for the kubelet the pod is being stopped, not finished."""
    deaf = container("trap '' TERM; while true; do sleep 1; done", readinessProbe=probe("true", 4))
    placed = PlaceStaticPod(node="node1", document=json.dumps(pod(deaf, terminationGracePeriodSeconds=30)))
    _, records = run(header(kubernetes="1.30"), 90, (1, placed), (30, PlaceStaticPod(node="node1", remove="p")))
    told = moment(records, machine="stop", target="term") * 1000
    after = [record.at_ms for record in records if record.machine == "probe_attempt" and record.at_ms > told]
    assert len(after) >= 7
    assert max(after) < moment(records, machine="stop", target="killed") * 1000


STUBBORN = "trap '' TERM; while true; do sleep 1; done"
"""A process that only KILL ends."""


def said(records: list[Record], word: str) -> list[tuple[int, str]]:
    """When each Event of that reason came, and its text."""
    return [(record.at_ms, str(record.get("message"))) for record in records if record.machine == "k8s_event" and record.target == word]


def test_attempt_under_way_when_its_worker_is_stopped_still_says_what_it_found() -> None:
    """Source: prober/worker.go run reads stopCh between two calls of doProbe; the Event is written within one."""
    slow = {"exec": {"command": ["sleep", "8"]}, "timeoutSeconds": 5, "periodSeconds": 10, "failureThreshold": 9}
    document = pod(container(STUBBORN, livenessProbe=slow), terminationGracePeriodSeconds=20)
    _, records = run(header(document, kubernetes="1.33"), 60, (22, DeletePod(target="default/p")))
    assert said(records, "Unhealthy") == [(at, 'Liveness probe failed: command "sleep 8" timed out') for at in (15_015, 25_015)]


def test_worker_that_was_stopped_at_an_attempt_takes_no_tick_that_it_kept() -> None:
    often = {"exec": {"command": ["sleep", "8"]}, "timeoutSeconds": 5, "periodSeconds": 4, "failureThreshold": 9}
    document = pod(container(STUBBORN, livenessProbe=often), terminationGracePeriodSeconds=20)
    world, records = run(header(document, kubernetes="1.33"), 25, (13, DeletePod(target="default/p")))
    assert [at for at, _ in said(records, "Unhealthy")] == [9_015, 14_015]
    assert ("default/p", "app", "liveness") not in world.tables.probes


def test_attempt_under_way_that_reaches_its_threshold_in_a_terminating_pod_kills_nothing() -> None:
    slow = {"exec": {"command": ["sleep", "8"]}, "timeoutSeconds": 5, "periodSeconds": 10, "failureThreshold": 1, "initialDelaySeconds": 15}
    document = pod(container(STUBBORN, livenessProbe=slow), terminationGracePeriodSeconds=20)
    _, records = run(header(document, kubernetes="1.33"), 60, (22, DeletePod(target="default/p")))
    assert [at for at, _ in said(records, "Unhealthy")] == [25_015]
    assert said(records, "Killing") == [(22_010, "Stopping container app")]
    assert moment(records, machine="stop", target="killed") == 42.01


def test_network_attempt_under_way_outlives_its_pod_on_the_node() -> None:
    """RemovePod stops workers in the same way."""
    silent = {"httpGet": {"path": "/", "port": 80, "host": "203.0.113.9"}, "timeoutSeconds": 8, "periodSeconds": 10}
    document = pod(container(readinessProbe=silent), terminationGracePeriodSeconds=20)
    world, records = run(header(document, kubernetes="1.33"), 60, (22, DeletePod(target="default/p")))
    assert said(records, "Unhealthy")[-1][0] > moment(records, machine="pod_worker", target="finished") * 1000
    assert not world.tables.probes


@pytest.mark.parametrize("kubernetes", ["1.29", "1.37"])
def test_liveness_of_a_sidecar_goes_on_while_its_pod_terminates(kubernetes: str) -> None:
    """Source: prober_manager.go StopLivenessAndStartup iterates over spec.containers only. At its threshold it rests, and kills nothing."""
    liveness = probe("cat", 5) | {"exec": {"command": ["cat", "/ok"]}}
    sidecar = container(f"touch /ok; sleep 20; rm /ok; {STUBBORN}", name="side", restartPolicy="Always", livenessProbe=liveness)
    document = pod(container(STUBBORN), initContainers=[sidecar], terminationGracePeriodSeconds=40)
    _, records = run(header(document, kubernetes=kubernetes), 70, (21, DeletePod(target="default/p")))
    assert [at for at, _ in said(records, "Unhealthy")] == [25_015, 30_015, 35_015]
    assert len(said(records, "Killing")) == 2
    assert moment(records, machine="stop", target="killed") == 61.01


def test_liveness_of_a_sidecar_ends_with_the_next_tick_in_a_pod_that_the_kubelet_ends() -> None:
    sidecar = container(STUBBORN, name="side", restartPolicy="Always", livenessProbe=probe("false", 5, failureThreshold=9))
    document = pod(container(STUBBORN), initContainers=[sidecar], terminationGracePeriodSeconds=30, activeDeadlineSeconds=21)
    _, records = run(header(document, kubernetes="1.33"), 70)
    told = moment(records, machine="stop", target="term") * 1000
    assert said(records, "Unhealthy")
    assert max(at for at, _ in said(records, "Unhealthy")) < told


@pytest.mark.parametrize(("kubernetes", "restarts"), [("1.34", [62_742]), ("1.35", [62_742]), ("1.36", [62_742])])
def test_sidecar_that_has_started_lets_what_follows_restart_after_a_restart_of_the_kubelet(kubernetes: str, restarts: list[int]) -> None:
    """Until 1.35.3 no startup result was stored then, and the sidecar blocked what follows; 1.35 means its last patch (#137885)."""
    sidecar = container("sleep 1000", name="side", restartPolicy="Always", startupProbe=probe("true", 2))
    document = pod(container("sleep 60; exit 1"), initContainers=[sidecar])
    _, records = run(header(document, kubernetes=kubernetes), 70, *restart_at(30))
    assert [at for at, _ in said(records, "Started")][2:] == restarts
