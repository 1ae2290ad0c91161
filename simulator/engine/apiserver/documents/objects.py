"""Any object of the API server's store as a document, and lists of them."""

import json
from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.apiserver.documents.node import node_document
from simulator.engine.apiserver.documents.pod import pod_document
from simulator.engine.apiserver.documents.quota import quota_status
from simulator.engine.apiserver.list_selectors import field_test, label_selector
from simulator.engine.model.generations import has_generation
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.selectors import selects
from simulator.engine.versions.minors import minor_number
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.world import ApiObject, World

_HEAD = ("apiVersion", "kind", "metadata")


def object_document(world: World, kind: str, namespace: str, name: str) -> dict[str, Any]:
    """The object as ``kubectl get -o json`` shows it now. Raises KeyError if there is none. About 0.2 ms for a pod."""
    if kind == "Pod":
        row = world.live_pod(namespace, name)
        if row is None:
            raise KeyError(name)
        return pod_document(world, row.key)
    # A Node that was applied without a machine is a stored object like any other.
    if kind == "Node" and name in world.tables.nodes and (kind, "", name) not in world.tables.objects:
        return node_document(world, name)
    return stored_document(world, world.tables.objects[(kind, _space(kind, namespace), name)])


def list_objects(world: World, kind: str, namespace: str = "", *, labels: str = "", fields: str = "") -> list[dict[str, Any]]:
    """Every object of the kind, of one namespace or of all, by namespace and name as the API server lists them. O(objects).

    ``labels`` and ``fields`` are selectors as ``kubectl -l`` and ``--field-selector`` take them. Raises ApiError (400) for others.
    """
    keys = sorted(key for key in keys_of(world, kind) if not namespace or key[0] in ("", namespace))
    wanted, fits = label_selector(labels), field_test(kind, fields, minor=minor_number(world.profile.minor))
    found = (object_document(world, kind, *key) for key in keys)
    return [item for item in found if selects(wanted, item["metadata"].get("labels") or {}) and fits(item)]


def keys_of(world: World, kind: str) -> Iterator[tuple[str, str]]:
    """Namespace and name of every object of the kind."""
    if kind == "Pod":
        yield from ((row.namespace, row.name) for row in world.tables.pods.values() if row.gone_ms is None)
    elif kind == "Node":
        yield from (("", node.name) for node in world.tables.nodes.values() if not node.is_deleted)
    yield from ((row.namespace, row.name) for row in objects_of(world.tables, kind))


def _space(kind: str, namespace: str) -> str:
    info = KINDS.get(kind)
    return namespace if info is None or info.namespaced else ""


def stored_document(world: World, row: ApiObject) -> dict[str, Any]:
    """An object that is not a pod, with the metadata that the API server keeps about it."""
    document: dict[str, Any] = json.loads(row.document)
    epoch_s = world.header.epoch_s
    info = KINDS.get(row.kind)
    metadata: dict[str, Any] = {**(document.get("metadata") or {}), "name": row.name}
    if row.namespace:
        metadata["namespace"] = row.namespace
    metadata |= {"uid": row.uid, "resourceVersion": str(row.resource_version), "creationTimestamp": timestamp(row.created_ms, epoch_s)}
    if has_generation(row.kind):
        metadata["generation"] = row.generation
    if row.deletion_ms is not None:
        metadata["deletionTimestamp"] = timestamp(row.deletion_ms, epoch_s)
        if row.kind != "Namespace":  # its registry sets the time alone
            metadata["deletionGracePeriodSeconds"] = row.grace_s or 0
    version = document.get("apiVersion") or (info.api_version(minor_number(world.profile.minor)) if info is not None else "") or "v1"
    content = {key: value for key, value in document.items() if key not in _HEAD}
    # The status of these two kinds is computed and stored separately from the document.
    if row.kind == "PodDisruptionBudget":
        content["status"] = _budget_status(world, row)
    if row.kind == "ResourceQuota":
        content["status"] = quota_status(world, row.namespace, content.get("spec") or {})
    return {"apiVersion": version, "kind": row.kind, "metadata": metadata, **content}


def _budget_status(world: World, row: ApiObject) -> dict[str, Any]:
    held = world.tables.budgets[(row.namespace, row.name)]
    state, epoch_s = held.health, world.header.epoch_s
    status: dict[str, Any] = {
        "currentHealthy": state.current,
        "desiredHealthy": state.desired,
        "disruptionsAllowed": state.allowed,
        "expectedPods": state.expected,
    }
    if held.observed:
        status["observedGeneration"] = held.observed
    if state.disrupted:
        status["disruptedPods"] = {name: timestamp(at, epoch_s) for name, at in state.disrupted}
    if held.allows:
        condition = {
            "type": "DisruptionAllowed",
            "status": held.allows,
            "reason": held.reason,
            "message": held.message,
            "lastTransitionTime": timestamp(held.transition_ms, epoch_s),
            "observedGeneration": held.observed,
        }
        status["conditions"] = [condition]
    return status
