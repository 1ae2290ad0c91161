"""The Go types behind printed differences know every field in the official schema of a version."""

from collections.abc import Iterator
from typing import Any

import pytest

from simulator.engine.apiserver.godiff.fields import INLINE, GoField
from simulator.engine.apiserver.godiff.types import fields_of
from simulator.engine.apiserver.wire.catalog import catalog

ELSEWHERE = {
    "core.PodSpec": {"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers", "serviceAccount"},
    "core.PodSecurityContext": {"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"},
}
"""Fields that are in another struct in the server's memory, or under one name only."""
LATER = {("core.WindowsSecurityContextOptions", "hostProcess")}
"""Fields of the oldest schema that earlier versions do not have."""


def by_json(fields: tuple[GoField, ...], minor: int) -> dict[str, GoField]:
    found: dict[str, GoField] = {}
    for field in fields:
        inner = fields_of(field.type, minor) if field.name in INLINE else None
        found |= by_json(inner, minor) if inner is not None else {field.json: field}
    return found


def differences(type_name: str, schema: dict[str, Any], minor: int, seen: set[str]) -> Iterator[tuple[str, str]]:
    """(type, field) of everything that only one side has, for the types in the table."""
    known = fields_of(type_name, minor)
    if known is None or type_name in seen:
        return
    seen.add(type_name)
    ours, theirs = by_json(known, minor), schema.get("properties") or {}
    for name in set(ours) ^ set(theirs):
        if name not in ELSEWHERE.get(type_name, ()) and (type_name, name) not in LATER:
            yield type_name, name
    for name, field in ours.items():
        below = theirs.get(name, {})
        yield from differences(field.type.lstrip("*").removeprefix("[]"), below.get("items") or below, minor, seen)


@pytest.mark.parametrize("minor", range(20, 38))
def test_types_have_the_fields_of_the_schema(minor: int) -> None:
    pod = catalog(minor).schema("v1", "Pod")
    assert pod is not None
    assert sorted(differences("core.PodSpec", pod["properties"]["spec"], minor, set())) == []
