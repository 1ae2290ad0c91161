"""The garbage collector: what becomes of an object when those that own it are deleted.

Source: pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem, orphanDependents. Owners are told by kind and name,
since a manifest cannot know a uid beforehand; an owner that was never in the store counts as somebody else's business.
"""

import json
from typing import Any

from msgspec.structs import replace

from simulator.engine.controllers.api_server import delete_pod
from simulator.engine.controllers.pod_updates import update_pod
from simulator.engine.controllers.store.objects import await_garbage, delete_object, mark_object, update_object
from simulator.engine.effects import Effects
from simulator.engine.events import CollectGarbage
from simulator.engine.rows import PodRow
from simulator.engine.rules.text import RuleText, gettext_noop
from simulator.engine.world import ApiObject

BACKGROUND, FOREGROUND, ORPHAN = "Background", "Foreground", "Orphan"
_FINALIZERS = {FOREGROUND: "foregroundDeletion", ORPHAN: "orphan"}

RULES = (
    RuleText(
        "GARBAGE-COLLECTED",
        gettext_noop("Every owner of the object is gone, so the garbage collector deletes it."),
        "pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem",
    ),
    RuleText(
        "GARBAGE-ORPHANED",
        gettext_noop("Its owner was deleted with the policy Orphan: the garbage collector takes the owner out of its ownerReferences."),
        "pkg/controller/garbagecollector/garbagecollector.go orphanDependents",
    ),
    RuleText(
        "GARBAGE-FOREGROUND",
        gettext_noop("The object is deleted in the foreground: it stays until the last of its dependents is gone."),
        "pkg/controller/garbagecollector/garbagecollector.go processDeletingDependentsItem",
    ),
)


def delete_owner(fx: Effects, row: ApiObject, policy: str) -> None:
    """DELETE an object that may own others."""
    finalizer = _FINALIZERS.get(policy)
    if row.deletion_ms is not None or finalizer is None or not dependents_of(fx, row):
        delete_object(fx, row)
        return
    document = json.loads(row.document)
    metadata = {**(document.get("metadata") or {})}
    metadata["finalizers"] = [*(metadata.get("finalizers") or ()), finalizer]
    held = replace(row, document=json.dumps({**document, "metadata": metadata}, ensure_ascii=False))
    mark_object(fx, held, rule="GARBAGE-FOREGROUND" if policy == FOREGROUND else "OBJECT-HELD")
    await_garbage(fx, row.kind, row.namespace, row.name)


def dependents_of(fx: Effects, row: ApiObject) -> list[PodRow | ApiObject]:
    """The objects and pods that name the object as an owner. O(objects + pods)."""
    return _dependents(fx, row.kind, row.namespace, row.name)


def _dependents(fx: Effects, kind: str, namespace: str, name: str) -> list[PodRow | ApiObject]:
    found: list[PodRow | ApiObject] = list(fx.tables.objects.values())
    found += (row for row in fx.tables.pods.values() if row.gone_ms is None and row.pod.metadata.owner_references)
    return [row for row in found if namespace in ("", row.namespace) and any(_is(owner, kind, name) for owner in owners_of(row))]


def owners_of(row: PodRow | ApiObject) -> list[dict[str, Any]]:
    """The ownerReferences of an object."""
    if '"ownerReferences"' not in row.document:
        return []
    return list((json.loads(row.document).get("metadata") or {}).get("ownerReferences") or ())


def _is(owner: dict[str, Any], kind: str, name: str) -> bool:
    return owner.get("kind") == kind and owner.get("name") == name


def collect_garbage(fx: Effects, event: CollectGarbage) -> None:
    """The garbage collector looks at the dependents of an object that is gone or on its way out."""
    owner = fx.tables.objects.get((event.kind, event.namespace, event.name))
    held = _held_by(owner) if owner is not None else ""
    cause = fx.cause
    for row in _dependents(fx, event.kind, event.namespace, event.name):
        fx.cause = cause
        if held == ORPHAN:
            _leave(fx, row, event)
        elif owner is None or held == FOREGROUND:
            _collect(fx, row, event)
    fx.cause = cause
    if owner is not None and held and not any(_blocks(row, event) for row in dependents_of(fx, owner)):
        _release(fx, owner, _FINALIZERS[held])
        await_garbage(fx, event.kind, event.namespace, event.name)


def _held_by(owner: ApiObject) -> str:
    """The policy whose finalizer holds the object; empty for none."""
    finalizers = (json.loads(owner.document).get("metadata") or {}).get("finalizers") or ()
    return next((policy for policy, finalizer in _FINALIZERS.items() if owner.deletion_ms is not None and finalizer in finalizers), "")


def _blocks(row: PodRow | ApiObject, event: CollectGarbage) -> bool:
    return any(_is(owner, event.kind, event.name) and owner.get("blockOwnerDeletion") for owner in owners_of(row))


def _collect(fx: Effects, row: PodRow | ApiObject, event: CollectGarbage) -> None:
    """Delete a dependent that has no other owner; from one that has, take only the reference."""
    others = [owner for owner in owners_of(row) if not _is(owner, event.kind, event.name)]
    if any((str(owner.get("kind")), row.namespace, str(owner.get("name"))) in fx.tables.objects for owner in others):
        _leave(fx, row, event)
        return
    if row.deletion_ms is not None:
        return
    fx.cause = fx.note(row.subject, "garbage", f"{event.kind} {event.name}", rule="GARBAGE-COLLECTED")
    if isinstance(row, PodRow):
        delete_pod(fx, row, None)
    else:
        delete_owner(fx, row, BACKGROUND)


def _leave(fx: Effects, row: PodRow | ApiObject, event: CollectGarbage) -> None:
    """Take the owner out of a dependent's ownerReferences."""
    document = json.loads(row.document)
    kept = [owner for owner in owners_of(row) if not _is(owner, event.kind, event.name)]
    metadata = {key: value for key, value in document["metadata"].items() if key != "ownerReferences"}
    document["metadata"] = {**metadata, **({"ownerReferences": kept} if kept else {})}
    fx.cause = fx.note(row.subject, "orphaned", f"{event.kind} {event.name}", rule="GARBAGE-ORPHANED")
    if not isinstance(row, PodRow):
        update_object(fx, row, document)
        return
    owners = tuple(owner for owner in row.pod.metadata.owner_references if (owner.kind, owner.name) != (event.kind, event.name))
    pod = replace(row.pod, metadata=replace(row.pod.metadata, owner_references=owners))
    update_pod(fx, row, document, pod, grown=False)


def _release(fx: Effects, owner: ApiObject, finalizer: str) -> None:
    """Take the collector's finalizer away; where it was the last, the object goes."""
    document = json.loads(owner.document)
    document["metadata"]["finalizers"] = [item for item in document["metadata"]["finalizers"] if item != finalizer]
    update_object(fx, owner, document)
