"""From a version and gate settings to a Profile, and the differences between two of them."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from simulator.engine.kernel.typed import Typed
from simulator.engine.versions.fields import Profile
from simulator.engine.versions.gates import gates_on
from simulator.engine.versions.minors import minor_number, minor_of
from simulator.engine.versions.rows import GATES, ROWS, GateRow, Value, VersionRow, value_at

_OWN_FIELDS = ("minor", "gates_on")
PROFILE: Typed[Profile] = Typed(Profile)
FIELDS: tuple[str, ...] = tuple(name for name in Profile.__struct_fields__ if name not in _OWN_FIELDS)
"""The fields that depend on the version, in the order a page shows them."""
_FOLLOWED = {each.gate for row in ROWS.values() for each in row.gated}
BARE_GATES: tuple[str, ...] = tuple(sorted(name for name, gate in GATES.items() if not gate.field and name not in _FOLLOWED))
"""The gates without a field: they affect fields of documents only, or nothing that is simulated."""


class About(Struct, frozen=True, kw_only=True):
    """What is known about a field or a bare gate. ``gates`` are the feature gates that may change it."""

    field: str
    note: str
    source: str
    gates: tuple[str, ...]
    unverified: bool


class Difference(NamedTuple):
    """A field or a bare gate whose meaning differs between two profiles, for the version lens."""

    field: str
    a: Value
    b: Value
    source: str


def resolve(kubernetes: str, gates: Mapping[str, bool] | None = None) -> Profile:
    """The profile of a version such as ``1.30``, ``1.30.2`` or ``v1.30`` with ``gates`` set against their defaults.

    Raises UnknownVersion and BadGate. Equal arguments give the same object (256 of them are kept).
    """
    return _resolve(minor_of(kubernetes), tuple(sorted((gates or {}).items())))


@lru_cache(maxsize=256)
def _resolve(minor: str, gates: tuple[tuple[str, bool], ...]) -> Profile:
    on = gates_on(minor, dict(gates))
    values = {field: _value(field, minor_number(minor), on) for field in FIELDS}
    return PROFILE.from_plain({"minor": minor, "gates_on": on, **values})


def about(field: str) -> About:
    """Note, source and gates of ``field``, which may be a bare gate. Raises KeyError for any other name."""
    row = ROWS.get(field)
    if row is None:
        return _about_gates(field, (field,) if field in BARE_GATES else _GATES_OF_FIELD[field])
    return About(
        field=field,
        note=row.note,
        source=row.source,
        gates=tuple(each.gate for each in row.gated),
        unverified=row.unverified,
    )


def setting(profile: Profile, name: str) -> Value:
    """The value of a field, or whether a bare gate is on. Raises AttributeError for any other name."""
    if name in BARE_GATES:
        return profile.has_gate(name)
    value: Value = getattr(profile, name)
    return value


def diff(a: Profile, b: Profile) -> tuple[Difference, ...]:
    """The differences between two profiles: fields in their order, then bare gates; equal profiles give an empty tuple."""
    pairs = ((name, setting(a, name), setting(b, name)) for name in (*FIELDS, *BARE_GATES))
    return tuple(Difference(field, left, right, about(field).source) for field, left, right in pairs if left != right)


def check_coverage(fields: Collection[str], rows: Mapping[str, VersionRow], gates: Mapping[str, GateRow]) -> None:
    """Raise ValueError unless rows and gates together give every field of the profile once and nothing else."""
    switched = {gate.field for gate in gates.values() if gate.field}
    given = rows.keys() | switched
    unknown_gates = {each.gate for row in rows.values() for each in row.gated} - gates.keys()
    problems = {
        "unknown to the profile": given - set(fields),
        "without a row": set(fields) - given,
        "both a row and a gate": rows.keys() & switched,
        "no gate": unknown_gates,
    }
    for problem, names in problems.items():
        if names:
            raise ValueError(f"engine/data: {problem}: {sorted(names)}")


def _value(field: str, number: int, on: tuple[str, ...]) -> Value:
    row = ROWS.get(field)
    if row is None:
        return any(name in on for name in _GATES_OF_FIELD[field])
    gated = [each.value for each in row.gated if each.gate in on]
    return gated[-1] if gated else value_at(row, number)


def _about_gates(field: str, names: tuple[str, ...]) -> About:
    newest = GATES[names[-1]]
    return About(field=field, note=newest.note, source=newest.source, gates=names, unverified=newest.unverified)


check_coverage(FIELDS, ROWS, GATES)
_GATES_OF_FIELD: dict[str, tuple[str, ...]] = {
    field: tuple(name for name, gate in GATES.items() if gate.field == field) for field in FIELDS
}
