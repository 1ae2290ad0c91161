"""When a container was ready, derived from its instances and the last change of ContainersReady."""

from typing import Any

import pytest

from simulator.imports.lives import Life, LivedContainer
from simulator.imports.readiness import ReadyChange, readiness_of, ready_spans
from tests.imports import kubectl

PROBE = {"readinessProbe": {"tcpSocket": {"port": 80}}}


def place(name: str = "app", *, ready: bool = False, **spec: Any) -> LivedContainer:
    status = kubectl.running(0, name=name, ready=ready)
    return LivedContainer(name=name, group="app", position=0, listed=0, spec=spec, status=status, path="", events=())


def life(n: int, start_ms: int, end_ms: int | None = None) -> Life:
    return Life(n=n, start_ms=start_ms, end_ms=end_ms)


@pytest.mark.parametrize(
    ("probes", "since_ms"),
    [
        ({"readinessProbe": {"initialDelaySeconds": 7}}, 8_000),
        ({"readinessProbe": {"initialDelaySeconds": 7}, "startupProbe": {"initialDelaySeconds": 20}}, 21_000),
        ({"readinessProbe": {"initialDelaySeconds": 20}, "startupProbe": {"initialDelaySeconds": 7}}, 21_000),
        ({"readinessProbe": {"initialDelaySeconds": 7}, "startupProbe": {}}, 8_000),
        ({"readinessProbe": {}}, 1_000),
    ],
)
def test_container_is_ready_after_the_longest_of_its_first_delays(probes, since_ms):
    assert ready_spans(place(ready=True, **probes), (life(0, 1_000),), None) == {0: (since_ms, None)}


@pytest.mark.parametrize(("end_ms", "until_ms"), [(50_000, 50_000), (60_000, 51_000), (None, 51_000)])
def test_newest_instance_was_ready_until_its_end_or_the_change_whichever_came_first(end_ms, until_ms):
    lives = (life(0, 1_000, end_ms),)
    assert ready_spans(place(**PROBE), lives, ReadyChange(is_ready=False, at_ms=51_000)) == {0: (1_000, until_ms)}


def test_container_that_became_ready_at_the_moment_of_the_change_never_was():
    steady, late = place("steady", ready=True), place("late")
    lives = ((life(0, 0),), (life(0, 0, 10_000), life(1, 20_000)))
    spans = readiness_of([(steady, lives[0]), (late, lives[1])], ReadyChange(is_ready=False, at_ms=20_000))
    assert spans == [{0: (0, None)}, {0: (0, 10_000)}]


def test_one_that_was_not_ready_again_after_the_change_stays_as_it_was():
    """Only the combination of all is compared with the change: one that turns not ready after it implies that they were ready."""
    steady, late = place("steady", ready=True), place("late")
    lives = ((life(0, 0, 15_000), life(1, 60_000)), (life(0, 0, 10_000), life(1, 40_000, 50_000)))
    spans = readiness_of([(steady, lives[0]), (late, lives[1])], ReadyChange(is_ready=False, at_ms=20_000))
    assert spans == [{0: (0, 15_000), 1: (60_000, None)}, {0: (0, 10_000), 1: (40_000, 50_000)}]


def test_a_turn_to_not_ready_after_the_change_takes_back_what_was_ready_then():
    steady, late = place("steady", ready=True), place("late")
    lives = ((life(0, 0),), (life(0, 0, 10_000), life(1, 40_000, 50_000)))
    spans = readiness_of([(steady, lives[0]), (late, lives[1])], ReadyChange(is_ready=False, at_ms=20_000))
    assert spans == [{0: (0, None)}, {0: (0, 10_000)}]


def test_container_that_ended_after_the_change_was_not_ready_up_to_its_end():
    steady, late = place("steady", ready=True), place("late")
    spans = readiness_of([(steady, (life(0, 0),)), (late, (life(0, 0, 30_000),))], ReadyChange(is_ready=False, at_ms=20_000))
    assert spans == [{0: (0, None)}, {0: (0, 20_000)}]
