"""A Job's reaction to the end of its pods: how many it has, when it creates the next, and when it is finished."""

import json

import pytest

from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from tests.engine.controllers.job.jobs import conditions, job, made_s, status, told
from tests.engine.worlds import events, header, run

FAILS = "sleep 2; exit 1"


def test_back_off_doubles_and_the_seventh_failure_is_too_many():
    world, records = run(header(job(FAILS), kubernetes="1.36"), 900)
    made = made_s(records)
    assert [round(after - before, -1) for before, after in zip(made, made[1:], strict=False)] == [10, 20, 40, 80, 160, 320]
    assert conditions(world) == [("FailureTarget", "True", "BackoffLimitExceeded"), ("Failed", "True", "BackoffLimitExceeded")]
    assert status(world)["failed"] == 7
    assert events(records)[-1] == "BackoffLimitExceeded: Job has reached the specified backoff limit"


def test_queue_of_1_20_gives_the_recorded_moments():
    world, records = run(header(job(FAILS, backoffLimit=2), kubernetes="1.20"), 60)
    first, second, third = made_s(records)
    assert (first, round(second - 2.5, 1), round(third - second)) == (0.01, 0.0, 10)
    ended = [record.at_ms / 1000 for record in records if record.target == "BackoffLimitExceeded"]
    assert [round(at - third) for at in ended] == [20]
    assert conditions(world) == [("Failed", "True", "BackoffLimitExceeded")]


@pytest.mark.parametrize(("version", "is_over"), [("1.20", False), ("1.21", True)])
def test_limit_counts_rounds_in_1_20_and_pods_from_1_21(version, is_over):
    world, _ = run(header(job(FAILS, backoffLimit=3, parallelism=2, completions=2), kubernetes=version), 14)
    assert (status(world)["failed"], bool(conditions(world))) == (4, is_over)


@pytest.mark.parametrize(("version", "wait"), [("1.26", 0), ("1.27", 10)])
def test_wait_counts_from_the_end_of_the_failed_pod_from_1_27(version, wait):
    _, records = run(header(job(FAILS), kubernetes=version), 14)
    first, second = made_s(records)[:2]
    assert round(second - first, -1) == wait


@pytest.mark.parametrize(("version", "seen"), [("1.23", 0.01), ("1.24", 1.01)])
def test_changes_of_pods_gather_for_a_second_from_1_24(version, seen):
    _, records = run(header(job("sleep 1"), kubernetes=version), 10)
    (done,) = [record.at_ms for record in records if record.target == "Completed" and record.machine == "k8s_event"]
    (ended,) = [record.at_ms for record in records if record.machine == "phase" and record.target == "Succeeded"]
    assert round((done - ended) / 1000, 2) <= seen and (done - ended > 500) is (seen > 1)


@pytest.mark.parametrize(
    ("version", "types"),
    [("1.30", ["Complete"]), ("1.31", ["SuccessCriteriaMet", "Complete"]), ("1.32", ["SuccessCriteriaMet", "Complete"])],
)
def test_end_is_announced_from_1_31_and_has_a_reason_from_1_32(version, types):
    world, records = run(header(job("exit 0"), kubernetes=version), 10)
    assert [item[0] for item in conditions(world)] == types
    assert {item[2] for item in conditions(world)} == ({"CompletionsReached"} if version == "1.32" else {""})
    assert "Completed: Job completed" in events(records)


@pytest.mark.parametrize(("version", "is_there"), [("1.24", False), ("1.25", True)])
def test_pods_have_a_finalizer_until_they_are_counted_from_1_25(version, is_there):
    head = header(job("sleep 4"), kubernetes=version)
    finalizers = ("batch.kubernetes.io/job-tracking",) if is_there else ()
    assert [row.pod.metadata.finalizers for row in run(head, 3)[0].tables.pods.values()] == [finalizers]
    world, _ = run(head, 10)
    assert [row.pod.metadata.finalizers for row in world.tables.pods.values()] == [()]
    assert ("uncountedTerminatedPods" in status(world)) is is_there


@pytest.mark.parametrize(("version", "has"), [("1.23", False), ("1.24", True)])
def test_status_counts_ready_pods_from_1_24(version, has):
    assert (status(run(header(job(), kubernetes=version), 2)[0]).get("ready") == 1) is has


@pytest.mark.parametrize(("version", "is_label"), [("1.27", False), ("1.28", True)])
def test_index_is_a_label_too_from_1_28(version, is_label):
    world, _ = run(header(job("hostname; echo $JOB_COMPLETION_INDEX", completions=2, completionMode="Indexed"), kubernetes=version), 3)
    row = next(iter(world.tables.pods.values()))
    assert row.name.startswith("j-0-")
    assert row.pod.metadata.annotations["batch.kubernetes.io/job-completion-index"] == "0"
    assert ("batch.kubernetes.io/job-completion-index" in row.pod.metadata.labels) is is_label
    assert [line[3] for line in world.tables.logs[(row.key, "app")]] == ["j-0", "0"]


def test_index_variable_that_the_template_sets_is_kept():
    document = job("echo $JOB_COMPLETION_INDEX", completions=1, completionMode="Indexed")
    document["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "JOB_COMPLETION_INDEX", "value": "own"}]
    world, _ = run(header(document), 3)
    (key,) = world.tables.pods
    assert [line[3] for line in world.tables.logs[(key, "app")]] == ["own"]


def test_without_completions_one_success_ends_it_and_the_others_run_on():
    script = 'case "$HOSTNAME" in *b2tfx) sleep 2;; *) sleep 12;; esac'
    document = job(script, parallelism=2)
    world, records = run(header(document, kubernetes="1.36"), 8)
    assert (status(world)["succeeded"], len(made_s(records)), conditions(world)) == (1, 2, [])
    assert conditions(run(header(document, kubernetes="1.36"), 20)[0])[-1][0] == "Complete"


def test_no_more_pods_than_completions_are_left():
    _, records = run(header(job("sleep 1", parallelism=3, completions=4)), 20)
    assert [item["count"] for item in told(records, "JOB-SCALE-UP")] == [3, 1]


def test_less_parallelism_deletes_pods_that_are_then_no_failures():
    fewer = PatchObject(kind="Job", namespace="default", name="j", patch='{"spec": {"parallelism": 1}}')
    world, records = run(header(job("sleep 30", parallelism=3, completions=3)), 8, (4, fewer))
    assert [item["count"] for item in told(records, "JOB-SCALE-DOWN")] == [2]
    assert (status(world)["active"], status(world).get("failed", 0)) == (1, 0)


@pytest.mark.parametrize(("policy", "pods"), [("TerminatingOrFailed", 2), ("Failed", 1)])
def test_replacement_policy_says_whether_a_terminating_pod_is_replaced_before_it_has_failed(policy, pods):
    document = job("trap '' TERM; while true; do sleep 1; done", pod={"terminationGracePeriodSeconds": 15}, podReplacementPolicy=policy)
    world, records = run(header(document, kubernetes="1.36"), 14, (3, DeletePod(target="default/[0]")))
    assert len(made_s(records)) == pods
    assert status(world)["terminating"] == 1


@pytest.mark.parametrize(("version", "pods"), [("1.26", 2), ("1.27", 2), ("1.28", 1)])
def test_failure_policy_lets_a_terminating_pod_be_replaced_only_when_it_has_failed_from_1_28(version, pods):
    policy = {"rules": [{"action": "Count", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
    document = job("trap '' TERM; sleep 600", pod={"terminationGracePeriodSeconds": 15}, podFailurePolicy=policy, backoffLimit=0)
    world, records = run(header(document, kubernetes=version), 14, (3, DeletePod(target="default/[0]")))
    assert (len(made_s(records)), conditions(world)) == (pods, []), "a pod that terminates is no failure before it has ended"


@pytest.mark.parametrize(("version", "pods"), [("1.26", 3), ("1.27", 3), ("1.28", 2)])
def test_index_of_a_terminating_pod_is_free_before_it_has_failed_until_1_27(version, pods):
    policy = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
    grace, indexed = {"terminationGracePeriodSeconds": 15}, {"completionMode": "Indexed", "completions": 2, "parallelism": 2}
    document = job("trap '' TERM; sleep 600", pod=grace, podFailurePolicy=policy, **indexed)
    _, records = run(header(document, kubernetes=version), 14, (3, DeletePod(target="default/[0]")))
    assert len(made_s(records)) == pods


REPLACED_ALTHOUGH_IT_SUCCEEDS = "trap 'sleep 2; exit 0' TERM; while true; do sleep 1; done"


@pytest.mark.parametrize("version", ["1.20", "1.21"])
def test_active_pod_outlives_a_job_whose_completions_are_reached_until_1_21(version):
    head = header(job(REPLACED_ALTHOUGH_IT_SUCCEEDS), kubernetes=version)
    world, records = run(head, 30, (5, DeletePod(target="default/[0]")))
    assert events(records)[-2:] == [
        "TooManyActivePods: Too many active pods running after completion count reached",
        "Completed: Job completed",
    ]
    assert [item[0] for item in conditions(world)] == ["Complete"] and status(world)["active"] == 1
    assert [row.deletion_ms for row in world.tables.pods.values() if row.gone_ms is None] == [None]


@pytest.mark.parametrize("version", ["1.22", "1.23"])
def test_active_pod_is_deleted_when_the_completions_are_reached_from_1_22(version):
    succeeds = 'case "$HOSTNAME" in *b2tfx) trap "exit 0" TERM;; esac; ' + "while true; do sleep 1; done"
    head = header(job(succeeds, pod={"terminationGracePeriodSeconds": 5}), kubernetes=version)
    world, records = run(head, 30, (5, DeletePod(target="default/[0]")))
    assert [item["count"] for item in told(records, "JOB-SCALE-DOWN")] == [1]
    assert not any("TooMany" in text for text in events(records))
    assert [item[0] for item in conditions(world)] == ["Complete"] and "active" not in status(world)


def test_job_that_another_controller_manages_is_left_alone():
    world, records = run(header(job(managedBy="example.com/other"), kubernetes="1.36"), 5)
    assert (made_s(records), status(world)) == ([], {})


def test_pod_that_nobody_manages_is_adopted_and_counted():
    document = job("sleep 600", manualSelector=True, selector={"matchLabels": {"app": "x"}})
    document["spec"]["template"]["metadata"] = {"labels": {"app": "x"}}
    world, records = run(header(document), 4)
    (key,) = world.tables.pods
    away = PatchPod(target=key, patch='{"metadata": {"labels": {"app": "y"}}}')
    back = PatchPod(target=key, patch='{"metadata": {"labels": {"app": "x"}}}')
    world, records = run(header(document), 16, (4, away), (8, back))
    assert [record.target for record in records if record.rule in ("POD-RELEASED", "POD-ADOPTED")] == ["released", "adopted"]
    assert world.tables.pods[key].pod.metadata.finalizers == ("batch.kubernetes.io/job-tracking",)
    assert status(world)["active"] == 1


def test_released_pod_loses_its_finalizer():
    document = job("sleep 600", manualSelector=True, selector={"matchLabels": {"app": "x"}})
    document["spec"]["template"]["metadata"] = {"labels": {"app": "x"}}
    (key,) = run(header(document), 4)[0].tables.pods
    world, _ = run(header(document), 8, (4, PatchPod(target=key, patch='{"metadata": {"labels": {"app": "y"}}}')))
    assert world.tables.pods[key].pod.metadata.finalizers == ()


@pytest.mark.parametrize("propagation", ["Background", "Foreground", "Orphan"])
def test_no_pod_of_a_deleted_job_is_held_back(propagation):
    gone = DeleteObject(kind="Job", namespace="default", name="j", propagation=propagation)
    world, _ = run(header(job("sleep 600", parallelism=2, pod={"terminationGracePeriodSeconds": 1})), 20, (4, gone))
    assert {row.pod.metadata.finalizers for row in world.tables.pods.values()} == {()}
    assert {row.gone_ms is None for row in world.tables.pods.values()} == {propagation == "Orphan"}
    assert ("Job", "default", "j") not in world.tables.objects


def test_sidecar_does_not_keep_a_job_from_completing():
    sidecar = {
        "name": "side",
        "image": "busybox:1.28",
        "restartPolicy": "Always",
        "command": ["sh", "-c", "trap 'exit 0' TERM; sleep 999 & wait $!"],
    }
    world, _ = run(header(job("sleep 2", pod={"initContainers": [sidecar]}), kubernetes="1.36"), 12)
    assert conditions(world)[-1][0] == "Complete"


def test_refused_pod_is_tried_again_until_there_is_room():
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"pods": "0"}}}
    gone = DeleteObject(kind="ResourceQuota", namespace="default", name="few")
    world, records = run(header(quota, job("exit 0"), kubernetes="1.36"), 30, (5, gone))
    assert sum(text.startswith("FailedCreate: Error creating: pods") for text in events(records)) >= 2
    assert conditions(world)[-1][0] == "Complete"


def test_shown_job_says_what_the_status_says():
    world, _ = run(header(job("exit 0", completions=2), kubernetes="1.36"), 20)
    found = json.loads(world.tables.objects[("Job", "default", "j")].document)["status"]
    assert found["succeeded"] == 2 and found["uncountedTerminatedPods"] == {} and found["completionTime"] >= found["startTime"]


def test_many_refused_pods_are_tried_again_later_and_later():
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}, "spec": {"hard": {"pods": "0"}}}
    _, records = run(header(quota, job(parallelism=60, completions=60)), 60)
    assert len([told for told in records if told.rule == "JOB-SCALE-UP" and told.at_ms > 20_000]) <= 2
