"""The objects of a resource as clients get them: the same ones as the run's own ``kubectl get`` shows, in the requested version."""

from collections.abc import Iterator

from simulator.door.metrics import METRICS_KINDS, metrics_in
from simulator.door.resources import Resource
from simulator.engine.apiserver.documents.event import event_documents
from simulator.engine.apiserver.documents.implied import implied
from simulator.engine.apiserver.documents.lease import leases
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.custom import DEFINITION
from simulator.engine.world.effects import REVISIONS
from simulator.engine.world.world import World
from simulator.kubectl.find import documents_of
from simulator.kubectl.tables.model import Sight

_UNSTORED = frozenset(("Event", "Lease", "Node"))
"""Kinds whose objects are not rows of the store: their resourceVersion comes from the run's records."""


def position_of(world: World, kind: str) -> int:
    """The resourceVersion of a list of that kind: how many writes the store has seen, or how many records the run has."""
    return world.seq if kind in _UNSTORED else world.counters.get(REVISIONS, 0)


def documents_in(resource: Resource, sight: Sight, namespace: str = "") -> list[Json]:
    """Every object of the resource, in one namespace or in all, by namespace and name. O(objects)."""
    kind = resource.info.kind
    found = metrics_in(kind, sight) if kind in METRICS_KINDS else documents_of(resource.info, sight)
    return [_in_version(item, resource) for item in found if not namespace or item["metadata"].get("namespace", "") == namespace]


def document_at(resource: Resource, sight: Sight, namespace: str, name: str) -> Json | None:
    """One object, or None if there is none. O(1) for stored objects."""
    kind = resource.info.kind
    if kind in METRICS_KINDS:
        found: Iterator[Json] = iter(metrics_in(kind, sight))
    elif kind not in ("Event", "Lease"):
        try:
            return _in_version(object_document(sight.world, kind, namespace, name), resource)
        except KeyError:
            found = implied(sight.world, kind)
    else:
        found = leases(sight.world) if kind == "Lease" else iter(event_documents(sight.world, sight.now_ms))
    wanted = (item for item in found if _names_of(item) == (namespace, name))
    return next((_in_version(item, resource) for item in wanted), None)


def _names_of(document: Json) -> tuple[str, str]:
    return document["metadata"].get("namespace", ""), document["metadata"]["name"]


def _in_version(document: Json, resource: Resource) -> Json:
    shown = {**document, "apiVersion": resource.group_version}
    if resource.info.kind == "Event" and resource.info.group:
        return _newer_event(shown)
    if resource.info == DEFINITION and resource.version == "v1beta1":
        spec = document.get("spec") or {}
        first = next((item.get("name") for item in spec.get("versions") or ()), "")
        return {**shown, "spec": {**spec, "version": first}}
    return shown


_NEWER = {
    "involvedObject": "regarding",
    "message": "note",
    "reportingComponent": "reportingController",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
}


def _newer_event(document: Json) -> Json:
    """An Event as its own group shows it (pkg/apis/events/v1/conversion.go)."""
    return {_NEWER.get(key, key): value for key, value in document.items()}
