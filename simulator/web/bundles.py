"""The scripts and styles that a page loads: the committed bundles if they are up to date, otherwise the individual sources.

``make bundles`` builds them (``static/bundle-src/bundle.mjs``) and lists the digest of each source in ``static/bundles/bundles.json``.
A stale bundle is never served, so a change to a script is visible without building anything. A test checks that bundles are up to date
before a release. ``PageFinder`` collects only what is served: collecting the sources as well took most of the time of a site's first start.
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
"""Bundle → its entry point. ``editor.js`` and ``later.js`` are loaded by other scripts on demand."""


def url_of(bundle: str) -> str:
    """The URL of a bundle, or of its source instead. Checks every source once per process."""
    if settings.DEBUG or _kind(bundle) in stale_kinds():
        with suppress(ValueError):  # changed since static files were collected: until that is repeated, serve what there is
            return static(ENTRIES[bundle])
    return static(f"bundles/{bundle}")


@cache
def stale_kinds() -> frozenset[str]:
    """The kinds (js, css) with a stale bundle: script bundles load each other, so either all or none are used."""
    return frozenset(_kind(bundle) for bundle in stale())


class PageFinder(FileSystemFinder):
    """Finds the files that pages load; the sources of bundles only while a bundle of their kind is stale."""

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Any]]:
        """Yield file names, each with its storage. Checks every source."""
        old = {_kind(bundle) for bundle in stale()}
        spared = {path for path, kinds in _inputs().items() if not kinds & old}
        return ((name, storage) for name, storage in super().list(ignore_patterns) if name not in spared)


def _inputs() -> dict[str, set[str]]:
    """The sources of all bundles with the kinds of bundles made from them (styles contain pictures, too); empty without a list."""
    made, kinds = _made(STATIC), dict[str, set[str]]()
    for bundle in ENTRIES:
        for path in made.get(bundle, {}).get("inputs", {}):
            kinds.setdefault(path, set()).add(_kind(bundle))
    return kinds


def _kind(bundle: str) -> str:
    return bundle.rpartition(".")[2]


def stale(folder: Path = STATIC) -> list[str]:
    """The bundles below ``folder`` that are missing, edited by hand, or built from other sources than the current ones."""
    made = _made(folder)
    return [bundle for bundle in ENTRIES if not _is_current(folder, bundle, made.get(bundle))]


def _made(folder: Path) -> dict[str, Any]:
    try:
        made: dict[str, Any] = json.loads((folder / "bundles" / "bundles.json").read_text())
    except (OSError, ValueError):  # missing, or with merge conflict markers in it
        return {}
    return made


def _is_current(folder: Path, bundle: str, made: Any) -> bool:
    if not made or _digest(folder / "bundles" / bundle) != made["digest"]:
        return False
    return all(_digest(folder / path) == digest for path, digest in made["inputs"].items())


def _digest(path: Path) -> str:
    """The digest that ``bundle.mjs`` computes; empty if there is no such file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32] if path.is_file() else ""
