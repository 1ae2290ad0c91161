"""The latest measurement: cases, examples and recordings, with the differences. Written by ``manage.py fidelity``."""

from pathlib import Path

import msgspec
from msgspec import Struct

from simulator.engine.kernel.typed import Typed

DATA = Path(__file__).parent / "data"
MEASURED = DATA / "measured.json"
SHOWN = DATA / "shown.json"
UNREAD = DATA / "unread.json"


KIND_NAMES = ("recordings", "describe", "answers", "cases", "examples")
"""Kinds of facts, in the order in which they are presented."""


class Stamp(Struct, frozen=True):
    """When and what was measured: the day, the commit of the code, and the engine's revision."""

    date: str
    commit: str
    revision: int


class Suite(Struct, frozen=True, kw_only=True):
    """One set of facts.

    ``kind`` is one of KIND_NAMES; ``left_out`` counts facts that cannot be checked; ``note`` is a remark about the
    check.
    """

    kind: str
    name: str
    agree: int
    total: int
    left_out: int = 0
    note: str = ""

    @property
    def percent(self) -> str:
        """The share that agrees in percent, rounded down to a tenth: 99.96 % is not 100 %."""
        tenths = self.agree * 1000 // max(self.total, 1)
        return f"{tenths // 10}.{tenths % 10} %"


class Disagreement(Struct, frozen=True, kw_only=True):
    """A recording or an example that does not agree completely, and the differences."""

    kind: str
    name: str
    lines: tuple[str, ...]


class Measured(Struct, frozen=True, kw_only=True):
    """A measurement of everything; ``stamps`` by kind, because each kind can be measured separately."""

    suites: tuple[Suite, ...] = ()
    differences: tuple[Disagreement, ...] = ()
    stamps: dict[str, Stamp] = {}

    def stamped(self) -> list[tuple[Stamp, tuple[str, ...]]]:
        """Each stamp with the kinds it applies to, in order."""
        found: dict[Stamp, list[str]] = {}
        for kind in KIND_NAMES:
            if kind in self.stamps:
                found.setdefault(self.stamps[kind], []).append(kind)
        return [(stamp, tuple(kinds)) for stamp, kinds in found.items()]


_MEASURED: Typed[Measured] = Typed(Measured)
_NAMES: Typed[list[str]] = Typed(list[str])
_NAMES_BY_RULE: Typed[dict[str, list[str]]] = Typed(dict[str, list[str]])


def read_measured(path: Path = MEASURED) -> Measured:
    """The stored measurement; an empty one if there is none."""
    return _MEASURED.from_json(path.read_bytes()) if path.is_file() else Measured()


def write_measured(measured: Measured, path: Path = MEASURED) -> None:
    """Store a measurement in a form that is readable in a diff."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(measured), indent=1) + b"\n")


def read_unread(path: Path = UNREAD) -> list[str]:
    """Known settings and gates of the version profiles, with sources, that no part of the engine uses yet."""
    return _NAMES.from_json(path.read_bytes()) if path.is_file() else []


def read_shown(path: Path = SHOWN) -> dict[str, list[str]]:
    """The golden stories and test modules that show each rule, by rule id."""
    return _NAMES_BY_RULE.from_json(path.read_bytes()) if path.is_file() else {}
