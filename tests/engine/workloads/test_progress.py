"""How many replicas a workload has of those it wants: recorded when it changes, by the workload machine."""

import pytest

from simulator.engine.machines.workload import WORKLOAD
from simulator.engine.workloads.progress import progress, trouble, workload_facts
from tests.engine.worlds import container, header, run, words

FAILED = {"conditions": [{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}]}
DONE = {"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}
STALLED = {"readyReplicas": 3, "conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]}
CASES = [
    ("ReplicaSet", {"replicas": 3}, {"readyReplicas": 3}, "complete", "WORKLOAD-COMPLETE"),
    ("ReplicaSet", {"replicas": 3}, {"readyReplicas": 1}, "partial", "WORKLOAD-PARTIAL"),
    ("ReplicaSet", {}, {}, "empty", "WORKLOAD-EMPTY"),
    ("StatefulSet", {"replicas": 0}, {}, "complete", "WORKLOAD-COMPLETE"),
    ("DaemonSet", {}, {"desiredNumberScheduled": 2, "numberReady": 1}, "partial", "WORKLOAD-PARTIAL"),
    ("Deployment", {"replicas": 3}, STALLED, "failing", "WORKLOAD-FAILING"),
    ("Job", {"completions": 1}, FAILED, "failing", "WORKLOAD-FAILING"),
    ("Job", {"completions": 1}, DONE, "done", "WORKLOAD-DONE"),
    ("CronJob", {}, {}, "complete", "WORKLOAD-COMPLETE"),
]


@pytest.mark.parametrize(("kind", "spec", "status", "state", "rule"), CASES)
def test_state_of_a_status(kind, spec, status, state, rule):
    row = WORKLOAD.pick("", "status", workload_facts(kind, spec, status))
    assert (row.target, row.rule) == (state, rule)


def test_job_without_completions_does_not_say_how_many():
    assert progress("Job", {"parallelism": 2}, {"succeeded": 1}) == (None, 1)


def test_condition_of_trouble_is_named_with_its_reason():
    assert (trouble(STALLED), trouble({})) == ("Progressing=False ProgressDeadlineExceeded", "")


def test_replica_set_reports_each_change_once():
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container("sleep 5; exit 1")]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    _, records = run(header({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": spec}), 9)
    assert words(records, machine="workload", subject="replicaset/default/web") == ["empty", "complete", "empty", "complete"]
