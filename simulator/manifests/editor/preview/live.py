"""An object of a world as ``kubectl edit`` opens it, without the fields that the server manages."""

from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.documents.objects import keys_of, object_document
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.manifest import without_nulls
from simulator.engine.model.meta import LAST_APPLIED
from simulator.engine.world.world import World
from simulator.kubectl.yaml import to_yaml

_MANAGED = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)
"""Metadata fields that only the server writes."""


class LiveObject(Struct, frozen=True, kw_only=True):
    """An object as it is now; ``namespace`` is "" for cluster-scoped kinds."""

    kind: str
    namespace: str
    name: str
    document: dict[str, Any]

    @property
    def editable(self) -> dict[str, Any]:
        """The document without its status and without metadata that only the server writes."""
        return editable(self.document)

    @property
    def yaml(self) -> str:
        """``editable`` as YAML."""
        return to_yaml(self.editable)

    @property
    def resource_version(self) -> str:
        """The object's resourceVersion; "" if it has none."""
        return str(self.document.get("metadata", {}).get("resourceVersion", ""))


def live_object(world: World, kind: str, namespace: str, name: str) -> LiveObject | None:
    """The object of that name as the API server shows it now, or None."""
    try:
        document = object_document(world, kind, namespace, name)
    except KeyError:
        return None
    info = KINDS.get(kind)
    # Custom kinds are assumed to be namespaced.
    space = namespace if info is None or info.namespaced else ""
    return LiveObject(kind=kind, namespace=space, name=name, document=without_nulls(document))


def editable(document: dict[str, Any]) -> dict[str, Any]:
    """A document without its status and without metadata that only the server or kubectl writes."""
    kept = {key: value for key, value in document.items() if key != "status"}
    metadata = document.get("metadata")
    if isinstance(metadata, dict):
        kept["metadata"] = {key: value for key, value in metadata.items() if key not in _MANAGED}
        notes = metadata.get("annotations")
        if isinstance(notes, dict) and LAST_APPLIED in notes:
            kept["metadata"]["annotations"] = {key: value for key, value in notes.items() if key != LAST_APPLIED}
    return kept


def known_names(world: World) -> frozenset[tuple[str, str, str]]:
    """Kind, namespace and name of every object that exists now. O(objects)."""
    kinds = dict.fromkeys(("Pod", "Node", *(kind for kind, _space, _name in world.tables.objects)))
    return frozenset((kind, *key) for kind in kinds for key in keys_of(world, kind))
