"""The number of replicas that the pods' usage requires."""

import pytest

from simulator.engine.controllers.horizontal_pod_autoscaler.calculation import MeasuredPod, MetricTarget, NoAnswer, replicas_for
from simulator.engine.controllers.horizontal_pod_autoscaler.limits import limited
from simulator.engine.versions import resolve
from simulator.engine.world.rows import AutoscalerRow

PROFILE = resolve("1.36", {})
NOW = 1_000_000


def pod(name, use, **more):
    return MeasuredPod(name=name, use=use, request=1000, at_ms=NOW, **more)


def wanted(pods, current, *, share=50, resource="cpu"):
    return replicas_for(pods, current, MetricTarget(utilization=share), resource=resource, now_ms=NOW, profile=PROFILE)


@pytest.mark.parametrize(
    ("uses", "replicas"), [((500, 500), 2), ((540, 550), 2), ((600, 600), 3), ((900, 900), 4), ((200, 200), 1), ((450, 460), 2)]
)
def test_ratio_is_rounded_up_and_small_ones_change_nothing(uses, replicas):
    assert wanted([pod(str(n), use) for n, use in enumerate(uses)], 2).replicas == replicas


def test_pod_without_metrics_uses_nothing_before_more_and_everything_before_fewer():
    assert wanted([pod("a", 900), pod("b", None)], 2).replicas == 2
    assert wanted([pod("a", 2000), pod("b", None)], 2).replicas == 4
    assert wanted([pod("a", 100), pod("b", None)], 2).replicas == 2


def test_cpu_of_a_pod_that_is_not_ready_yet_does_not_count():
    starting = pod("b", 5000, is_ready=False, start_ms=NOW - 60_000, ready_since_ms=NOW - 60_000)
    found = wanted([pod("a", 900), starting], 2)
    assert (found.replicas, found.unready) == (2, 1)
    assert wanted([pod("a", 900), starting], 2, resource="memory").replicas == 12


def test_pod_that_was_ready_once_counts_again_when_it_is_not():
    once = pod("b", 900, is_ready=False, start_ms=0, ready_since_ms=NOW - 10_000)
    never = pod("b", 900, is_ready=False, start_ms=0, ready_since_ms=20_000)
    assert (wanted([pod("a", 900), once], 2).unready, wanted([pod("a", 900), never], 2).unready) == (0, 1)


def test_pods_that_go_or_have_failed_are_ignored():
    found = wanted([pod("a", 500), pod("b", 5000, is_deleting=True), pod("c", 5000, phase="Failed")], 1)
    assert (found.replicas, found.ignored) == (1, 2)


@pytest.mark.parametrize(
    ("pods", "text"),
    [([], "no pods returned"), ([pod("a", None)], "no metrics returned"), ([pod("a", 1, phase="Pending")], "did not receive")],
)
def test_what_says_nothing(pods, text):
    with pytest.raises(NoAnswer, match=text):
        wanted(pods, 1)


def bounded(current, recommended, held=(), **spec):
    found = limited({"maxReplicas": 20, **spec}, AutoscalerRow(*held), current, recommended, now_ms=NOW, profile=PROFILE)
    return found.replicas, found.able[0], found.limit[1]


def test_without_behavior_it_doubles_at_most_and_remembers_five_minutes():
    assert bounded(3, 9) == (6, "ReadyForNewScale", "ScaleUpLimit")
    assert bounded(1, 9) == (4, "ReadyForNewScale", "ScaleUpLimit")
    assert bounded(15, 40) == (20, "ReadyForNewScale", "TooManyReplicas")
    assert bounded(5, 1, (((NOW - 299_000, 4),),)) == (4, "ScaleDownStabilized", "DesiredWithinRange")
    assert bounded(5, 1, (((NOW - 300_000, 4),),)) == (1, "ReadyForNewScale", "DesiredWithinRange")
    assert bounded(2, 0, minReplicas=2) == (2, "ReadyForNewScale", "TooFewReplicas")


def test_behavior_limits_by_policies_in_their_period():
    two = {"scaleUp": {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 60}]}}
    assert bounded(4, 10, behavior=two) == (6, "ReadyForNewScale", "ScaleUpLimit")
    assert bounded(6, 10, ((), ((NOW - 30_000, 2),)), behavior=two) == (6, "ReadyForNewScale", "ScaleUpLimit")
    slowly = {"scaleDown": {"stabilizationWindowSeconds": 0, "policies": [{"type": "Percent", "value": 10, "periodSeconds": 60}]}}
    assert bounded(10, 2, behavior=slowly) == (9, "ReadyForNewScale", "ScaleDownLimit")
    never = {"scaleDown": {"stabilizationWindowSeconds": 0, "selectPolicy": "Disabled"}}
    assert bounded(10, 2, behavior=never) == (10, "ReadyForNewScale", "ScaleDownLimit")


def test_window_for_scaling_up_takes_the_lowest_recommendation():
    patient = {"scaleUp": {"stabilizationWindowSeconds": 60}}
    assert bounded(4, 10, (((NOW - 30_000, 5),),), behavior=patient)[:2] == (5, "ScaleUpStabilized")
