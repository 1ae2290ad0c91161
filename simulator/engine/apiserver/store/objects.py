"""Objects other than pods: stored, changed, marked for deletion and removed.

A stored object is its complete document as JSON text; what the store itself knows (uid, times,
revision, generation) is kept next to it in the row and added to the metadata when the object is
shown. The generation counts changes of what is desired: metadata and status do not raise it, a
deletion does.

DELETE removes an object at once unless finalizers hold it; then it is marked, with grace period 0,
and goes with the update that removes the last finalizer. Only pods have grace periods. Namespaces
are the exception again: what holds them is in ``spec.finalizers``, so an update without metadata
finalizers must not end one.

The object's state after a step comes from its machine's table, which a run can change.

Source: apiserver pkg/registry/generic/registry/store.go, pkg/registry/rest/create.go, update.go and
delete.go.
"""

import json
from typing import Any

from msgspec.structs import replace

from simulator.engine.apiserver.admission.limit_ranger import with_defaults
from simulator.engine.apiserver.store.additions import not_ready, protected, protected_volume, with_class, with_selector
from simulator.engine.kernel.ids import NAME_PREFIX, name_suffix, object_uid
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Seq
from simulator.engine.machines.object import API_OBJECT
from simulator.engine.model.custom import DEFINITION
from simulator.engine.model.generations import has_generation
from simulator.engine.model.templates import with_template_generation
from simulator.engine.network.services import with_cluster_ip
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.storage import default_class
from simulator.engine.world.world import ApiObject

RULES = (
    RuleText(
        "OBJECT-STORED",
        gettext_noop("The API server stored the object."),
        "apiserver pkg/registry/generic/registry/store.go Create",
    ),
    RuleText(
        "OBJECT-CHANGED",
        gettext_noop("The API server stored the change. Anyone reading the object from now on sees the new content."),
        "apiserver pkg/registry/generic/registry/store.go Update",
    ),
    RuleText(
        "OBJECT-REMOVED",
        gettext_noop("The API server removed the object."),
        "apiserver pkg/registry/generic/registry/store.go Delete",
    ),
    RuleText(
        "OBJECT-HELD",
        gettext_noop("Finalizers hold the object: it is only marked for deletion, and is removed once the last one is gone."),
        "apiserver pkg/registry/generic/registry/store.go Delete; pkg/registry/rest/delete.go BeforeDelete",
    ),
)


def create_object(fx: Effects, document: dict[str, Any], namespace: str, *, applied: str, with_record: bool = True) -> ApiObject:
    """Store a complete new object (``api.create.completed``); ``applied`` is the JSON text that was sent.

    ``with_record``: also write a record; the objects that a run starts with need none.
    """
    kind = str(document.get("kind"))
    name = _named(fx, document, kind, namespace)
    # The uid of the next object of the same name must differ.
    number = fx.count(f"{kind}/{namespace}/{name}")
    uid = object_uid(fx.world.header.seed, kind, f"{namespace}/{name}#{number}")
    if kind == "Job":
        document = with_selector(document, name=name, uid=uid, minor=fx.world.release.minor)
    text = json.dumps(_completed(fx, document, namespace, uid), ensure_ascii=False)
    row = ApiObject(
        kind=kind,
        namespace=namespace,
        name=name,
        document=text,
        created_ms=fx.now,
        uid=uid,
        applied=applied,
    )
    if with_record:
        state, seq = _step(fx, row, "absent", "created")
        fx.cause = seq
        row = _in_state(fx, replace(row, seq=seq), state)
    return fx.save_object(row)


def _named(fx: Effects, document: dict[str, Any], kind: str, namespace: str) -> str:
    """The object's name, generated if the object asks for one."""
    metadata = document.get("metadata") or {}
    if not metadata.get("name") and metadata.get("generateName"):
        prefix = str(metadata["generateName"])[:NAME_PREFIX]
        place = f"{kind}/{namespace}/{prefix}"
        header, number = fx.world.header, fx.count(f"name/{place}")
        suffix = name_suffix(header.seed, place, number, in_order=not header.jitter)
        document["metadata"] = {**metadata, "name": prefix + suffix}
    return str((document.get("metadata") or {}).get("name"))


def _completed(fx: Effects, document: dict[str, Any], namespace: str, uid: str) -> dict[str, Any]:
    """The document with what the control plane adds to an object of that kind before it becomes visible."""
    kind = document.get("kind")
    if kind == "Service":
        return with_cluster_ip(fx, document, namespace)
    if kind == "LimitRange":
        return with_defaults(document)
    if kind == "Node":
        return not_ready(document)
    if kind == "DaemonSet":
        return with_template_generation(document)
    if kind == "PersistentVolume":
        return protected_volume(document)
    if kind == "PersistentVolumeClaim":
        found = default_class(fx.tables)
        return protected(with_class(document, found.name if found is not None else ""))
    return document


def update_object(fx: Effects, row: ApiObject, document: dict[str, Any], *, applied: str = "") -> ApiObject:
    """Store a changed document; an equal one changes nothing and writes no record. Removing the last finalizer may end the object."""
    old = json.loads(row.document)
    if row.kind == "DaemonSet":
        document = with_template_generation(document, old)
    if document == old:
        return row if not applied or applied == row.applied else fx.save_object(replace(row, applied=applied))
    grown = has_generation(row.kind) and _desired(document) != _desired(old)
    changed = replace(
        row,
        document=json.dumps(document, ensure_ascii=False),
        generation=row.generation + grown,
        applied=applied or row.applied,
    )
    if row.deletion_ms is not None and row.kind != "Namespace" and not (document.get("metadata") or {}).get("finalizers"):
        remove_object(fx, changed)
        return changed
    state, fx.cause = _step(fx, changed, _state(row), "updated")
    if state in ("absent", "gone"):
        return changed
    return fx.save_object(_in_state(fx, replace(changed, seq=fx.cause), state))


def _desired(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in ("metadata", "status", "apiVersion", "kind")}


def delete_object(fx: Effects, row: ApiObject) -> None:
    """Carry out a DELETE: remove the object at once, or mark it if finalizers hold it."""
    finalizers = (json.loads(row.document).get("metadata") or {}).get("finalizers")
    if not finalizers:
        remove_object(fx, row)
    elif row.deletion_ms is None:
        mark_object(fx, row, rule="OBJECT-HELD")


def mark_object(fx: Effects, row: ApiObject, *, rule: str) -> None:
    """Mark an object that something holds for deletion: deletionTimestamp now, grace period 0."""
    marked = replace(row, deletion_ms=fx.now, grace_s=0, generation=row.generation + has_generation(row.kind))
    step, fx.cause = _step(fx, marked, _state(row), "delete", rule)
    if step != "terminating":
        return
    fx.save_object(replace(marked, seq=fx.cause))


def remove_object(fx: Effects, row: ApiObject) -> None:
    """Remove the object from the store."""
    step, fx.cause = _step(fx, row, _state(row), "removed")
    if step != "gone":
        return
    fx.drop_object(row)
    if row.kind == DEFINITION.kind:
        _remove_defined(fx, row)


def _remove_defined(fx: Effects, row: ApiObject) -> None:
    """Remove all objects of a kind along with its definition (apiextensions-apiserver pkg/controller/finalizer)."""
    kind = str(((json.loads(row.document).get("spec") or {}).get("names") or {}).get("kind") or "")
    for held in fx.each(sorted(objects_of(fx.tables, kind), key=lambda each: (each.namespace, each.name))):
        remove_object(fx, held)


def _state(row: ApiObject) -> str:
    return "present" if row.deletion_ms is None else "terminating"


def _in_state(fx: Effects, row: ApiObject, state: str) -> ApiObject:
    if state == _state(row):
        return row
    return replace(row, deletion_ms=None if state == "present" else fx.now)


def _step(fx: Effects, row: ApiObject, state: str, trigger: str, rule: str = "") -> tuple[str, Seq]:
    """Let the object take its next step; returns its new state and the record."""
    data = (("kind", row.kind), ("name", row.name), ("namespace", row.namespace))
    step, seq = fx.fire(API_OBJECT, row.subject, state, trigger, rule, data=data)
    return step.target if step is not None else state, seq
