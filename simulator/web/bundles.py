"""What scripts and styles a page loads: the committed bundles while they are made of today's sources, else the sources one by one.

``make bundles`` makes them (``static/bundle-src/bundle.mjs``) and lists the digest of each source in ``static/bundles/bundles.json``.
An old bundle is never served: who changes a script sees the change without building anything. A test asks for the bundles before a
release. ``PageFinder`` has only what is served collected: the sources of bundles as well took most of the time of a site's first start.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import FileSystemFinder
from django.templatetags.static import static

STATIC = Path(settings.BASE_DIR) / "static"
ENTRIES: dict[str, str] = json.loads((STATIC / "bundle-src" / "entries.json").read_text())
"""Bundle → the source that it begins with. ``editor.js`` and ``later.js`` are loaded by the other scripts when somebody wants them."""


def url_of(bundle: str) -> str:
    """The address of a bundle, or of the source in its place. Costs a look at every source once a process."""
    if settings.DEBUG or _kind(bundle) in stale_kinds():
        with suppress(ValueError):  # changed since the site was prepared: until it is again, it serves what it has
            return static(ENTRIES[bundle])
    return static(f"bundles/{bundle}")


@cache
def stale_kinds() -> frozenset[str]:
    """Of scripts and styles, those of which a bundle is old: bundles of scripts load each other, so they are used all or none."""
    return frozenset(_kind(bundle) for bundle in stale())


class PageFinder(FileSystemFinder):
    """Finds what pages load, and the sources of bundles only while a bundle of their kind is old."""

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Any]]:
        """Names of files with the storage that has each. Costs a look at every source."""
        old = {_kind(bundle) for bundle in stale()}
        spared = {path for path, kinds in _inputs().items() if not kinds & old}
        return ((name, storage) for name, storage in super().list(ignore_patterns) if name not in spared)


def _inputs() -> dict[str, set[str]]:
    """The sources of all bundles with the kinds of bundles made of them (styles hold pictures, too); empty without a list."""
    made, kinds = _made(STATIC), dict[str, set[str]]()
    for bundle in ENTRIES:
        for path in made.get(bundle, {}).get("inputs", {}):
            kinds.setdefault(path, set()).add(_kind(bundle))
    return kinds


def _kind(bundle: str) -> str:
    return bundle.rpartition(".")[2]


def stale(folder: Path = STATIC) -> list[str]:
    """The bundles below ``folder`` that are missing, changed by hand, or made of other sources than those that are there."""
    made = _made(folder)
    return [bundle for bundle in ENTRIES if not _is_current(folder, bundle, made.get(bundle))]


def _made(folder: Path) -> dict[str, Any]:
    try:
        made: dict[str, Any] = json.loads((folder / "bundles" / "bundles.json").read_text())
    except (OSError, ValueError):  # none yet, or the marks of a merge are in it
        return {}
    return made


def _is_current(folder: Path, bundle: str, made: Any) -> bool:
    if not made or _digest(folder / "bundles" / bundle) != made["digest"]:
        return False
    return all(_digest(folder / path) == digest for path, digest in made["inputs"].items())


def _digest(path: Path) -> str:
    """As ``bundle.mjs`` takes it; empty where there is no such file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32] if path.is_file() else ""
