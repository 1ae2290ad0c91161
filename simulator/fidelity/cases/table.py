"""Case files: ``FAMILY.json`` with ``{"family", "cases": [{"id", "input", "expected", …}]}``."""

from pathlib import Path
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.json_text import decode


class Case(Struct, frozen=True):
    """One fact: for ``input`` the engine must give ``expected``. ``note`` may name the versions it applies to."""

    id: str
    input: dict[str, Any]
    expected: dict[str, Any]
    note: str = ""


def load_families(directory: Path, names: tuple[str, ...] = ()) -> dict[str, tuple[Case, ...]]:
    """Cases by family, in alphabetical order. Without ``names``, every case file in the directory is read.

    Raises FileNotFoundError for a named family without a file.
    """
    wanted = names or tuple(sorted(path.stem for path in directory.glob("*.json")))
    return {name: _load(directory / f"{name}.json") for name in wanted}


def _load(path: Path) -> tuple[Case, ...]:
    document = decode(path.read_text(encoding="utf-8"))
    return tuple(Case(case["id"], case["input"], case["expected"], case.get("note", "")) for case in document["cases"])
