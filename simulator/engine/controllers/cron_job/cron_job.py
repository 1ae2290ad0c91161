"""The CronJob controller: creates a Job at each time of the schedule, and keeps a short history.

A round does three things: it updates ``status.active`` by its Jobs (finished ones are reported and
dropped, missing ones too), deletes finished Jobs beyond the history limits, and creates the Job
that is due, if any.

Which time is due is computed, not remembered. The controller takes lastScheduleTime (or the
creation, or startingDeadlineSeconds ago, whichever is latest), lists the times since then and
starts a Job only for the most recent: after downtime a CronJob does not catch up. If more than 100
were missed, 1.20 refuses to start anything; estimate the number, warn and go on.

The Job's name is derived from the scheduled time. That is the guard against starting twice: should the
controller stop between creating the Job and writing the status, the next round gets AlreadyExists
and takes the Job as its own.

concurrencyPolicy is asked last. Forbid skips the time without moving lastScheduleTime, so the Job
is created as soon as the active one ends, if still within its deadline; Replace deletes the active
Jobs, in the background and without waiting for their pods.

Version 2 of the controller (``cron_job_queue``, on since 1.21) sleeps until the next time plus 100
ms (``cron_job_delta_ms``), so that its clock is surely past it. Its predecessor looks at every
CronJob each ten seconds, cleans up at the end of the round and not at its beginning, and names Jobs
by seconds, not minutes.

Time zones: spec.timeZone, else UTC; a TZ inside the schedule was never supported, and is reported
each round from 1.22.

Source: pkg/controller/cronjob/cronjob_controllerv2.go; for 1.20 cronjob_controller.go.
"""

import json
from collections.abc import Iterator

from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.k8s_events import emit_of_controller
from simulator.engine.apiserver.refusal import Refusal
from simulator.engine.apiserver.store.creation import creating
from simulator.engine.apiserver.store.owners import BACKGROUND, delete_owner
from simulator.engine.apiserver.validation.kinds.workloads.schedule import BadSchedule
from simulator.engine.controllers.cron_job.times import MANY, Missed, missed_since, next_ms, unmet_since
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import MINUTE, SECOND, Ms, seconds, whole_second
from simulator.engine.model.time_zones import ahead_of_utc, time_zones
from simulator.engine.model.times import format_time, parse_time
from simulator.engine.workloads.objects import condition_in, parsed, put_status, spec_of, status_of, stored_object
from simulator.engine.workloads.queueing import forget, retry
from simulator.engine.workloads.refs import controller_reference, manages, owned_objects
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import CronJobSync
from simulator.engine.world.queue import Lane
from simulator.engine.world.watch import ADDED, CHANGED, DELETING, GONE, Queue, Watch
from simulator.engine.world.world import ApiObject

COMPONENT = "cronjob-controller"
KIND = "CronJob"
QUEUE = Queue(COMPONENT, Lane.CONTROLLER, "watch_ms")
SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
_SOURCE = "pkg/controller/cronjob/cronjob_controllerv2.go syncCronJob"
_MORE = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"

RULES = (
    RuleText("CRON-JOB-START", gettext_noop("The schedule calls for a Job at {at}: the CronJob creates {job}."), _SOURCE),
    RuleText(
        "CRON-JOB-FORBID",
        gettext_noop("A Job of this CronJob is still active and concurrencyPolicy is Forbid: the Job for {at} is not created now."),
        _SOURCE,
    ),
    RuleText(
        "CRON-JOB-REPLACE",
        gettext_noop("concurrencyPolicy is Replace: the active Job {job} is deleted before the one for {at} is created."),
        _SOURCE,
    ),
    RuleText(
        "CRON-JOB-MANY-MISSED",
        gettext_noop("About {count} {count:start was|starts were} missed; only the last one is made up for."),
        "pkg/controller/cronjob/utils.go nextScheduleTime",
    ),
    RuleText("CRON-JOB-SAW", gettext_noop("The Job {job} is {condition}: the CronJob no longer counts it as active."), _SOURCE),
    RuleText("CRON-JOB-MISSING", gettext_noop("The active Job {job} no longer exists: the CronJob drops it from its list."), _SOURCE),
    RuleText(
        "CRON-JOB-UNKNOWN", gettext_noop("An unfinished Job names this CronJob as its controller, but was not created by it."), _SOURCE
    ),
    RuleText("CRON-JOB-NOT-MADE", gettext_noop("The API server rejects the Job: the CronJob records why and tries again."), _SOURCE),
    RuleText(
        "CRON-JOB-STUCK",
        gettext_noop(
            "More than 100 starts were missed, or the schedule is never due: no Job is created, in this round or "
            "any other, until startingDeadlineSeconds leaves fewer to count."
        ),
        "pkg/controller/cronjob/cronjob_controller.go syncOne (1.20)",
        until="1.21",
    ),
    RuleText(
        "CRON-JOB-ZONE",
        gettext_noop("The schedule itself contains a time zone, which Kubernetes never meant to support: each round reports it."),
        "pkg/controller/cronjob/cronjob_controllerv2.go formatSchedule",
        "1.22",
    ),
    RuleText("CRON-JOB-UNREADABLE", gettext_noop("The schedule cannot be parsed, or is never due: nothing is created from it."), _SOURCE),
    RuleText(
        "CRON-JOB-HISTORY",
        gettext_noop("There are {count} Jobs in state {condition} and the history keeps {limit}: the oldest, {job}, is deleted."),
        "pkg/controller/cronjob/cronjob_controllerv2.go cleanupFinishedJobs",
    ),
)


# ---- the queue ---------------------------------------------------------------------------------------------------
def _written(fx: Effects, old: ApiObject | None, row: ApiObject) -> None:
    """A CronJob is new or was changed. A different schedule only moves the next check; rounds of all CronJobs check it anyway."""
    key = CronJobSync(row.namespace, row.name)
    before = spec_of(old) if old is not None and fx.profile.cron_job_queue else spec_of(row)
    if any(before.get(field) != spec_of(row).get(field) for field in ("schedule", "timeZone")):
        _look_at_next(fx, row, key, last=status_of(row).get("lastScheduleTime"))
    else:
        _look(fx, key)


def _job_written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    for owner in (parsed(row).get("metadata") or {}).get("ownerReferences") or ():
        if owner.get("controller") and owner.get("kind") == KIND:
            _look(fx, CronJobSync(row.namespace, str(owner.get("name"))))


WATCHES = (
    Watch(COMPONENT, KIND, ADDED | CHANGED | DELETING, _written, ignores_own=True),
    Watch(COMPONENT, "Job", ADDED | CHANGED | DELETING | GONE, _job_written, ignores_own=True),
)


def _look(fx: Effects, key: CronJobSync) -> None:
    if fx.profile.cron_job_queue:
        fx.enqueue(QUEUE, key)
    else:
        _look_from(fx, key, fx.now + fx.profile.watch_ms)


def _look_again(fx: Effects, key: CronJobSync) -> None:
    """Check again after a failed round: with growing back-off, or in the next round if the controller has no queue."""
    if fx.profile.cron_job_queue:
        retry(fx, key)
    else:
        _look_from(fx, key, fx.now + 1)


def _look_from(fx: Effects, key: CronJobSync, due: Ms) -> None:
    """Check then, or if the controller has no queue in its first round from then on."""
    beat = 1 if fx.profile.cron_job_queue else fx.profile.cron_job_poll_ms
    fx.check(-(-due // beat) * beat, Lane.CONTROLLER, key)


def _look_at_next(fx: Effects, row: ApiObject, key: CronJobSync, *, last: str | None) -> None:
    """Check again shortly after the schedule is next due. ``last``: the status's lastScheduleTime."""
    text, zone = _schedule(row)
    now = _clock(fx)
    begin = _begin(fx, row, last)
    try:
        missed = missed_since(text, zone, begin, now)
        from_ms = missed.due_ms if missed.due_ms is not None else (now if missed.count else missed.since_ms)
        due = next_ms(text, zone, from_ms)
    except BadSchedule:
        return
    except ValueError:
        # The schedule has no second time, so no interval can be estimated.
        due = next_ms(text, zone, now)
    if due is not None:
        late_ms = fx.profile.cron_job_delta_ms if fx.profile.cron_job_queue else 0
        _look_from(fx, key, max(fx.now + 1, due - now + fx.now + late_ms))


def _begin(fx: Effects, row: ApiObject, last: str | None) -> Ms:
    """The moment from which starts may be missing: the last one, or else the creation."""
    return parse_time(last) if last else whole_second(row.created_ms) + seconds(fx.world.header.epoch_s)


def _clock(fx: Effects) -> Ms:
    """The current moment since the Unix epoch."""
    return fx.now + seconds(fx.world.header.epoch_s)


def _schedule(row: ApiObject) -> tuple[str, str]:
    """The schedule of a CronJob, and its time zone; UTC if it names none."""
    spec = spec_of(row)
    return str(spec.get("schedule") or ""), str(spec.get("timeZone") or "")


# ---- a round -----------------------------------------------------------------------------------------------------
def cron_job_sync(fx: Effects, event: CronJobSync) -> None:
    """Run one round of a CronJob."""
    row = stored_object(fx, KIND, event.namespace, event.name)
    if row is None:
        forget(fx, event)
        return
    status = dict(status_of(row))
    status["active"] = list(status.get("active") or ())
    jobs = [job for job in owned_objects(fx.tables, row, "Job") if manages(row, job)]
    if fx.profile.cron_job_queue:
        _clean_up(fx, row, status, jobs)
    _see_jobs(fx, row, status, jobs)
    is_well = _start(fx, row, status, event)
    if not fx.profile.cron_job_queue:
        _clean_up(fx, row, status, jobs)
    if not status["active"]:
        del status["active"]
    current = stored_object(fx, KIND, event.namespace, event.name)
    if current is not None and status != status_of(current):
        put_status(fx, current, status)
    if is_well:
        forget(fx, event)
    else:
        _look_again(fx, event)


def finished_as(job: ApiObject) -> str:
    """Complete or Failed, or empty for a Job that has not finished."""
    return next((kind for kind in ("Complete", "Failed") if (condition_in(status_of(job), kind) or {}).get("status") == "True"), "")


def _see_jobs(fx: Effects, row: ApiObject, status: Json, jobs: list[ApiObject]) -> None:
    """Remove finished and missing Jobs from the active ones."""
    for job in jobs:
        is_known, condition = any(item["uid"] == job.uid for item in status["active"]), finished_as(job)
        if not is_known and not condition:
            text = f"Saw a job that the controller did not create or forgot: {job.name}"
            _emit_event(fx, row, "UnexpectedJob", text, rule="CRON-JOB-UNKNOWN", severity="Warning")
        elif condition:
            if is_known:
                _forget_job(status, job.uid)
                said = fx.profile.cron_job_saw_text.format(job=job.name, condition=condition)
                with fx.because(fx.note_step(row.subject, "saw", rule="CRON-JOB-SAW", data=(("job", job.name), ("condition", condition)))):
                    _emit_event(fx, row, "SawCompletedJob", said, rule="CRON-JOB-SAW")
            _note_success(fx, status, job, condition)
    uids = {job.uid for job in jobs}
    unlisted = [item for item in status["active"] if item["uid"] not in uids]
    for item in [item for item in unlisted if stored_object(fx, "Job", row.namespace, item["name"]) is None]:
        _forget_job(status, item["uid"])
        with fx.because(fx.note_step(row.subject, "missing", rule="CRON-JOB-MISSING", data=(("job", item["name"]),))):
            _emit_event(fx, row, "MissingJob", f"Active job went missing: {item['name']}", rule="CRON-JOB-MISSING")


def _note_success(fx: Effects, status: Json, job: ApiObject, condition: str) -> None:
    at = status_of(job).get("completionTime")
    if fx.profile.cron_job_success_time and condition == "Complete" and at and at > status.get("lastSuccessfulTime", ""):
        status["lastSuccessfulTime"] = at


def _forget_job(status: Json, uid: str) -> None:
    status["active"] = [item for item in status["active"] if item["uid"] != uid]


def _emit_event(fx: Effects, row: ApiObject, reason: str, message: str, *, rule: str, severity: str = "Normal") -> None:
    emit_of_controller(fx, row, COMPONENT, severity=severity, reason=reason, message=message, rule=rule)


# ---- old Jobs ----------------------------------------------------------------------------------------------------
def _clean_up(fx: Effects, row: ApiObject, status: Json, jobs: list[ApiObject]) -> None:
    """Delete the oldest Jobs beyond the history limits."""
    for condition, field in (("Complete", "successfulJobsHistoryLimit"), ("Failed", "failedJobsHistoryLimit")):
        limit = spec_of(row).get(field)
        # Oldest by startTime; a Job that never started sorts last and so is kept longest.
        over = sorted((job for job in jobs if finished_as(job) == condition), key=_began)
        for job in fx.each(() if limit is None else over[: max(0, len(over) - int(limit))]):
            if stored_object(fx, "Job", job.namespace, job.name) is None or job.deletion_ms is not None:
                continue
            data = (("count", len(over)), ("condition", condition), ("limit", limit), ("job", job.name))
            fx.cause = fx.note_step(row.subject, "history", rule="CRON-JOB-HISTORY", data=data)
            _delete(fx, row, status, job, rule="CRON-JOB-HISTORY")


def _began(job: ApiObject) -> tuple[bool, str, str]:
    began = status_of(job).get("startTime")
    return began is None, began or "", job.name


def _delete(fx: Effects, row: ApiObject, status: Json, job: ApiObject, *, rule: str) -> None:
    with fx.aside():
        delete_owner(fx, job, BACKGROUND)
    _forget_job(status, job.uid)
    _emit_event(fx, row, "SuccessfulDelete", f"Deleted job {job.name}", rule=rule)


# ---- the next Job ------------------------------------------------------------------------------------------------
def _start(fx: Effects, row: ApiObject, status: Json, key: CronJobSync) -> bool:
    """Create the Job that is due, if the policies allow one. Whether the round succeeded."""
    spec = spec_of(row)
    if row.deletion_ms is not None or spec.get("suspend"):
        return True
    _emit_zone_warning(fx, row)
    if not fx.profile.cron_job_queue and _is_stuck(fx, row, status):
        return False
    due = _due(fx, row, status)
    if due == _NEVER:
        return True
    is_well = due is None or _start_at(fx, row, status, due)
    if is_well:
        _look_at_next(fx, row, key, last=status.get("lastScheduleTime"))
    return is_well


def _emit_zone_warning(fx: Effects, row: ApiObject) -> None:
    schedule = _schedule(row)[0]
    if fx.profile.cron_job_tells_of_zone and "TZ" in schedule:
        text = f"CRON_TZ or TZ used in schedule {json.dumps(schedule, ensure_ascii=False)} is not officially supported, see {_MORE}"
        _emit_event(fx, row, "UnsupportedSchedule", text, rule="CRON-JOB-ZONE", severity="Warning")


def _is_stuck(fx: Effects, row: ApiObject, status: Json) -> bool:
    """Whether a controller without a queue cannot determine which start is due; an Event reports it in each round."""
    text, zone = _schedule(row)
    try:
        unmet = unmet_since(text, zone, _counted_from(fx, row, status), _clock(fx))
    except BadSchedule as problem:
        said = f"unparseable schedule: {text} : {problem}"
    else:
        said = "too many missed start time (> 100). Set or decrease .spec.startingDeadlineSeconds or check clock skew"
        if unmet.count <= MANY:
            return False
    _emit_event(
        fx, row, "FailedNeedsStart", f"Cannot determine if job needs to be started: {said}", rule="CRON-JOB-STUCK", severity="Warning"
    )
    return True


def _counted_from(fx: Effects, row: ApiObject, status: Json) -> Ms:
    """The moment from which starts count as missed: startingDeadlineSeconds ago at the earliest."""
    begin = _begin(fx, row, status.get("lastScheduleTime"))
    limit = spec_of(row).get("startingDeadlineSeconds")
    return begin if limit is None else max(begin, _clock(fx) - seconds(int(limit)))


def _missed(fx: Effects, row: ApiObject, status: Json) -> Missed:
    """The missed starts, as the version counts them. Raises BadSchedule; ValueError for a schedule that is never due."""
    count = missed_since if fx.profile.cron_job_queue else unmet_since
    return count(*_schedule(row), _counted_from(fx, row, status), _clock(fx))


_NEVER: Ms = -1


def _due(fx: Effects, row: ApiObject, status: Json) -> Ms | None:
    """The moment for which a Job is due; None if there is none, ``_NEVER`` if the schedule cannot be followed."""
    text = _schedule(row)[0]
    try:
        missed = _missed(fx, row, status)
    except BadSchedule as problem:
        said = f'unparseable schedule: "{text}" : {problem}'
        _emit_event(fx, row, "UnparseableSchedule", said, rule="CRON-JOB-UNREADABLE", severity="Warning")
        return _NEVER
    except ValueError as problem:
        _emit_event(fx, row, "InvalidSchedule", f"invalid schedule: {text} : {problem}", rule="CRON-JOB-UNREADABLE", severity="Warning")
        return _NEVER
    if missed.count > MANY and missed.due_ms is not None:
        said = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
        with fx.because(fx.note_step(row.subject, "missed", rule="CRON-JOB-MANY-MISSED", data=(("count", missed.count),))):
            _emit_event(fx, row, "TooManyMissedTimes", said, rule="CRON-JOB-MANY-MISSED", severity="Warning")
    return missed.due_ms


def _start_at(fx: Effects, row: ApiObject, status: Json, due: Ms) -> bool:
    spec, at = spec_of(row), format_time(due)
    name = _job_name(fx, row, due)
    if status.get("lastScheduleTime") == at or any(item["name"] == name for item in status["active"]):
        return True
    policy = spec.get("concurrencyPolicy")
    if policy == "Forbid" and status["active"]:
        _report_forbidden(fx, row, at)
        return True
    if policy == "Replace":
        _replace(fx, row, status, at)
    return _make(fx, row, status, due, name)


def _report_forbidden(fx: Effects, row: ApiObject, at: str) -> None:
    seq = fx.note_step(row.subject, "forbidden", rule="CRON-JOB-FORBID", data=(("at", at),))
    if fx.profile.cron_job_queue:
        said = "Not starting job because prior execution is running and concurrency policy is Forbid"
        with fx.because(seq):
            _emit_event(fx, row, "JobAlreadyActive", said, rule="CRON-JOB-FORBID")


def _replace(fx: Effects, row: ApiObject, status: Json, at: str) -> None:
    for item in fx.each(list(status["active"])):
        job = stored_object(fx, "Job", row.namespace, item["name"])
        if job is not None:
            fx.cause = fx.note_step(row.subject, "replaced", rule="CRON-JOB-REPLACE", data=(("job", job.name), ("at", at)))
            _delete(fx, row, status, job, rule="CRON-JOB-REPLACE")


def _job_name(fx: Effects, row: ApiObject, due: Ms) -> str:
    # Minutes since the Unix epoch, in 1.20 seconds.
    return f"{row.name}-{due // (MINUTE if fx.profile.cron_job_queue else SECOND)}"


def _make(fx: Effects, row: ApiObject, status: Json, due: Ms, name: str) -> bool:
    """Create the Job of a moment. Whether that succeeded."""
    document = _job(fx, row, due, name)
    fx.cause = fx.note_step(row.subject, "starts", rule="CRON-JOB-START", data=(("at", format_time(due)), ("job", name)))
    try:
        with fx.aside():
            creating(fx, document, row.namespace)()
    except (ApiError, Refusal) as error:
        # The name is taken: by this CronJob's own Job of that time, or by another one that will stay
        # in the way.
        there = stored_object(fx, "Job", row.namespace, name)
        if there is not None:
            if manages(row, there):
                _note_start(status, there, due)
            return True
        _emit_refused(fx, row, error)
        return False
    _emit_event(fx, row, "SuccessfulCreate", f"Created job {name}", rule="CRON-JOB-START")
    made = stored_object(fx, "Job", row.namespace, name)
    if made is not None:
        _note_start(status, made, due)
    return True


def _emit_refused(fx: Effects, row: ApiObject, error: ApiError | Refusal) -> None:
    if fx.world.is_terminating(row.namespace):
        return
    message = error.answer.message if isinstance(error, ApiError) else str(dict(error.data).get("message") or "")
    _emit_event(fx, row, "FailedCreate", f"Error creating job: {message}", rule="CRON-JOB-NOT-MADE", severity="Warning")


def _note_start(status: Json, job: ApiObject, due: Ms) -> None:
    reference = {
        "kind": "Job", "namespace": job.namespace, "name": job.name, "uid": job.uid,
        "apiVersion": str(parsed(job).get("apiVersion") or "batch/v1"), "resourceVersion": str(job.resource_version),
    }  # fmt: skip
    status["active"] = [*status["active"], reference]
    status["lastScheduleTime"] = format_time(due)


def _job(fx: Effects, row: ApiObject, due: Ms, name: str) -> Json:
    """The Job of a moment as the controller sends it."""
    template = spec_of(row).get("jobTemplate") or {}
    given = template.get("metadata") or {}
    annotations = {**(given.get("annotations") or {})}
    if fx.profile.cron_job_annotation:
        annotations[SCHEDULED_AT] = _local_text(_schedule(row)[1], due)
    metadata: Json = {"name": name, "namespace": row.namespace, "ownerReferences": [controller_reference(row)]}
    metadata |= dict(_given(("labels", given.get("labels")), ("annotations", annotations)))
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template.get("spec") or {}}


def _given(*parts: tuple[str, Json | None]) -> Iterator[tuple[str, Json]]:
    yield from ((key, value) for key, value in parts if value)


def _local_text(zone: str, moment: Ms) -> str:
    """A moment in RFC 3339 format in that zone."""
    if zone not in time_zones() or zone == "UTC":
        return format_time(moment)
    ahead = ahead_of_utc(zone, moment) // MINUTE
    sign, (hours, minutes) = "-" if ahead < 0 else "+", divmod(abs(ahead), 60)
    return f"{format_time(moment + ahead * MINUTE)[:-1]}{sign}{hours:02d}:{minutes:02d}"
