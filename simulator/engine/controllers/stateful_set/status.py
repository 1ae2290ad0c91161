"""The status of a StatefulSet: counts of pods, and when an update is complete.

replicas and readyReplicas count terminating pods too, since they still hold their identity;
currentReplicas and updatedReplicas do not. An update is complete when every pod is of the newest
revision and ready: then currentRevision becomes updateRevision. Until 1.36 this never happens under
OnDelete (``stateful_set_completes_on_delete``).

Source: pkg/controller/statefulset/stateful_set_control.go computeReplicaStatus,
completeRollingUpdate.
"""

from simulator.engine.controllers.stateful_set.identity import revision_of
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.policies.availability import is_available
from simulator.engine.workloads.objects import put_status, spec_of, status_of, stored_object
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject

RULES = (
    RuleText(
        "STATEFULSET-STATUS",
        gettext_noop(
            "The StatefulSet updates its pod counts: {replicas} exist, {ready} are ready, {available} are "
            "available, {current} are at the current revision {current_revision}, {updated} at the newest, "
            "{update_revision}."
        ),
        "pkg/controller/statefulset/stateful_set_control.go computeReplicaStatus",
    ),
    RuleText(
        "STATEFULSET-UPDATED",
        gettext_noop(
            "The update is complete: of {replicas} {replicas:pod|pods} {replicas:it is|all are} at revision "
            "{update_revision} and ready, and it becomes the current revision."
        ),
        "pkg/controller/statefulset/stateful_set_utils.go completeRollingUpdate",
    ),
)


def write_set_status(
    fx: Effects, row: ApiObject, pods: list[PodRow], revisions: tuple[ApiObject, ApiObject], collisions: int
) -> None:  # fmt: skip
    """Count the pods, including those being deleted, and write what differs. ``revisions``: the current and the latest."""
    stored = stored_object(fx, row.kind, row.namespace, row.name)
    if stored is None:
        return
    status = _status(fx, stored, pods, revisions, collisions)
    if status == status_of(stored):
        return
    data = (
        ("replicas", status["replicas"]), ("ready", status.get("readyReplicas", 0)),
        ("available", status.get("availableReplicas", status.get("readyReplicas", 0))), ("current", status.get("currentReplicas", 0)),
        ("updated", status.get("updatedReplicas", 0)), ("current_revision", status["currentRevision"]),
        ("update_revision", status["updateRevision"]),
    )  # fmt: skip
    is_over = revisions[0].name != status["currentRevision"]
    with fx.because(fx.note_step(row.subject, "status", rule="STATEFULSET-UPDATED" if is_over else "STATEFULSET-STATUS", data=data)):
        put_status(fx, stored, status)


def _status(fx: Effects, row: ApiObject, pods: list[PodRow], revisions: tuple[ApiObject, ApiObject], collisions: int) -> Json:
    current, latest = (revision.name for revision in revisions)
    min_ready_s = int(spec_of(row).get("minReadySeconds") or 0)
    running = [pod for pod in pods if pod.status.phase == "Running" and is_available(pod.status, min_ready_s=0, now_ms=fx.now)]
    staying = [pod for pod in pods if pod.deletion_ms is None]
    counts = {
        "readyReplicas": len(running),
        "availableReplicas": sum(is_available(pod.status, min_ready_s=min_ready_s, now_ms=fx.now) for pod in running),
        "currentReplicas": sum(revision_of(pod) == current for pod in staying),
        "updatedReplicas": sum(revision_of(pod) == latest for pod in staying),
    }
    if _is_updated(fx, row, counts, len(pods)):
        current, counts["currentReplicas"] = latest, counts["updatedReplicas"]
    if not fx.profile.stateful_set_available_replicas:
        del counts["availableReplicas"]
    shown = {key: value for key, value in counts.items() if value or key == "availableReplicas"}
    return {
        "observedGeneration": row.generation, "replicas": len(pods), **shown, "currentRevision": current, "updateRevision": latest,
        "collisionCount": collisions,
    }  # fmt: skip


def _is_updated(fx: Effects, row: ApiObject, counts: dict[str, int], replicas: int) -> bool:
    """Whether every pod has the latest revision and is ready, so that the update is complete."""
    spec = spec_of(row)
    if (spec.get("updateStrategy") or {}).get("type") == "OnDelete" and not fx.profile.stateful_set_completes_on_delete:
        return False
    return counts["updatedReplicas"] == replicas and counts["readyReplicas"] == replicas
