"""The dry run: each object of a text is applied to a fork of the world, and what the engine answers is read back."""

import json
from typing import Any

from simulator.engine import apply
from simulator.engine.api.answer import Answer
from simulator.engine.api.manifest import without_nulls
from simulator.engine.commands import AnyCommand, ApplyManifest, PatchPod
from simulator.engine.records import Record
from simulator.engine.world import World
from simulator.manifests.check import Document
from simulator.preview.differ import diff_lines
from simulator.preview.live import LiveObject, editable, live_object
from simulator.preview.outcome import ACCEPTED, REJECTED, UNCHANGED, ObjectPreview, Preview


def preview(world: World, documents: tuple[Document, ...]) -> Preview:
    """What applying the documents in order would do. The world is the caller's own and is used up."""
    objects = tuple(_object(world, document) for document in documents)
    verbs = {item.verb for item in objects}
    outcome = REJECTED if "rejected" in verbs else UNCHANGED if verbs <= {"unchanged"} else ACCEPTED
    return Preview(
        outcome=outcome,
        answer=next((item.answer for item in objects if item.answer is not None), None),
        kubectl="\n".join(item.kubectl for item in objects),
        diff=tuple(line for item in objects for line in item.diff),
        effects=tuple(effect for item in objects for effect in item.effects),
        objects=objects,
    )


def _object(world: World, document: Document) -> ObjectPreview:
    old = live_object(world, document.kind, document.namespace, document.name)
    new = without_nulls(json.loads(document.json))
    if old is not None and not json_patch_of(old.editable, editable(new)):
        return _shown(document, "unchanged")
    answer = _refusal(apply(world, _command(document, old, new)))
    if answer is not None:
        return _shown(document, "rejected", answer=answer.document(), kubectl=answer.kubectl)
    now = live_object(world, document.kind, document.namespace, document.name)
    diff = diff_lines(old.editable if old else None, now.editable if now else editable(new))
    return _shown(document, "configured" if old else "created", diff=diff)


def _shown(document: Document, verb: str, *, kubectl: str = "", **more: Any) -> ObjectPreview:
    words = kubectl or f"{document.kind.lower()}/{document.name} {verb}"
    return ObjectPreview(kind=document.kind, namespace=document.namespace, name=document.name, verb=verb, kubectl=words, **more)


def _command(document: Document, old: LiveObject | None, new: dict[str, Any]) -> AnyCommand:
    if old is None or document.kind != "Pod":
        return ApplyManifest(documents=(document.json,), namespace=document.namespace or "default")
    patch = json.dumps(json_patch_of(old.editable, editable(new)))
    return PatchPod(target=f"{document.namespace}/{document.name}", patch=patch, kind="json")


def _refusal(records: list[Record]) -> Answer | None:
    for record in records:
        if record.kind == "command" and record.target == "refused":
            data = dict(record.data)
            message = str(data.get("message") or record.rule)
            code = data.get("code")
            return Answer(code=code if isinstance(code, int) else 422, reason=str(data.get("reason") or "Invalid"), message=message)
    return None


def json_patch_of(old: Any, new: Any, path: str = "") -> list[dict[str, Any]]:
    """The JSON patch (RFC 6902) that turns ``old`` into ``new``; nothing where they are equal. Lists of one length go by position."""
    if isinstance(old, dict) and isinstance(new, dict):
        patch: list[dict[str, Any]] = [{"op": "remove", "path": _below(path, key)} for key in old if key not in new]
        for key, value in new.items():
            if key in old:
                patch += json_patch_of(old[key], value, _below(path, key))
            else:
                patch.append({"op": "add", "path": _below(path, key), "value": value})
        return patch
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [
            step for n, (before, after) in enumerate(zip(old, new, strict=True)) for step in json_patch_of(before, after, f"{path}/{n}")
        ]
    return [] if old == new and type(old) is type(new) else [{"op": "add", "path": path, "value": new}]


def _below(path: str, key: str) -> str:
    return f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
