import pytest

from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec, ReadinessGate
from simulator.engine.model.status import ContainerStatus, PodCondition, PodStatus, Running, Terminated, Waiting
from simulator.engine.policies.printing import PrintOptions, printed_columns

A, B = Container(name="a"), Container(name="b")
I1, I2 = Container(name="i1"), Container(name="i2")
S = Container(name="s", restart_policy="Always")
V1_20 = PrintOptions(restart_age=False, scheduling_gates=False, sidecars=False, phase_outlives_deletion=False)
NOW = 1_000_000


def entry(name, state=None, **fields):
    return ContainerStatus(name=name, state=state, **fields)


def columns(spec, options=None, is_deleted=False, **status):
    return printed_columns(spec, PodStatus(**status), now_ms=NOW, is_deleted=is_deleted, options=options or PrintOptions())


def test_status_shows_the_phase_when_nothing_is_reported():
    row = columns(PodSpec(containers=(A, B)))
    assert (row.ready, row.status, row.restarts_text, row.rule_id) == ("0/2", "Pending", "0", "PRINT-PHASE")


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (Waiting("ContainerCreating"), "ContainerCreating"),
        (Waiting("CrashLoopBackOff"), "CrashLoopBackOff"),
        (Waiting(), "Running"),
        (Terminated(0, "Completed"), "Completed"),
        (Terminated(137, "OOMKilled"), "OOMKilled"),
        (Terminated(3), "ExitCode:3"),
        (Terminated(0, signal=9), "Signal:9"),
        (Running(), "Running"),
    ],
)
def test_status_shows_the_state_of_the_container(state, expected):
    assert columns(PodSpec(containers=(A,)), phase="Running", containers=(entry("a", state),)).status == expected


def test_status_shows_the_first_container_when_several_have_something_to_say():
    statuses = (entry("a", Terminated(1, "Error")), entry("b", Waiting("ImagePullBackOff")))
    assert columns(PodSpec(containers=(A, B)), phase="Running", containers=statuses).status == "Error"


@pytest.mark.parametrize(("ready", "expected"), [("True", "Running"), ("False", "NotReady")])
def test_status_hides_a_completed_container_when_another_runs(ready, expected):
    statuses = (entry("a", Terminated(0, "Completed")), entry("b", Running(), ready=True))
    conditions = (PodCondition(type="Ready", status=ready),)
    assert columns(PodSpec(containers=(A, B)), phase="Running", containers=statuses, conditions=conditions).status == expected


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ((Running(), Waiting("PodInitializing")), "Init:0/2"),
        ((Terminated(0, "Completed"), Running()), "Init:1/2"),
        ((Terminated(1, "Error"), Waiting("PodInitializing")), "Init:Error"),
        ((Terminated(2), Waiting()), "Init:ExitCode:2"),
        ((Waiting("CrashLoopBackOff"), Waiting()), "Init:CrashLoopBackOff"),
        ((Terminated(0), Terminated(0)), "PodInitializing"),
    ],
)
def test_status_shows_the_first_unfinished_init_container(states, expected):
    spec = PodSpec(containers=(A,), init_containers=(I1, I2))
    inits = tuple(entry(name, state) for name, state in zip(("i1", "i2"), states, strict=True))
    assert columns(spec, init_containers=inits, containers=(entry("a", Waiting("PodInitializing")),)).status == expected


def test_ready_counts_sidecars_when_they_exist():
    spec = PodSpec(containers=(A,), init_containers=(S,))
    status = {
        "phase": "Running",
        "init_containers": (entry("s", Running(), ready=True, started=True),),
        "containers": (entry("a", Running(), ready=True),),
    }
    assert columns(spec, **status).ready == "2/2"
    assert columns(spec, V1_20, **status).ready == "0/1"


def test_restarts_show_the_age_of_the_last_one_when_new_enough():
    container = entry("a", Running(), restart_count=3, last_state=Terminated(1, finished_ms=NOW - 125_000))
    assert columns(PodSpec(containers=(A,)), containers=(container,)).restarts_text == "3 (2m5s ago)"
    assert columns(PodSpec(containers=(A,)), V1_20, containers=(container,)).restarts_text == "3"


def test_restarts_forget_init_containers_when_they_are_done():
    spec = PodSpec(containers=(A,), init_containers=(I1,))
    status = {"init_containers": (entry("i1", Terminated(0), restart_count=5),), "containers": (entry("a", Running()),)}
    assert columns(spec, **status).restarts == 0


@pytest.mark.parametrize(
    ("status", "options", "expected"),
    [
        ({"phase": "Running"}, None, "Terminating"),
        ({"phase": "Running", "reason": "NodeLost"}, None, "Unknown"),
        ({"phase": "Failed"}, None, "Failed"),
        ({"phase": "Failed"}, V1_20, "Terminating"),
    ],
)
def test_status_of_a_deleted_pod(status, options, expected):
    assert columns(PodSpec(containers=(A,)), options, is_deleted=True, **status).status == expected


def test_status_shows_a_scheduling_gate_when_new_enough():
    gated = {"conditions": (PodCondition(type="PodScheduled", status="False", reason="SchedulingGated"),)}
    assert columns(PodSpec(containers=(A,)), **gated).status == "SchedulingGated"
    assert columns(PodSpec(containers=(A,)), V1_20, **gated).status == "Pending"


def test_status_shows_the_reason_of_the_pod_when_no_container_speaks():
    assert columns(PodSpec(containers=(A,)), phase="Failed", reason="Evicted").status == "Evicted"


def test_readiness_gates_count_true_conditions():
    spec = PodSpec(readiness_gates=(ReadinessGate(condition_type="g1"), ReadinessGate(condition_type="g2")))
    assert columns(spec, conditions=(PodCondition(type="g2", status="True"),)).readiness_gates == "1/2"
    assert columns(PodSpec()).readiness_gates == "<none>"
