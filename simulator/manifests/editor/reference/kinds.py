"""The fields of one kind: types by name, so that a browser can complete any path after a single request.

Everything known about a field is collected here: its type and whether it is required from the version's official
schema, its description from the Go types, its allowed values and default from the validation and defaulting implemented
here, the version that introduced it, and whether it has an effect in the simulation. Types are listed once and referred
to by name, because they contain each other.
"""

import gzip
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.wire.catalog import Catalog, catalog, since_of
from simulator.manifests.check.modelled import is_modelled
from simulator.manifests.editor.reference.defaults import default_values
from simulator.manifests.editor.reference.mutable import mutable_paths
from simulator.manifests.editor.reference.values import values_of

_FORMATS = {"quantity": "quantity", "int-or-string": "int-or-string", "date-time": "time", "byte": "bytes"}


class Field(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A field. ``type`` is string, integer, number, boolean, quantity, int-or-string, time, bytes, object, list or map.

    ``of`` is the type of an object, of a list's items or of a map's values (a name in ``types``, or one of the words
    above).
    """

    type: str
    of: str = ""
    doc: str = ""
    required: bool = False
    values: tuple[str, ...] = ()
    default: Any = None
    since: str = ""
    key: tuple[str, ...] = ()
    modelled: bool = True


class Type(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A type with its fields in alphabetical order."""

    fields: dict[str, Field]
    doc: str = ""


class KindReference(Struct, frozen=True, kw_only=True):
    """Everything about a kind. ``root`` is the name of its own type; ``mutable`` says by path what may change in a stored object."""

    kubernetes: str
    kind: str
    api_version: str
    root: str
    types: dict[str, Type]
    mutable: dict[str, str]


class KindEntry(Struct, frozen=True, kw_only=True):
    """A kind in the index of a version. ``modelled`` means its fields are known."""

    kind: str
    api_version: str
    modelled: bool


def index(minor: int) -> tuple[KindEntry, ...]:
    """Every kind of a version, those with a schema first."""
    known = catalog(minor)
    names = [(name, True) for name in known.schemas] + [(name, False) for name in sorted(known.others)]
    return tuple(KindEntry(kind=name.split(" ")[1], api_version=name.split(" ")[0], modelled=modelled) for name, modelled in names)


@lru_cache(maxsize=128)
def kind_reference(minor: int, kind: str) -> KindReference | None:
    """The reference of a kind that has a schema in ``1.<minor>``, or None. Cost: a few ms, then cached."""
    known = catalog(minor)
    api_version = next((version for version in known.api_versions(kind) if known.schema(version, kind) is not None), None)
    if api_version is None:
        return None
    types: dict[str, Type] = {}
    root = _collect(_schema_of(known, api_version, kind), types, minor)
    return KindReference(
        kubernetes=f"1.{minor}", kind=kind, api_version=api_version, root=root, types=types, mutable=mutable_paths(kind, minor)
    )


def _schema_of(known: Catalog, api_version: str, kind: str) -> dict[str, Any]:
    schema = known.schema(api_version, kind)
    assert schema is not None, (api_version, kind)
    return schema


def _collect(schema: dict[str, Any], types: dict[str, Type], minor: int) -> str:
    """Add the type of an object schema and everything it refers to; returns its name."""
    name = str(schema["title"])
    if name in types:
        return name
    # Added before its fields: schemas refer to themselves.
    types[name] = Type(fields={})
    words = _docs().get(name, {})
    required = schema.get("required", ())
    fields = {
        field: _field(item, (name, field), types, minor, required=field in required)
        for field, item in sorted(schema.get("properties", {}).items())
    }
    types[name] = Type(fields=fields, doc=words.get("doc", ""))
    return name


def _field(schema: dict[str, Any], place: tuple[str, str], types: dict[str, Type], minor: int, *, required: bool) -> Field:
    words = _docs().get(place[0], {}).get("fields", {}).get(place[1], {})
    kind, of = _type(schema, types, minor)
    owner, name = place
    since = since_of(owner, name) or words.get("since", 0)
    return Field(
        type=kind,
        of=of,
        doc=words.get("doc", ""),
        required=required,
        values=values_of(owner, name),
        default=default_values(minor).get((owner, name)),
        since=f"1.{since}" if since else "",
        key=tuple(words.get("key", ())),
        modelled=is_modelled(owner, name),
    )


def _type(schema: dict[str, Any], types: dict[str, Type], minor: int) -> tuple[str, str]:
    form = schema.get("format", "")
    if form in _FORMATS:
        return _FORMATS[form], ""
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "array":
        inner, name = _type(schema.get("items", {}), types, minor)
        return "list", name or inner
    if kind != "object":
        return kind, ""
    if "title" in schema:
        return "object", _collect(schema, types, minor)
    values = schema.get("additionalProperties")
    if isinstance(values, dict):
        inner, name = _type(values, types, minor)
        return "map", name or inner
    return "object", ""


@lru_cache(maxsize=1)
def _docs() -> dict[str, Any]:
    """Descriptions by the name of the Go type."""
    data = files("simulator.schemas").joinpath("docs.json.gz").read_bytes()
    stored: dict[str, Any] = json.loads(gzip.decompress(data))["types"]
    return {name.rsplit(".", 1)[-1]: words for name, words in stored.items()}
