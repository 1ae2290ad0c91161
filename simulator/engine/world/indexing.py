"""Updates the store's indexes on every write. ``lookups`` queries them."""

import json
from collections.abc import Iterator

from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Key
from simulator.engine.world.rows import PodRow
from simulator.engine.world.tallies import tally_pod
from simulator.engine.world.watch import BOUND, CHANGED, GONE
from simulator.engine.world.world import ApiObject, OwnedKey, Tables

Reference = tuple[str, str, str]
"""Kind, name and uid of an owner."""


def index_new_pod(tables: Tables, row: PodRow) -> None:
    """Index a pod whose object has just been stored."""
    metadata = row.pod.metadata
    tables.uids.top[row.uid] = True
    tables.pods_by_namespace.add(row.namespace, row.key)
    if not metadata.owner_references or not metadata.controller_kind:
        tables.pods_alone.add(row.namespace, row.key)
    if row.node:
        tables.pods_by_node.add(row.node, row.key)
    for key, value in metadata.labels.items():
        tables.pods_by_label.add((row.namespace, key, value), row.key)
    if metadata.owner_references:
        for owner in _owners_of_pod(row):
            _own_pod(tables, owner, row.key)
        tally_pod(tables.tallies, None, row)


def index_pod(tables: Tables, changed: int, old: PodRow, row: PodRow) -> None:
    """Update the indexes for the changed parts of a pod's object."""
    if row.pod.metadata.owner_references or old.pod.metadata.owner_references:
        tally_pod(tables.tallies, old, row)
    if not changed & (GONE | BOUND | CHANGED):
        return
    if changed & GONE:
        _forget_pod(tables, old)
        return
    if changed & BOUND:
        if old.node:
            tables.pods_by_node.drop(old.node, row.key)
        tables.pods_by_node.add(row.node, row.key)
    if not changed & CHANGED or row.pod.metadata is old.pod.metadata:
        return
    before, after = old.pod.metadata.labels, row.pod.metadata.labels
    for key, value in before.items():
        if after.get(key) != value:
            tables.pods_by_label.drop((row.namespace, key, value), row.key)
    for key, value in after.items():
        tables.pods_by_label.add((row.namespace, key, value), row.key)
    for owner in _owners_of_pod(old):
        _disown_pod(tables, owner, row.key)
    for owner in _owners_of_pod(row):
        _own_pod(tables, owner, row.key)
    if row.pod.metadata.controller_kind:
        tables.pods_alone.drop(row.namespace, row.key)
    else:
        tables.pods_alone.add(row.namespace, row.key)


def _forget_pod(tables: Tables, row: PodRow) -> None:
    tables.pods_by_namespace.drop(row.namespace, row.key)
    tables.pods_alone.drop(row.namespace, row.key)
    tables.pods_by_node.drop(row.node, row.key)
    for key, value in row.pod.metadata.labels.items():
        tables.pods_by_label.drop((row.namespace, key, value), row.key)
    for owner in _owners_of_pod(row):
        _disown_pod(tables, owner, row.key)


def index_object(tables: Tables, old: ApiObject | None, row: ApiObject | None) -> None:
    """Update the indexes for an object of another kind that was stored (no ``old``), changed, or removed (no ``row``)."""
    known = row or old
    assert known is not None
    key = (known.kind, known.namespace, known.name)
    if old is None:
        tables.uids[known.uid] = True
        tables.names_by_kind.add((known.kind, known.namespace), known.name)
        tables.namespaces_by_kind.add(known.kind, known.namespace)
        tables.objects_by_namespace.add(known.namespace, (known.kind, known.name))
    elif row is None:
        tables.names_by_kind.drop((known.kind, known.namespace), known.name)
        if not any(True for _ in tables.names_by_kind.of((known.kind, known.namespace))):
            tables.namespaces_by_kind.drop(known.kind, known.namespace)
        tables.objects_by_namespace.drop(known.namespace, (known.kind, known.name))
    elif row.document == old.document:
        return
    for owner in owners_of_object(old) if old is not None else ():
        _disown(tables, owner, key)
    for owner in owners_of_object(row) if row is not None else ():
        _own(tables, owner, key)
    if row is None or any(owner.get("controller") for owner in _references(row.document)):
        tables.alone_by_kind.drop((known.kind, known.namespace), known.name)
    else:
        tables.alone_by_kind.add((known.kind, known.namespace), known.name)


def _own(tables: Tables, owner: Reference, item: OwnedKey) -> None:
    kind, name, uid = owner
    tables.owned_by_uid.add(uid, item)
    tables.owned_by_name.add((kind, name), (item, uid))


def _disown(tables: Tables, owner: Reference, item: OwnedKey) -> None:
    kind, name, uid = owner
    tables.owned_by_uid.drop(uid, item)
    tables.owned_by_name.drop((kind, name), (item, uid))


def _own_pod(tables: Tables, owner: Reference, pod: Key) -> None:
    kind, name, uid = owner
    tables.pods_by_owner.add(uid, pod)
    tables.owned_by_name.add((kind, name), (("Pod", "", pod), uid))


def _disown_pod(tables: Tables, owner: Reference, pod: Key) -> None:
    kind, name, uid = owner
    tables.pods_by_owner.drop(uid, pod)
    tables.owned_by_name.drop((kind, name), (("Pod", "", pod), uid))


def _owners_of_pod(row: PodRow) -> Iterator[Reference]:
    return ((owner.kind, owner.name, owner.uid) for owner in row.pod.metadata.owner_references)


def owners_of_object(row: ApiObject) -> list[Reference]:
    """The owners that an object of another kind names."""
    return [(str(owner.get("kind")), str(owner.get("name")), str(owner.get("uid") or "")) for owner in _references(row.document)]


def _references(document: str) -> list[Json]:
    return _written_references(document) if '"ownerReferences"' in document else []


@cached_when_short(maxsize=1024, chars_max=20_000)
def _written_references(document: str) -> list[Json]:
    return list((json.loads(document).get("metadata") or {}).get("ownerReferences") or ())
