"""When a CronJob creates Jobs, which of them it keeps, and its Events."""

import json

import pytest

from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.controllers.cron_job.cron_job import cron_job_sync
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import CronJobSync
from tests.engine.controllers.job.jobs import job, status, told
from tests.engine.worlds import events, header, run


def cron_job(script="sleep 5", schedule="* * * * *", *, version="v1", **spec):
    template = {"spec": job(script, pod={"terminationGracePeriodSeconds": 2})["spec"]}
    given = {"schedule": schedule, "jobTemplate": template, **spec}
    return {"apiVersion": f"batch/{version}", "kind": "CronJob", "metadata": {"name": "c"}, "spec": given}


def jobs(world):
    return sorted(name for kind, _, name in world.tables.objects if kind == "Job")


def patched(at, **spec):
    return at, PatchObject(kind="CronJob", namespace="default", name="c", patch=json.dumps({"spec": spec}))


def test_job_is_named_after_its_minute_and_carries_it():
    world, records = run(header(cron_job(), kubernetes="1.36"), 70)
    assert jobs(world) == ["c-29453761"]
    made = json.loads(world.tables.objects[("Job", "default", "c-29453761")].document)
    assert made["metadata"]["annotations"] == {"batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T00:01:00Z"}
    assert [item["kind"] for item in made["metadata"]["ownerReferences"]] == ["CronJob"]
    assert [item["at"] for item in told(records, "CRON-JOB-START") if "at" in item] == ["2026-01-01T00:01:00Z"]
    assert status(world, "c", "CronJob")["lastScheduleTime"] == "2026-01-01T00:01:00Z"


@pytest.mark.parametrize(("version", "name", "at"), [("1.20", "c-1767225660", 60_000), ("1.21", "c-29453761", 60_100)])
def test_controller_of_1_20_looks_every_ten_seconds_and_counts_in_seconds(version, name, at):
    document = cron_job("sleep 500", version="v1beta1" if version == "1.20" else "v1")
    world, records = run(header(document, kubernetes=version), 70)
    assert jobs(world) == [name]
    assert [record.at_ms for record in records if record.target == "SuccessfulCreate" and record.rule == "CRON-JOB-START"] == [at]


@pytest.mark.parametrize(("version", "word"), [("1.31", "status"), ("1.32", "condition")])
def test_finished_job_is_reported_and_leaves_the_active_ones(version, word):
    world, records = run(header(cron_job(), kubernetes=version), 80)
    assert f"SawCompletedJob: Saw completed job: c-29453761, {word}: Complete" in events(records)
    assert "active" not in status(world, "c", "CronJob")
    assert status(world, "c", "CronJob")["lastSuccessfulTime"] == status(world, "c-29453761")["completionTime"]


@pytest.mark.parametrize(("version", "has"), [("1.21", False), ("1.22", True)])
def test_last_success_stands_in_the_status_from_1_22(version, has):
    world, _ = run(header(cron_job(), kubernetes=version), 80)
    assert ("lastSuccessfulTime" in status(world, "c", "CronJob")) is has


def test_jobs_may_overlap_by_default():
    world, _ = run(header(cron_job("sleep 90"), kubernetes="1.36"), 130)
    assert [item["name"] for item in status(world, "c", "CronJob")["active"]] == ["c-29453761", "c-29453762"]


def test_forbidden_start_is_made_up_for_when_the_job_before_is_over():
    world, records = run(header(cron_job("sleep 80", concurrencyPolicy="Forbid"), kubernetes="1.36"), 150)
    text = "JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid"
    assert events(records).count(text) == 1
    made = [record.at_ms for record in records if record.rule == "CRON-JOB-START" and record.target == "SuccessfulCreate"]
    assert made[0] == 60_100 and 140_000 < made[1] < 150_000
    assert jobs(world) == ["c-29453761", "c-29453762"]


def test_forbidden_start_is_left_out_when_the_deadline_has_passed():
    document = cron_job("sleep 80", concurrencyPolicy="Forbid", startingDeadlineSeconds=10)
    world, _ = run(header(document, kubernetes="1.36"), 170)
    assert jobs(world) == ["c-29453761"]


def test_replaced_job_is_deleted_with_its_pods():
    world, records = run(header(cron_job("sleep 90", concurrencyPolicy="Replace"), kubernetes="1.36"), 130)
    assert jobs(world) == ["c-29453762"]
    assert "SuccessfulDelete: Deleted job c-29453761" in events(records)
    assert [row.gone_ms is None for row in world.tables.pods.values()] == [False, True]


def test_history_keeps_so_many_jobs_of_each_outcome():
    world, _ = run(header(cron_job("exit 0", successfulJobsHistoryLimit=2), kubernetes="1.36"), 290)
    assert jobs(world) == ["c-29453763", "c-29453764"]
    failing = cron_job("exit 1", failedJobsHistoryLimit=1)
    failing["spec"]["jobTemplate"]["spec"]["backoffLimit"] = 0
    world, records = run(header(failing, kubernetes="1.36"), 170)
    assert jobs(world) == ["c-29453762"]
    assert [(item["condition"], item["limit"]) for item in told(records, "CRON-JOB-HISTORY") if "limit" in item] == [("Failed", 1)]


def test_suspended_cron_job_makes_nothing_and_then_only_the_last_start():
    world, records = run(header(cron_job(suspend=True), kubernetes="1.36"), 200, patched(190, suspend=False))
    assert jobs(world) == ["c-29453763"]
    assert [record.at_ms for record in records if record.rule == "CRON-JOB-START"][0] == 190_010


def test_another_schedule_moves_the_next_start():
    world, _ = run(header(cron_job(schedule="0 5 * * *"), kubernetes="1.36"), 190, patched(100, schedule="*/3 * * * *"))
    assert jobs(world) == ["c-29453763"]


def test_more_than_a_hundred_missed_starts_are_reported():
    _, records = run(header(cron_job("exit 0", suspend=True), kubernetes="1.36"), 6_200, patched(6_150, suspend=False))
    text = "TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
    assert text in events(records)
    assert told(records, "CRON-JOB-MANY-MISSED")[0] == {"count": 102}


def test_schedule_that_is_never_due_is_reported():
    _, records = run(header(cron_job(schedule="0 0 31 2 *"), kubernetes="1.36"), 5)
    assert "InvalidSchedule: invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second" in events(records)
    assert told(records, "CRON-JOB-UNREADABLE")


def test_zone_of_the_schedule_is_in_the_annotation():
    world, _ = run(header(cron_job("exit 0", "1 1 * * *", timeZone="Europe/Berlin"), kubernetes="1.36"), 65)
    made = json.loads(world.tables.objects[("Job", "default", "c-29453761")].document)
    assert made["metadata"]["annotations"] == {"batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T01:01:00+01:00"}


def test_active_job_that_somebody_deletes_is_missing():
    gone = DeleteObject(kind="Job", namespace="default", name="c-29453761", propagation="Background")
    world, records = run(header(cron_job("sleep 500"), kubernetes="1.36"), 80, (70, gone))
    assert "MissingJob: Active job went missing: c-29453761" in events(records)
    assert "active" not in status(world, "c", "CronJob")


def test_job_that_the_api_server_refuses_is_reported_and_tried_again():
    document = cron_job()
    document["spec"]["jobTemplate"]["spec"]["parallelism"] = -1
    mended = patched(62, jobTemplate={"spec": {"parallelism": 1}})
    world, records = run(header(document, kubernetes="1.36"), 80, mended)
    refused = [text for text in events(records) if text.startswith("FailedCreate: Error creating job: Job.batch")]
    assert len(refused) > 1 and "spec.parallelism" in refused[0]
    assert len(told(records, "CRON-JOB-NOT-MADE")) == len(refused)
    assert jobs(world) == ["c-29453761"]


def test_job_of_that_name_that_somebody_else_made_is_left_alone():
    other = {**job("sleep 500"), "metadata": {"name": "c-29453761"}}
    world, records = run(header(other, cron_job(), kubernetes="1.36"), 80)
    assert "active" not in status(world, "c", "CronJob")
    assert not [text for text in events(records) if text.startswith("SuccessfulCreate: Created job")]


def test_unfinished_job_that_names_the_cron_job_is_unexpected():
    head = header(cron_job(schedule="0 5 * * *"), kubernetes="1.36")
    uid = run(head, 1)[0].tables.objects[("CronJob", "default", "c")].uid
    owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "c", "uid": uid, "controller": True}
    found = {**job("sleep 500"), "metadata": {"name": "found", "ownerReferences": [owner]}}
    _, records = run(head, 10, (5, ApplyManifest(documents=(json.dumps(found),))))
    assert "UnexpectedJob: Saw a job that the controller did not create or forgot: found" in events(records)
    assert told(records, "CRON-JOB-UNKNOWN")


def test_second_round_of_an_unchanged_world_writes_nothing():
    world, _ = run(header(cron_job(), kubernetes="1.36"), 100)
    for _ in range(2):
        records = []
        fx = Effects(world, records)
        cron_job_sync(fx, CronJobSync("default", "c"))
    assert records == []


def started_s(records):
    """When Jobs were created, in whole seconds."""
    return [record.at_ms // 1000 for record in records if record.rule == "CRON-JOB-START" and record.target == "SuccessfulCreate"]


def stuck_at(records):
    """When the 1.20 controller reported that it could not determine what is due."""
    return [record.at_ms for record in records if record.rule == "CRON-JOB-STUCK"]


def polled(*args, **spec):
    return header(cron_job(*args, version="v1beta1", **spec), kubernetes="1.20")


NEEDS_START = "FailedNeedsStart: Cannot determine if job needs to be started: "
TOO_MANY = f"{NEEDS_START}too many missed start time (> 100). Set or decrease .spec.startingDeadlineSeconds or check clock skew"


def test_more_than_a_hundred_missed_starts_stop_the_cron_job_in_1_20():
    world, records = run(polled(suspend=True), 6_300, patched(6_150, suspend=False))
    assert jobs(world) == []
    assert stuck_at(records) == list(range(6_160_000, 6_300_001, 10_000))
    assert TOO_MANY in events(records)


def test_exactly_a_hundred_missed_starts_are_made_up_for_in_1_20():
    world, records = run(polled(suspend=True), 6_055, patched(6_045, suspend=False))
    assert (jobs(world), started_s(records)) == (["c-1767231600"], [6_050])


def test_starting_deadline_lets_a_cron_job_of_1_20_go_on_after_many_missed_starts():
    world, _ = run(polled("sleep 300", suspend=True, startingDeadlineSeconds=300), 6_200, patched(6_150, suspend=False))
    assert jobs(world) == ["c-1767231720", "c-1767231780"]


def test_schedule_that_is_never_due_misses_without_end_in_1_20():
    _, records = run(polled(schedule="0 0 31 2 *"), 35)
    assert stuck_at(records) == [10_000, 20_000, 30_000]


def test_another_schedule_takes_effect_in_the_next_sync_in_1_20():
    """A start that the new schedule would have required since the last one is made up for; later controllers wait for the next one."""
    changes = patched(150, schedule="0 12 * * *"), patched(602, schedule="5 * * * *")
    assert started_s(run(polled("exit 0"), 700, *changes)[1]) == [60, 120, 610]
    assert started_s(run(header(cron_job("exit 0"), kubernetes="1.21"), 700, *changes)[1]) == [60, 120]


def test_refused_job_is_tried_again_in_the_next_round_in_1_20():
    document = cron_job(version="v1beta1")
    document["spec"]["jobTemplate"]["spec"]["parallelism"] = -1
    _, records = run(header(document, kubernetes="1.20"), 95)
    assert [record.at_ms for record in records if record.target == "starts"] == [60_000, 70_000, 80_000, 90_000]


ZONED = "CRON_TZ=Etc/UTC * * * * *"
UNSUPPORTED = (
    'UnsupportedSchedule: CRON_TZ or TZ used in schedule "CRON_TZ=Etc/UTC * * * * *" is not officially supported, '
    "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)


@pytest.mark.parametrize("version", ["1.22", "1.23", "1.28"])
def test_time_zone_in_a_schedule_is_reported_in_each_round_until_it_is_refused(version):
    world, records = run(header(cron_job("sleep 600", schedule=ZONED), kubernetes=version), 70)
    assert jobs(world) == ["c-29453761"]
    assert [record.at_ms for record in records if record.rule == "CRON-JOB-ZONE"][:2] == [10, 60_100]
    assert events(records).count(UNSUPPORTED) >= 2


def test_time_zone_in_the_schedule_of_a_suspended_cron_job_is_not_reported():
    _, records = run(header(cron_job(schedule=ZONED, suspend=True), kubernetes="1.28"), 70)
    assert UNSUPPORTED not in events(records)
