"""The rows of ``engine/data/*.toml``, read once when this module is imported.

A row gives a field its value in one of three ways: ``value`` (the same everywhere), ``values`` (ranges of minors, both
ends included) or, for a switch, ``since``/``until`` (true inside the range). ``gated`` entries replace the value while
their gate is on; the last one that applies wins.
"""

import tomllib
from importlib.resources import files
from typing import Literal, TypeAlias

from msgspec import Struct

from simulator.engine.kernel.typed import Typed
from simulator.engine.versions.minors import NEWEST, OLDEST, minor_number

Value: TypeAlias = bool | int | str
Stage: TypeAlias = Literal["alpha", "beta", "on", "ga", "locked", "deprecated", "removed"]
"""alpha, beta, deprecated: off by default. on (beta), ga, locked: on by default. removed: the gate no longer exists."""


class Ranged(Struct, frozen=True, forbid_unknown_fields=True):
    """A value that applies from ``since`` to ``until``, both inclusive; an empty end is open."""

    value: Value
    since: str = ""
    until: str = ""


class Gated(Struct, frozen=True, forbid_unknown_fields=True):
    """A value that applies while ``gate`` is on."""

    gate: str
    value: Value


class VersionRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a field of the profile gets its value. ``unverified``: the version of the change has not been verified in a source."""

    note: str
    source: str
    value: Value | None = None
    values: tuple[Ranged, ...] = ()
    since: str = ""
    until: str = ""
    gated: tuple[Gated, ...] = ()
    unverified: bool = False


class GateRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A feature gate: minor → stage it enters, the gates it needs, the boolean field it switches (empty: none).

    ``idle`` says why a run would be the same with the gate's non-default value, in every minor from ``idle_since`` to
    ``idle_until`` (empty: all).
    """

    note: str
    source: str
    stages: dict[str, Stage]
    field: str = ""
    needs: tuple[str, ...] = ()
    idle: str = ""
    idle_since: str = ""
    idle_until: str = ""
    unverified: bool = False


_ROW_TABLE: Typed[dict[str, VersionRow]] = Typed(dict[str, VersionRow])
_GATE_TABLE: Typed[dict[str, GateRow]] = Typed(dict[str, GateRow])


def in_range(number: int, *, since: str, until: str) -> bool:
    """Whether the minor ``number`` lies in the range; an empty end is open."""
    return (not since or minor_number(since) <= number) and (not until or number <= minor_number(until))


def value_at(row: VersionRow, number: int) -> Value:
    """The value of ``row`` for the minor ``number``, ignoring gates. Raises ValueError unless exactly one applies."""
    if row.value is not None:
        return row.value
    if not row.values:
        return in_range(number, since=row.since, until=row.until)
    found = [each.value for each in row.values if in_range(number, since=each.since, until=each.until)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} values for 1.{number}: {row.note}")
    return found[0]


def check_row(name: str, row: VersionRow) -> None:
    """Raise ValueError for a row with no value or two kinds of value, without a source, or with a gap."""
    ways = (row.value is not None) + bool(row.values) + bool(row.since or row.until)
    if ways != 1:
        raise ValueError(f"{name}: give one of value, values, since/until")
    if not row.source or not row.note:
        raise ValueError(f"{name}: a row needs a source and a note")
    for number in range(OLDEST, NEWEST + 1):
        value_at(row, number)


def parse_rows(text: str) -> dict[str, VersionRow]:
    """The rows of a TOML text. Raises msgspec.ValidationError for an unknown key and ValueError for a bad row."""
    rows = _ROW_TABLE.from_plain(tomllib.loads(text))
    for name, row in rows.items():
        check_row(name, row)
    return rows


def parse_gates(text: str) -> dict[str, GateRow]:
    """The gates of a TOML text. Raises ValueError for a gate without a source or one that needs an unknown gate."""
    gates = _GATE_TABLE.from_plain(tomllib.loads(text))
    for name, gate in gates.items():
        unknown = [need for need in gate.needs if need not in gates]
        if not gate.source or not gate.note or not gate.stages or unknown:
            raise ValueError(f"{name}: a gate needs a source, a note, stages and known needs {unknown}")
    return gates


def merged(*parts: dict[str, VersionRow]) -> dict[str, VersionRow]:
    """All rows in one table. Raises ValueError if two files give the same field."""
    table: dict[str, VersionRow] = {}
    for part in parts:
        twice = table.keys() & part.keys()
        if twice:
            raise ValueError(f"rows given twice: {sorted(twice)}")
        table.update(part)
    return table


def _text(name: str) -> str:
    return (files("simulator.engine") / "data" / name).read_text(encoding="utf-8")


GATES: dict[str, GateRow] = parse_gates(_text("gates.toml"))
"""Every feature gate that affects what a run shows, by name."""
ROWS: dict[str, VersionRow] = merged(
    parse_rows(_text("defaults.toml")), parse_rows(_text("switches.toml")), parse_rows(_text("texts.toml"))
)
"""Every field of the profile that is not simply a gate, by name."""
FACT_ROWS: dict[str, VersionRow] = parse_rows(_text("facts.toml"))
"""The facts that the profile does not have, by name."""
