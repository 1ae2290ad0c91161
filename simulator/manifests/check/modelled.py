"""Which fields have an effect in the simulation: those that the engine's types have. All others are stored and shown."""

from functools import lru_cache
from typing import Any

from msgspec import inspect

from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.model.objects import Service
from simulator.engine.model.pod import Pod

# The newest schema available, because the catalog uses the nearest one.
_NEWEST = 999
_TYPED = {"Pod": ("v1", Pod), "Service": ("v1", Service)}
_SHARED = frozenset({"apiVersion", "kind", "metadata", "status"})
_EVERYWHERE = {"ObjectMeta"}
"""Types whose fields are all handled by the API server itself."""
_SAME = {"EphemeralContainer": "Container"}


def is_modelled(type_name: str, field: str) -> bool:
    """Whether a field of a type has an effect in the simulation."""
    known = _fields().get(type_name)
    return known is None or field in known


@lru_cache(maxsize=1)
def _fields() -> dict[str, frozenset[str]]:
    """Field names by type; types that are not listed are modelled completely."""
    found: dict[str, frozenset[str]] = {}
    for kind, (api_version, struct) in _TYPED.items():
        schema = catalog(_NEWEST).schema(api_version, kind)
        assert schema is not None, kind
        _walk(inspect.type_info(struct), schema, found)
        found[kind] = found[kind] | _SHARED
    for other, name in _SAME.items():
        found[other] = found[name] | {"targetContainerName"}
    return {name: names for name, names in found.items() if name not in _EVERYWHERE}


def _walk(info: Any, schema: dict[str, Any], found: dict[str, frozenset[str]]) -> None:
    """Descend the type and the schema in parallel."""
    if isinstance(info, inspect.UnionType):
        for part in info.types:
            _walk(part, schema, found)
    elif isinstance(info, inspect.VarTupleType | inspect.ListType):
        _walk(info.item_type, schema.get("items", {}), found)
    elif isinstance(info, inspect.StructType) and "title" in schema:
        name = schema["title"]
        names = frozenset(field.encode_name for field in info.fields)
        # Types can contain themselves; a type that adds nothing new is not entered again.
        if found.get(name, frozenset()) >= names:
            return
        found[name] = found.get(name, frozenset()) | names
        for field in info.fields:
            _walk(field.type, schema.get("properties", {}).get(field.encode_name, {}), found)
