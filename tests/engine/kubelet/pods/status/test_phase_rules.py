"""The phase, in a notation of our own: R running, T0/T1 ended with 0/1, W waiting, B0/B1 waiting after 0/1, - unknown."""

import pytest

from simulator.engine.kubelet.pods.status.phase_rules import RULES, PhaseRules, compute_phase
from simulator.engine.machines.phase import PHASE
from simulator.engine.model.container import Container, RestartRule, RestartRuleExitCodes
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import ContainerStatus, Running, Terminated, Waiting

V1_3 = PhaseRules(algorithm="1.3")
V1_20 = PhaseRules(algorithm="1.20")
V1_27 = PhaseRules(sidecars=False, restart_rules=False)
V1_30 = PhaseRules(restart_rules=False)
NEWEST = PhaseRules()


def status(word, name, started=None):
    states = {
        "R": (Running(), None),
        "T0": (Terminated(0), None),
        "T1": (Terminated(1), None),
        "W": (Waiting(), None),
        "B0": (Waiting(), Terminated(0)),
        "B1": (Waiting(), Terminated(1)),
        "e": (None, None),
    }
    if word == "-":
        return None
    state, last = states[word]
    return ContainerStatus(name=name, state=state, last_state=last, started=started)


def containers(words, prefix, policy=None):
    return tuple(Container(name=f"{prefix}{index}", restart_policy=policy) for index, _ in enumerate(words))


def phase(policy, app, *, init="", sidecar="", started=True, rules=NEWEST, **facts):
    init_words, side_words, app_words = init.split(), sidecar.split(), app.split()
    spec = PodSpec(
        restart_policy=policy,
        init_containers=containers(init_words, "i") + containers(side_words, "s", "Always"),
        containers=containers(app_words, "a"),
    )
    inits = tuple(status(word, f"i{n}") for n, word in enumerate(init_words))
    sides = tuple(status(word, f"s{n}", started) for n, word in enumerate(side_words))
    apps = tuple(status(word, f"a{n}") for n, word in enumerate(app_words))
    return compute_phase(spec, inits + sides, apps, rules=rules, **facts).phase


@pytest.mark.parametrize("rules", [V1_3, V1_20, V1_27, V1_30, NEWEST])
@pytest.mark.parametrize(
    ("policy", "app", "expected"),
    [
        ("Always", "W", "Pending"),
        ("Always", "R", "Running"),
        ("Always", "R W", "Pending"),
        ("Always", "R B1", "Running"),
        ("Never", "R T0", "Running"),
        ("Always", "B1", "Running"),
        ("OnFailure", "B1", "Running"),
        ("Always", "T0", "Running"),
        ("OnFailure", "T0", "Succeeded"),
        ("Never", "T0 T0", "Succeeded"),
        ("OnFailure", "T1", "Running"),
        ("Never", "T1", "Failed"),
        ("OnFailure", "T0 T1", "Running"),
        ("Never", "T0 T1", "Failed"),
        ("Never", "T0 W", "Pending"),
        ("Never", "-", "Pending"),
    ],
)
def test_phase_follows_app_containers_in_every_version(rules, policy, app, expected):
    assert phase(policy, app, rules=rules) == expected


@pytest.mark.parametrize("rules", [V1_3, V1_20, V1_30, NEWEST])
@pytest.mark.parametrize(
    ("policy", "init", "app", "expected"),
    [
        ("Never", "T1", "W", "Failed"),
        ("Never", "B1", "W", "Failed"),
        ("OnFailure", "T1", "W", "Pending"),
        ("Always", "T1", "W", "Pending"),
        ("Always", "R", "W", "Pending"),
        ("Always", "T0", "R", "Running"),
    ],
)
def test_phase_looks_at_init_containers_first(rules, policy, init, app, expected):
    assert phase(policy, app, init=init, rules=rules) == expected


@pytest.mark.parametrize(("rules", "expected"), [(V1_3, "Running"), (V1_20, "Pending"), (NEWEST, "Pending")])
def test_phase_waits_for_a_missing_status_when_newer_than_1_3(rules, expected):
    assert phase("Always", "R -", rules=rules) == expected


@pytest.mark.parametrize(
    ("app", "expected"),
    [("T0", "Succeeded"), ("T1", "Failed"), ("B1", "Failed"), ("T0 B0", "Failed"), ("W", "Pending")],
)
def test_phase_ignores_the_policy_when_the_pod_is_over(app, expected):
    assert phase("Always", app, pod_is_terminal=True) == expected


@pytest.mark.parametrize("facts", [{"rules": V1_20}, {"is_static": True}])
def test_phase_keeps_the_policy_when_the_pod_is_over_but_static_or_old(facts):
    assert phase("Always", "T0", pod_is_terminal=True, **facts) == "Running"


@pytest.mark.parametrize(
    ("policy", "sidecar", "app", "started", "initialized", "expected"),
    [
        ("Always", "R", "W", False, False, "Pending"),
        ("Always", "R", "R", False, False, "Pending"),
        ("Always", "R", "R", False, True, "Running"),
        ("Always", "B1", "R", False, True, "Running"),
        ("Never", "R", "T0", True, True, "Running"),
        ("Never", "T1", "T0", False, True, "Succeeded"),
        ("Always", "e", "R", False, True, "Pending"),
    ],
)
def test_phase_counts_sidecars_apart(policy, sidecar, app, started, initialized, expected):
    assert phase(policy, app, sidecar=sidecar, started=started, has_initialized=initialized) == expected


def test_phase_treats_sidecars_as_init_containers_before_1_28():
    assert phase("Always", "R", sidecar="R", has_initialized=True, rules=V1_27) == "Pending"


@pytest.mark.parametrize(
    ("pod_policy", "own_policy", "exit_code", "expected"),
    [
        ("Always", "Never", 1, "Failed"),
        ("Always", "Never", 0, "Succeeded"),
        ("Never", "Always", 0, "Running"),
        ("Never", "OnFailure", 1, "Running"),
        ("Always", "OnFailure", 0, "Succeeded"),
    ],
)
def test_phase_follows_the_policy_of_the_container_when_it_has_one(pod_policy, own_policy, exit_code, expected):
    spec = PodSpec(restart_policy=pod_policy, containers=(Container(name="a", restart_policy=own_policy),))
    app = (ContainerStatus(name="a", state=Terminated(exit_code)),)
    assert compute_phase(spec, (), app).phase == expected


@pytest.mark.parametrize(("exit_code", "expected"), [(42, "Running"), (1, "Failed")])
def test_phase_follows_restart_rules_when_an_exit_code_matches(exit_code, expected):
    rule = RestartRule(action="Restart", exit_codes=RestartRuleExitCodes(operator="In", values=(42,)))
    container = Container(name="a", restart_policy="Never", restart_policy_rules=(rule,))
    spec = PodSpec(restart_policy="Never", containers=(container,))
    assert compute_phase(spec, (), (ContainerStatus(name="a", state=Terminated(exit_code)),)).phase == expected


def test_phase_stays_running_when_all_containers_restart_in_place():
    waiting = ContainerStatus(name="a", state=Waiting("RestartingAllContainers"), last_state=Terminated(137, "RestartingAllContainers"))
    spec = PodSpec(restart_policy="Never", containers=(Container(name="a", restart_policy="Never"),))
    assert compute_phase(spec, (), (waiting,)).phase == "Running"


def test_phase_verdict_names_the_row_that_decided():
    spec = PodSpec(restart_policy="Never", containers=(Container(name="a"),))
    assert compute_phase(spec, (), (ContainerStatus(name="a", state=Terminated(1)),)).rule_id == "PHASE-FAILED"


def test_phase_rows_all_have_a_rule_text():
    assert {row.rule for row in PHASE.rows if row.trigger.startswith("counted")} == {rule.id for rule in RULES}
