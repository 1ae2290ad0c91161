"""The kinds that stored CustomResourceDefinitions define: their names, versions, schemas, columns and subresources."""

import json
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.custom import DEFINITION
from simulator.engine.model.kinds import KindInfo, Served
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.world import World

_KEPT_CHARS = 262_144


class DefinedVersion(Struct, frozen=True, kw_only=True):
    """A version of a custom kind."""

    name: str
    schema: Json
    columns: tuple[Json, ...] = ()
    has_status: bool = False
    scale: Json = {}


class DefinedKind(Struct, frozen=True, kw_only=True):
    """A custom kind by its definition. ``versions`` by name, as they are served."""

    info: KindInfo
    versions: dict[str, DefinedVersion]
    categories: tuple[str, ...] = ()

    def version_of(self, api_version: str) -> DefinedVersion | None:
        """The version of an object; None if it is not served."""
        return self.versions.get(api_version.rpartition("/")[2])


def definitions_in(world: World) -> Iterator[DefinedKind]:
    """Every custom kind that has a definition, by the definition's name. O(definitions)."""
    rows = sorted(objects_of(world.tables, DEFINITION.kind), key=lambda row: row.name)
    found = (_defined(row.document) for row in rows)
    return (item for item in found if item is not None)


def defined_kind(world: World, kind: str) -> DefinedKind | None:
    """The definition of a kind; None if it has none. O(definitions)."""
    if DEFINITION.kind not in world.tables.namespaces_by_kind.buckets():
        return None
    return next((item for item in definitions_in(world) if item.info.kind == kind), None)


@cached_when_short(maxsize=64, chars_max=_KEPT_CHARS, long_kept=2)
def _defined(text: str) -> DefinedKind | None:
    spec = json.loads(text).get("spec") or {}
    names = spec.get("names") or {}
    served = sorted((item for item in spec.get("versions") or () if item.get("served", True)), key=lambda item: _rank(str(item["name"])))
    if not served or not names.get("kind"):
        return None
    info = KindInfo(
        kind=names["kind"],
        group=spec["group"],
        versions=tuple(Served(str(item["name"])) for item in served),
        plural=names["plural"],
        singular=names.get("singular") or str(names["kind"]).lower(),
        short_names=tuple(str(name) for name in names.get("shortNames") or ()),
        namespaced=spec.get("scope") == "Namespaced",
    )
    versions = {str(item["name"]): _version(item) for item in served}
    return DefinedKind(info=info, versions=versions, categories=tuple(str(name) for name in names.get("categories") or ()))


def _rank(version: str) -> tuple[int, int, int, str]:
    """Sort key: stable versions first, newer before older, other names last (apimachinery pkg/version CompareKubeAwareVersionStrings)."""
    head, level, beta = version.partition("beta") if "beta" in version else version.partition("alpha")
    number = head.removeprefix("v")
    if not number.isdecimal() or not version.startswith("v") or (level and beta and not beta.isdecimal()):
        return 9, 0, 0, version
    return {"": 0, "beta": 1}.get(level, 2), -int(number), -int(beta or 0), ""


def _version(item: Any) -> DefinedVersion:
    below = item.get("subresources") or {}
    return DefinedVersion(
        name=str(item["name"]),
        schema=(item.get("schema") or {}).get("openAPIV3Schema") or {},
        columns=tuple(column for column in item.get("additionalPrinterColumns") or () if isinstance(column, dict)),
        has_status="status" in below,
        scale=below.get("scale") or {},
    )
