import pytest

from simulator.engine.kubelet.pods.sandbox.sandbox_change import SandboxStatus
from simulator.engine.kubelet.pods.status.condition_rules import (
    RULES,
    ConditionOptions,
    all_containers_restarting,
    containers_ready,
    initialized,
    pod_ready,
    ready_to_start_containers,
)
from simulator.engine.model.container import Container, RestartRule, RestartRuleExitCodes
from simulator.engine.model.pod import PodSpec, ReadinessGate
from simulator.engine.model.status import ContainerStatus, PodCondition, Running, Terminated, Waiting

A, B = Container(name="a"), Container(name="b")
SIDECAR = Container(name="s", restart_policy="Always")
INIT = Container(name="i")
OLD = ConditionOptions(sidecars=False, pod_failed_reason=False, restart_all=False)


def entry(name, *, ready=False, started=None, state=None):
    return ContainerStatus(name=name, ready=ready, started=started, state=state)


def test_containers_ready_is_unknown_when_there_are_no_statuses():
    verdict = containers_ready(PodSpec(containers=(A,)), None, "Pending")
    assert (verdict.status, verdict.reason) == ("False", "UnknownContainerStatuses")


def test_containers_ready_lists_unknown_and_unready_in_spec_order():
    spec = PodSpec(containers=(A, B, Container(name="c")), init_containers=(SIDECAR, INIT))
    verdict = containers_ready(spec, (entry("b"), entry("c", ready=True)), "Running")
    assert verdict.message == "containers with unknown status: [s a], containers with unready status: [b]"


def test_containers_ready_ignores_sidecars_when_old():
    spec = PodSpec(containers=(A,), init_containers=(SIDECAR,))
    statuses = (entry("s"), entry("a", ready=True))
    assert containers_ready(spec, statuses, "Running", options=OLD).status == "True"
    assert containers_ready(spec, statuses, "Running").status == "False"


@pytest.mark.parametrize(
    ("phase", "statuses", "options", "reason"),
    [
        ("Succeeded", (entry("a"),), None, "PodCompleted"),
        ("Succeeded", (), None, "ContainersNotReady"),
        ("Failed", (), None, "PodFailed"),
        ("Failed", (entry("a"),), OLD, "ContainersNotReady"),
    ],
)
def test_containers_ready_gives_the_reason_of_an_ended_pod(phase, statuses, options, reason):
    verdict = containers_ready(PodSpec(containers=(A,)), statuses, phase, options=options or ConditionOptions())
    assert (verdict.status, verdict.reason) == ("False", reason)


def test_pod_ready_repeats_containers_ready_when_that_is_false():
    spec = PodSpec(containers=(A,), readiness_gates=(ReadinessGate(condition_type="g"),))
    containers = containers_ready(spec, (entry("a"),), "Running")
    ready = pod_ready(spec, containers)
    assert (ready.status, ready.reason, ready.message) == ("False", containers.reason, containers.message)


def test_pod_ready_explains_every_gate_in_order():
    spec = PodSpec(readiness_gates=tuple(ReadinessGate(condition_type=name) for name in ("g1", "g2", "g3")))
    conditions = (PodCondition(type="g2", status="Unknown"), PodCondition(type="g3", status="True"))
    verdict = pod_ready(spec, containers_ready(spec, (), "Running"), conditions)
    assert verdict.message == (
        'corresponding condition of pod readiness gate "g1" does not exist., '
        'the status of pod readiness gate "g2" is not "True", but Unknown'
    )


@pytest.mark.parametrize(
    ("statuses", "phase", "expected"),
    [
        ((), "Pending", ("False", "containers with unknown status: [i s]")),
        ((entry("i"), entry("s")), "Pending", ("False", "containers with incomplete status: [i s]")),
        ((entry("i", ready=True), entry("s", ready=True)), "Pending", ("False", "containers with incomplete status: [s]")),
        ((entry("i", ready=True), entry("s", started=True)), "Pending", ("True", "")),
        ((entry("i"), entry("s"), entry("a", state=Running())), "Running", ("True", "")),
        ((entry("i"), entry("s"), entry("a", state=Waiting())), "Pending", ("False", "containers with incomplete status: [i s]")),
    ],
)
def test_initialized_follows_init_containers(statuses, phase, expected):
    verdict = initialized(PodSpec(init_containers=(INIT, SIDECAR), containers=(A,)), statuses, phase)
    assert (verdict.status, verdict.message) == expected


def test_initialized_is_true_at_once_when_there_are_no_init_containers():
    assert initialized(PodSpec(containers=(A,)), None, "Pending").status == "True"


def test_initialized_is_kept_when_all_containers_restart():
    spec = PodSpec(init_containers=(INIT,), containers=(A,))
    assert initialized(spec, (entry("i"),), "Running", was_initialized=True).rule_id == "INITIALIZED-KEPT"
    assert initialized(spec, (entry("i"),), "Running", was_initialized=True, options=OLD).status == "False"


@pytest.mark.parametrize(
    ("sandboxes", "expected"),
    [
        ((), "False"),
        ((SandboxStatus(ip="10.0.0.1"),), "True"),
        ((SandboxStatus(),), "False"),
        ((SandboxStatus(ip="10.0.0.1", state="NOTREADY"),), "False"),
        ((SandboxStatus(ip="10.0.0.1"), SandboxStatus(ip="10.0.0.2")), "False"),
        ((SandboxStatus(ip="10.0.0.1", attempt=1), SandboxStatus(state="NOTREADY")), "True"),
        ((SandboxStatus(ip="10.0.0.1", network="NODE"),), "False"),
    ],
)
def test_ready_to_start_containers_needs_one_good_sandbox(sandboxes, expected):
    assert ready_to_start_containers(PodSpec(), sandboxes).status == expected


def test_ready_to_start_containers_needs_no_ip_on_the_host_network():
    assert ready_to_start_containers(PodSpec(host_network=True), (SandboxStatus(network="NODE"),)).status == "True"


def restarting(statuses, phase="Running", **facts):
    rule = RestartRule(action="RestartAllContainers", exit_codes=RestartRuleExitCodes(operator="In", values=(42,)))
    trigger = Container(name="t", restart_policy="Never", restart_policy_rules=(rule,))
    return all_containers_restarting(PodSpec(containers=(A, trigger)), statuses, phase, **facts)


def test_all_containers_restarting_starts_with_a_matching_exit():
    assert restarting((entry("t", state=Terminated(42)),)).reason == "RestartAllContainersStarted"
    assert restarting((entry("t", state=Terminated(1)),)).status == "False"


def test_all_containers_restarting_lasts_until_every_record_is_gone():
    assert restarting((entry("a", state=Terminated(137)),), was_restarting=True).status == "True"
    assert restarting((), was_restarting=True).status == "False"


@pytest.mark.parametrize(("phase", "reason"), [("Succeeded", "PodCompleted"), ("Failed", "PodFailed")])
def test_all_containers_restarting_ends_with_the_pod(phase, reason):
    assert restarting((entry("t", state=Terminated(42)),), phase).reason == reason


def test_condition_rules_have_unique_ids():
    ids = [rule.id for rule in RULES]
    assert len(ids) == len(set(ids))
