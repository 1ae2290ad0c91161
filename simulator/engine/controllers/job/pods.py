"""The pods of a Job: how many it creates and deletes, which, and what is written into them.

The number wanted is min(parallelism, completions − succeeded). Without completions (a work queue)
it is parallelism until the first success; from then on no pod is added and the active ones are left
to end by themselves.

Surplus pods are deleted before missing ones are created, and in separate rounds. Those deleted lose
their tracking finalizer first, so that their end counts neither as success nor as failure. In an
Indexed Job pods whose index is duplicate, out of range or missing go first, then the common ranking
applies; a Job ignores pod-deletion-cost.

Whether a terminating pod still occupies its slot depends on podReplacementPolicy:
TerminatingOrFailed creates a replacement at the deletionTimestamp, so two pods run side by side for
the grace period; Failed, which a podFailurePolicy implies (``job_policy_holds_replacements``,
1.28), waits for the end. An Indexed Job takes the lowest free indexes, and there a terminating pod
keeps its index under the same rule.

The back-off after failures holds back creations only, never deletions.

Source: pkg/controller/job/job_controller.go manageJob, deleteActivePods, deleteJobPods;
indexed_job_utils.go.
"""

import json

from msgspec.structs import replace

from simulator.engine.apiserver.pod_updates import update_pod
from simulator.engine.controllers.job.backoff import NEVER_FAILED, index_remaining_ms, remaining_ms, wait_ms
from simulator.engine.controllers.job.indexes import FAILURES, IGNORED, INDEX, NO_INDEX, count_in, first_missing, including, index_of
from simulator.engine.controllers.job.round import COMPONENT, FINALIZER, JobRound, has_finalizer, is_terminating
from simulator.engine.kernel.ids import NAME_PREFIX
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.workloads.pod_control import (
    BURST_REPLICAS,
    PodNotMade,
    give_back,
    make_pod,
    pod_of,
    requests_a_pod,
    slow_start,
    unmake_pod,
    within_limit,
)
from simulator.engine.workloads.ranking import decides, in_order_of_deletion, ranked
from simulator.engine.world.effects import Effects
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import PodRow

_SOURCE = "pkg/controller/job/job_controller.go manageJob"
_ENV = "JOB_COMPLETION_INDEX"

RULES = (
    RuleText(
        "JOB-SCALE-UP",
        gettext_noop(
            "The Job wants {wanted} active {wanted:pod|pods} and has {active}, so it creates {count}; "
            "{succeeded} {succeeded:has|have} succeeded, {failed} failed."
        ),
        _SOURCE,
    ),
    RuleText(
        "JOB-SCALE-DOWN",
        gettext_noop("The Job wants {wanted} active {wanted:pod|pods} and has {active}, so it deletes {count} of them."),
        _SOURCE,
    ),
    RuleText(
        "JOB-BACKOFF",
        gettext_noop(
            "After {failures} {failures:failure|failures in a row}, the Job waits {wait_s} s from the end of the "
            "last one before it creates the next pod."
        ),
        "pkg/controller/job/backoff_utils.go getRemainingTime",
    ),
)


def manage_pods(fx: Effects, job: JobRound) -> PodNotMade | None:
    """Create or delete pods towards the number that the Job wants. Returns why a pod could not be created, or None."""
    if job.is_suspended:
        _delete(fx, job, _to_delete(fx, job, job.active), 0)
        return None
    wanted = _wanted(job)
    # Until 1.21 pods beyond the completions still missing are left running.
    kept = wanted if fx.profile.job_deletes_beyond_completions else job.parallelism
    surplus = _to_delete(fx, job, max(0, job.active - kept))[:BURST_REPLICAS]
    if surplus:  # in one round pods are either deleted or created
        _delete(fx, job, surplus, wanted)
        return None
    missing = wanted - job.active - (job.terminating if job.replaces_failed_only else 0)
    return _make(fx, job, wanted, min(missing, BURST_REPLICAS)) if missing > 0 else None


def _wanted(job: JobRound) -> int:
    if job.completions is None:
        return job.active if job.succeeded else job.parallelism
    return max(0, min(job.completions - job.succeeded, job.parallelism))


def granted(fx: Effects, job: JobRound, count: int) -> int:
    """How many of these pods the controller's client may request now; for the others the Job has its next check."""
    return within_limit(fx, COMPONENT, job.key, count, each=requests_a_pod(fx, job.row, COMPONENT))


# ---- deleting ----------------------------------------------------------------------------------------------------
def _to_delete(fx: Effects, job: JobRound, at_least: int) -> list[PodRow]:
    """The surplus active pods: those whose index is taken, out of range or missing, then the first of the ranking."""
    doubled, left = _doubled(fx, job) if job.is_indexed else ([], job.active_pods)
    more = _ranked(fx, left)[: max(0, at_least - len(doubled))] if len(doubled) < at_least else []
    return [*doubled, *more]


def _doubled(fx: Effects, job: JobRound) -> tuple[list[PodRow], list[PodRow]]:
    by_index: dict[int, list[PodRow]] = {}
    for pod in job.active_pods:
        index = index_of(pod)
        by_index.setdefault(index if index < (job.completions or 0) else NO_INDEX, []).append(pod)
    doubled, left = by_index.pop(NO_INDEX, []), []
    for index in sorted(by_index):
        *others, last = _ranked(fx, by_index[index]) if len(by_index[index]) > 1 else by_index[index]
        doubled += others
        left.append(last)
    return doubled, left


def _ranked(fx: Effects, pods: list[PodRow]) -> list[PodRow]:
    """The pods in order of deletion. A Job does not read the cost of deletion (controller.ActivePods)."""
    items = [replace(ranked(pod, 0), cost=0) for pod in pods]
    place = {id(item): pod for item, pod in zip(items, pods, strict=True)}
    return [place[id(item)] for item in in_order_of_deletion(items, fx.now, fx.profile)]


def _delete(fx: Effects, job: JobRound, pods: list[PodRow], wanted: int) -> None:
    """Delete surplus pods: their finalizer is removed first, so that their end does not count as a failure."""
    count = granted(fx, job, len(pods)) if pods else 0
    if not count:
        return
    data = (("wanted", wanted), ("active", job.active), ("count", count))
    with fx.because(fx.note_step(job.row.subject, "pods", rule="JOB-SCALE-DOWN", data=data)):
        gone = {pod.key for pod in pods[:count]}
        kept = [pod for pod in job.active_pods if pod.key not in gone]
        for pod in fx.each(pods[:count]):
            _note_choice(fx, pod, kept)
            without_finalizer(fx, pod)
            unmake_pod(fx, job.row, fx.tables.pods[pod.key], component=COMPONENT)
    _are_deleted(job, pods[:count])


def _note_choice(fx: Effects, pod: PodRow, kept: list[PodRow]) -> None:
    if kept:
        first = _ranked(fx, kept)[0]
        one, other = (replace(ranked(item, 0), cost=0) for item in (pod, first))
        rule = decides(one, other, fx.now, fx.profile)[1]
        fx.cause = fx.note_step(pod.subject, "chosen", rule=rule, data=(("over", first.name),))


def delete_active(fx: Effects, job: JobRound) -> bool:
    """Delete every active pod of a Job that is ending; they still count. Whether all could be deleted."""
    count = granted(fx, job, len(job.active_pods)) if job.active_pods else 0
    for pod in fx.each(job.active_pods[:count]):
        unmake_pod(fx, job.row, pod, component=COMPONENT)
    _are_deleted(job, job.active_pods[:count])
    return count == len(job.active_pods)


def _are_deleted(job: JobRound, pods: list[PodRow]) -> None:
    job.active -= len(pods)
    job.terminating += len(pods)
    job.ready -= sum(is_pod_ready(pod) for pod in pods)


def is_pod_ready(pod: PodRow) -> bool:
    """Whether the pod's condition Ready is True."""
    ready = pod.status.condition("Ready")
    return ready is not None and ready.status == "True"


def without_finalizer(fx: Effects, pod: PodRow) -> None:
    """Remove the tracking finalizer from a pod; a pod that only waited for that goes."""
    pod = fx.tables.pods[pod.key]
    if has_finalizer(pod) and pod.gone_ms is None:
        _with_finalizers(fx, pod, tuple(item for item in pod.pod.metadata.finalizers if item != FINALIZER))


def with_finalizer(fx: Effects, pod: PodRow) -> None:
    """Add the tracking finalizer to an adopted pod."""
    pod = fx.tables.pods[pod.key]
    if not has_finalizer(pod) and pod.gone_ms is None:
        _with_finalizers(fx, pod, (*pod.pod.metadata.finalizers, FINALIZER))


def _with_finalizers(fx: Effects, pod: PodRow, finalizers: tuple[str, ...]) -> None:
    document = json.loads(pod.document)
    metadata = {key: value for key, value in document["metadata"].items() if key != "finalizers"}
    document["metadata"] = {**metadata, **({"finalizers": list(finalizers)} if finalizers else {})}
    update_pod(fx, pod, document, replace(pod.pod, metadata=replace(pod.pod.metadata, finalizers=finalizers)), grown=False)


# ---- making ------------------------------------------------------------------------------------------------------
def _make(fx: Effects, job: JobRound, wanted: int, missing: int) -> PodNotMade | None:
    wait = 0
    if job.limit_by_index is None and fx.profile.job_backoff == "by_end":
        wait = remaining_ms(fx, *job.failures)
    indexes: list[int] = []
    if not wait and job.is_indexed:
        indexes, wait = _indexes_now(fx, job, _missing_indexes(job, missing))
        missing = len(indexes)
    if wait:
        _wait(fx, job, wait)
        return None
    each = requests_a_pod(fx, job.row, COMPONENT)
    count = granted(fx, job, missing)
    if not count:
        return None
    data = (("wanted", wanted), ("active", job.active), ("count", count), ("succeeded", job.succeeded), ("failed", job.failed))
    turns = iter(indexes)
    with fx.because(fx.note_step(job.row.subject, "pods", rule="JOB-SCALE-UP", data=data)):
        tried = slow_start(count, lambda: make_pod(fx, job.row, _pod(fx, job, next(turns, NO_INDEX)), component=COMPONENT))
    if tried.problem is not None:
        give_back(fx, COMPONENT, job.key, tried, count, each=each)
    job.active += tried.made
    return tried.problem


def _wait(fx: Effects, job: JobRound, wait: Ms) -> None:
    """Check again when the back-off is over. Until then the status says that nothing is active: upstream returns 0 there."""
    fx.check(fx.now + max(wait, fx.profile.job_batch_ms), Lane.CONTROLLER, job.key)
    if job.failures != fx.tables.job_failures.get(job.row.uid, NEVER_FAILED) and job.limit_by_index is None:
        data = (("failures", job.failures[0]), ("wait_s", wait_ms(fx, job.failures[0]) // SECOND))
        fx.note_step(job.row.subject, "backoff", rule="JOB-BACKOFF", data=data)
    job.active = 0


def _missing_indexes(job: JobRound, count: int) -> list[int]:
    taken = including(job.done, [index for pod in job.active_pods if (index := index_of(pod)) != NO_INDEX])
    if job.replaces_failed_only:
        taken = including(taken, [index for pod in job.pods if is_terminating(pod) and (index := index_of(pod)) != NO_INDEX])
    for first, last in job.bad or ():
        taken = including(taken, range(first, last + 1))
    return first_missing(taken, count, job.completions or 0)


def _indexes_now(fx: Effects, job: JobRound, indexes: list[int]) -> tuple[list[int], Ms]:
    """The indexes that need not wait; if all have to, the shortest wait. Each index has its own back-off."""
    if job.limit_by_index is None:
        return indexes, 0
    waits = {index: index_remaining_ms(fx, job.kept.get(index)) for index in indexes}
    now = [index for index, wait in waits.items() if not wait]
    return now, (min(waits.values()) if waits and not now else 0)


def _pod(fx: Effects, job: JobRound, index: int) -> Json:
    template = job.spec.get("template") or {}
    given = template.get("metadata") or {}
    added: Json = {}
    if fx.profile.job_tracking_finalizers:
        added["finalizers"] = [*(item for item in given.get("finalizers") or () if item != FINALIZER), FINALIZER]
    if index == NO_INDEX:
        return pod_of(job.row, template, **added)
    added["annotations"] = {**(given.get("annotations") or {}), INDEX: str(index), **_failures(job, index)}
    if fx.profile.pod_index_label:
        added["labels"] = {**(given.get("labels") or {}), INDEX: str(index)}
    # The name must keep its index even if the Job's own name has to be cut.
    end = f"-{index}-"
    added["generateName"] = f"{job.row.name[: NAME_PREFIX - len(end)]}{end}"
    spec = _with_index_variable(template.get("spec") or {}, by_label=fx.profile.pod_index_label)
    return pod_of(job.row, {**template, "spec": {**spec, "hostname": f"{job.row.name}-{index}"}}, **added)


def _failures(job: JobRound, index: int) -> dict[str, str]:
    """The annotations in which a pod of an index continues the count of those before it."""
    if job.limit_by_index is None:
        return {}
    replaced = job.kept.get(index)
    if replaced is None:
        return {FAILURES: "0"}
    counts = job.policy is None or job.match(replaced).counts
    failed, ignored = count_in(replaced, FAILURES) + counts, count_in(replaced, IGNORED) + (not counts)
    return {FAILURES: str(failed), **({IGNORED: str(ignored)} if ignored else {})}


def _with_index_variable(spec: Json, *, by_label: bool) -> Json:
    """A pod's spec in which every container without a variable of that name gets the index in one."""
    source = {"fieldRef": {"fieldPath": f"metadata.{'labels' if by_label else 'annotations'}['{INDEX}']"}}
    found = dict(spec)
    for group in ("initContainers", "containers"):
        if spec.get(group):
            found[group] = [_with_variable(item, source) for item in spec[group]]
    return found


def _with_variable(container: Json, source: Json) -> Json:
    env = container.get("env") or []
    if any(item.get("name") == _ENV for item in env):
        return container
    return {**container, "env": [*env, {"name": _ENV, "valueFrom": source}]}
