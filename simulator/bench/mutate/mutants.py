"""What is broken, and how: one mutant is one changed declaration.

Mutants change the declarations themselves (rows of the versions' data, rows of the machines), so each runs in a process of its own.
"""

from collections.abc import Callable, Iterator
from typing import Any, get_args, get_type_hints

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from simulator.engine.kernel.machine import Machine
from simulator.engine.kernel.machine import Row as Edge
from simulator.engine.rules.machine_tables import ALL
from simulator.engine.versions import FIELDS, Profile, about
from simulator.engine.versions.facts import Facts
from simulator.engine.versions.minors import MINORS, minor_number
from simulator.engine.versions.rows import FACT_ROWS, ROWS, Gated, Ranged, Value, VersionRow, value_at

SMALL_MAX = 20
"""Up to this value, one more and one less are tried too."""

Change = Callable[[Value], Value]


class Mutant(Struct, frozen=True, kw_only=True):
    """A broken declaration. ``name`` is unique and stays the same while the declaration does; ``of`` is the key that a test must have
    read to be able to notice; ``make`` breaks it in this process, irreversibly."""

    name: str
    of: str
    make: Callable[[], None]


def every_mutant() -> Iterator[Mutant]:
    """All mutants, in the order of the profile's fields, the facts and the machines' rows."""
    hints = {**get_type_hints(Profile), **get_type_hints(Facts)}
    for field in (*FIELDS, *FACT_ROWS):
        yield from _of_field(field, hints[field])
    for machine in ALL:
        for row in machine.rows:
            yield from _of_row(machine, row)


def profile_key(field: str) -> str:
    """The key noted for a test that reads a field of the profile or a fact."""
    return f"profile.{field}"


def row_key(machine: str, row: Edge) -> str:
    """The key noted for a test when a machine takes a row."""
    return f"machine.{machine}.{row.id}"


def changed_row(field: str, change: Change) -> VersionRow:
    """The row of ``field`` with each of its values changed, whatever version or gate it is for."""
    old = _table_of(field).get(field)
    if old is None:  # a switch that only gates turn on
        gated = tuple(Gated(gate, change(True)) for gate in about(field).gates)
        return VersionRow(note=field, source="deliberate breakage", value=change(False), gated=gated)
    values = tuple(Ranged(change(value_at(old, minor_number(minor))), minor, minor) for minor in MINORS)
    gated = tuple(Gated(each.gate, change(each.value)) for each in old.gated)
    return replace(old, value=None, since="", until="", values=values, gated=gated)


def _table_of(field: str) -> dict[str, VersionRow]:
    return FACT_ROWS if field in FACT_ROWS else ROWS


def _of_field(field: str, kind: Any) -> Iterator[Mutant]:
    if kind is bool:
        yield _field_mutant("switch", field, "", lambda value: not value)
    elif kind is int:
        yield from _of_number(field)
    elif kind is str:
        yield _field_mutant("text", field, "", lambda value: f"{value}, changed")
    else:
        words = get_args(kind)
        for step in range(1, len(words)):
            name = "" if len(words) == 2 else f" +{step}"
            yield _field_mutant("switch", field, name, _turned(words, step))


def _turned(words: tuple[Value, ...], step: int) -> Change:
    """Each value becomes the one ``step`` places after it."""
    return lambda value: words[(words.index(value) + step) % len(words)]


def _of_number(field: str) -> Iterator[Mutant]:
    used = {int(value_at(_table_of(field)[field], minor_number(minor))) for minor in MINORS}
    changes: list[tuple[str, Callable[[Any], Value]]] = []
    if max(used) > 1:
        changes += [(" ×2", lambda value: value * 2), (" ÷2", lambda value: value // 2)]
    if max(used) <= SMALL_MAX:
        changes += [(" +1", lambda value: value + 1)]
        changes += [(" -1", lambda value: max(value - 1, 0))] if max(used) > 2 else []
    for name, change in changes:
        yield _field_mutant("number", field, name, change)


def _field_mutant(kind: str, field: str, how: str, change: Change) -> Mutant:
    def make() -> None:
        _table_of(field)[field] = changed_row(field, change)

    return Mutant(name=f"{kind} {field}{how}", of=profile_key(field), make=make)


def _of_row(machine: Machine[Any], row: Edge) -> Iterator[Mutant]:
    guard = row.when.__name__ if row.when else ""
    when = f" if {guard}" if guard not in row.id else ""
    for state in machine.states:
        if state.name == row.target:
            continue

        def make(target: str = state.name) -> None:
            force_setattr(row, "target", target)

        yield Mutant(name=f"row {machine.name} {row.id}{when} → {state.name or 'nothing'}", of=row_key(machine.name, row), make=make)
