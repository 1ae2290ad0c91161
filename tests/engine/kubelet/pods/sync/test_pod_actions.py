import pytest

from simulator.engine.kubelet.pods.containers.runtime_records import RuntimeContainer
from simulator.engine.kubelet.pods.sandbox.sandbox_change import RULES as SANDBOX_RULES
from simulator.engine.kubelet.pods.sandbox.sandbox_change import SandboxStatus
from simulator.engine.kubelet.pods.sync.action_types import ActionRules
from simulator.engine.kubelet.pods.sync.pod_actions import RULES, compute_pod_actions, has_initialized, should_restart
from simulator.engine.model.container import Container, RestartRule, RestartRuleExitCodes
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.probe import Probe

A, B = Container(name="a"), Container(name="b")
I1, I2 = Container(name="i1"), Container(name="i2")
S1 = Container(name="s1", restart_policy="Always", startup_probe=Probe())
S2 = Container(name="s2", restart_policy="Always", liveness_probe=Probe())
UP = (SandboxStatus(id="box", ip="10.0.0.1"),)
DEAD = (SandboxStatus(id="box", ip="10.0.0.1", state="NOTREADY"),)
CLASSIC = ActionRules(sidecars=False, restart_rules=False, restart_all=False)
V1_20 = ActionRules(
    sidecars=False, restart_rules=False, restart_all=False, running_app_means_initialized=False, app_record_means_initialized=False
)


def records(**states):
    """``a="run"``, ``a=0`` (exited with 0), ``a="unknown"``, ``a="created"``."""
    return {name: record(name, state) for name, state in states.items()}


def record(name, state, **fields):
    if isinstance(state, int):
        return RuntimeContainer(name=name, state="exited", exit_code=state, **fields)
    return RuntimeContainer(name=name, state="running" if state == "run" else state, **fields)


def actions(spec, known=None, sandboxes=UP, **facts):
    return compute_pod_actions(spec, sandboxes, known or {}, **facts)


def pod(*apps, init=(), policy="Always", ephemeral=()):
    return PodSpec(containers=apps, init_containers=init, ephemeral_containers=ephemeral, restart_policy=policy)


def kills(result):
    return [(kill.name, kill.message) for kill in result.to_kill]


def test_actions_are_idle_when_everything_runs():
    assert actions(pod(A, B), records(a="run", b="run")).is_idle


def test_actions_create_the_first_sandbox_and_start_all():
    result = actions(pod(A, B), sandboxes=())
    assert (result.create_sandbox, result.sandbox_attempt, result.to_start) == (True, 0, ("a", "b"))


def test_actions_begin_with_the_first_init_container_when_the_sandbox_is_new():
    result = actions(pod(A, init=(I1, I2)), sandboxes=())
    assert (result.init_to_start, result.to_start) == (("i1",), ())


@pytest.mark.parametrize(
    ("policy", "exit_code", "started"),
    [("Always", 0, True), ("OnFailure", 0, False), ("OnFailure", 1, True), ("Never", 1, False)],
)
def test_actions_restart_by_policy(policy, exit_code, started):
    result = actions(pod(A, B, policy=policy), records(a=exit_code, b="run"))
    assert result.to_start == (("a",) if started else ())


def test_actions_stop_the_pod_when_nothing_runs_and_nothing_starts():
    result = actions(pod(A, policy="Never"), records(a=0))
    assert (result.kill_pod, result.create_sandbox, result.rule_id) == (True, False, "ACTIONS-POD-OVER")


def test_actions_start_nothing_when_the_pod_is_deleted():
    assert actions(pod(A), records(a=1), is_deleted=True).to_start == ()


@pytest.mark.parametrize(
    ("policy", "exit_code", "creates"), [("Never", 1, False), ("OnFailure", 0, False), ("OnFailure", 1, True), ("Always", 0, True)]
)
def test_actions_replace_a_dead_sandbox_only_when_work_is_left(policy, exit_code, creates):
    result = actions(pod(A, policy=policy), records(a=exit_code), DEAD)
    assert (result.kill_pod, result.create_sandbox, result.sandbox_attempt) == (True, creates, 1)


@pytest.mark.parametrize(("rules", "creates"), [(ActionRules(), False), (V1_20, True)])
def test_actions_replace_a_dead_sandbox_of_finished_apps_when_init_records_are_gone_and_old(rules, creates):
    result = actions(pod(A, init=(I1,), policy="OnFailure"), records(a=0), DEAD, rules=rules)
    assert result.create_sandbox is creates


@pytest.mark.parametrize(
    ("fields", "facts", "message"),
    [
        ({"spec_changed": True}, {}, "Container a definition changed, will be restarted"),
        ({}, {"liveness": {"a": "Failure"}}, "Container a failed liveness probe, will be restarted"),
        ({}, {"startup": {"a": "Failure"}}, "Container a failed startup probe, will be restarted"),
        ({"resize_restarts": True}, {}, "Container a resize requires restart"),
    ],
)
def test_actions_replace_a_running_container(fields, facts, message):
    result = actions(pod(A), {"a": record("a", "run", **fields)}, **facts)
    assert (kills(result), result.to_start) == ([("a", message)], ("a",))


def test_actions_only_kill_after_a_failed_probe_when_the_policy_is_never():
    result = actions(pod(A, B, policy="Never"), records(a="run", b="run"), liveness={"a": "Failure"})
    assert (kills(result), result.to_start) == ([("a", "Container a failed liveness probe")], ())


def test_actions_replace_a_changed_container_even_under_never():
    changed = {"a": record("a", "run", spec_changed=True)}
    assert actions(pod(A, policy="Never"), changed).to_start == ("a",)


def test_actions_follow_the_policy_of_the_container_when_a_probe_fails():
    own = Container(name="a", restart_policy="Never")
    failed = {"liveness": {"a": "Failure"}}
    assert actions(pod(own, B), records(a="run", b="run"), **failed).to_start == ()
    assert actions(pod(own, B), records(a="run", b="run"), rules=CLASSIC, **failed).to_start == ("a",)


def test_actions_kill_an_unknown_container_before_its_restart():
    result = actions(pod(A, policy="Never"), records(a="unknown"))
    assert kills(result) == [("a", 'Container is in "unknown" state, try killing it before restart')]


def test_actions_start_ephemeral_containers_once():
    debug = Container(name="d")
    assert actions(pod(A, ephemeral=(debug,)), records(a="run")).ephemeral_to_start == ("d",)
    assert actions(pod(A, ephemeral=(debug,)), records(a="run", d=0)).ephemeral_to_start == ()


@pytest.mark.parametrize("rules", [ActionRules(), CLASSIC, V1_20])
@pytest.mark.parametrize(
    ("known", "init", "apps"),
    [
        ({}, ("i1",), ()),
        ({"i1": "run"}, (), ()),
        ({"i1": 0}, ("i2",), ()),
        ({"i1": 1}, ("i1",), ()),
        ({"i1": 0, "i2": "run"}, (), ()),
        ({"i2": 0}, (), ("a",)),
        ({"i1": 0, "i2": 0}, (), ("a",)),
        ({"i1": 0, "i2": "unknown"}, ("i2",), ()),
    ],
)
def test_actions_run_init_containers_one_after_another(rules, known, init, apps):
    result = actions(pod(A, init=(I1, I2)), records(**known), rules=rules)
    assert (result.init_to_start, result.to_start) == (init, apps)


@pytest.mark.parametrize("rules", [ActionRules(), CLASSIC])
def test_actions_stop_the_pod_when_an_init_container_fails_under_never(rules):
    result = actions(pod(A, init=(I1,), policy="Never"), records(i1=1), rules=rules)
    assert (result.kill_pod, result.init_to_start, result.rule_id) == (True, (), "ACTIONS-INIT-FAILED")


@pytest.mark.parametrize(("rules", "init"), [(ActionRules(), ()), (CLASSIC, ()), (V1_20, ("i1",))])
def test_actions_leave_init_alone_when_an_app_runs_and_records_are_gone(rules, init):
    assert actions(pod(A, init=(I1,)), records(a="run"), rules=rules).init_to_start == init


def test_actions_follow_the_policy_of_an_init_container():
    own = Container(name="i1", restart_policy="OnFailure")
    assert actions(pod(A, init=(own,), policy="Never"), records(i1=1)).init_to_start == ("i1",)


@pytest.mark.parametrize(
    ("known", "startup", "init", "apps"),
    [
        ({"s1": "run"}, {}, (), ()),
        ({"s1": "run"}, {"s1": "Success"}, ("i1",), ()),
        ({"s1": "run"}, {"s1": "Failure"}, ("s1",), ()),
        ({"s1": 1}, {}, ("s1",), ()),
        ({"s1": "run", "i1": 0}, {"s1": "Success"}, (), ("a",)),
        ({"s1": 1, "i1": "run"}, {"s1": "Success"}, ("s1",), ()),
        ({"s1": 1, "i1": 0, "a": "run"}, {}, ("s1",), ()),
        ({"a": "run"}, {}, ("s1",), ()),
    ],
)
def test_actions_let_a_started_sidecar_open_the_way(known, startup, init, apps):
    result = actions(pod(A, init=(S1, I1)), records(**known), startup=startup)
    assert (result.init_to_start, result.to_start) == (init, apps)


def test_actions_replace_a_sidecar_that_is_not_alive():
    result = actions(pod(A, init=(S2,)), records(s2="run", a="run"), liveness={"s2": "Failure"})
    assert (kills(result), result.init_to_start) == ([("s2", "Init container s2 failed liveness probe")], ("s2",))


def test_actions_let_sidecars_go_when_the_apps_are_done():
    last = Container(name="s3", restart_policy="Always")
    result = actions(pod(A, init=(S2, last), policy="Never"), records(s2=137, s3="run", a=0))
    assert (result.kill_pod, result.init_to_start) == (True, ())


def test_actions_reset_all_containers_when_they_restart_in_place():
    rule = RestartRule(action="RestartAllContainers", exit_codes=RestartRuleExitCodes(operator="In", values=(42,)))
    source = Container(name="t", restart_policy="Never", restart_policy_rules=(rule,))
    result = actions(pod(source, B, init=(I1,)), records(t=42, b="run", i1=0), restarting_all=True)
    assert (result.to_reset, result.to_start) == (("b", "i1", "t"), ())


@pytest.mark.parametrize(("state", "expected"), [("run", False), ("unknown", True), ("created", True), (0, False), (42, True)])
def test_should_restart_looks_at_the_newest_instance(state, expected):
    rule = RestartRule(action="Restart", exit_codes=RestartRuleExitCodes(operator="NotIn", values=(0, 1)))
    container = Container(name="a", restart_policy="Never", restart_policy_rules=(rule,))
    assert should_restart(container, record("a", state), "Always") is expected


def test_should_restart_starts_what_never_ran_unless_the_pod_is_deleted():
    assert should_restart(A, None, "Never")
    assert not should_restart(A, None, "Always", is_deleted=True)


def test_has_initialized_counts_only_the_current_sandbox():
    known = {"a": record("a", 0, sandbox_id="old")}
    assert has_initialized(pod(A), known, "old")
    assert not has_initialized(pod(A), known, "new")


def test_action_rules_have_unique_ids():
    ids = [rule.id for rule in (*RULES, *SANDBOX_RULES)]
    assert len(ids) == len(set(ids))
