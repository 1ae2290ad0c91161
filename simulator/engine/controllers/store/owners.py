"""Who owns whom, and what a DELETE does to an object that owns others.

Source: apiserver pkg/registry/generic/registry/store.go deletionFinalizersForGarbageCollection. Owners are told by kind and name,
since a manifest cannot know a uid beforehand; an owner that was never in the store counts as somebody else's business.
"""

import json
from typing import Any

from msgspec.structs import replace

from simulator.engine.controllers.store.objects import delete_object, mark_object
from simulator.engine.effects import Effects
from simulator.engine.rows import PodRow
from simulator.engine.world import ApiObject

BACKGROUND, FOREGROUND, ORPHAN = "Background", "Foreground", "Orphan"
FINALIZERS = {FOREGROUND: "foregroundDeletion", ORPHAN: "orphan"}


def delete_owner(fx: Effects, row: ApiObject, policy: str) -> None:
    """DELETE an object that may own others."""
    finalizer = FINALIZERS.get(policy)
    if row.deletion_ms is not None or finalizer is None or not dependents_of(fx, row.kind, row.namespace, row.name):
        delete_object(fx, row)
        return
    document = json.loads(row.document)
    metadata = {**(document.get("metadata") or {})}
    metadata["finalizers"] = [*(metadata.get("finalizers") or ()), finalizer]
    held = replace(row, document=json.dumps({**document, "metadata": metadata}, ensure_ascii=False))
    mark_object(fx, held, rule="GARBAGE-FOREGROUND" if policy == FOREGROUND else "OBJECT-HELD")


def dependents_of(fx: Effects, kind: str, namespace: str, name: str) -> list[PodRow | ApiObject]:
    """The objects and pods that name the object as an owner. O(objects + pods)."""
    found: list[PodRow | ApiObject] = list(fx.tables.objects.values())
    found += (row for row in fx.tables.pods.values() if row.gone_ms is None and row.pod.metadata.owner_references)
    return [row for row in found if namespace in ("", row.namespace) and any(is_owner(owner, kind, name) for owner in owners_of(row))]


def owners_of(row: PodRow | ApiObject) -> list[dict[str, Any]]:
    """The ownerReferences of an object."""
    if '"ownerReferences"' not in row.document:
        return []
    return list((json.loads(row.document).get("metadata") or {}).get("ownerReferences") or ())


def is_owner(owner: dict[str, Any], kind: str, name: str) -> bool:
    """Whether the reference means that object."""
    return owner.get("kind") == kind and owner.get("name") == name
