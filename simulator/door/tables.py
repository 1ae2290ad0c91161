"""Objects as Tables, with the same columns and cells as the run's own ``kubectl get``.

Source: apiserver pkg/registry/rest/table.go; pkg/printers/internalversion/printers.go.
"""

import re
from collections.abc import Iterable
from typing import Any

from simulator.door.custom import printed_cells, printed_columns
from simulator.door.resources import Resource
from simulator.door.times import Shift, shifted
from simulator.engine.kernel.bounded import is_digits
from simulator.engine.kernel.json_text import Json
from simulator.kubectl.get import get_row
from simulator.kubectl.tables.by_kind import columns_of
from simulator.kubectl.tables.model import Column, Sight

_WHOLE: dict[str, frozenset[str]] = {
    "ReplicaSet": frozenset(("DESIRED", "CURRENT", "READY")),
    "DaemonSet": frozenset(("DESIRED", "CURRENT", "READY", "UP-TO-DATE", "AVAILABLE")),
    "CronJob": frozenset(("ACTIVE",)),
    "PodDisruptionBudget": frozenset(("ALLOWED DISRUPTIONS",)),
    "PriorityClass": frozenset(("VALUE",)),
}
"""Columns whose cells are numbers."""
_WORD = re.compile(r"[A-Z]+")
_WORDS = {"IP": "IP", "OS": "OS"}
_NAMES = {
    name.upper(): name
    for name in (
        *("Up-to-date", "Port(s)", "AddressType", "StorageClass", "VolumeMode", "VolumeAttributesClass", "MinPods", "MaxPods", "TimeZone"),
        *("ReclaimPolicy", "VolumeBindingMode", "AllowVolumeExpansion", "PreemptionPolicy"),
    )
}
"""Column names that are not spelled as their capitalized words."""
HIDDEN = 1
"""The priority of a column that only ``-o wide`` shows."""


def definitions(resource: Resource, sight: Sight) -> list[Json]:
    """The column definitions of a resource. Clients print the names in capitals."""
    kind = resource.info.kind
    printed = printed_columns(kind, resource.version, sight)
    return [_definition(kind, column) for column in columns_of(kind, sight.minor, wide=True)] if printed is None else printed


def _definition(kind: str, column: Column) -> Json:
    head = column.head
    return {
        "name": _NAMES.get(head) or _WORD.sub(lambda word: _WORDS.get(word[0], word[0].capitalize()), head),
        "type": "integer" if head in _WHOLE.get(kind, ()) else "string",
        "format": "name" if head == "NAME" else "",
        "description": "",
        "priority": HIDDEN if column.wide else 0,
    }


def cells_of(kind: str, document: Json, sight: Sight) -> list[Any]:
    """The cells of one object for ``definitions``."""
    printed = printed_cells(kind, document, sight)
    if printed is not None:
        return printed
    columns = columns_of(kind, sight.minor, wide=True)
    if kind == "Pod":  # its row is computed as a whole
        metadata = document["metadata"]
        row = sight.world.live_pod(metadata["namespace"], metadata["name"])
        if row is not None:
            shown = get_row(sight.world, row, sight.now_ms)
            return [*shown.cells, *shown.wide]
    texts = (column.cell(document, sight) for column in columns)
    return [_cell(kind, column, text) for column, text in zip(columns, texts, strict=True)]


def _cell(kind: str, column: Column, text: str) -> str | int:
    return int(text) if column.head in _WHOLE.get(kind, ()) and is_digits(text) else text


def row_of(kind: str, document: Json, sight: Sight, shift: Shift, include: str) -> Json:
    """One row: the cells, and the part of the object that ``includeObject`` asks for (by default its metadata)."""
    row: Json = {"cells": cells_of(kind, document, sight)}
    if include == "None":
        return {**row, "object": None}
    moved = shifted(document, shift)
    return {**row, "object": moved if include == "Object" else partial(moved)}


def partial(document: Json, version: str = "v1") -> Json:
    """The object as PartialObjectMetadata."""
    return {"kind": "PartialObjectMetadata", "apiVersion": f"meta.k8s.io/{version or 'v1'}", "metadata": document.get("metadata") or {}}


def table_of(columns: list[Json], rows: Iterable[Json], metadata: Json, version: str = "v1") -> Json:
    """A Table with these columns and rows."""
    body = {"kind": "Table", "apiVersion": f"meta.k8s.io/{version or 'v1'}", "metadata": metadata}
    return {**body, "columnDefinitions": columns, "rows": list(rows)}
