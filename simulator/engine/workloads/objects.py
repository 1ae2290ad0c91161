"""Objects of the store as controllers read and write them: the parsed document, its status, its selector.

Source: pkg/controller/controller_utils.go. A controller that finds nothing to change writes nothing
and leaves no record.
"""

import json
from typing import Any, cast

from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.apiserver.store.objects import update_object
from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.json_text import Json
from simulator.engine.machines.workload import WORKLOAD
from simulator.engine.model.selectors import Selector, from_document
from simulator.engine.workloads.progress import COUNTS, trouble, workload_facts
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import ApiObject


@cached_when_short(maxsize=4096, chars_max=20_000, long_kept=16)
def _parsed(text: str) -> Json:
    return cast(Json, json.loads(text))


def parsed(row: ApiObject) -> Json:
    """The document of an object, shared by all readers: never change it, copy what differs. O(1) while it is unchanged."""
    return _parsed(row.document)


def spec_of(row: ApiObject) -> Json:
    """The spec of an object, read-only."""
    return cast(Json, parsed(row).get("spec") or {})


def status_of(row: ApiObject) -> Json:
    """The status of an object, read-only."""
    return cast(Json, parsed(row).get("status") or {})


def annotations_of(row: ApiObject) -> dict[str, str]:
    """The annotations of an object, read-only."""
    return cast(dict[str, str], (parsed(row).get("metadata") or {}).get("annotations") or {})


def labels_of(row: ApiObject) -> dict[str, str]:
    """The labels of an object, read-only."""
    return cast(dict[str, str], (parsed(row).get("metadata") or {}).get("labels") or {})


@cached_when_short(maxsize=1024, chars_max=20_000)
def _selector(text: str) -> Selector | None:
    return from_document((_parsed(text).get("spec") or {}).get("selector"))


def selector_of(row: ApiObject) -> Selector | None:
    """The label selector in an object's spec; None selects nothing."""
    return _selector(row.document)


def stored_object(fx: Effects, kind: str, namespace: str, name: str) -> ApiObject | None:
    """The object of that name as the store has it now, or None."""
    return fx.tables.objects.get((kind, namespace, name))


def put_status(fx: Effects, row: ApiObject, status: Json, *, annotations: dict[str, str] | None = None) -> ApiObject:
    """Store a new status of the object; an equal one writes nothing. Returns the object as it is now.

    ``annotations`` are added in the same write. For a workload a record says how many of the requested pods it has,
    if that has changed.
    """
    document = parsed(row)
    before = document.get("status") or {}
    if annotations and not annotations.items() <= annotations_of(row).items():
        document = {**document, "metadata": {**(document.get("metadata") or {}), "annotations": {**annotations_of(row), **annotations}}}
    elif before == status:
        return row
    with fx.aside():
        if row.kind in COUNTS:
            _record_progress(fx, row, document.get("spec") or {}, before, status)
        return update_object(fx, row, {**document, "status": status})


def _record_progress(fx: Effects, row: ApiObject, spec: Json, before: Json, status: Json) -> None:
    """Record a workload's progress; always for a new generation, since what the earlier one requested is no longer known."""
    old, new = workload_facts(row.kind, spec, before), workload_facts(row.kind, spec, status)
    if before and old == new and status.get("observedGeneration") == before.get("observedGeneration"):
        return
    data = (("wanted", new.wanted), ("there", new.there), ("kind", row.kind), ("condition", trouble(status)))
    fx.cause = fx.fire(WORKLOAD, row.subject, WORKLOAD.initial, "status", new, data=data)[1]


def put_spec(fx: Effects, row: ApiObject, changes: Json) -> ApiObject:
    """Store an object with these fields of its spec changed, as a controller's UPDATE does; equal ones write nothing."""
    document = parsed(row)
    return update_object(fx, row, {**document, "spec": {**(document.get("spec") or {}), **changes}})


def put_top(fx: Effects, row: ApiObject, changes: Json) -> ApiObject:
    """Store an object with these top-level fields changed."""
    return update_object(fx, row, {**parsed(row), **changes})


def put_metadata(fx: Effects, row: ApiObject, changes: Json) -> ApiObject:
    """Store an object with these fields of its metadata changed; a field that becomes empty is left out."""
    document = parsed(row)
    metadata = {**(document.get("metadata") or {}), **changes}
    return update_object(fx, row, {**document, "metadata": {key: value for key, value in metadata.items() if value not in ({}, [], None)}})


def now_text(fx: Effects) -> str:
    """The current moment as in an object's status, in whole seconds."""
    return timestamp(fx.now, fx.world.header.epoch_s)


def condition_in(status: Json, kind: str) -> Json | None:
    """The condition of that type in an object's status."""
    return next((item for item in status.get("conditions") or () if item.get("type") == kind), None)


def including_condition(status: Json, condition: Json) -> Json:
    """The status with one condition replaced or added at the end."""
    conditions = [item for item in status.get("conditions") or () if item.get("type") != condition["type"]]
    return {**status, "conditions": [*conditions, condition]}


def excluding_condition(status: Json, kind: str) -> Json:
    """The status without the condition of that type."""
    conditions = [item for item in status.get("conditions") or () if item.get("type") != kind]
    found: dict[str, Any] = {key: value for key, value in status.items() if key != "conditions"}
    return {**found, "conditions": conditions} if conditions else found
