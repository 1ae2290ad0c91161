"""Readiness probes that a status asks for: at once, or right after what the worker is busy with."""

from typing import Any

import pytest

from simulator.engine import Record
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.pods.patch import PatchPod
from tests.engine.worlds import container, header, pod, run

SLOW = {"exec": {"command": ["sleep", "2"]}, "timeoutSeconds": 5, "periodSeconds": 10}
"""An attempt of two seconds every ten."""


def attempts(kubernetes: str, for_s: float, *commands: Any, readiness: dict[str, Any] = SLOW) -> list[tuple[int, int]]:
    """When each attempt was over, and when it said that the next one comes, in ms."""
    _, records = run(header(pod(container(readinessProbe=readiness)), kubernetes=kubernetes), for_s, *commands)
    return [(record.at_ms, next_of(record)) for record in records if record.machine == "probe_attempt"]


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
    restart = ((30, NodeControl(node="node1", kubelet="kill")), (36, NodeControl(node="node1", kubelet="start")))
    after = [at for at, _ in attempts("1.30", 60, *restart) if at > 36_000]
    first = after[0] - 2_000
    assert first > 42_000, "the kubelet is up at 41.7 s, the worker sleeps for a part of its period"
    assert after == [first + 2_000, first + 4_000, first + 12_000]
