"""The garbage collector: deletes objects whose owners are gone, by their ownerReferences.

The collector decides what happens to the dependents of an object that has been deleted or is marked
for deletion. It watches every kind, and only two moments matter: an owner gets a deletionTimestamp,
and an object is removed from the store.

How a deletion was requested is written into the owner as a finalizer, and the finalizer alone
decides:

* none (Background): the owner is removed first; its dependents are collected afterwards.
* ``foregroundDeletion``: the owner stays, marked, while dependents with blockOwnerDeletion exist;
  each of them is deleted, and the last one's end removes the finalizer.
* ``orphan``: the owner's entry is taken out of every dependent; then the finalizer goes.

A dependent is deleted only if none of its owners exists any more; as long as one is left, only the
reference to the absent owner is removed. "Exists" is decided by the uid, not the name: a
Deployment deleted and created again under the same name does not own what the first one made. Nodes
are the exception here: they have no uid in this model, so leases find their Node by name.

A dependent that has dependents of its own inherits the foreground: otherwise the Pods of a
ReplicaSet could outlive a Deployment deleted in the foreground.

Deletion by the collector is an ordinary DELETE: a pod gets its own grace period, and the pods of
one owner go all at once. So deleting a StatefulSet does not run through its ordinals, as scaling it
to 0 does.

Source: pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem, orphanDependents.
See ``store.owners`` for what counts as an owner.
"""

import json
from typing import assert_never

from msgspec.structs import replace

from simulator.engine.apiserver.pod_updates import update_pod
from simulator.engine.apiserver.pods import delete_pod
from simulator.engine.apiserver.store.objects import update_object
from simulator.engine.apiserver.store.owners import (
    BACKGROUND,
    FINALIZERS,
    FOREGROUND,
    ORPHAN,
    delete_owner,
    named_owners,
    owners_of,
    refers_to,
)
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import CollectGarbage
from simulator.engine.world.lookups import dependents_of, has_dependents
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.watch import DELETING, EVERY_KIND, GONE, Queue, Watch
from simulator.engine.world.world import ApiObject

QUEUE = Queue("garbage-collector-controller", Lane.CONTROLLER, "watch_ms")

RULES = (
    RuleText(
        "GARBAGE-COLLECTED",
        gettext_noop("Every owner of the object is gone, so the garbage collector deletes it."),
        "pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem",
    ),
    RuleText(
        "GARBAGE-ORPHANED",
        gettext_noop("Its owner was deleted with the policy Orphan: the garbage collector removes the owner from its ownerReferences."),
        "pkg/controller/garbagecollector/garbagecollector.go orphanDependents",
    ),
    RuleText(
        "GARBAGE-FOREGROUND",
        gettext_noop("The object is deleted in the foreground: it stays until the last of its dependents is gone."),
        "pkg/controller/garbagecollector/garbagecollector.go processDeletingDependentsItem",
    ),
)


def _deleting(fx: Effects, _old: object, row: PodRow | NodeRow | ApiObject) -> None:
    """An owner is marked for deletion and has one of the collector's finalizers."""
    if isinstance(row, ApiObject) and _deletion_policy(row):
        fx.enqueue(QUEUE, CollectGarbage(row.kind, row.namespace, row.name, row.uid))


def _gone(fx: Effects, _old: object, row: PodRow | NodeRow | ApiObject) -> None:
    """An object was removed: its dependents lose an owner, and an owner deleted in the foreground may be free to go."""
    if isinstance(row, NodeRow):
        if row.is_deleted and fx.tables.owned_by_name.of(("Node", row.name)):  # the kubelet no longer renews its lease
            fx.enqueue(QUEUE, CollectGarbage("Node", "", row.name, ""))
        return
    if isinstance(row, ApiObject):
        fx.enqueue(QUEUE, CollectGarbage(row.kind, row.namespace, row.name, row.uid))
    elif isinstance(row, PodRow):
        # Hardly any pod owns anything, and every pod ends: checking the index first keeps the queue
        # empty.
        if has_dependents(fx.tables, row.uid):
            fx.enqueue(QUEUE, CollectGarbage("Pod", row.namespace, row.name, row.uid))
    else:
        assert_never(row)
    # The last dependent's end is what an owner deleted in the foreground waits for. No write to the
    # owner announces it.
    for owner in named_owners(row):
        held = _object(fx, row.namespace, owner)
        if held is not None and held.deletion_ms is not None:
            fx.enqueue(QUEUE, CollectGarbage(held.kind, held.namespace, held.name, held.uid))


WATCHES = (
    Watch("garbage-collector-controller", EVERY_KIND, DELETING, _deleting),
    Watch("garbage-collector-controller", EVERY_KIND, GONE, _gone),
)


def collect_garbage(fx: Effects, event: CollectGarbage) -> None:
    """Process the dependents of an object that was removed or is marked for deletion."""
    owner = fx.tables.objects.get((event.kind, event.namespace, event.name))
    if owner is not None and owner.uid != event.uid:
        owner = None  # another object has that name now
    held = _deletion_policy(owner) if owner is not None else ""
    for row in fx.each(_dependents(fx, event)):
        if held == ORPHAN:
            _leave(fx, row, event)
        elif owner is None or held == FOREGROUND:
            _collect(fx, row, event, FOREGROUND if held == FOREGROUND else BACKGROUND)
    # Checked again after the loop: the dependents read above may have gone at once.
    if owner is not None and held and not any(_blocks(fx, row, event) for row in _dependents(fx, event)):
        _release(fx, owner, FINALIZERS[held])
        # The owner may be gone with its last finalizer, and its background dependents are still to
        # be collected.
        fx.enqueue(QUEUE, event)


def _dependents(fx: Effects, event: CollectGarbage) -> list[PodRow | ApiObject]:
    return dependents_of(fx.tables, (event.kind, event.namespace, event.name), event.uid)


def _deletion_policy(owner: ApiObject) -> str:
    """The deletion policy whose finalizer the object has; empty unless it is being deleted with one."""
    finalizers = (json.loads(owner.document).get("metadata") or {}).get("finalizers") or ()
    return next((policy for policy, finalizer in FINALIZERS.items() if owner.deletion_ms is not None and finalizer in finalizers), "")


def _blocks(fx: Effects, row: PodRow | ApiObject, event: CollectGarbage) -> bool:
    return any(
        refers_to(fx.tables, owner, event.kind, event.name, event.uid) and owner.get("blockOwnerDeletion") for owner in owners_of(row)
    )


def _collect(fx: Effects, row: PodRow | ApiObject, event: CollectGarbage, policy: str) -> None:
    """Delete a dependent that has no other owner; if it has one, remove only the reference.

    One with dependents of its own inherits its owner's policy: in the foreground it stays until they are gone (attemptToDeleteItem).
    """
    others = [owner for owner in named_owners(row) if not refers_to(fx.tables, owner, event.kind, event.name, event.uid)]
    if any(_is_there(fx, row.namespace, owner) for owner in others):
        _leave(fx, row, event)
        return
    if row.deletion_ms is not None:
        return
    fx.cause = fx.note(row.subject, "garbage", f"{event.kind} {event.name}", rule="GARBAGE-COLLECTED")
    if isinstance(row, PodRow):
        delete_pod(fx, row, None)
    else:
        delete_owner(fx, row, policy if has_dependents(fx.tables, row.uid) else BACKGROUND)


def _is_there(fx: Effects, namespace: str, owner: Json) -> bool:
    """Whether the owner is in the store, by its uid. Nodes have no uid here and are found by name."""
    kind, name = str(owner.get("kind")), str(owner.get("name"))
    if kind == "Node":
        node = fx.tables.nodes.get(name)
        return node is not None and not node.is_deleted
    held = fx.world.live_pod(namespace, name) if kind == "Pod" else _object(fx, namespace, owner)
    return held is not None and refers_to(fx.tables, owner, kind, name, held.uid)


def _object(fx: Effects, namespace: str, owner: Json) -> ApiObject | None:
    """The object that an owner reference names: in the dependent's namespace, or cluster-scoped."""
    kind, name = str(owner.get("kind")), str(owner.get("name"))
    return fx.tables.objects.get((kind, namespace, name)) or fx.tables.objects.get((kind, "", name))


def _leave(fx: Effects, row: PodRow | ApiObject, event: CollectGarbage) -> None:
    """Remove the owner from a dependent's ownerReferences."""
    document = json.loads(row.document)
    kept = [owner for owner in owners_of(row) if not refers_to(fx.tables, owner, event.kind, event.name, event.uid)]
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
    """Remove the collector's finalizer; if it was the last one, the object goes."""
    document = json.loads(owner.document)
    document["metadata"]["finalizers"] = [item for item in document["metadata"]["finalizers"] if item != finalizer]
    update_object(fx, owner, document)
