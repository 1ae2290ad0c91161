import pytest

from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.probe import Probe
from simulator.engine.policies.grace import check_graceful_delete, container_grace, signal_grace_ms


@pytest.mark.parametrize(
    ("node", "phase", "own_s", "asked_s", "expected"),
    [
        ("n", "Running", 30, None, (30, False, "GRACE-SPEC")),
        ("n", "Running", 30, 5, (5, False, "GRACE-REQUEST")),
        ("n", "Running", 30, 0, (0, True, "GRACE-REQUEST")),
        ("", "Pending", 30, 5, (0, True, "GRACE-UNSCHEDULED")),
        ("n", "Succeeded", 30, None, (0, True, "GRACE-POD-OVER")),
        ("n", "Running", 30, -3, (1, False, "GRACE-NEGATIVE")),
    ],
)
def test_check_graceful_delete_decides_in_order(node, phase, own_s, asked_s, expected):
    spec = PodSpec(node_name=node, termination_grace_period_seconds=own_s)
    verdict = check_graceful_delete(spec, phase, asked_s=asked_s)
    assert (verdict.grace_s, verdict.immediate, verdict.rule_id) == expected


def test_check_graceful_delete_removes_at_once_when_negative_and_old():
    assert check_graceful_delete(PodSpec(node_name="n"), "Running", asked_s=-1, negative_is_one=False).immediate


@pytest.mark.parametrize(
    ("reason", "deletion_s", "expected"),
    [("", None, 30), ("LivenessProbe", None, 5), ("StartupProbe", None, 30), ("LivenessProbe", 9, 9), ("", 0, 0)],
)
def test_container_grace_prefers_deletion_then_probe_then_pod(reason, deletion_s, expected):
    container = Container(name="c", liveness_probe=Probe(termination_grace_period_seconds=5), startup_probe=Probe())
    spec = PodSpec(termination_grace_period_seconds=30)
    assert container_grace(spec, container, reason, deletion_grace_s=deletion_s).grace_s == expected


def test_container_grace_ignores_the_probe_when_old():
    container = Container(name="c", liveness_probe=Probe(termination_grace_period_seconds=5))
    spec = PodSpec(termination_grace_period_seconds=30)
    assert container_grace(spec, container, "LivenessProbe", probe_level=False).grace_s == 30


@pytest.mark.parametrize(("left_ms", "expected"), [(30_000, 30_000), (2_000, 2_000), (1_000, 2_000), (-5_000, 2_000)])
def test_signal_leaves_at_least_the_kubelets_least(left_ms, expected):
    assert signal_grace_ms(left_ms, least_ms=2_000) == expected
