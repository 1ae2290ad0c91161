"""Changes of objects other than pods, checked against the rules of their kind."""

import json

from simulator.engine.apiserver.answer import Answer, ApiError
from simulator.engine.apiserver.create import STATUS_BESIDE, drop_disabled_fields_of
from simulator.engine.apiserver.defaulting.kinds import default_object
from simulator.engine.apiserver.kind_answers import info_of, invalid_answer
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.custom import changed_custom, version_in
from simulator.engine.apiserver.store.edits import Edit, edited
from simulator.engine.apiserver.store.objects import update_object
from simulator.engine.apiserver.store.security import judge_labels, note_namespace_warnings
from simulator.engine.apiserver.update_checks import check_object_update
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.meta import without_managed
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import ApiObject

_SCALED = ("Deployment", "ReplicaSet", "StatefulSet")
_SUBRESOURCES = {
    "scale": _SCALED,
    "status": (
        *_SCALED, "DaemonSet", "Job", "CronJob", "Namespace", "Node", "Service", "PersistentVolume", "PersistentVolumeClaim",
        "HorizontalPodAutoscaler", "PodDisruptionBudget", "ResourceQuota",
    ),
}  # fmt: skip
"""The subresources through which the API server lets a kind be changed."""


def change_object(fx: Effects, row: ApiObject, edit: Edit, *, subresource: str = "", is_patch: bool = True, applied: str = "") -> Doing:
    """Check a change of the object; the act stores it. Raises ApiError."""
    if subresource and not _has(fx, row, subresource):
        raise ApiError(Answer(code=404, reason="NotFound", message="the server could not find the requested resource"))
    shown, wanted = edited(fx, row.kind, (row.namespace, row.name), edit, is_patch=is_patch)
    if subresource == "status":
        wanted = {**shown, "metadata": wanted["metadata"], "status": wanted.get("status") or {}}
    elif subresource == "scale":
        replicas = (wanted.get("spec") or {}).get("replicas")
        wanted = {**shown, "metadata": wanted["metadata"], "spec": {**shown["spec"], "replicas": replicas}}
    elif "status" in shown and not _is_whole(fx, row):
        wanted = {**wanted, "status": shown["status"]}
    elif "status" not in shown and row.kind not in KINDS and _has(fx, row, "status"):
        wanted = {key: value for key, value in wanted.items() if key != "status"}
    release = fx.world.release
    wanted = {**wanted, "kind": row.kind, "apiVersion": shown["apiVersion"]}
    # Both sides are defaulted, so that a default of this version is no change of the user's.
    shown, wanted = default_object(shown, release=release), default_object(_allocated(shown, wanted), release=release)
    drop_disabled_fields_of(wanted, info_of(wanted), release)
    if row.kind not in KINDS:
        wanted = changed_custom(fx, shown, wanted)
    errors = check_object_update(shown, wanted, release=release)
    if errors:
        raise invalid_answer(info_of(wanted), row.name, errors)
    document: Json = without_managed(_stored(wanted))
    warnings = judge_labels(fx, shown, wanted) if row.kind == "Namespace" and not subresource else []

    def act() -> None:
        held = fx.tables.objects.get((row.kind, row.namespace, row.name))
        if held is not None:
            update_object(fx, held, document, applied=applied)
            note_namespace_warnings(fx, row.subject, warnings)

    return act


def _has(fx: Effects, row: ApiObject, subresource: str) -> bool:
    if row.kind in KINDS:
        return row.kind in _SUBRESOURCES.get(subresource, ())
    version = version_in(fx.world, json.loads(row.document))
    return version is not None and version.has_status and subresource == "status"


def _is_whole(fx: Effects, row: ApiObject) -> bool:
    """Whether the status is part of the object like any other field."""
    if row.kind in KINDS:
        return False
    version = version_in(fx.world, json.loads(row.document))
    return version is not None and not version.has_status


def _stored(wanted: Json) -> Json:
    """The changed object as it is stored; a computed status is kept separately."""
    return {key: value for key, value in wanted.items() if key != "status"} if wanted["kind"] in STATUS_BESIDE else wanted


def _allocated(shown: Json, wanted: Json) -> Json:
    """Keep the address that a Service was allocated, unless the change sets it (service storage patchAllocatedValues)."""
    if wanted["kind"] != "Service":
        return wanted
    held, spec = shown.get("spec") or {}, wanted.get("spec") or {}
    if spec.get("type") == "ExternalName" or spec.get("clusterIP") or spec.get("clusterIPs"):
        return wanted
    return {**wanted, "spec": {**spec, **{key: held[key] for key in ("clusterIP", "clusterIPs") if held.get(key)}}}
