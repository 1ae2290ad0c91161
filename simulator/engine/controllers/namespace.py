"""The namespace controller: empties a namespace that is being deleted, then removes it.

A DELETE of a namespace only marks it (phase Terminating). From then on admission refuses new
objects in it, and this controller deletes everything that is there: the pods as one DELETE of the
collection, each with its own grace period, then every other object. When nothing is left the
namespace is removed.

The controller does not watch what it empties. If content remains after a round, it returns an error
with an estimate of how long the rest will take, and waits half of that plus one second: for pods
the longest grace period among them, for other objects held by finalizers 15 s
(``finalizer_estimate_s``). So a namespace disappears on this tick, not when its last object does. A
removal seen by the watches below plans the next tick after it, which comes to the same and costs no
idle rounds.

After each round conditions say what is in the way (NamespaceContentRemaining,
NamespaceFinalizersRemaining), in the fixed order of upstream's table, all True or False, none left
out.

A finalizer that nothing removes keeps an object, and with it the namespace, indefinitely.

Source: pkg/controller/namespace/deletion; plugin/pkg/admission/namespace/lifecycle.
"""

import json
from collections.abc import Iterable
from typing import assert_never

from simulator.engine.apiserver.documents.implied import gone_counter
from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.apiserver.kind_answers import info_of
from simulator.engine.apiserver.pods import delete_collection
from simulator.engine.apiserver.store.objects import delete_object, remove_object, update_object
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import seconds
from simulator.engine.model.kinds import KINDS
from simulator.engine.workloads.objects import parsed
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import NamespaceSweep
from simulator.engine.world.lookups import is_used, objects_in, pods_in
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.watch import CHANGED, DELETING, EVERY_KIND, GONE, Watch
from simulator.engine.world.world import ApiObject

_GOES_WELL = {
    "NamespaceDeletionDiscoveryFailure": ("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
    "NamespaceDeletionContentFailure": ("ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
    "NamespaceContentRemaining": ("ContentRemoved", "All content successfully removed"),
    "NamespaceFinalizersRemaining": ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}
"""Conditions of a terminating namespace, in order, with reason and message if all is well (status_condition_utils.go)."""


def _namespace_written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    """A namespace was marked for deletion, or a terminating one has changed: its last finalizer may be gone."""
    if row.deletion_ms == fx.now:
        fx.check(fx.now + fx.profile.namespace_delete_delay_ms, Lane.CONTROLLER, NamespaceSweep(row.name))
    else:
        await_emptied(fx, row.name, fx.profile.finalizer_estimate_s)


def _gone(fx: Effects, _old: object, row: PodRow | NodeRow | ApiObject) -> None:
    """An object was removed: if its namespace is terminating, check it."""
    if isinstance(row, PodRow):
        grace = row.pod.spec.termination_grace_period_seconds
        await_emptied(fx, row.namespace, 30 if grace is None else grace)
    elif isinstance(row, ApiObject):
        await_emptied(fx, row.namespace, fx.profile.finalizer_estimate_s)
    elif not isinstance(row, NodeRow):  # nodes are cluster-scoped
        assert_never(row)


def await_emptied(fx: Effects, namespace: str, remaining_s: int) -> None:
    """An object has left the namespace; if that is terminating, plan its next round. ``remaining_s``: upstream's estimate."""
    held = fx.tables.objects.get(("Namespace", "", namespace))
    if held is None or held.deletion_ms is None:
        return
    first, step = held.deletion_ms + fx.profile.namespace_delete_delay_ms, seconds(remaining_s // 2 + 1)
    # The first tick at or after now, on the grid that the first round began.
    rounds = max(0, -(-(fx.now - first) // step))
    fx.check(first + rounds * step, Lane.CONTROLLER, NamespaceSweep(namespace))


WATCHES = (
    Watch("namespace-controller", "Namespace", DELETING | CHANGED, _namespace_written),
    Watch("namespace-controller", EVERY_KIND, GONE, _gone),
)


def namespace_sweep(fx: Effects, event: NamespaceSweep) -> None:
    """Delete the pods as one DELETE of the collection, then all other objects; remove the namespace if it is empty."""
    if not fx.world.is_terminating(event.namespace):
        return
    pods = pods_in(fx.tables, event.namespace)
    delete_collection(fx, sorted((row for row in pods if row.deletion_ms is None), key=lambda row: row.name), None)
    for row in fx.each([row for row in objects_in(fx.tables, event.namespace) if row.deletion_ms is None]):
        delete_object(fx, row)
    held = fx.tables.objects[("Namespace", "", event.namespace)]
    if not is_used(fx.tables, event.namespace) and not (json.loads(held.document).get("metadata") or {}).get("finalizers"):
        fx.count(gone_counter(event.namespace))
        remove_object(fx, held)
        return
    document = json.loads(held.document)
    status = document.get("status") or {}
    conditions = _conditions(fx, event.namespace, status.get("conditions") or [])
    update_object(fx, held, {**document, "status": {**status, "phase": "Terminating", "conditions": conditions}})


def _conditions(fx: Effects, namespace: str, before: list[Json]) -> list[Json]:
    """The conditions of a terminating namespace: what is left in it, and which finalizers hold it. O(what is left)."""
    left: dict[str, int] = {}
    held: dict[str, int] = {}
    rows: list[PodRow | ApiObject] = [*pods_in(fx.tables, namespace), *objects_in(fx.tables, namespace)]
    for row in rows:
        info = KINDS["Pod"] if isinstance(row, PodRow) else info_of(parsed(row))
        resource = f"{info.plural}.{info.group}"  # with the dot even if there is no group
        left[resource] = left.get(resource, 0) + 1
        for finalizer in _finalizers(row):
            held[finalizer] = held.get(finalizer, 0) + 1
    wanted = {name: ("False", *words) for name, words in _GOES_WELL.items()}
    if left:
        words = ", ".join(sorted(f"{name} has {count} resource instances" for name, count in left.items()))
        wanted["NamespaceContentRemaining"] = ("True", "SomeResourcesRemain", f"Some resources are remaining: {words}")
    if held:
        words = ", ".join(sorted(f"{name} in {count} resource instances" for name, count in held.items()))
        said = f"Some content in the namespace has finalizers remaining: {words}"
        wanted["NamespaceFinalizersRemaining"] = ("True", "SomeFinalizersRemain", said)
    old = {item["type"]: item for item in before}
    return [_condition(fx, old.get(name, {}), name, *words) for name, words in wanted.items()]


def _finalizers(row: PodRow | ApiObject) -> Iterable[str]:
    if isinstance(row, PodRow):
        return row.pod.metadata.finalizers
    return (parsed(row).get("metadata") or {}).get("finalizers") or ()


def _condition(fx: Effects, old: Json, name: str, status: str, reason: str, message: str) -> Json:
    since = old["lastTransitionTime"] if old.get("status") == status else timestamp(fx.now, fx.world.header.epoch_s)
    return {"type": name, "status": status, "lastTransitionTime": since, "reason": reason, "message": message}
