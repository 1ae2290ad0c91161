"""Changes of pods through the object and its subresources: checked against the rules for updates, then stored.

Source: pkg/registry/core/pod/strategy.go and pkg/apis/core/validation ValidatePodUpdate, ValidatePodStatusUpdate,
ValidatePodEphemeralContainersUpdate, ValidatePodResize.
"""

import json
from typing import Any

from msgspec.structs import replace

from simulator.engine.api.answer import bad_request
from simulator.engine.api.defaults.admission import add_node_tolerations
from simulator.engine.api.defaults.pod import default_pod_document, defaults_of
from simulator.engine.api.manifest import default_pod, pod_from_document
from simulator.engine.api.validation.update import validate_pod_update
from simulator.engine.controllers.pod_updates import patch_status, shared, update_pod
from simulator.engine.controllers.refusal import Act
from simulator.engine.controllers.store.edits import Document, Edit, edited, minor_of_run
from simulator.engine.controllers.store.labels import tell_labels
from simulator.engine.controllers.store.merge import carried
from simulator.engine.controllers.store.objects import without_managed
from simulator.engine.controllers.store.resizes import resize_to
from simulator.engine.controllers.store.resources import invalid
from simulator.engine.effects import Effects
from simulator.engine.errors import BadManifest
from simulator.engine.rows import PodRow


def nothing() -> None:
    """The act of a request that changes nothing."""


def change_pod(fx: Effects, row: PodRow, edit: Edit, *, subresource: str = "", is_patch: bool = True, applied: str = "") -> Act:
    """Check a change of the pod; the act stores it. Raises ApiError, and Refusal where the version has no such subresource."""
    shown, wanted = edited(fx, "Pod", (row.namespace, row.name), edit, is_patch=is_patch)
    wanted = _kept(shown, wanted, subresource)
    _check_readable(wanted, row.namespace)
    shown, wanted = _completed(fx, shown), _completed(fx, wanted)
    errors = validate_pod_update(shown, wanted, minor=minor_of_run(fx), subresource=subresource)
    if errors:
        raise invalid("Pod", row.name, errors)
    if subresource == "status":
        status = wanted.get("status") or {}
        return lambda: patch_status(fx, fx.tables.pods[row.key], status)
    document = _stored(json.loads(row.document), shown, wanted)
    pod = default_pod(pod_from_document(document, namespace=row.namespace))
    if subresource == "resize":
        return resize_to(fx, row, document, pod.spec)
    pod = replace(pod, spec=shared(pod.spec, row.pod.spec))
    grown = wanted.get("spec") != shown.get("spec")
    rule = "EPHEMERAL-ADDED" if subresource else "POD-UPDATED"

    def act() -> None:
        held = fx.tables.pods[row.key]
        update_pod(fx, replace(held, applied=applied or held.applied), document, pod, grown=grown, rule=rule)
        tell_labels(fx, fx.tables.pods[row.key], held.pod.metadata.labels)

    return act


def _check_readable(document: Document, namespace: str) -> None:
    try:
        pod_from_document(document, namespace=namespace)
    except BadManifest as error:
        raise bad_request(f'Pod in version "v1" cannot be handled as a Pod: {error}') from None
    conditions = (document.get("status") or {}).get("conditions") or []
    if not all(isinstance(item, dict) and all(isinstance(item.get(key, ""), str) for key in _CONDITION) for item in conditions):
        raise bad_request('Pod in version "v1" cannot be handled as a Pod: status.conditions: Invalid value')


_CONDITION = ("type", "status", "reason", "message")


def _kept(shown: Document, wanted: Document, subresource: str) -> Document:
    """What the request may say through that subresource; the rest is as it was."""
    if subresource == "status":
        metadata = {**wanted["metadata"], "ownerReferences": shown["metadata"].get("ownerReferences")}
        if metadata["ownerReferences"] is None:
            del metadata["ownerReferences"]
        return {**wanted, "metadata": metadata, "spec": shown["spec"]}
    if subresource == "ephemeralcontainers":
        spec = {**shown["spec"], "ephemeralContainers": (wanted.get("spec") or {}).get("ephemeralContainers") or []}
        return {**shown, "metadata": wanted["metadata"], "spec": spec if spec["ephemeralContainers"] else shown["spec"]}
    if subresource == "resize":
        return {**shown, "metadata": wanted["metadata"], "spec": {**shown["spec"], **_resources(shown["spec"], wanted.get("spec") or {})}}
    return {**wanted, "status": shown.get("status")}


def _resources(shown: Document, wanted: Document) -> Document:
    """The containers with the wanted resources; where there are others, they are the check's business."""
    found: Document = {}
    for key in ("containers", "initContainers"):
        old, new = shown.get(key) or [], wanted.get(key) or []
        if [item.get("name") for item in old] != [item.get("name") for item in new]:
            found[key] = new
        elif old:
            found[key] = [_resized(a, b) for a, b in zip(old, new, strict=True)]
    return found


def _resized(old: Document, new: Document) -> Document:
    kept = {key: value for key, value in old.items() if key not in _RESIZABLE}
    return {**kept, **{key: new[key] for key in _RESIZABLE if key in new}}


_RESIZABLE = ("resources", "resizePolicy")


def _completed(fx: Effects, document: Document) -> Document:
    """With defaults for what is new, and with the tolerations that admission adds to every pod (also when it is changed)."""
    minor = minor_of_run(fx)
    rules = replace(defaults_of(minor), resize_policy=fx.profile.in_place_resize, pod_level=fx.profile.pod_level_resources)
    filled: Document = default_pod_document(document, minor=minor, rules=rules)
    add_node_tolerations(filled["spec"])
    return filled


def _stored(stored: Document, shown: Document, wanted: Document) -> Document:
    """The document as it is stored: what the user sent, with the change."""
    changed: dict[str, Any] = carried(stored, shown, wanted)
    return without_managed({key: value for key, value in changed.items() if key != "status"})
