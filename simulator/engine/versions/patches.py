"""Which patch release each minor stands for. The policy and its exceptions are in ``engine/data/patches.toml``."""

import tomllib
from importlib.resources import files

from msgspec import Struct

from simulator.engine.kernel.typed import Typed
from simulator.engine.versions.minors import MINORS, minor_number, minor_of
from simulator.engine.versions.rows import in_range


class PatchException(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Minors that deviate from the policy: they stand for ``patch``, or in one respect (``patch`` empty) for no release at all."""

    since: str
    until: str
    reason: str
    source: str
    patch: str = ""

    @property
    def minors(self) -> str:
        """The range as displayed."""
        return self.since if self.since == self.until else f"{self.since} – {self.until}"

    def covers(self, minor: str) -> bool:
        """Whether a minor lies in the range."""
        return in_range(minor_number(minor), since=self.since, until=self.until)


class Patches(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last patch of every minor as of a date, and the exceptions. Minors from ``supported_since`` on may get more patches."""

    source: str
    as_of: str
    supported_since: str
    last: dict[str, str]
    exceptions: tuple[PatchException, ...] = ()


_PATCHES: Typed[Patches] = Typed(Patches)


def parse_patches(text: str) -> Patches:
    """The table of a TOML text. Raises ValueError for a gap, a patch of another minor or a missing reason, naming the minor or field."""
    found = _PATCHES.from_plain(tomllib.loads(text))
    if not found.source or not found.as_of:
        raise ValueError("the table of patches needs a source and a day")
    for minor in MINORS:
        _check(minor, found.last.get(minor, ""))
    for each in found.exceptions:
        if not each.reason or not each.source:
            raise ValueError(f"the exception for {each.minors} needs a reason and a source")
        for minor in MINORS if each.patch else ():
            if each.covers(minor):
                _check(minor, each.patch)
    return found


def _check(minor: str, patch: str) -> None:
    head, _, number = patch.rpartition(".")
    if head != minor or not number.isdecimal():
        raise ValueError(f"{patch!r} is not a patch release of {minor}")


PATCHES: Patches = parse_patches((files("simulator.engine") / "data" / "patches.toml").read_text(encoding="utf-8"))
"""The table."""


def patch_of(kubernetes: str) -> str:
    """The patch release that a minor stands for: ``1.30`` → ``1.30.14``. Raises UnknownVersion."""
    minor = minor_of(kubernetes)
    return next((each.patch for each in PATCHES.exceptions if each.patch and each.covers(minor)), PATCHES.last[minor])
