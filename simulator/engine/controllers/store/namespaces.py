"""Deletion of a namespace: it takes nothing new, loses what is in it, and goes when it is empty.

Source: pkg/controller/namespace/deletion; plugin/pkg/admission/namespace/lifecycle. The controller tries again after half of the longest
grace period of the pods that are left, and of 15 s for what finalizers hold, each and one second more.
"""

import json
from typing import Any

from msgspec.structs import replace

from simulator.engine.api.kinds import IMMORTAL_NAMESPACES
from simulator.engine.controllers.api_server import delete_collection
from simulator.engine.controllers.refusal import Doing
from simulator.engine.controllers.store.objects import delete_object, mark_object, remove_object
from simulator.engine.controllers.store.resources import forbidden, missing
from simulator.engine.effects import Effects
from simulator.engine.ids import object_uid
from simulator.engine.lookups import is_used, objects_in, pods_in
from simulator.engine.queue import Lane
from simulator.engine.rows import NodeRow, PodRow
from simulator.engine.rules.text import RuleText, gettext_noop
from simulator.engine.store_events import NamespaceSweep
from simulator.engine.units import seconds
from simulator.engine.views.implied import gone_counter, namespaces
from simulator.engine.watch import CHANGED, DELETING, EVERY_KIND, GONE, Watch
from simulator.engine.world import ApiObject

RULES = (
    RuleText(
        "NAMESPACE-TERMINATING",
        gettext_noop("The namespace is being deleted: nothing new may be created in it, and its pods are deleted a few seconds later."),
        "pkg/controller/namespace; observed on a 1.20.2 node",
        sure="recording",
    ),
)


def deleting_namespace(fx: Effects, name: str) -> Doing:
    """Check the deletion; the act marks the namespace. Raises ApiError."""
    if name in IMMORTAL_NAMESPACES:
        raise forbidden("Namespace", name, "this namespace may not be deleted")
    if name not in namespaces(fx.world):
        raise missing("Namespace", name)
    return lambda: _terminate(fx, name)


def _terminate(fx: Effects, name: str) -> None:
    """Mark a namespace as on its way out, also one that nobody has created."""
    held = fx.tables.objects.get(("Namespace", "", name))
    if held is not None and held.deletion_ms is not None:
        return
    document: dict[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    if held is None:
        held = ApiObject("Namespace", "", name, "", 0, object_uid(fx.world.header.seed, "Namespace", name))
    else:
        document = json.loads(held.document)
    text = json.dumps({**document, "status": {"phase": "Terminating"}}, ensure_ascii=False)
    mark_object(fx, replace(held, document=text), rule="NAMESPACE-TERMINATING")


def _namespace_written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    """A namespace is to go: the controller empties it a little later. A change may have taken what held an empty one."""
    if row.deletion_ms == fx.now:
        fx.schedule(fx.now + fx.profile.namespace_delete_delay_ms, Lane.CONTROLLER, NamespaceSweep(row.name))
    else:
        await_emptied(fx, row.name, fx.profile.finalizer_estimate_s)


def _gone(fx: Effects, _old: object, row: PodRow | NodeRow | ApiObject) -> None:
    """Something has left a namespace."""
    if isinstance(row, PodRow):
        grace = row.pod.spec.termination_grace_period_seconds
        await_emptied(fx, row.namespace, 30 if grace is None else grace)
    elif isinstance(row, ApiObject):
        await_emptied(fx, row.namespace, fx.profile.finalizer_estimate_s)


def await_emptied(fx: Effects, namespace: str, remaining_s: int) -> None:
    """Something has left the namespace, which had been expected to take ``remaining_s``; of one that stays, nothing comes."""
    held = fx.tables.objects.get(("Namespace", "", namespace))
    if held is None or held.deletion_ms is None:
        return
    first, step = held.deletion_ms + fx.profile.namespace_delete_delay_ms, seconds(remaining_s // 2 + 1)
    rounds = max(0, -(-(fx.now - first) // step))
    fx.schedule(first + rounds * step, Lane.CONTROLLER, NamespaceSweep(namespace))


WATCHES = (
    Watch("namespace-controller", "Namespace", DELETING | CHANGED, _namespace_written),
    Watch("namespace-controller", EVERY_KIND, GONE, _gone),
)


def namespace_sweep(fx: Effects, event: NamespaceSweep) -> None:
    """Delete what is in the namespace: the pods as one DELETE of the collection, then what else there is. An empty one goes."""
    if not fx.world.is_terminating(event.namespace):
        return
    cause = fx.cause
    pods = pods_in(fx.tables, event.namespace)
    delete_collection(fx, sorted((row for row in pods if row.deletion_ms is None), key=lambda row: row.name), None)
    for row in [row for row in objects_in(fx.tables, event.namespace) if row.deletion_ms is None]:
        fx.cause = cause
        delete_object(fx, row)
    fx.cause = cause
    held = fx.tables.objects[("Namespace", "", event.namespace)]
    if not is_used(fx.tables, event.namespace) and not (json.loads(held.document).get("metadata") or {}).get("finalizers"):
        fx.count(gone_counter(event.namespace))
        remove_object(fx, held)
