"""The status of a Deployment: its counts, its conditions, and when it has timed out.

Counts are sums over the statuses of ReplicaSets. Progressing is a small machine in one condition:
progress renews lastUpdateTime, completion sets NewReplicaSetAvailable, and too long without either
sets ProgressDeadlineExceeded. A complete Deployment does not time out afterwards, even if its pods
fail later: the deadline judges rollouts, not health.

Source: pkg/controller/deployment/sync.go calculateStatus; progress.go; util/deployment_util.go.
"""

from simulator.engine.controllers.deployment.arithmetic import Bounds
from simulator.engine.controllers.deployment.replica_sets import total_counted, total_requested
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms, seconds
from simulator.engine.model.times import parse_time
from simulator.engine.versions import Profile
from simulator.engine.workloads.objects import condition_in, excluding_condition, including_condition, spec_of, status_of
from simulator.engine.world.world import ApiObject

AVAILABLE, PROGRESSING, FAILURE = "Available", "Progressing", "ReplicaFailure"
CREATED, FOUND, UPDATED, COMPLETE = "NewReplicaSetCreated", "FoundNewReplicaSet", "ReplicaSetUpdated", "NewReplicaSetAvailable"
TIMED_OUT, PAUSED, RESUMED, NOT_MADE = "ProgressDeadlineExceeded", "DeploymentPaused", "DeploymentResumed", "ReplicaSetCreateError"
FOREVER = 2**31 - 1
"""A deadline of this value means that there is none."""


def deadline_of(spec: Json) -> int | None:
    """``progressDeadlineSeconds``, None if there is none."""
    found = spec.get("progressDeadlineSeconds")
    return int(found) if found is not None and int(found) != FOREVER else None


def condition(kind: str, status: str, reason: str, message: str, now: str) -> Json:
    """A condition whose times are now."""
    return {"type": kind, "status": status, "lastUpdateTime": now, "lastTransitionTime": now, "reason": reason, "message": message}


def setting_condition(status: Json, fresh: Json) -> Json:
    """The status with a condition set (SetDeploymentCondition): one with the same status and reason stays, including its message."""
    held = condition_in(status, fresh["type"])
    if held is None:
        return including_condition(status, fresh)
    if (held.get("status"), held.get("reason")) == (fresh["status"], fresh["reason"]):
        return status
    since = held["lastTransitionTime"] if held.get("status") == fresh["status"] else fresh["lastTransitionTime"]
    return including_condition(status, {**fresh, "lastTransitionTime": since})


def numbers(profile: Profile, deployment: ApiObject, rows: list[ApiObject], new: ApiObject | None, bounds: Bounds, now: str) -> Json:
    """The status that follows from the ReplicaSets, with the condition Available; numbers that are 0 are omitted."""
    before = status_of(deployment)
    available = total_counted(rows, "availableReplicas")
    counts = {
        "replicas": total_counted(rows, "replicas"),
        "updatedReplicas": total_counted([new], "replicas") if new is not None else 0,
        "readyReplicas": total_counted(rows, "readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(0, total_requested(rows) - available),
    }
    status: Json = {"observedGeneration": deployment.generation, **{key: value for key, value in counts.items() if value}}
    if profile.terminating_replicas and all("terminatingReplicas" in status_of(row) for row in rows):
        status["terminatingReplicas"] = total_counted(rows, "terminatingReplicas")
    for kept in ("collisionCount", "conditions"):
        if kept in before:
            status[kept] = before[kept]
    if available >= bounds.least:
        found = condition(AVAILABLE, "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", now)
    else:
        found = condition(AVAILABLE, "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.", now)
    return setting_condition(status, found)


def is_complete(deployment: ApiObject, status: Json, bounds: Bounds) -> bool:
    """Whether all pods have the current template and are available, and none of another is left (DeploymentComplete)."""
    done = all(status.get(key, 0) == bounds.wanted for key in ("updatedReplicas", "replicas", "availableReplicas"))
    return done and status.get("observedGeneration", 0) >= deployment.generation


def has_progressed(before: Json, status: Json) -> bool:
    """Whether new pods were added, old ones removed, or more are ready or available than before (DeploymentProgressing)."""

    def old(item: Json) -> int:
        return int(item.get("replicas", 0)) - int(item.get("updatedReplicas", 0))

    more = any(status.get(key, 0) > before.get(key, 0) for key in ("updatedReplicas", "readyReplicas", "availableReplicas"))
    return more or old(status) < old(before)


def updated_ms(held: Json, epoch_s: int) -> Ms:
    """When the condition was last updated, in milliseconds of the run."""
    return parse_time(str(held["lastUpdateTime"])) - seconds(epoch_s)


def has_timed_out(status: Json, deadline_s: int, now_ms: Ms, epoch_s: int) -> bool:
    """Whether nothing has progressed for longer than the deadline allows (DeploymentTimedOut)."""
    held = condition_in(status, PROGRESSING)
    if held is None or held.get("reason") == COMPLETE:
        return False
    return held.get("reason") == TIMED_OUT or updated_ms(held, epoch_s) + seconds(deadline_s) < now_ms


def with_progress(
    status: Json, deployment: ApiObject, new: ApiObject | None, bounds: Bounds, *, now_ms: Ms, epoch_s: int, now: str
) -> Json:  # fmt: skip
    """The status with the condition Progressing updated (syncRolloutStatus)."""
    deadline_s = deadline_of(spec_of(deployment))
    if deadline_s is None:
        return excluding_condition(status, PROGRESSING)
    held = condition_in(status_of(deployment), PROGRESSING)
    was_complete = held is not None and held.get("reason") == COMPLETE
    # No rollout in progress: readiness that comes and goes is not progress.
    if was_complete and status.get("replicas", 0) == status.get("updatedReplicas", 0):
        return status
    name = f'ReplicaSet "{new.name}"' if new is not None else f'Deployment "{deployment.name}"'
    if is_complete(deployment, status, bounds):
        return setting_condition(status, condition(PROGRESSING, "True", COMPLETE, f"{name} has successfully progressed.", now))
    if has_progressed(status_of(deployment), status):
        fresh = condition(PROGRESSING, "True", UPDATED, f"{name} is progressing.", now)
        if held is not None and held.get("status") == "True":
            # Not by setting_condition: with the same status and reason that would keep the old
            # lastUpdateTime.
            fresh["lastTransitionTime"] = held["lastTransitionTime"]
        return including_condition(status, fresh)
    if has_timed_out(status, deadline_s, now_ms, epoch_s):
        return setting_condition(status, condition(PROGRESSING, "False", TIMED_OUT, f"{name} has timed out progressing.", now))
    return status


def with_failure(status: Json, rows: list[ApiObject], new: ApiObject | None) -> Json:
    """The status with the ReplicaFailure that a ReplicaSet reports, the new one's before any other's."""
    for row in ([new] if new is not None else []) + rows:
        failure = condition_in(status_of(row), FAILURE)
        if failure is not None:
            since = failure.get("lastTransitionTime")
            fresh = {"type": FAILURE, "status": failure.get("status"), "lastUpdateTime": since, "lastTransitionTime": since}
            return setting_condition(status, {**fresh, "reason": failure.get("reason", ""), "message": failure.get("message", "")})
    return excluding_condition(status, FAILURE)
