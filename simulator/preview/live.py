"""An object of a world as ``kubectl edit`` opens it, without what the server manages."""

import json
from typing import Any

from msgspec import Struct

from simulator.engine.api.manifest import without_nulls
from simulator.engine.views.document import pod_document
from simulator.engine.views.yaml import to_yaml
from simulator.engine.world import World

MANAGED = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)
"""Fields of metadata that only the server writes."""


class LiveObject(Struct, frozen=True, kw_only=True):
    """An object as it is now; ``namespace`` is "" for kinds of the whole cluster."""

    kind: str
    namespace: str
    name: str
    document: dict[str, Any]

    @property
    def editable(self) -> dict[str, Any]:
        """The document without status and managed metadata."""
        return editable(self.document)

    @property
    def yaml(self) -> str:
        """``editable`` as YAML."""
        return to_yaml(self.editable)

    @property
    def resource_version(self) -> str:
        """The version of the object, "" where it has none."""
        return str(self.document.get("metadata", {}).get("resourceVersion", ""))


def live_object(world: World, kind: str, namespace: str, name: str) -> LiveObject | None:
    """The object of that name that the API server shows now, or None."""
    document: dict[str, Any] | None = None
    if kind == "Pod":
        row = world.live_pod(namespace, name)
        document = pod_document(world, row.key) if row is not None else None
    else:
        held = world.tables.objects.get((kind, namespace, name))
        document = json.loads(held.document) if held is not None else None
    if document is None:
        return None
    return LiveObject(kind=kind, namespace=namespace, name=name, document=without_nulls(document))


def editable(document: dict[str, Any]) -> dict[str, Any]:
    """A document without its status and without metadata that only the server writes."""
    kept = {key: value for key, value in document.items() if key != "status"}
    metadata = document.get("metadata")
    if isinstance(metadata, dict):
        kept["metadata"] = {key: value for key, value in metadata.items() if key not in MANAGED}
    return kept


def known_names(world: World) -> frozenset[tuple[str, str, str]]:
    """Kind, namespace and name of every object that exists now."""
    pods = (("Pod", row.namespace, row.name) for row in world.tables.pods.values() if row.gone_ms is None)
    return frozenset((*pods, *world.tables.objects, *(("Node", "", name) for name in world.tables.nodes)))
