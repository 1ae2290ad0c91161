"""The Kubernetes minor versions a run can choose, and the only place that parses a version number."""

import re
import tomllib
from importlib.resources import files

from simulator.engine.kernel.errors import UnknownVersion


def _numbers() -> list[int]:
    table = tomllib.loads((files("simulator.engine") / "data" / "patches.toml").read_text(encoding="utf-8"))
    return sorted(int(minor.partition(".")[2]) for minor in table["last"])


OLDEST, *_, NEWEST = _numbers()
"""The numbers of the first and the last minor: 20 for 1.20. There is no gap between them (``patches.parse_patches`` rejects one)."""
MINORS: tuple[str, ...] = tuple(f"1.{number}" for number in range(OLDEST, NEWEST + 1))
"""Every version there is a profile for, oldest first."""

_VERSION = re.compile(r"v?1\.([0-9]{1,3})(\.[0-9]{1,3})?", re.ASCII)


def minor_number(text: str) -> int:
    """The number after the dot: ``1.30`` → 30. Also for minors without a profile, which rows of ``data/`` may name.

    Raises UnknownVersion for anything that is not a version.
    """
    match = _VERSION.fullmatch(text)
    if match is None:
        raise UnknownVersion(f"{text!r} is not a Kubernetes version such as 1.30")
    return int(match[1])


def minor_of(kubernetes: str) -> str:
    """The minor of ``1.30``, ``1.30.2`` or ``v1.30``; each stands for one patch release (``patches.patch_of``).

    Raises UnknownVersion outside ``MINORS`` and for anything that is not a version.
    """
    minor = f"1.{minor_number(kubernetes)}"
    if minor not in MINORS:
        raise UnknownVersion(f"no profile for Kubernetes {kubernetes}; there are {MINORS[0]} to {MINORS[-1]}")
    return minor
