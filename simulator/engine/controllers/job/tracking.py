"""How a Job counts the pods that have ended, each exactly once.

Counting pods by listing them fails as soon as one is removed: a pod deleted by hand or by PodGC is
missing from the count. Before the gate JobTrackingWithFinalizers that is what happened (here the
short path for versions without ``job_tracking_finalizers``). Since then each pod has a
finalizer until it is counted, and three writes follow in an order that survives a stop of the
controller after any of them:

1. The pod's uid is named in ``status.uncountedTerminatedPods``, in the same write as everything
else that the round found. 2. The pod's finalizer is removed; from now on the pod may vanish. 3. The
uid is taken from the list and the counter (succeeded or failed) is raised, in one write.

If the controller stops after 1, the next round finds the finalizer still there and continues with 2.
If it stops after 2, the pod has no finalizer and its uid is in the list: count it. Counting
before releasing without the list could count twice, releasing before counting could lose the pod.

An Indexed Job counts successes by index, so completedIndexes is the counter, and naming an index
twice changes nothing; only failures need the list. With backoffLimitPerIndex a failed pod also
carries its index's count of failures in an annotation; it keeps its finalizer until its replacement
has taken the number over (``kept``).

The final condition is written only when the list is empty, and with ``job_terminal_delayed`` only
when no pod is terminating either. One round names at most 500 uids, as upstream limits the size of the
status.

Source: pkg/controller/job/job_controller.go trackJobStatusAndRemoveFinalizers.
"""

from simulator.engine.apiserver.k8s_events import emit_of_controller
from simulator.engine.controllers.job.backoff import NEVER_FAILED, counted_on, failures_of_index, finished_ms
from simulator.engine.controllers.job.failure_policy import FAIL_INDEX, PolicyMatch
from simulator.engine.controllers.job.indexes import (
    FAILURES,
    NO_INDEX,
    Intervals,
    count_in,
    has,
    including,
    index_of,
    indexes_text,
    parsed_indexes,
    total,
)
from simulator.engine.controllers.job.pods import without_finalizer
from simulator.engine.controllers.job.round import (
    COMPLETE,
    COMPONENT,
    FAILED,
    FAILURE_TARGET,
    KIND,
    SUCCESS_MET,
    Finish,
    JobRound,
    finished_as,
    has_finalizer,
)
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Seq
from simulator.engine.workloads.objects import condition_in, including_condition, now_text, put_status, status_of, stored_object
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

UNCOUNTED_MAX = 500
_SOURCE = "pkg/controller/job/job_controller.go trackJobStatusAndRemoveFinalizers"

RULES = (
    RuleText(
        "JOB-POD-COUNTED",
        gettext_noop(
            "The pod has ended and the Job’s status records it: the Job removes its finalizer, and nothing holds the object any more."
        ),
        _SOURCE,
        "1.25",
    ),
    RuleText(
        "JOB-WAITS",
        gettext_noop(
            "The Job’s outcome is decided, but {terminating} of its pods {terminating:is|are} still terminating: "
            "it ends when {terminating:that one has|they have}."
        ),
        "pkg/controller/job/job_controller.go enactJobFinished",
        "1.31",
    ),
    RuleText(
        "JOB-COMPLETE",
        gettext_noop("{succeeded} {succeeded:pod has|pods have} succeeded, as many as the Job requires: it is complete."),
        _SOURCE,
    ),
    RuleText("JOB-FAILED", gettext_noop("All pods of the Job have ended and been counted: now it has failed."), _SOURCE, "1.31"),
)


# ---- counting ----------------------------------------------------------------------------------------------------
def count_pods(fx: Effects, job: JobRound) -> None:
    """Find what has ended since the status was written: numbers, indexes, and the failures in a row."""
    uncounted = job.status.get("uncountedTerminatedPods") or {}
    if not fx.profile.job_tracking_finalizers:
        succeeded = [pod for pod in job.pods if pod.status.phase == "Succeeded" and _is_valid(job, pod)]
        failed = [pod for pod in job.pods if pod.status.phase == "Failed" and _is_valid(job, pod)]
        job.succeeded, job.failed = len(succeeded), len(failed)
        return
    known = {kind: tuple(uncounted.get(kind) or ()) for kind in ("succeeded", "failed")}
    fresh = [pod for pod in job.pods if has_finalizer(pod) and _is_valid(job, pod)]
    succeeded = [pod for pod in fresh if pod.status.phase == "Succeeded" and pod.uid not in known["succeeded"]]
    failed = [pod for pod in fresh if job.is_failed(pod) and pod.uid not in known["failed"]]
    job.succeeded = int(job.status.get("succeeded") or 0) + len(succeeded) + len(known["succeeded"])
    counted = sum(job.policy is None or job.match(pod).counts for pod in failed)
    job.failed = int(job.status.get("failed") or 0) + counted + len(known["failed"])
    job.failures = counted_on(fx.tables.job_failures.get(job.row.uid, NEVER_FAILED), succeeded, failed)


def _is_valid(job: JobRound, pod: PodRow) -> bool:
    return not job.is_indexed or NO_INDEX < index_of(pod) < (job.completions or 0)


def count_done_indexes(fx: Effects, job: JobRound) -> None:
    """The indexes that have succeeded and failed, and the failed pods that wait for a replacement to take over their count."""
    completions, tracked = job.completions or 0, fx.profile.job_tracking_finalizers
    fresh = [pod for pod in job.pods if (has_finalizer(pod) or not tracked) and _is_valid(job, pod)]
    job.done_before = parsed_indexes(str(job.status.get("completedIndexes") or ""), completions) if tracked else ()
    job.done = including(job.done_before, [index_of(pod) for pod in fresh if pod.status.phase == "Succeeded"])
    job.succeeded = total(job.done)
    if job.limit_by_index is None:
        return
    bad = [index_of(pod) for pod in fresh if _fails_index(job, pod)]
    job.bad = including(parsed_indexes(str(job.status.get("failedIndexes") or ""), completions), bad)
    job.kept = _kept(job, fresh, job.bad)


def _fails_index(job: JobRound, pod: PodRow) -> bool:
    if not job.is_failed(pod):
        return False
    found = job.match(pod)
    return found.action == FAIL_INDEX or (found.counts and count_in(pod, FAILURES) >= (job.limit_by_index or 0))


def _kept(job: JobRound, fresh: list[PodRow], bad: Intervals) -> dict[int, PodRow]:
    active = {index_of(pod) for pod in job.active_pods}
    kept: dict[int, PodRow] = {}
    for pod in fresh:
        index = index_of(pod)
        if not job.is_failed(pod) or index in active or has(job.done, index) or has(bad, index):
            continue
        held_pod = kept.get(index)
        if held_pod is None or (failures_of_index(held_pod), finished_ms(held_pod)) <= (failures_of_index(pod), finished_ms(pod)):
            kept[index] = pod
    return kept


# ---- writing -----------------------------------------------------------------------------------------------------
def write(fx: Effects, job: JobRound) -> None:
    """Write the round's findings into the status, release counted pods, and end the Job if that is due."""
    if not fx.profile.job_tracking_finalizers:
        _write_plain(fx, job)
        return
    # Step 3 for what an earlier round released: its uids are listed, its finalizers are gone.
    if _count_released(job, {pod.uid for pod in job.pods if has_finalizer(pod)}):
        job.is_dirty = True
    to_release, is_full = _to_release(fx, job)
    if job.is_indexed:
        _write_indexes(job)
    finish, is_new = _interim(fx, job)
    if job.is_dirty:
        _put(fx, job)
    # Step 2 comes after step 1 has been stored by _put above, never before.
    released = _release(fx, to_release)
    job.is_dirty = _count_released(job, {pod.uid for pod in job.pods if has_finalizer(pod) and pod.key not in released})
    if finish is not None and not is_full and _may_end(fx, job, is_new=is_new):
        _end(fx, job, finish)
    elif job.is_dirty:
        _put(fx, job)


def _write_plain(fx: Effects, job: JobRound) -> None:
    _set(job.status, "succeeded", job.succeeded)
    _set(job.status, "failed", job.failed)
    if job.is_indexed:
        _set(job.status, "completedIndexes", indexes_text(job.done))
    if job.finish is not None:
        _end(fx, job, job.finish)
    elif job.status != status_of(job.row):
        _put(fx, job)


def _set(status: Json, key: str, value: int | str) -> None:
    if value:
        status[key] = value
    else:
        status.pop(key, None)


def set_counts(fx: Effects, job: JobRound) -> None:
    """Set active, ready and terminating as the version writes them; mark the round dirty if they differ."""
    before = dict(job.status)
    _set(job.status, "active", job.active)
    if fx.profile.job_ready_pods:
        job.status["ready"] = job.ready
    if fx.profile.job_pod_replacement:
        job.status["terminating"] = job.terminating
    if fx.profile.job_tracking_finalizers:
        job.status.setdefault("uncountedTerminatedPods", {})
    # The list is left out of the comparison: adding an empty one is not worth a write.
    job.is_dirty = job.is_dirty or {**before, "uncountedTerminatedPods": 0} != {**job.status, "uncountedTerminatedPods": 0}


def _to_release(fx: Effects, job: JobRound) -> tuple[list[PodRow], bool]:
    """The pods whose finalizer may go, each named as succeeded or failed by now; whether one round cannot take more of them."""
    uncounted = {kind: list(uids) for kind, uids in (job.status.get("uncountedTerminatedPods") or {}).items()}
    found: list[PodRow] = []
    new_done: list[int] = []
    # Upstream adds completed indexes in order, even if the maximum cuts a round off.
    pods = sorted(job.pods, key=index_of) if job.is_indexed else job.pods
    for pod in pods:
        if not has_finalizer(pod) or not _may_release(job, pod):
            continue
        found.append(pod)
        # A pod may have been named as failed when it was deleted and succeed afterwards: the first
        # verdict stands.
        if pod.status.phase == "Succeeded" and pod.uid not in uncounted.get("failed", ()):
            _count_success(job, pod, uncounted, new_done)
        elif job.is_failed(pod) or (job.finish is not None and not job.finish.is_success):
            _count_failure(fx, job, pod, uncounted)
        if len(new_done) + sum(len(uids) for uids in uncounted.values()) >= UNCOUNTED_MAX:
            break
    job.status["uncountedTerminatedPods"] = uncounted
    job.done = including(job.done_before, new_done) if job.is_indexed else ()
    return found, len(new_done) + sum(len(uids) for uids in uncounted.values()) >= UNCOUNTED_MAX


def _may_release(job: JobRound, pod: PodRow) -> bool:
    if job.row.deletion_ms is not None or job.finish is not None or pod.status.phase == "Succeeded":
        return True
    if not job.is_failed(pod):
        return False
    kept = job.kept.get(index_of(pod)) if job.limit_by_index is not None else None
    return kept is None or kept.uid != pod.uid


def _count_success(job: JobRound, pod: PodRow, uncounted: dict[str, list[str]], new_done: list[int]) -> None:
    if job.is_indexed:
        if _is_valid(job, pod) and not has(job.done_before, index_of(pod)):
            new_done.append(index_of(pod))
            job.is_dirty = True
    elif pod.uid not in uncounted.get("succeeded", ()):
        uncounted.setdefault("succeeded", []).append(pod.uid)
        job.is_dirty = True


def _count_failure(fx: Effects, job: JobRound, pod: PodRow, uncounted: dict[str, list[str]]) -> None:
    if pod.uid in uncounted.get("failed", ()) or not _is_valid(job, pod):
        return
    found = job.match(pod) if job.policy is not None else PolicyMatch()
    if job.policy is not None:
        rule, data = found.explanation(len(job.policy.get("rules") or ()))
        fx.note_step(pod.subject, "failure-policy", rule=rule, data=data)
    if found.counts:
        uncounted.setdefault("failed", []).append(pod.uid)
        job.is_dirty = True


def _write_indexes(job: JobRound) -> None:
    before = (job.status.get("succeeded"), job.status.get("completedIndexes"), job.status.get("failedIndexes"))
    _set(job.status, "succeeded", total(job.done))
    _set(job.status, "completedIndexes", indexes_text(job.done))
    if job.bad is not None:
        job.status["failedIndexes"] = indexes_text(job.bad)
    after = (job.status.get("succeeded"), job.status.get("completedIndexes"), job.status.get("failedIndexes"))
    job.is_dirty = job.is_dirty or before != after


def _interim(fx: Effects, job: JobRound) -> tuple[Finish | None, bool]:
    """Add the condition that announces the end. Returns the end itself, and whether it was announced only now."""
    finish = job.finish
    if finish is None or finish.type not in (FAILURE_TARGET, SUCCESS_MET):
        return finish, False
    is_new = condition_in(job.status, finish.type) is None
    if is_new:
        _add_condition(fx, job, finish.type, finish)
        job.is_dirty = True
    last = FAILED if finish.type == FAILURE_TARGET else COMPLETE
    return Finish(type=last, reason=finish.reason, message=finish.message), is_new


def _add_condition(fx: Effects, job: JobRound, kind: str, finish: Finish) -> None:
    now = now_text(fx)
    condition: Json = {"type": kind, "status": "True", "lastProbeTime": now, "lastTransitionTime": now}
    condition |= {key: value for key, value in (("reason", finish.reason), ("message", finish.message)) if value}
    job.status = including_condition(job.status, condition)


def _release(fx: Effects, pods: list[PodRow]) -> set[str]:
    for pod in fx.each(pods):
        fx.cause = fx.note_step(pod.subject, "counted", rule="JOB-POD-COUNTED", data=())
        without_finalizer(fx, pod)
    return {pod.key for pod in pods}


def _count_released(job: JobRound, held_uids: set[str]) -> bool:
    """Count the pods that are named and no longer have a finalizer. Whether there were any."""
    uncounted = job.status.get("uncountedTerminatedPods") or {}
    kept: Json = {}
    for kind, uids in uncounted.items():
        waiting = [uid for uid in uids if uid in held_uids]
        if waiting:
            kept[kind] = waiting
        _set(job.status, kind, int(job.status.get(kind) or 0) + len(uids) - len(waiting))
    job.status["uncountedTerminatedPods"] = kept
    return kept != uncounted


def _may_end(fx: Effects, job: JobRound, *, is_new: bool) -> bool:
    if job.status.get("uncountedTerminatedPods"):
        return False
    if fx.profile.job_terminal_delayed and job.terminating > 0:
        if is_new:
            fx.note_step(job.row.subject, "waits", rule="JOB-WAITS", data=(("terminating", job.terminating),))
        return False
    return True


def _end(fx: Effects, job: JobRound, finish: Finish) -> None:
    """Write the final condition, and its Event."""
    is_complete = finish.type == COMPLETE
    if not is_complete:
        _add_condition(fx, job, FAILED, finish)
    else:
        _add_condition(fx, job, COMPLETE, finish)
        job.status["completionTime"] = now_text(fx)
    rule = "JOB-COMPLETE" if is_complete else finish.rule or "JOB-FAILED"
    data: Data = (("succeeded", job.status.get("succeeded", 0)),) if is_complete else finish.data
    seq = _put(fx, job, rule=rule, data=data)
    wanted = job.completions
    with fx.because(seq):
        if is_complete and job.active:
            text = "Too many active pods running after completion count reached"
            emit_of_controller(fx, job.row, COMPONENT, severity="Warning", reason="TooManyActivePods", message=text, rule=rule)
        if is_complete and wanted is not None and int(job.status.get("succeeded") or 0) > wanted:
            text = "Too many succeeded pods running after completion count reached"
            emit_of_controller(fx, job.row, COMPONENT, severity="Warning", reason="TooManySucceededPods", message=text, rule=rule)
        if is_complete:
            emit_of_controller(fx, job.row, COMPONENT, reason="Completed", message="Job completed", rule=rule)
        else:
            emit_of_controller(fx, job.row, COMPONENT, severity="Warning", reason=finish.reason, message=finish.message, rule=rule)
    fx.save_job_failures(job.row.uid, None)


def _put(fx: Effects, job: JobRound, *, rule: str = "", data: Data = ()) -> Seq:
    """Store the status; ``rule``: why it now names the Job's end, if it does. Returns the record of that, else the cause."""
    current = stored_object(fx, KIND, job.row.namespace, job.row.name)
    seq = fx.cause
    if current is None or current.uid != job.row.uid or job.status == status_of(current):
        return seq
    with fx.aside():
        if rule:
            seq = fx.cause = fx.note_step(job.row.subject, finished_as(job.status), rule=rule, data=data)
        job.row = put_status(fx, current, dict(job.status))
    if fx.profile.job_backoff == "by_end":
        fx.save_job_failures(job.row.uid, job.failures if job.failures[0] else None)
    job.is_dirty = False
    return seq
