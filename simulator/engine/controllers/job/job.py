"""The Job controller's round: counts ended pods, decides the Job's end, creates or deletes pods.

A Job wants a number of successes (completions), runs at most a number of pods at a time (parallelism), and
gives up after so many failures. Its controller must count each pod exactly once although pods can
vanish (see ``tracking.py``). One round goes in this order:

* Read: claim pods, count what has ended since the status was written.
* Decide: an end announced earlier; a podFailurePolicy that fails the Job; too many failures or
  container restarts (backoffLimit); the deadline; then indexes and the successPolicy. The first
  that applies wins, and its reason is what the status shows for good.
* Act: for an ending Job delete every active pod; otherwise bring their number to what is wanted
  (``pods.py``). A round either deletes or creates, never both.
* Write: counts and conditions, then release the finalizers (``tracking.py``).

The end comes in two steps since 1.31 (``job_terminal_delayed``): FailureTarget or
SuccessCriteriaMet announces it while pods are still terminating, Failed or Complete follows when
none is. Before, a Job was reported as over while its pods were still running.

What a failure costs has changed twice (``job_backoff``). In 1.20 ("by_rounds") the work queue's
rate limiter delayed the Job and backoffLimit counted those rounds; up to 1.26 ("by_queue") the
queue still delays but failed pods are counted; since 1.27 ("by_end") the delay runs from the time
at which the last failed pod finished (``backoff.py``).

activeDeadlineSeconds runs from startTime, which resuming resets; a timer brings the round that
notices it.

Source: pkg/controller/job/job_controller.go syncJob, of 1.20.2 as recorded and of 1.33.
"""

from simulator.engine.apiserver.k8s_events import emit_of_controller
from simulator.engine.controllers.job.indexes import met_success_rule, total
from simulator.engine.controllers.job.pods import delete_active, is_pod_ready, manage_pods, with_finalizer
from simulator.engine.controllers.job.round import (
    COMPLETE,
    COMPONENT,
    FAILED,
    FAILURE_TARGET,
    KIND,
    OWN_NAME,
    SUCCESS_MET,
    SUSPENDED,
    Finish,
    JobRound,
    is_finished,
    is_terminating,
)
from simulator.engine.controllers.job.tracking import count_done_indexes, count_pods, set_counts, write
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms, seconds
from simulator.engine.model.times import parse_time
from simulator.engine.workloads.objects import condition_in, including_condition, now_text, spec_of, status_of, stored_object
from simulator.engine.workloads.pod_control import PodNotMade
from simulator.engine.workloads.queueing import forget
from simulator.engine.workloads.refs import claimed_pods, is_active, owned_pods
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import JobSync
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject

_SOURCE = "pkg/controller/job/job_controller.go syncJob"

RULES = (
    RuleText(
        "JOB-BACKOFF-LIMIT", gettext_noop("{failed} {failed:pod has|pods have} failed and backoffLimit is {limit}: the Job fails."), _SOURCE
    ),
    RuleText(
        "JOB-BACKOFF-ROUNDS",
        gettext_noop(
            "Failures have put the Job back in the queue {rounds} {rounds:time|times} and backoffLimit is {limit}: the Job fails."
        ),
        "pkg/controller/job/job_controller.go syncJob (1.20); recording of 1.20.2",
        until="1.20",
    ),
    RuleText(
        "JOB-RESTART-LIMIT",
        gettext_noop(
            "Containers restarted {restarts} {restarts:time|times} under restartPolicy OnFailure and "
            "backoffLimit is {limit}: the Job fails."
        ),
        "pkg/controller/job/job_controller.go pastBackoffLimitOnFailure",
    ),
    RuleText(
        "JOB-DEADLINE",
        gettext_noop("The Job has been active for its activeDeadlineSeconds, {limit} s: it fails and its pods are deleted."),
        "pkg/controller/job/job_controller.go pastActiveDeadline",
    ),
    RuleText(
        "JOB-INDEXES-MAX",
        gettext_noop("{failed} {failed:index has|indexes have} failed and maxFailedIndexes is {limit}: the Job fails."),
        _SOURCE,
        "1.28",
    ),
    RuleText(
        "JOB-INDEXES-FAILED", gettext_noop("All indexes have ended and {failed} of them have failed: the Job fails."), _SOURCE, "1.28"
    ),
    RuleText(
        "JOB-SUCCESS-POLICY",
        gettext_noop("The succeeded indexes satisfy rule {index} of successPolicy: the Job succeeds and its other pods are deleted."),
        "pkg/controller/job/success_policy.go matchSuccessPolicy",
        "1.31",
    ),
    RuleText(
        "JOB-SUSPENDED", gettext_noop("The Job is suspended: its pods are deleted, and no more are created until it is resumed."), _SOURCE
    ),
    RuleText("JOB-RESUMED", gettext_noop("The Job is resumed: it creates pods again, and its time counts from now."), _SOURCE),
)


def job_sync(fx: Effects, event: JobSync) -> None:
    """Run one round of a Job."""
    row = stored_object(fx, KIND, event.namespace, event.name)
    if row is None or is_managed_elsewhere(row) or is_finished(status_of(row)):
        forget(fx, event)
        return
    job = _begin(fx, row, event)
    failed_before, succeeded_before = (int(job.status.get(kind) or 0) for kind in ("failed", "succeeded"))
    count_pods(fx, job)
    _start(fx, job)
    has_new_failure = job.failed > failed_before
    job.finish = _announced(job) or _failed_by_policy(job) or _failed(fx, job, has_new_failure=has_new_failure)
    if job.is_indexed:
        count_done_indexes(fx, job)
        # Failure by backoffLimit or deadline takes precedence over what the indexes say.
        job.finish = job.finish or _ended_by_indexes(fx, job)
    problem = _act(fx, job)
    set_counts(fx, job)
    write(fx, job)
    _after(fx, job, problem, is_written=job.row is not row, has_new_failure=has_new_failure, has_success=job.succeeded > succeeded_before)


def is_managed_elsewhere(row: ApiObject) -> bool:
    """Whether spec.managedBy names another controller."""
    return (spec_of(row).get("managedBy") or OWN_NAME) != OWN_NAME


def _begin(fx: Effects, row: ApiObject, event: JobSync) -> JobRound:
    known = {pod.key for pod in owned_pods(fx, row)}
    pods = [_adopted(fx, pod) if pod.key not in known else pod for pod in claimed_pods(fx, row, counts=lambda _: True)]
    active = [pod for pod in pods if is_active(pod)]
    return JobRound(
        row=row, key=event, status=dict(status_of(row)), pods=pods, active_pods=active, active=len(active),
        ready=sum(is_pod_ready(pod) for pod in active), terminating=sum(is_terminating(pod) for pod in pods),
        policy_holds=fx.profile.job_policy_holds_replacements,
    )  # fmt: skip


def _adopted(fx: Effects, pod: PodRow) -> PodRow:
    if fx.profile.job_tracking_finalizers:
        with_finalizer(fx, pod)
    return fx.tables.pods[pod.key]


def _start(fx: Effects, job: JobRound) -> None:
    """Record when the Job began, and check again when its time is over."""
    if job.is_suspended:
        return
    limit = job.spec.get("activeDeadlineSeconds")
    if "startTime" not in job.status:
        job.status["startTime"] = now_text(fx)
        if limit is not None:
            fx.check(fx.now + seconds(limit), Lane.CONTROLLER, job.key)
    elif limit is not None and (due := _started_ms(fx, job) + seconds(limit)) > fx.now:
        fx.check(due, Lane.CONTROLLER, job.key)


def _started_ms(fx: Effects, job: JobRound) -> Ms:
    return parse_time(job.status["startTime"]) - seconds(fx.world.header.epoch_s)


# ---- whether it is over ------------------------------------------------------------------------------------------
def _announced(job: JobRound) -> Finish | None:
    """The end that an earlier round has announced."""
    for kind, last in ((SUCCESS_MET, SUCCESS_MET), (FAILURE_TARGET, FAILED)):
        found = condition_in(job.status, kind)
        if found is not None and found.get("status") == "True":
            return Finish(type=last, reason=found.get("reason", ""), message=found.get("message", ""))
    return None


def _failed_by_policy(job: JobRound) -> Finish | None:
    for pod in job.pods if job.policy is not None else ():
        if job.is_failed(pod):
            found = job.match(pod)
            if found.message:
                rule, data = found.explanation(0)
                return Finish(type=FAILURE_TARGET, reason="PodFailurePolicy", message=found.message, rule=rule, data=data)
    return None


def _failure(fx: Effects, reason: str, message: str, rule: str, **numbers: int) -> Finish:
    kind = FAILURE_TARGET if fx.profile.job_terminal_delayed else FAILED
    return Finish(type=kind, reason=reason, message=message, rule=rule, data=tuple(numbers.items()))


def _failed(fx: Effects, job: JobRound, *, has_new_failure: bool) -> Finish | None:
    limit = int(job.spec.get("backoffLimit", 6))
    reason, message = "BackoffLimitExceeded", "Job has reached the specified backoff limit"
    mode, rounds = fx.profile.job_backoff, fx.tables.failures.get(job.key, 0)
    # With every slot filled the failure cannot be new: an earlier round saw it and failed to write
    # its status.
    in_queue = has_new_failure and job.active != job.parallelism
    if mode == "by_rounds" and in_queue and rounds + 1 > limit:
        return _failure(fx, reason, message, "JOB-BACKOFF-ROUNDS", rounds=rounds, limit=limit)
    if job.failed > limit and (mode == "by_end" or (mode == "by_queue" and in_queue)):
        return _failure(fx, reason, message, "JOB-BACKOFF-LIMIT", failed=job.failed, limit=limit)
    restarts = _restarts(job)
    # A limit of 0 allows no restart, but does not fail a Job that has had none.
    if restarts > 0 and restarts >= limit:
        return _failure(fx, reason, message, "JOB-RESTART-LIMIT", restarts=restarts, limit=limit)
    seconds_max = job.spec.get("activeDeadlineSeconds")
    if seconds_max is not None and not job.is_suspended and fx.now >= _started_ms(fx, job) + seconds(seconds_max):
        return _failure(fx, "DeadlineExceeded", "Job was active longer than specified deadline", "JOB-DEADLINE", limit=int(seconds_max))
    return None


def _restarts(job: JobRound) -> int:
    """Container restarts in pods that have not ended, for a Job whose pods restart them."""
    template = (job.spec.get("template") or {}).get("spec") or {}
    if template.get("restartPolicy") != "OnFailure":
        return 0
    pods = [pod for pod in job.pods if pod.status.phase in ("Running", "Pending")]
    return sum(item.restart_count for pod in pods for item in (*pod.status.init_containers, *pod.status.containers))


def _ended_by_indexes(fx: Effects, job: JobRound) -> Finish | None:
    bad, completions, limit = job.bad, job.completions or 0, job.spec.get("maxFailedIndexes")
    if bad is not None and limit is not None and total(bad) > limit:
        text = "Job has exceeded the specified maximal number of failed indexes"
        return _failure(fx, "MaxFailedIndexesExceeded", text, "JOB-INDEXES-MAX", failed=total(bad), limit=int(limit))
    if bad and total(bad) + total(job.done) >= completions:
        return _failure(fx, "FailedIndexes", "Job has failed indexes", "JOB-INDEXES-FAILED", failed=total(bad))
    met = met_success_rule(job.spec.get("successPolicy"), completions, job.done)
    if met < 0:
        return None
    text = f"Matched rules at index {met}"
    return Finish(type=SUCCESS_MET, reason="SuccessPolicy", message=text, rule="JOB-SUCCESS-POLICY", data=(("index", met),))


# ---- acting ------------------------------------------------------------------------------------------------------
def _act(fx: Effects, job: JobRound) -> PodNotMade | None:
    """Delete the pods of a Job that is ending; otherwise bring them to the desired number."""
    if job.finish is not None:
        if job.finish.rule:
            fx.cause = fx.note_step(job.row.subject, job.finish.type, rule=job.finish.rule, data=job.finish.data)
        with fx.aside():
            # The client's limit stopped the deletion: the next round finds the same reason and
            # continues.
            if not delete_active(fx, job):
                job.finish = None
        # Without finalizers the pods deleted here will not be seen again; they count as failed now.
        if not fx.profile.job_tracking_finalizers:
            job.failed += len(job.active_pods)
        return None
    is_managed = job.row.deletion_ms is None
    problem = None
    if is_managed:
        with fx.aside():
            problem = manage_pods(fx, job)
    if _is_complete(fx, job):
        job.finish = _success(fx)
    elif is_managed:
        _set_suspended(fx, job)
    return problem


def _is_complete(fx: Effects, job: JobRound) -> bool:
    """Whether enough pods have succeeded; active ones are awaited unless the version leaves those beyond the completions alone."""
    if job.completions is None:
        return job.succeeded > 0 and not job.active
    return job.succeeded >= job.completions and (not job.active or not fx.profile.job_deletes_beyond_completions)


def _success(fx: Effects) -> Finish:
    kind = SUCCESS_MET if fx.profile.job_terminal_delayed else COMPLETE
    if not fx.profile.job_success_reason:
        return Finish(type=kind)
    return Finish(type=kind, reason="CompletionsReached", message="Reached expected number of succeeded pods")


def _set_suspended(fx: Effects, job: JobRound) -> None:
    """Write the condition Suspended and its Event; a Job that was never suspended has none."""
    old = condition_in(job.status, SUSPENDED)
    if job.is_suspended == ((old or {}).get("status") == "True"):
        return
    status, reason, message, rule = (
        ("True", "JobSuspended", "Job suspended", "JOB-SUSPENDED")
        if job.is_suspended
        else ("False", "JobResumed", "Job resumed", "JOB-RESUMED")
    )
    now = now_text(fx)
    condition: Json = {
        "type": SUSPENDED,
        "status": status,
        "lastProbeTime": now,
        "lastTransitionTime": now,
        "reason": reason,
        "message": message,
    }
    job.status = including_condition(job.status, condition)
    job.is_dirty = True
    if not job.is_suspended:
        job.status["startTime"] = now
    emit_of_controller(fx, job.row, COMPONENT, reason=reason.removeprefix("Job"), message=message, rule=rule)


# ---- the queue ---------------------------------------------------------------------------------------------------
def _after(fx: Effects, job: JobRound, problem: PodNotMade | None, *, is_written: bool, has_new_failure: bool, has_success: bool) -> None:
    """Whether the round succeeded, as the work queue sees it. Until 1.26 a new failure is an error, so that the Job waits."""
    if fx.profile.job_backoff == "by_end":
        if problem is not None and not problem.is_ending:
            _retry(fx, job.key, fx.profile.job_retry_initial_ms, fx.profile.job_retry_max_ms)
        else:
            forget(fx, job.key)
        return
    is_over = is_finished(job.status)
    if (has_new_failure and is_written and not is_over) or (problem is not None and not problem.is_ending):
        _retry(fx, job.key, fx.profile.job_backoff_initial_ms, fx.profile.job_backoff_max_ms)
    elif is_written or has_success or is_over:
        forget(fx, job.key)


def _retry(fx: Effects, key: JobSync, first_ms: Ms, longest_ms: Ms) -> None:
    rounds = fx.tables.failures.get(key, 0)
    fx.save_failures(key, rounds + 1)
    fx.check(fx.now + min(first_ms << min(rounds, 20), longest_ms), Lane.CONTROLLER, key)
