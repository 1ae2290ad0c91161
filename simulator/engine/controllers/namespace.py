"""Deletion of a namespace: it takes nothing new, loses what is in it, and goes when it is empty.

Source: pkg/controller/namespace/deletion; plugin/pkg/admission/namespace/lifecycle. The controller tries again after half of the longest
grace period of the pods that are left, and of 15 s for what finalizers hold, each and one second more.
"""

import json
from typing import assert_never

from simulator.engine.apiserver.documents.implied import gone_counter
from simulator.engine.apiserver.pods import delete_collection
from simulator.engine.apiserver.store.objects import delete_object, remove_object
from simulator.engine.kernel.units import seconds
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import is_used, objects_in, pods_in
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.store_events import NamespaceSweep
from simulator.engine.world.watch import CHANGED, DELETING, EVERY_KIND, GONE, Watch
from simulator.engine.world.world import ApiObject


def _namespace_written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    """A namespace is to go: the controller empties it a little later. A change may have taken what held an empty one."""
    if row.deletion_ms == fx.now:
        fx.check(fx.now + fx.profile.namespace_delete_delay_ms, Lane.CONTROLLER, NamespaceSweep(row.name))
    else:
        await_emptied(fx, row.name, fx.profile.finalizer_estimate_s)


def _gone(fx: Effects, _old: object, row: PodRow | NodeRow | ApiObject) -> None:
    """Something has left a namespace."""
    if isinstance(row, PodRow):
        grace = row.pod.spec.termination_grace_period_seconds
        await_emptied(fx, row.namespace, 30 if grace is None else grace)
    elif isinstance(row, ApiObject):
        await_emptied(fx, row.namespace, fx.profile.finalizer_estimate_s)
    elif not isinstance(row, NodeRow):  # nodes are in no namespace
        assert_never(row)


def await_emptied(fx: Effects, namespace: str, remaining_s: int) -> None:
    """Something has left the namespace, which had been expected to take ``remaining_s``; of one that stays, nothing comes."""
    held = fx.tables.objects.get(("Namespace", "", namespace))
    if held is None or held.deletion_ms is None:
        return
    first, step = held.deletion_ms + fx.profile.namespace_delete_delay_ms, seconds(remaining_s // 2 + 1)
    rounds = max(0, -(-(fx.now - first) // step))
    fx.check(first + rounds * step, Lane.CONTROLLER, NamespaceSweep(namespace))


WATCHES = (
    Watch("namespace-controller", "Namespace", DELETING | CHANGED, _namespace_written),
    Watch("namespace-controller", EVERY_KIND, GONE, _gone),
)


def namespace_sweep(fx: Effects, event: NamespaceSweep) -> None:
    """Delete what is in the namespace: the pods as one DELETE of the collection, then what else there is. An empty one goes."""
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
