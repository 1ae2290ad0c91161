"""The rules for phase, conditions and the STATUS word: one line per situation, with the verdict and the rule's id."""

import pytest

from simulator.engine.kubelet.pods.status.condition_rules import ConditionOptions, all_containers_restarting, containers_ready, initialized
from simulator.engine.kubelet.pods.status.phase_rules import PhaseRules, compute_phase
from simulator.engine.model.container import Container, RestartRule, RestartRuleExitCodes
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import ContainerStatus, PodCondition, PodStatus, Running, Terminated, Waiting
from simulator.engine.policies.printing import PrintOptions, printed_columns

STATES = {
    "running": (Running(), None),
    "done": (Terminated(0), None),
    "failed": (Terminated(1), None),
    "waiting": (Waiting(), None),
    "crashed": (Waiting("CrashLoopBackOff"), Terminated(1)),
}
SIDECAR = Container(name="s", restart_policy="Always")
INIT, APP = Container(name="i"), Container(name="a")
CLASSIC = PhaseRules(algorithm="1.20")


def status(name, word, started=None, ready=False):
    state, last = STATES[word]
    return ContainerStatus(name=name, state=state, last_state=last, started=started, ready=ready)


def named(prefix, words):
    return tuple(status(f"{prefix}{n}", word) for n, word in enumerate(words.split()))


def containers(prefix, words):
    return tuple(Container(name=f"{prefix}{n}") for n, _ in enumerate(words.split()))


@pytest.mark.parametrize("rules", [PhaseRules(), CLASSIC])
@pytest.mark.parametrize(
    ("policy", "init", "app", "expected"),
    [
        ("Never", "failed", "waiting", ("Failed", "PHASE-INIT-FAILED")),
        ("Always", "running", "waiting", ("Pending", "PHASE-INIT-PENDING")),
        ("Always", "failed", "waiting", ("Pending", "PHASE-PENDING")),
        ("Always", "", "running waiting", ("Pending", "PHASE-PENDING")),
        ("Always", "done", "running crashed", ("Running", "PHASE-RUNNING")),
        ("OnFailure", "", "failed done", ("Running", "PHASE-RESTARTING")),
        ("OnFailure", "", "done done", ("Succeeded", "PHASE-SUCCEEDED")),
        ("Never", "", "failed done", ("Failed", "PHASE-FAILED")),
    ],
)
def test_phase_comes_from_the_first_row_that_holds(rules, policy, init, app, expected):
    spec = PodSpec(restart_policy=policy, init_containers=containers("i", init), containers=containers("a", app))
    verdict = compute_phase(spec, named("i", init), named("a", app), rules=rules)
    assert (verdict.phase, verdict.rule_id) == expected


@pytest.mark.parametrize(
    ("app", "expected"),
    [
        ("done done", ("Succeeded", "PHASE-TERMINAL-SUCCEEDED")),
        ("done failed", ("Failed", "PHASE-TERMINAL-FAILED")),
        ("done running", ("Running", "PHASE-RUNNING")),
    ],
)
def test_phase_of_a_pod_that_is_over_needs_no_policy(app, expected):
    spec = PodSpec(restart_policy="Always", containers=containers("a", app))
    verdict = compute_phase(spec, (), named("a", app), pod_is_terminal=True)
    assert (verdict.phase, verdict.rule_id) == expected


@pytest.mark.parametrize(
    ("started", "app_ran", "expected"),
    [
        (False, False, ("Pending", "PHASE-SIDECAR-PENDING")),
        (True, False, ("Running", "PHASE-RUNNING")),
        (False, True, ("Running", "PHASE-RUNNING")),
    ],
)
def test_phase_waits_for_a_sidecar_only_before_the_first_app(started, app_ran, expected):
    spec = PodSpec(init_containers=(SIDECAR,), containers=(APP,))
    verdict = compute_phase(spec, (status("s", "running", started),), (status("a", "running"),), has_initialized=app_ran)
    assert (verdict.phase, verdict.rule_id) == expected


@pytest.mark.parametrize("known", [(), ("a0",)])
def test_phase_is_pending_while_a_container_is_unknown_and_none_waits(known):
    spec = PodSpec(containers=containers("a", "running running"))
    app = tuple(status(name, "running") if name in known else None for name in ("a0", "a1"))
    verdict = compute_phase(spec, (), app)
    assert (verdict.phase, verdict.rule_id) == ("Pending", "PHASE-UNKNOWN-STATUS")


@pytest.mark.parametrize(("z", "b", "expected"), [("done", "failed", "Failed"), ("failed", "done", "Running")])
def test_phase_asks_each_container_for_its_own_policy_when_statuses_are_sorted_by_name(z, b, expected):
    retried, once = Container(name="z", restart_policy="OnFailure"), Container(name="b", restart_policy="Never")
    spec = PodSpec(restart_policy="Never", containers=(retried, once))
    assert compute_phase(spec, (), (status("b", b), status("z", z))).phase == expected


@pytest.mark.parametrize(
    ("statuses", "phase", "expected"),
    [
        (None, "Pending", ("False", "READY-NO-STATUSES")),
        ((), "Pending", ("False", "READY-CONTAINERS-NOT")),
        ((status("a", "running"),), "Running", ("False", "READY-CONTAINERS-NOT")),
        ((status("a", "running", ready=True),), "Running", ("True", "READY-CONTAINERS")),
        ((status("a", "done"),), "Succeeded", ("False", "READY-COMPLETED")),
        ((status("a", "failed"),), "Failed", ("False", "READY-FAILED")),
    ],
)
def test_containers_ready_names_its_rule(statuses, phase, expected):
    verdict = containers_ready(PodSpec(containers=(APP,)), statuses, phase)
    assert (verdict.status, verdict.rule_id) == expected


@pytest.mark.parametrize(
    ("statuses", "was", "expected"),
    [
        (None, False, ("False", "INITIALIZED-NO-STATUSES")),
        ((status("i", "running"), status("a", "waiting")), False, ("False", "INITIALIZED-NOT")),
        ((status("i", "running"), status("a", "running")), False, ("True", "INITIALIZED-APP-STARTED")),
        ((status("i", "running"), status("a", "failed")), False, ("True", "INITIALIZED-APP-STARTED")),
        ((status("i", "running"), status("a", "waiting")), True, ("True", "INITIALIZED-KEPT")),
        ((status("i", "done", ready=True), status("a", "waiting")), False, ("True", "INITIALIZED-DONE")),
    ],
)
def test_initialized_names_its_rule(statuses, was, expected):
    verdict = initialized(PodSpec(init_containers=(INIT,), containers=(APP,)), statuses, "Pending", was_initialized=was)
    assert (verdict.status, verdict.rule_id) == expected


def test_initialized_looks_at_init_containers_alone_before_sidecars_existed():
    old = ConditionOptions(sidecars=False, restart_all=False)
    statuses = (status("i", "running"), status("a", "running"))
    verdict = initialized(PodSpec(init_containers=(INIT,), containers=(APP,)), statuses, "Pending", was_initialized=True, options=old)
    assert (verdict.status, verdict.rule_id) == ("False", "INITIALIZED-NOT")


@pytest.mark.parametrize(
    ("exit_code", "phase", "expected"),
    [
        (88, "Running", ("True", "RESTART-ALL-STARTED")),
        (1, "Running", ("False", "RESTART-ALL-NONE")),
        (88, "Failed", ("False", "RESTART-ALL-OVER")),
        (88, "Succeeded", ("False", "RESTART-ALL-OVER")),
    ],
)
def test_all_containers_restarting_names_its_rule(exit_code, phase, expected):
    rule = RestartRule(action="RestartAllContainers", exit_codes=RestartRuleExitCodes(operator="In", values=(88,)))
    spec = PodSpec(containers=(Container(name="a", restart_policy="Never", restart_policy_rules=(rule,)),))
    verdict = all_containers_restarting(spec, (ContainerStatus(name="a", state=Terminated(exit_code)),), phase)
    assert (verdict.status, verdict.rule_id) == expected


@pytest.mark.parametrize(("ready", "expected"), [("True", ("Running", "PRINT-STILL-RUNNING")), ("False", ("NotReady", "PRINT-NOT-READY"))])
def test_status_word_of_a_pod_with_one_completed_container(ready, expected):
    done = ContainerStatus(name="a", state=Terminated(0, "Completed"))
    conditions = (PodCondition(type="Ready", status=ready),)
    pod = PodStatus(phase="Running", containers=(done, status("b", "running", ready=True)), conditions=conditions)
    row = printed_columns(PodSpec(containers=(APP, Container(name="b"))), pod, now_ms=0)
    assert (row.status, row.rule_id) == expected


@pytest.mark.parametrize(
    ("phase", "reason", "old", "expected"),
    [
        ("Running", "", False, ("Terminating", "PRINT-TERMINATING")),
        ("Running", "NodeLost", False, ("Unknown", "PRINT-NODE-LOST")),
        ("Failed", "", False, ("Failed", "PRINT-PHASE")),
        ("Failed", "", True, ("Terminating", "PRINT-TERMINATING")),
        ("Failed", "Evicted", False, ("Evicted", "PRINT-REASON")),
    ],
)
def test_status_word_of_a_deleted_pod(phase, reason, old, expected):
    options = PrintOptions(phase_outlives_deletion=not old)
    row = printed_columns(PodSpec(containers=(APP,)), PodStatus(phase=phase, reason=reason), now_ms=0, is_deleted=True, options=options)
    assert (row.status, row.rule_id) == expected
