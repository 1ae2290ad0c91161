"""The rules that make the kubelet act: sandboxes, kills, starts, grace periods and pulls, one line per situation."""

import pytest

from simulator.engine.kubelet.pods.containers.runtime_records import RuntimeContainer
from simulator.engine.kubelet.pods.sandbox.sandbox_change import SandboxStatus, sandbox_changed
from simulator.engine.kubelet.pods.start.image_pull import ensure_image
from simulator.engine.kubelet.pods.sync.action_types import ActionRules
from simulator.engine.kubelet.pods.sync.pod_actions import compute_pod_actions
from simulator.engine.model.container import Container, RestartRule, RestartRuleExitCodes
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.probe import Probe
from simulator.engine.policies.grace import container_grace
from simulator.engine.policies.restart_policy import deciding_rule, restarts_after
from simulator.engine.world.rows import BackoffEntry

GOOD = SandboxStatus(id="new", ip="10.0.0.1", attempt=2)
DEAD = SandboxStatus(id="old", state="NOTREADY", attempt=1)


@pytest.mark.parametrize(
    ("sandboxes", "host_network", "expected"),
    [
        ((), False, (True, 0, "", "SANDBOX-NONE")),
        ((GOOD,), False, (False, 2, "new", "SANDBOX-KEPT")),
        ((GOOD, DEAD), False, (False, 2, "new", "SANDBOX-KEPT")),
        ((DEAD,), False, (True, 2, "old", "SANDBOX-NOT-READY")),
        ((GOOD, SandboxStatus(id="old", ip="10.0.0.2", attempt=1)), False, (True, 3, "new", "SANDBOX-SEVERAL-READY")),
        ((GOOD,), True, (True, 3, "", "SANDBOX-NETWORK-CHANGED")),
        ((SandboxStatus(id="new", network="NODE"),), False, (True, 1, "", "SANDBOX-NETWORK-CHANGED")),
        ((SandboxStatus(id="new"),), False, (True, 1, "new", "SANDBOX-NO-IP")),
        ((SandboxStatus(id="new", network="NODE"),), True, (False, 0, "new", "SANDBOX-KEPT")),
    ],
)
def test_sandbox_changed_names_its_rule(sandboxes, host_network, expected):
    verdict = sandbox_changed(PodSpec(host_network=host_network), sandboxes)
    assert (verdict.changed, verdict.attempt, verdict.id, verdict.rule_id) == expected


def ended(name, code):
    return RuntimeContainer(name=name, state="exited", exit_code=code)


def running(name, **fields):
    return RuntimeContainer(name=name, state="running", **fields)


def spec(policy="Always", init=()):
    return PodSpec(restart_policy=policy, init_containers=init, containers=(Container(name="a"),))


INIT = (Container(name="i"),)
SIDECAR = (Container(name="i", restart_policy="Always"),)


@pytest.mark.parametrize(
    ("pod", "box", "known", "kills_pod", "rule_id"),
    [
        (spec(), (), (), True, "SANDBOX-NONE"),
        (spec(), (DEAD,), (ended("a", 0),), True, "SANDBOX-NOT-READY"),
        (spec("OnFailure"), (DEAD,), (ended("a", 1),), True, "SANDBOX-NOT-READY"),
        (spec("OnFailure"), (DEAD,), (ended("a", 0),), True, "ACTIONS-NOTHING-LEFT"),
        (spec("Never"), (DEAD,), (ended("a", 1),), True, "ACTIONS-SANDBOX-NEVER"),
        (spec("Never"), (GOOD,), (ended("a", 1),), True, "ACTIONS-POD-OVER"),
        (spec("Never"), (GOOD,), (running("a"),), False, "SANDBOX-KEPT"),
        (spec(init=INIT), (GOOD,), (running("i"),), False, "ACTIONS-INIT"),
        (spec(init=INIT), (GOOD,), (ended("i", 1),), False, "ACTIONS-INIT"),
        (spec("Never", init=INIT), (GOOD,), (ended("i", 1),), True, "ACTIONS-INIT-FAILED"),
        (spec(init=INIT), (GOOD,), (ended("i", 0),), False, "SANDBOX-KEPT"),
    ],
)
def test_pod_actions_name_their_rule(pod, box, known, kills_pod, rule_id):
    actions = compute_pod_actions(pod, box, {item.name: item for item in known})
    assert (actions.kill_pod, actions.rule_id) == (kills_pod, rule_id)


@pytest.mark.parametrize(
    ("record", "facts", "rule_id"),
    [
        (running("a", spec_changed=True), {"liveness": {"a": "Failure"}}, "KILL-CHANGED"),
        (running("a"), {"liveness": {"a": "Failure"}, "startup": {"a": "Failure"}}, "KILL-LIVENESS"),
        (running("a", resize_restarts=True), {"startup": {"a": "Failure"}}, "KILL-STARTUP"),
        (running("a", resize_restarts=True), {}, "KILL-RESIZE"),
        (RuntimeContainer(name="a", state="unknown"), {}, "KILL-UNKNOWN"),
    ],
)
def test_pod_actions_name_the_rule_of_a_kill(record, facts, rule_id):
    actions = compute_pod_actions(spec(), (GOOD,), {"a": record}, **facts)
    assert [(kill.name, kill.rule_id) for kill in actions.to_kill] == [("a", rule_id)]
    assert actions.to_start == ("a",)


@pytest.mark.parametrize("init", [INIT, SIDECAR])
@pytest.mark.parametrize("sidecars", [True, False])
def test_pod_actions_kill_an_unknown_init_container_first(init, sidecars):
    rules = ActionRules(sidecars=sidecars, restart_rules=False, restart_all=False)
    actions = compute_pod_actions(spec(init=init), (GOOD,), {"i": RuntimeContainer(name="i", state="unknown")}, rules=rules)
    assert [kill.rule_id for kill in actions.to_kill] == ["KILL-UNKNOWN"]
    assert actions.init_to_start == ("i",)


RULE_42 = (RestartRule(action="Restart", exit_codes=RestartRuleExitCodes(operator="In", values=(42,))),)


@pytest.mark.parametrize(
    ("own", "rules", "exit_code", "gate", "expected"),
    [
        (None, (), 1, True, (True, "RESTART-POD-POLICY")),
        ("Never", (), 1, True, (False, "RESTART-CONTAINER-POLICY")),
        ("Never", RULE_42, 1, True, (False, "RESTART-CONTAINER-POLICY")),
        ("Never", RULE_42, 42, True, (True, "RESTART-CONTAINER-RULE")),
        ("Never", RULE_42, 42, False, (True, "RESTART-POD-POLICY")),
    ],
)
def test_restart_is_decided_by_rule_then_container_then_pod(own, rules, exit_code, gate, expected):
    container = Container(name="a", restart_policy=own, restart_policy_rules=rules)
    restarts = restarts_after(container, "OnFailure", exit_code, restart_rules=gate)
    assert (restarts, deciding_rule(container, exit_code, restart_rules=gate)) == expected


@pytest.mark.parametrize(
    ("pod_s", "probe_s", "reason", "deletion_s", "expected"),
    [
        (30, 5, "", None, (30, "GRACE-SPEC")),
        (30, 5, "LivenessProbe", None, (5, "GRACE-PROBE")),
        (30, None, "LivenessProbe", None, (30, "GRACE-SPEC")),
        (30, 5, "LivenessProbe", 9, (9, "GRACE-DELETION")),
        (None, 5, "LivenessProbe", None, (2, "GRACE-MINIMUM")),
        (30, 1, "LivenessProbe", None, (1, "GRACE-PROBE")),
    ],
)
def test_grace_of_a_container_names_its_rule(pod_s, probe_s, reason, deletion_s, expected):
    container = Container(name="a", liveness_probe=Probe(termination_grace_period_seconds=probe_s))
    pod = PodSpec(termination_grace_period_seconds=pod_s)
    verdict = container_grace(pod, container, reason, deletion_grace_s=deletion_s)
    assert (verdict.grace_s, verdict.rule_id) == expected


def test_grace_without_the_minimum_tells_a_hook_that_there_is_no_time():
    verdict = container_grace(PodSpec(termination_grace_period_seconds=30), Container(name="a"), deletion_grace_s=0)
    assert (verdict.grace_s, verdict.rule_id) == (0, "GRACE-DELETION")


WAITS = BackoffEntry(10_000, 0)


@pytest.mark.parametrize(
    ("policy", "present", "entry", "fails", "expected"),
    [
        ("IfNotPresent", True, None, True, ("fail", "ImageInspectError", "PULL-INSPECT-FAILED")),
        ("IfNotPresent", True, WAITS, False, ("use", "", "PULL-PRESENT")),
        ("Never", False, None, False, ("fail", "ErrImageNeverPull", "PULL-NEVER")),
        ("IfNotPresent", False, WAITS, False, ("wait", "ImagePullBackOff", "PULL-BACKOFF")),
        ("Always", True, WAITS, False, ("wait", "ImagePullBackOff", "PULL-BACKOFF")),
        ("Always", True, None, False, ("pull", "", "PULL-NOW")),
    ],
)
def test_image_names_its_rule(policy, present, entry, fails, expected):
    verdict = ensure_image(policy, is_present=present, entry=entry, now_ms=5000, inspect_fails=fails)
    assert (verdict.action, verdict.reason, verdict.rule_id) == expected
