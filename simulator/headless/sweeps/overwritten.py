"""Detect acts that write the swept field: from then on every value would give the same run.

No list of the fields an act may write could be complete, so the act's edit is applied to the manifest with two
different values of the field. If the field is the same afterwards, the act has written it.
"""

import json
from collections.abc import Callable
from typing import Any

from simulator.engine import RunHeader
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.objects.replace import ReplaceObject
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.pods.resize import ResizePod
from simulator.engine.acts.workloads.scale import ScaleWorkload
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.store.edits import Edit, by_apply, by_patch, by_put
from simulator.engine.apiserver.wire.catalog import minor_in
from simulator.engine.kernel.json_text import Json
from simulator.headless.sweeps.fields import NumericField, value_at, with_value

_TRIED = (1, 2)
"""Two values of the field: if an act turns both into the same, it has written the field."""
_LISTS = ("containers", "initContainers")


def is_overwritten(header: RunHeader, field: NumericField, command: AnyCommand) -> bool:
    """Whether a command sets or removes a field of the run's manifests. Nothing is played; O(size of the manifest)."""
    texts = [with_value(header, field, value)[field.document] for value in _TRIED]
    documents = [json.loads(text) for text in texts]
    edits = [_edit(header, command, document, text) for document, text in zip(documents, texts, strict=True)]
    try:
        changed = [edit(document) for edit, document in zip(edits, documents, strict=True) if edit is not None]
    except (ApiError, LookupError, TypeError, ValueError):  # the act will be refused, and write nothing
        return False
    return len(changed) == len(_TRIED) and value_at(changed[0], field.path) == value_at(changed[1], field.path)


def _edit(header: RunHeader, command: AnyCommand, document: Json, text: str) -> Edit | None:
    """The command's edit of the document, if it is about that object."""
    for kind, make in _EDITS.items():
        if isinstance(command, kind):
            found: Edit | None = make(header, command, document, text)
            return found
    return None


def _patch(header: RunHeader, command: PatchObject, document: Json, text: str) -> Edit | None:
    is_meant = _names(header, document) == (command.kind, command.namespace, command.name) and not command.dry_run
    return by_patch(command.patch, command.patch_kind, minor=minor_in(header.kubernetes)) if is_meant else None


def _patch_pod(header: RunHeader, command: PatchPod, document: Json, text: str) -> Edit | None:
    is_meant = _is_pod(header, document, command.target)
    return by_patch(command.patch, command.kind, minor=minor_in(header.kubernetes)) if is_meant else None


def _apply(header: RunHeader, command: ApplyManifest, document: Json, text: str) -> Edit | None:
    """Apply the last of its documents about the object; not for ``create``, which is refused if the object exists."""
    found = [item for item in map(json.loads, command.documents) if _is_same(header, document, item, command.namespace)]
    return by_apply(text, found[-1]) if found and not command.create and not command.dry_run else None


def _replace(header: RunHeader, command: ReplaceObject, document: Json, text: str) -> Edit | None:
    put = json.loads(command.document)
    return by_put(put) if _is_same(header, document, put, command.namespace) and not command.dry_run else None


def _scale(header: RunHeader, command: ScaleWorkload, document: Json, text: str) -> Edit | None:
    def edit(shown: Json) -> Json:
        return {**shown, "spec": {**shown["spec"], "replicas": command.replicas}}

    return edit if _names(header, document) == (command.kind, command.namespace, command.name) else None


def _resize(header: RunHeader, command: ResizePod, document: Json, text: str) -> Edit | None:
    if not _is_pod(header, document, command.target):
        return None
    name = command.container or document["spec"]["containers"][0]["name"]

    def with_resources(container: Json) -> Json:
        held = container.get("resources") or {}
        given = {"requests": command.requests, "limits": command.limits}
        return {**container, "resources": {key: {**(held.get(key) or {}), **part} for key, part in given.items()}}

    def edit(shown: Json) -> Json:
        lists = {
            key: [with_resources(item) if item["name"] == name else item for item in shown["spec"][key]]
            for key in _LISTS
            if key in shown["spec"]
        }
        return {**shown, "spec": {**shown["spec"], **lists}}

    return edit


_EDITS: dict[type, Callable[[RunHeader, Any, Json, str], Edit | None]] = {
    PatchObject: _patch,
    PatchPod: _patch_pod,
    ApplyManifest: _apply,
    ReplaceObject: _replace,
    ScaleWorkload: _scale,
    ResizePod: _resize,
}


def _names(header: RunHeader, document: Json, namespace: str = "") -> tuple[str, str, str]:
    """Kind, namespace and name of an object; without a namespace it is in the run's."""
    metadata = document.get("metadata") or {}
    return str(document.get("kind")), str(metadata.get("namespace") or namespace or header.namespace), str(metadata.get("name") or "")


def _is_same(header: RunHeader, document: Json, other: Json, namespace: str) -> bool:
    return _names(header, document) == _names(header, other, namespace)


def _is_pod(header: RunHeader, document: Json, target: str) -> bool:
    kind, namespace, name = _names(header, document)
    return kind == "Pod" and target.partition("#")[0] == f"{namespace}/{name}"
