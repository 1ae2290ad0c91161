import pytest

from simulator.engine.kubelet.pods.probes.probe_step import RULES, ProbedStatus, ProbeOptions, after, before
from simulator.engine.model.probe import Probe
from simulator.engine.world.rows import ProbeWorker

OLD = ProbeOptions(stops_on_deletion=False, holds_after_startup=False)


def view(**fields):
    return ProbedStatus(**({"now_ms": 60_000, "phase": "Running", "container_id": "c1", "state": "running", "started": True} | fields))


def worker(kind="liveness", **fields):
    return ProbeWorker(kind, container_id="c1", **fields)


@pytest.mark.parametrize(("kind", "expected"), [("liveness", "Success"), ("readiness", "Failure"), ("startup", "Unknown")])
def test_before_stores_the_initial_result_when_a_container_is_new(kind, expected):
    step = before(ProbeWorker(kind), view(started=kind != "startup"))
    assert (step.worker.result, step.stored) == (expected, True)


@pytest.mark.parametrize(
    ("kind", "fields", "action", "rule_id"),
    [
        ("liveness", {}, "run", "PROBE-RUN"),
        ("liveness", {"phase": None}, "skip", "PROBE-NO-STATUS"),
        ("liveness", {"phase": "Failed"}, "stop", "PROBE-POD-OVER"),
        ("liveness", {"container_id": ""}, "skip", "PROBE-NO-CONTAINER"),
        ("liveness", {"started": False}, "skip", "PROBE-STARTUP-FIRST"),
        ("readiness", {"started": False}, "skip", "PROBE-STARTUP-FIRST"),
        ("startup", {"started": False}, "run", "PROBE-RUN"),
        ("startup", {"started": True}, "skip", "PROBE-STARTUP-DONE"),
        ("startup", {"started": True, "is_sidecar": True}, "skip", "PROBE-SIDECAR-STARTED"),
        ("liveness", {"started": True, "is_sidecar": True}, "run", "PROBE-RUN"),
        ("liveness", {"state": "waiting"}, "skip", "PROBE-NOT-RUNNING"),
        ("liveness", {"state": "terminated"}, "skip", "PROBE-NOT-RUNNING"),
        ("liveness", {"state": "terminated", "will_restart": False}, "stop", "PROBE-CONTAINER-OVER"),
        ("liveness", {"is_deleted": True}, "stop", "PROBE-POD-DELETED"),
        ("startup", {"is_deleted": True, "started": False}, "stop", "PROBE-POD-DELETED"),
        ("readiness", {"is_deleted": True}, "run", "PROBE-RUN"),
    ],
)
def test_before_decides_by_what_it_sees(kind, fields, action, rule_id):
    step = before(worker(kind), view(**fields))
    assert (step.action, step.rule_id) == (action, rule_id)


@pytest.mark.parametrize("kind", ["liveness", "startup"])
def test_before_ends_a_probe_of_a_deleted_pod_with_a_success(kind):
    step = before(worker(kind, result="Failure"), view(is_deleted=True, started=False))
    assert (step.worker.result, step.stored) == ("Success", True)


def test_before_goes_on_when_a_pod_is_deleted_but_old():
    assert before(worker(), view(is_deleted=True), options=OLD).action == "run"


@pytest.mark.parametrize(("now_ms", "action"), [(14_999, "skip"), (15_000, "run")])
def test_before_counts_the_initial_delay_from_the_whole_second(now_ms, action):
    assert before(worker(initial_delay_s=10), view(now_ms=now_ms, started_ms=5_999)).action == action


def test_before_stores_a_failure_when_the_container_does_not_run():
    assert before(worker(result="Success"), view(state="waiting")).worker.result == "Failure"


def test_before_holds_until_the_container_is_replaced():
    held = worker(on_hold=True, result="Failure")
    assert before(held, view()).rule_id == "PROBE-ON-HOLD"
    assert before(held, view(container_id="c2")).action == "run"


def test_before_keeps_the_count_when_the_container_is_replaced():
    assert before(worker(last="Failure", run=2), view(container_id="c2")).worker.run == 2


def test_after_needs_as_many_failures_as_the_threshold():
    step, probe = after(worker(result="Success"), Probe(failure_threshold=2), "failure"), Probe(failure_threshold=2)
    assert (step.worker.result, step.worker.run) == ("Success", 1)
    step = after(step.worker, probe, "failure")
    assert (step.worker.result, step.worker.on_hold, step.worker.run) == ("Failure", True, 0)


def test_after_starts_counting_anew_when_the_outcome_changes():
    assert after(worker(last="Failure", run=2, result="Success"), Probe(), "success").worker.run == 1


def test_after_forgets_an_attempt_that_could_not_run():
    before_it = worker(last="Failure", run=2, result="Success")
    assert after(before_it, Probe(), "error").worker is before_it


def test_after_never_holds_readiness():
    step = after(worker("readiness"), Probe(failure_threshold=1), "failure")
    assert (step.worker.result, step.worker.on_hold, step.worker.run) == ("Failure", False, 1)


@pytest.mark.parametrize(("options", "expected"), [(ProbeOptions(), True), (OLD, False)])
def test_after_rests_a_startup_probe_that_succeeded_when_new_enough(options, expected):
    assert after(worker("startup"), Probe(), "success", options=options).worker.on_hold is expected


def test_probe_rules_cover_every_verdict():
    assert {"PROBE-BELOW-THRESHOLD", "PROBE-FAILED-HOLD", "PROBE-ERROR", "PROBE-SUCCEEDED"} <= {rule.id for rule in RULES}
