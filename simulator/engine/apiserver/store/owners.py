"""Owner references, and what a DELETE does to an object that owns others.

Source: apiserver pkg/registry/generic/registry/store.go deletionFinalizersForGarbageCollection. Owners are identified by uid; a uid
that the store never assigned matches the object of that kind and name, since a manifest cannot know a uid beforehand.
"""

import json
from typing import Any

from msgspec.structs import replace

from simulator.engine.apiserver.store.objects import delete_object, mark_object
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import dependents_of
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject, Tables

BACKGROUND, FOREGROUND, ORPHAN = "Background", "Foreground", "Orphan"
FINALIZERS = {FOREGROUND: "foregroundDeletion", ORPHAN: "orphan"}


def delete_owner(fx: Effects, row: ApiObject, policy: str) -> None:
    """DELETE an object that may own others."""
    finalizer = FINALIZERS.get(policy)
    if row.deletion_ms is not None or finalizer is None or not dependents_of(fx.tables, (row.kind, row.namespace, row.name), row.uid):
        delete_object(fx, row)
        return
    document = json.loads(row.document)
    metadata = {**(document.get("metadata") or {})}
    metadata["finalizers"] = [*(metadata.get("finalizers") or ()), finalizer]
    held = replace(row, document=json.dumps({**document, "metadata": metadata}, ensure_ascii=False))
    mark_object(fx, held, rule="GARBAGE-FOREGROUND" if policy == FOREGROUND else "OBJECT-HELD")


def owners_of(row: PodRow | ApiObject) -> list[dict[str, Any]]:
    """The ownerReferences of an object."""
    if '"ownerReferences"' not in row.document:
        return []
    return list((json.loads(row.document).get("metadata") or {}).get("ownerReferences") or ())


def named_owners(row: PodRow | ApiObject) -> list[dict[str, Any]]:
    """Kind, name and uid of each owner that an object names. A pod has them typed, so its text need not be parsed."""
    if isinstance(row, PodRow):
        return [{"kind": owner.kind, "name": owner.name, "uid": owner.uid} for owner in row.pod.metadata.owner_references]
    return owners_of(row)


def refers_to(tables: Tables, owner: dict[str, Any], kind: str, name: str, uid: str) -> bool:
    """Whether the reference refers to the object of that kind, name and uid."""
    given = str(owner.get("uid") or "")
    return given == uid or (given not in tables.uids and owner.get("kind") == kind and owner.get("name") == name)
