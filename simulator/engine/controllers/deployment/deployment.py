"""The Deployment controller: moves from one pod template to the next by way of ReplicaSets.

A Deployment owns no pods. It owns ReplicaSets, one per template it has had, and all it ever does is
set their sizes, based on their statuses. Each round is a small step; the ReplicaSets'
response, a changed status, wakes the next. Nothing of a rollout's progress is stored: after any
interruption the next round reads the current state and continues.

A round takes one of these paths, checked in this order:

* being deleted: only the status is kept up to date;
* paused: sizes follow spec.replicas, the template is not rolled out;
* spec.replicas has changed (the ReplicaSets' annotation desired-replicas differs): scale first, in
  proportion, even in the middle of a rollout;
* RollingUpdate or Recreate (``rollout.py``).

Which ReplicaSet is "new" is decided by comparing templates, not by name or hash, so returning to an
earlier template reuses its ReplicaSet with a new revision number: that is a rollback.

progressDeadlineSeconds only reports. It starts again with each progress, and when it has passed the
condition Progressing turns False; nothing is rolled back or stopped. As no write happens when
nothing moves, the round that finds the deadline passed is planned by a timer, a second late.

Source: pkg/controller/deployment/deployment_controller.go, sync.go, progress.go.
"""

from simulator.engine.controllers.deployment.arithmetic import RECREATE
from simulator.engine.controllers.deployment.replica_sets import KIND as SET_KIND
from simulator.engine.controllers.deployment.rollout import (
    clean_up,
    old_pods_run,
    recreate_down,
    recreate_up,
    roll,
    scale,
)
from simulator.engine.controllers.deployment.status import (
    PAUSED,
    PROGRESSING,
    RESUMED,
    TIMED_OUT,
    deadline_of,
    is_complete,
    numbers,
    updated_ms,
    with_failure,
    with_progress,
)
from simulator.engine.controllers.deployment.step import COMPONENT, Again, Rollout
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import SECOND, seconds
from simulator.engine.model.selectors import selects
from simulator.engine.workloads.objects import condition_in, labels_of, now_text, parsed, selector_of, status_of, stored_object
from simulator.engine.workloads.pod_control import within_limit
from simulator.engine.workloads.queueing import forget, look, retry
from simulator.engine.workloads.refs import owned_objects
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import DeploymentSync
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.rows import PodRow
from simulator.engine.world.watch import ADDED, CHANGED, DELETING, GONE, STATUS, Watch
from simulator.engine.world.world import ApiObject

KIND = "Deployment"

RULES = (
    RuleText(
        "DEPLOYMENT-DEADLINE",
        gettext_noop(
            "For more than {seconds} s (progressDeadlineSeconds) no new pod appeared, became ready or became "
            "available and no old one went: the Deployment reports that it has timed out. It keeps trying and "
            "does not roll back on its own."
        ),
        "pkg/controller/deployment/progress.go syncRolloutStatus; util/deployment_util.go DeploymentTimedOut",
    ),
    RuleText(
        "DEPLOYMENT-PAUSED",
        gettext_noop("The Deployment is paused: template changes wait, scaling does not, and its deadline does not run."),
        "pkg/controller/deployment/sync.go checkPausedConditions",
    ),
    RuleText(
        "DEPLOYMENT-RESUMED",
        gettext_noop("The Deployment is resumed: its rollout continues, and its progress deadline starts over."),
        "pkg/controller/deployment/sync.go checkPausedConditions",
    ),
    RuleText(
        "DEPLOYMENT-SELECTS-ALL",
        gettext_noop("The Deployment’s selector is empty and would match every pod: the controller ignores it."),
        "pkg/controller/deployment/deployment_controller.go syncDeployment",
    ),
)


def deployment_sync(fx: Effects, event: DeploymentSync) -> None:
    """Run one round (syncDeployment). One that writes nothing leaves no record; the next check is planned if a deadline is running."""
    row = stored_object(fx, KIND, event.namespace, event.name)
    if row is None:
        forget(fx, event)
        fx.save_reserved(event, None)
        return
    if not selector_of(row):
        _refuse_all(fx, row)
        return
    try:
        _sync(Rollout(fx, row), event)
    except Again:
        retry(fx, event)
    else:
        forget(fx, event)


def _refuse_all(fx: Effects, row: ApiObject) -> None:
    status = status_of(row)
    if int(status.get("observedGeneration") or 0) >= row.generation:
        return
    step = Rollout(fx, row)
    with fx.because(step.note("selects-all", "DEPLOYMENT-SELECTS-ALL", ())):
        text = "This deployment is selecting all pods. A non-empty selector is required."
        step.emit("Warning", "SelectingAll", text, "DEPLOYMENT-SELECTS-ALL")
        step.put({**status, "observedGeneration": row.generation})


def _sync(step: Rollout, event: DeploymentSync) -> None:
    if step.row.deletion_ms is not None:
        step.know_new()
        _write_numbers(step, event)
        return
    _set_paused(step)
    if step.spec.get("paused"):
        _scale(step)
        clean_up(step)
        _write_numbers(step, event)
        return
    step.know_new()
    if step.is_scaled():
        scale(step)
        _write_numbers(step, event)
    elif step.bounds.is_rolling:
        _roll(step, event)
    else:
        _recreate(step, event)


def _scale(step: Rollout) -> None:
    step.know_new()
    scale(step)


def _roll(step: Rollout, event: DeploymentSync) -> None:
    step.make_new()
    # Only in a round that scaled nothing: after a change of size the statuses are out of date.
    if not roll(step) and is_complete(step.row, status_of(step.row), step.bounds):
        clean_up(step)
    _write_rollout(step, event)


def _recreate(step: Rollout, event: DeploymentSync) -> None:
    # Terminating pods count as running here: with Recreate two templates never run side by side.
    if recreate_down(step) or old_pods_run(step):
        _write_rollout(step, event)
        return
    step.make_new()
    recreate_up(step)
    if is_complete(step.row, status_of(step.row), step.bounds):
        clean_up(step)
    _write_rollout(step, event)


def _set_paused(step: Rollout) -> None:
    """Report that the rollout is paused, or that it was, unless it has timed out (checkPausedConditions)."""
    progressing = condition_in(status_of(step.row), PROGRESSING)
    reason = progressing.get("reason") if progressing is not None else None
    is_paused = bool(step.spec.get("paused"))
    if deadline_of(step.spec) is None or reason == TIMED_OUT or is_paused is (reason == PAUSED):
        return
    rule, word, text = (
        ("DEPLOYMENT-PAUSED", PAUSED, "Deployment is paused") if is_paused else ("DEPLOYMENT-RESUMED", RESUMED, "Deployment is resumed")
    )
    with step.fx.because(step.note("paused" if is_paused else "resumed", rule, ())):
        step.put_condition("Unknown", word, text)


def _numbers(step: Rollout) -> Json:
    return numbers(step.fx.profile, step.row, step.all, step.new, step.bounds, now_text(step.fx))


def _write_numbers(step: Rollout, event: DeploymentSync) -> None:
    _write(step, _numbers(step), event)


def _write_rollout(step: Rollout, event: DeploymentSync) -> None:
    """Write the status with its progress, and plan a check at the end of the deadline (syncRolloutStatus)."""
    fx, deadline_s = step.fx, deadline_of(step.spec)
    epoch_s = fx.world.header.epoch_s
    status = with_progress(
        _numbers(step), step.row, step.new, step.bounds, now_ms=fx.now, epoch_s=epoch_s, now=now_text(fx)
    )  # fmt: skip
    status = with_failure(status, step.all, step.new)
    if not _write(step, status, event):
        return  # the next check comes once the client may write
    progressing = condition_in(status_of(step.row), PROGRESSING)
    if deadline_s is None or progressing is None or progressing.get("reason") == TIMED_OUT or is_complete(step.row, status, step.bounds):
        return
    due_ms = updated_ms(progressing, epoch_s) + seconds(deadline_s)
    # A second more, as the comparison is with whole seconds and must be past the deadline.
    look(fx, event, after_ms=max(due_ms - fx.now, 0) + SECOND)


def _write(step: Rollout, status: Json, event: DeploymentSync) -> bool:
    """Write a changed status as soon as the client may send it; note a rollout that has timed out. False while it waits."""
    before = status_of(step.row)
    if status == before:
        return True
    if not within_limit(step.fx, COMPONENT, event, 1, each=1):
        return False
    held_before, progressing = condition_in(before, PROGRESSING), condition_in(status, PROGRESSING)
    if progressing is not None and progressing.get("reason") == TIMED_OUT and (held_before or {}).get("reason") != TIMED_OUT:
        with step.fx.because(step.note("timed-out", "DEPLOYMENT-DEADLINE", (("seconds", deadline_of(step.spec) or 0),))):
            step.put(status)
    else:
        step.put(status)
    return True


# ---- watches -----------------------------------------------------------------------------------------------------
def _written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    look(fx, DeploymentSync(row.namespace, row.name))


def _set_written(fx: Effects, old: ApiObject | None, row: ApiObject) -> None:
    """A ReplicaSet wakes the Deployment that manages it, or did; an orphan wakes those whose selector matches it."""
    names = dict.fromkeys(name for item in (row, old) if item is not None for name in _managers(item))
    for name in names or _means(fx, row):
        look(fx, DeploymentSync(row.namespace, name))


def _managers(row: ApiObject) -> list[str]:
    # A cheap test of the text: most writes would otherwise parse a document for nothing.
    if '"ownerReferences"' not in row.document:
        return []
    owners = (parsed(row).get("metadata") or {}).get("ownerReferences") or ()
    return [str(item.get("name")) for item in owners if item.get("controller") and item.get("kind") == KIND]


def _means(fx: Effects, row: ApiObject) -> list[str]:
    found = objects_of(fx.tables, KIND, row.namespace)
    return [item.name for item in found if selects(selector_of(item), labels_of(row))]


def _pod_gone(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    """The last pod's end concerns a Deployment that waits for all old pods to be gone (deletePod); other ends show in ReplicaSets."""
    owner = row.pod.metadata.controller
    item = stored_object(fx, SET_KIND, row.namespace, owner.name) if owner is not None else None
    for name in _managers(item) if item is not None else ():
        deployment = stored_object(fx, KIND, row.namespace, name)
        if deployment is None or (parsed(deployment)["spec"].get("strategy") or {}).get("type") != RECREATE:
            continue
        if not any(fx.tables.pods_by_owner.of(rows.uid) for rows in owned_objects(fx.tables, deployment, SET_KIND)):
            look(fx, DeploymentSync(row.namespace, name))


WATCHES = (
    Watch(COMPONENT, KIND, ADDED | CHANGED | DELETING | STATUS, _written),
    Watch(COMPONENT, SET_KIND, ADDED | CHANGED | DELETING | STATUS | GONE, _set_written),
    Watch(COMPONENT, "Pod", GONE, _pod_gone, owner=SET_KIND),
)
