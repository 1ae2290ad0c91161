"""Changes of pods through the object and its subresources: checked against the rules for updates, then stored.

Source: pkg/registry/core/pod/strategy.go and pkg/apis/core/validation ValidatePodUpdate,
ValidatePodStatusUpdate, ValidatePodEphemeralContainersUpdate, ValidatePodResize.
"""

import json

from msgspec.structs import replace

from simulator.engine.apiserver.admission.additions import admit_change
from simulator.engine.apiserver.answer import Answer, ApiError
from simulator.engine.apiserver.defaulting.pod import fill_pod
from simulator.engine.apiserver.defaulting.serialized import as_serialized
from simulator.engine.apiserver.kind_answers import invalid_answer, unreadable
from simulator.engine.apiserver.patch.request import undecodable
from simulator.engine.apiserver.pod_updates import patch_status, shared, update_pod
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.edits import Edit, edited
from simulator.engine.apiserver.store.labels import note_label_changes
from simulator.engine.apiserver.store.resizes import resize_to
from simulator.engine.apiserver.store.security import judge_change
from simulator.engine.apiserver.validation.change.prepare import prepare_pod_update
from simulator.engine.apiserver.validation.change.update import validate_pod_update
from simulator.engine.kernel.errors import BadManifest
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.manifest import pod_from_document, without_nulls
from simulator.engine.model.meta import without_managed
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

SUBRESOURCES = ("", "status", "ephemeralcontainers", "resize")
"""The subresources through which a pod can be changed."""


def nothing() -> None:
    """The act for a request that changes nothing."""


def change_pod(fx: Effects, row: PodRow, edit: Edit, *, subresource: str = "", is_patch: bool = True, applied: str = "") -> Doing:
    """Check a change of the pod; the act stores it. Raises ApiError, and Refusal where the version has no such subresource."""
    if subresource not in SUBRESOURCES or (subresource == "ephemeralcontainers" and not fx.profile.ephemeral_containers):
        raise ApiError(Answer(code=404, reason="NotFound", message="the server could not find the requested resource"))
    release = fx.world.release

    def prepare(shown: Json, wanted: Json) -> Json:
        plain: Json = without_nulls(wanted)
        _check_readable(plain, is_patch=is_patch)
        fill_pod(plain, release=release)
        taken: Json = prepare_pod_update(shown, plain, subresource=subresource)
        return taken

    shown, wanted = edited(fx, "Pod", (row.namespace, row.name), edit, is_patch=is_patch, prepare=prepare)
    admit_change(shown["spec"], wanted["spec"])
    errors = validate_pod_update(shown, wanted, release=release, subresource=subresource)
    if errors:
        raise invalid_answer(KINDS["Pod"], row.name, errors)
    if subresource != "status":
        judge_change(fx, shown, wanted)
    return _storing(fx, row, (shown, wanted), subresource=subresource, applied=applied)


def _storing(fx: Effects, row: PodRow, versions: tuple[Json, Json], *, subresource: str, applied: str) -> Doing:
    shown, wanted = versions
    document = _stored(json.loads(row.document), wanted)
    pod = pod_from_document(document)
    if subresource == "resize":
        return resize_to(fx, row, document, pod.spec)
    pod = replace(pod, spec=shared(pod.spec, row.pod.spec))
    # Fields the engine does not type raise the generation too.
    grown = as_serialized(wanted["spec"]) != shown["spec"]
    rule = "EPHEMERAL-ADDED" if subresource == "ephemeralcontainers" else "POD-UPDATED"

    def act() -> None:
        held = fx.tables.pods[row.key]
        update_pod(fx, replace(held, applied=applied or held.applied), document, pod, grown=grown, rule=rule)
        note_label_changes(fx, fx.tables.pods[row.key], held.pod.metadata.labels)
        if subresource == "status" and fx.tables.pods[row.key].gone_ms is None:
            patch_status(fx, fx.tables.pods[row.key], wanted.get("status") or {})

    return act


def _check_readable(document: Json, *, is_patch: bool) -> None:
    """Check that the simulation can read the pod, whose shape is right. Raises ApiError."""
    try:
        pod_from_document(document)
    except BadManifest as error:
        sent = {**document, "apiVersion": "v1", "kind": "Pod"}
        raise undecodable(document, str(error)) if is_patch else unreadable(sent, str(error)) from None


def _stored(stored: Json, wanted: Json) -> Json:
    """The changed pod as it is stored: as the server writes it, without its status and what the pod's row holds."""
    spec = as_serialized(wanted["spec"])
    # See documents/pod.py: a node that the manifest named itself stays in the text.
    if "nodeName" not in stored["spec"]:  # the scheduler's binding is in the row
        spec.pop("nodeName", None)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": without_managed(wanted)["metadata"], "spec": spec}
