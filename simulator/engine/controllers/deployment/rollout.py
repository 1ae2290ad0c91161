"""One step of a rollout: rolling, by recreation, or after a change of the number of pods.

Rolling: the new ReplicaSet grows if it can, and if it did the round ends; only otherwise do old
ones shrink. Growing is bounded by the sum of spec.replicas over all ReplicaSets (at most replicas +
maxSurge), not by pods that exist. Terminating pods are in no ReplicaSet's size, so the real number
of pods may be higher.

Shrinking goes in two passes. Unhealthy old pods first, oldest ReplicaSet first: removing them costs
no availability, and it frees a rollout that is stuck on a broken old template. Then healthy ones,
down to what must stay available (replicas − maxUnavailable). Pods of the new ReplicaSet that are
not available yet count as missing in the first pass, which is what makes a rollout with a broken
new template stop and wait instead of taking the old pods away.

Recreate: all old ReplicaSets to 0, wait until none of their pods runs, then the new one to full
size.

Scaling during a rollout divides the difference among the ReplicaSets in proportion to their sizes
(``arithmetic.py``), so that a canary stays a canary.

Source: pkg/controller/deployment/rolling.go, recreate.go, sync.go scale and cleanupDeployment.
"""

from simulator.engine.apiserver.store.objects import delete_object
from simulator.engine.controllers.deployment.arithmetic import divided, grown, removable
from simulator.engine.controllers.deployment.replica_sets import (
    DESIRED,
    MOST,
    active,
    annotated,
    by_size,
    number_of,
    oldest_first,
    replicas_of,
    set_revision,
    total_counted,
    total_requested,
)
from simulator.engine.controllers.deployment.step import Rollout
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.workloads.objects import status_of
from simulator.engine.workloads.refs import owned_pods
from simulator.engine.world.world import ApiObject

_ROLLING = "pkg/controller/deployment/rolling.go "
_SYNC = "pkg/controller/deployment/sync.go "
HISTORY_FOREVER = 2**31 - 1
"""A revisionHistoryLimit of MaxInt32 means no limit (HasRevisionHistoryLimit)."""

RULES = (
    RuleText(
        "ROLLOUT-SCALE-UP",
        gettext_noop(
            "Rolling update: {wanted} {wanted:pod is|pods are} wanted plus a surge of {surge}, {most} in total. "
            "The ReplicaSets ask for {total}, so the new one, {name}, goes from {before} to {after}."
        ),
        _ROLLING + "reconcileNewReplicaSet; util/deployment_util.go NewRSNewReplicas",
    ),
    RuleText(
        "ROLLOUT-SHRINK",
        gettext_noop("The new ReplicaSet {name} asks for {before} {before:pod|pods}, more than the {after} wanted: it shrinks at once."),
        _ROLLING + "reconcileNewReplicaSet",
    ),
    RuleText(
        "ROLLOUT-UNHEALTHY",
        gettext_noop(
            "Rolling update: of {total} {total:pod|pods}, {least} must be available and {pending} new "
            "{pending:one is|ones are} not yet, so {room} old {room:one|ones} may go. Unavailable pods go first: "
            "{name} has {unhealthy} of them and goes from {before} to {after}."
        ),
        _ROLLING + "reconcileOldReplicaSets, cleanupUnhealthyReplicas",
    ),
    RuleText(
        "ROLLOUT-SCALE-DOWN",
        gettext_noop(
            "Rolling update: {available} {available:pod is|pods are} available and {least} must be ({wanted} "
            "wanted, {missing} may be missing), so {room} old {room:one|ones} may go: {name} goes from {before} "
            "to {after}."
        ),
        _ROLLING + "scaleDownOldReplicaSetsForRollingUpdate",
    ),
    RuleText(
        "RECREATE-DOWN",
        gettext_noop("Recreate: all old pods go before any new one comes, so {name} goes from {before} to {after}."),
        "pkg/controller/deployment/recreate.go scaleDownOldReplicaSetsForRecreate",
    ),
    RuleText(
        "RECREATE-UP",
        gettext_noop("Recreate: no old pods are running any more, so the new ReplicaSet {name} goes from {before} to {after} at once."),
        "pkg/controller/deployment/recreate.go scaleUpNewReplicaSetForRecreate",
    ),
    RuleText(
        "DEPLOYMENT-SCALE",
        gettext_noop(
            "The Deployment now wants {wanted} {wanted:pod|pods}. {name} is the only ReplicaSet with pods, or "
            "the newest: it goes from {before} to {after}."
        ),
        _SYNC + "scale",
    ),
    RuleText(
        "DEPLOYMENT-SATURATED",
        gettext_noop(
            "The new ReplicaSet has {wanted} {wanted:pod and it is|pods and all are} available, as many as "
            "wanted: the old {name} goes from {before} to {after}."
        ),
        _SYNC + "scale",
    ),
    RuleText(
        "DEPLOYMENT-PROPORTION",
        gettext_noop(
            "The Deployment was scaled in the middle of a rollout: {most} {most:pod is|pods are} now allowed and "
            "the ReplicaSets ask for {total}, so {change} {change:is|are} distributed by size. {name}, with "
            "{before} of the {former} allowed before, goes to {after}; the largest takes the remainder."
        ),
        _SYNC + "scale; util/deployment_util.go GetProportion",
    ),
    RuleText(
        "DEPLOYMENT-CLEANUP",
        gettext_noop(
            "At most {limit} old ReplicaSets are kept (revisionHistoryLimit): {name}, revision {revision}, has no pods and is deleted."
        ),
        _SYNC + "cleanupDeployment",
    ),
)


def roll(step: Rollout) -> bool:
    """Take one step of a rolling update, the new ReplicaSet first. Whether anything was scaled."""
    return _grow(step) or _shrink(step)


def _grow(step: Rollout) -> bool:
    new, bounds = step.new, step.bounds
    assert new is not None
    size = replicas_of(new)
    if size == bounds.wanted:
        return False
    if size > bounds.wanted:
        step.scale(new, bounds.wanted, name="shrunk", rule="ROLLOUT-SHRINK", data=())
        return True
    everything = total_requested(step.all)
    after = grown(bounds, everything, size)
    data = (("wanted", bounds.wanted), ("surge", bounds.surge), ("most", bounds.most), ("total", everything))
    step.scale(new, after, name="grown", rule="ROLLOUT-SCALE-UP", data=data)
    return after != size


def _shrink(step: Rollout) -> bool:
    new, bounds = step.new, step.bounds
    assert new is not None
    if not total_requested(step.old):
        return False
    everything, pending = total_requested(step.all), replicas_of(new) - number_of(new, "availableReplicas")
    room = removable(bounds, everything, pending)
    if room <= 0:
        return False
    data = (("total", everything), ("least", bounds.least), ("pending", pending), ("room", room))
    gone = 0
    for row in oldest_first(active(step.old)):
        unhealthy = replicas_of(row) - number_of(row, "availableReplicas")
        if gone < room and unhealthy > 0:
            part = min(room - gone, unhealthy)
            details = (*data, ("unhealthy", unhealthy))
            step.scale(row, replicas_of(row) - part, name="unhealthy", rule="ROLLOUT-UNHEALTHY", data=details)
            gone += part
    # Not "gone > 0 or …": both passes belong to one round.
    return _shrink_healthy(step) or gone > 0


def _shrink_healthy(step: Rollout) -> bool:
    """Scale old ReplicaSets down as far as enough pods stay available; may happen in the same round as removing unhealthy ones."""
    bounds, available = step.bounds, total_counted(step.all, "availableReplicas")
    room, gone = available - bounds.least, 0
    data = (("available", available), ("least", bounds.least), ("wanted", bounds.wanted), ("missing", bounds.missing), ("room", room))
    for row in oldest_first(active(step.old)):
        if gone < room:
            part = min(replicas_of(row), room - gone)
            step.scale(row, replicas_of(row) - part, name="scaled-down", rule="ROLLOUT-SCALE-DOWN", data=data)
            gone += part
    return gone > 0


def recreate_down(step: Rollout) -> bool:
    """Scale all old ReplicaSets to 0. Whether any of them had pods."""
    rows = active(step.old)
    for row in rows:
        step.scale(row, 0, name="scaled-down", rule="RECREATE-DOWN", data=())
    return bool(rows)


def old_pods_run(step: Rollout) -> bool:
    """Whether a pod of an old ReplicaSet has not ended yet, including one that is being deleted."""
    if total_counted(step.old, "replicas"):
        return True
    return any(pod.status.phase not in TERMINAL_PHASES for row in step.old for pod in owned_pods(step.fx, row))


def recreate_up(step: Rollout) -> None:
    """Scale the new ReplicaSet to the full size."""
    assert step.new is not None
    step.scale(step.new, step.bounds.wanted, name="grown", rule="RECREATE-UP", data=())


def scale(step: Rollout) -> None:
    """Scale the ReplicaSets to the requested number of pods, without a rollout."""
    only = _active_or_latest(step)
    if only is not None:
        step.scale(only, step.bounds.wanted, name="scaled", rule="DEPLOYMENT-SCALE", data=(("wanted", step.bounds.wanted),))
    elif _is_saturated(step):
        for row in active(step.old):
            step.scale(row, 0, name="scaled-down", rule="DEPLOYMENT-SATURATED", data=(("wanted", step.bounds.wanted),))
    elif step.bounds.is_rolling:
        _share(step)


def _active_or_latest(step: Rollout) -> ApiObject | None:
    """The only ReplicaSet that requests pods, or the newest if none does; None if several do (FindActiveOrLatest)."""
    rows = active(step.all)
    if len(rows) > 1:
        return None
    if rows:
        return rows[0]
    return step.new if step.new is not None else next(iter(reversed(oldest_first(step.old))), None)


def _is_saturated(step: Rollout) -> bool:
    """Whether the new ReplicaSet requests, is annotated with and has available as many pods as the Deployment wants."""
    new, wanted = step.new, step.bounds.wanted
    if new is None:
        return False
    return (replicas_of(new), annotated(new, DESIRED), number_of(new, "availableReplicas")) == (wanted, wanted, wanted)


def _share(step: Rollout) -> None:
    """Distribute the difference among the ReplicaSets with pods, by their sizes."""
    bounds, everything = step.bounds, total_requested(step.all)
    # A Deployment scaled to 0 gets no surge either (sync.go scale: allowedSize).
    to_add = (bounds.most if bounds.wanted else 0) - everything
    rows = by_size(active(step.all), newer_first=to_add > 0)
    formers = [_former(step, row) for row in rows]
    after = divided([(replicas_of(row), former) for row, former in zip(rows, formers, strict=True)], bounds)
    for row, former, size in zip(rows, formers, after, strict=True):
        data = (("most", bounds.most), ("total", everything), ("change", to_add), ("former", former))
        # The size stays, but the annotations must have the new total, or the next round would scale
        # again.
        if size == replicas_of(row):
            step.annotate(row)
        step.scale(row, size, name="shared", rule="DEPLOYMENT-PROPORTION", data=data)


def _former(step: Rollout, row: ApiObject) -> int:
    """How many pods were allowed when the ReplicaSet was last scaled: its annotation, else the Deployment's status.replicas."""
    found = annotated(row, MOST)
    return int(status_of(step.row).get("replicas") or 0) if found is None else found


def clean_up(step: Rollout) -> None:
    """Delete the oldest ReplicaSets without pods beyond the history limit."""
    limit = step.spec.get("revisionHistoryLimit")
    if limit is None or int(limit) == HISTORY_FOREVER:
        return
    rows = sorted((row for row in oldest_first(step.old) if row.deletion_ms is None), key=set_revision)
    for row in rows[: max(0, len(rows) - int(limit))]:
        # Not before its controller has seen the size 0 and no pod is left.
        if replicas_of(row) or number_of(row, "replicas") or row.generation > number_of(row, "observedGeneration"):
            continue
        data = (("limit", int(limit)), ("name", row.name), ("revision", set_revision(row)))
        with step.fx.because(step.note("cleaned", "DEPLOYMENT-CLEANUP", data)), step.fx.aside():
            delete_object(step.fx, row)
        step.old = [item for item in step.old if item.uid != row.uid]
