"""What wakes the Job controller, and how pods that no Job counts any more lose their finalizer.

The controller watches Jobs, the pods they control and pods that a Job could adopt. Since 1.24 it
does not handle a change of a pod at once but collects changes for a second (``job_batch_ms``): a
Job with many short pods would otherwise write its status for each. A change of the Job's own spec
or its deletion is not delayed.

Until 1.26 a failed pod additionally makes the Job wait in the queue, longer with each failed round;
this delay is the whole back-off of these versions.

A second, separate sync handles orphans. A pod with the tracking finalizer whose Job is gone,
has finished, or is another one with the same name would never be removed from the store, because only a
Job's round removes the finalizer. Jobs managed by another controller (spec.managedBy) keep
theirs.

Source: pkg/controller/job/job_controller.go addPod, updatePod, deletePod, updateJob, syncOrphanPod.
"""

from simulator.engine.controllers.job.job import is_managed_elsewhere
from simulator.engine.controllers.job.pods import without_finalizer
from simulator.engine.controllers.job.round import COMPONENT, KIND, has_finalizer, is_finished
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.workloads.objects import status_of, stored_object
from simulator.engine.workloads.queueing import workload_watches
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import JobOrphan, JobSync
from simulator.engine.world.lookups import dependents_of
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import PodRow
from simulator.engine.world.watch import ADDED, BOUND, CHANGED, DELETING, ENDED, GONE, NOBODY, STATUS, Queue, Watch
from simulator.engine.world.world import ApiObject

QUEUE = Queue(COMPONENT, Lane.CONTROLLER, "watch_ms")

RULES = (
    RuleText(
        "JOB-ORPHAN-RELEASED",
        gettext_noop("No Job counts this pod any more: the Job controller removes its tracking finalizer."),
        "pkg/controller/job/job_controller.go syncOrphanPod",
        "1.25",
    ),
)


def _job_written(fx: Effects, old: ApiObject | None, row: ApiObject) -> None:
    key = JobSync(row.namespace, row.name)
    if old is None or old.generation != row.generation or old.deletion_ms != row.deletion_ms:
        fx.enqueue(QUEUE, key)
    else:
        _look(fx, key)


def _job_gone(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    fx.enqueue(QUEUE, JobSync(row.namespace, row.name))
    fx.save_job_failures(row.uid, None)
    for pod in dependents_of(fx.tables, (KIND, row.namespace, row.name), row.uid):
        if isinstance(pod, PodRow) and has_finalizer(pod):
            fx.enqueue(QUEUE, JobOrphan(pod.key))


def _pod_written(fx: Effects, old: PodRow | None, row: PodRow) -> None:
    after = row.pod.metadata.controller
    before = old.pod.metadata.controller if old is not None else after
    # A released pod concerns the Job that lost it as well.
    for owner in (after, before) if before is not after else (after,):
        if owner is not None and owner.kind == KIND:
            _look(fx, JobSync(row.namespace, owner.name), has_failed=row.status.phase == "Failed" and row.gone_ms is None)


def _lone_written(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    if row.pod.metadata.finalizers and has_finalizer(row):
        fx.enqueue(QUEUE, JobOrphan(row.key))


def _look(fx: Effects, key: JobSync, *, has_failed: bool = False) -> None:
    """Check a Job once its pods' changes have been collected; until 1.26 a failed pod makes it wait according to its previous failures."""
    profile = fx.profile
    wait = profile.job_batch_ms
    rounds = fx.tables.failures.get(key, 0) if has_failed and profile.job_backoff != "by_end" else 0
    if rounds:
        wait = max(wait, min(profile.job_backoff_initial_ms << min(rounds - 1, 20), profile.job_backoff_max_ms))
    if wait:
        fx.check(fx.now + profile.watch_ms + wait, Lane.CONTROLLER, key)
    else:
        fx.enqueue(QUEUE, key)


WATCHES = (
    Watch(COMPONENT, KIND, ADDED | CHANGED | DELETING, _job_written, ignores_own=True),
    Watch(COMPONENT, KIND, GONE, _job_gone),
    Watch(COMPONENT, "Pod", ADDED | CHANGED | BOUND | DELETING | STATUS | ENDED | GONE, _pod_written, owner=KIND),
    Watch(COMPONENT, "Pod", ADDED | CHANGED, _lone_written, owner=NOBODY),
    workload_watches(COMPONENT, KIND, JobSync)[-1],  # pods without a controller that a Job could adopt
)


def job_orphan(fx: Effects, event: JobOrphan) -> None:
    """Remove the tracking finalizer of a pod whose Job is gone, has finished, or never existed."""
    pod = fx.tables.pods[event.pod]
    if pod.gone_ms is not None or not has_finalizer(pod):
        return
    owner = pod.pod.metadata.controller
    job = stored_object(fx, KIND, pod.namespace, owner.name) if owner is not None and owner.kind == KIND else None
    if job is not None and owner is not None and job.uid == owner.uid and (is_managed_elsewhere(job) or not is_finished(status_of(job))):
        return
    fx.cause = fx.note_step(pod.subject, "released", rule="JOB-ORPHAN-RELEASED", data=())
    without_finalizer(fx, pod)
