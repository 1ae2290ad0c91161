"""Places at which the browser's modules can be broken, found by ``static/bundle-src/places.mjs`` with the TypeScript parser."""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from simulator.bench.mutate.code import ROOT
from simulator.bench.mutate.trial import Failed
from simulator.engine.kernel.typed import Typed

STATIC = ROOT / "static"
TOOLS = STATIC / "bundle-src"
NODE = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node") or "node"
"""Node.js is installed with the test dependencies."""


class FoundPlace(Struct, frozen=True, kw_only=True):
    """A place as the parser finds it. ``at`` is where its expression begins; the text from ``begin`` to ``end`` becomes ``instead``.

    Positions count UTF-16 units, as JavaScript does.
    """

    path: str
    kind: str
    function: str
    text: str
    line: int
    at: int
    begin: int
    end: int
    instead: str


class FoundPlaces(Struct, frozen=True, kw_only=True):
    """The modules that were read, below ``static``, and the places in them, in the order of the files."""

    modules: tuple[str, ...]
    places: tuple[FoundPlace, ...]


class BrowserPlace(Struct, frozen=True, kw_only=True):
    """A place with its name, which is unique and has no line number, so it survives other edits."""

    name: str
    found: FoundPlace


FOUND: Typed[FoundPlaces] = Typed(FoundPlaces)


def browser_places(static: Path = STATIC, config: str = "bundle-src/tsconfig.json") -> list[BrowserPlace]:
    """All places of the modules that a tsconfig below ``static`` names. Raises Failed if the parser is missing or cannot parse them."""
    command = [NODE, str(TOOLS / "places.mjs"), str(static), config]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise Failed(f"the scripts could not be parsed (make installs the parser): {done.stderr.strip()}")
    return _named(FOUND.from_json(done.stdout).places)


def broken_environment(place: BrowserPlace, static: Path = STATIC) -> dict[str, str]:
    """The environment variables with which ``break.mjs`` breaks this place."""
    found = place.found
    edit = {"file": str(static / found.path), "begin": found.begin, "end": found.end, "instead": found.instead}
    return {"PODSCOPE_BREAK": json.dumps(edit)}


def _named(places: Sequence[FoundPlace]) -> list[BrowserPlace]:
    seen: dict[str, int] = {}
    named = []
    for place in places:
        name = f"{place.kind} {place.path} {place.function or '()'} | {place.text}"
        seen[name] = seen.get(name, 0) + 1
        named.append(BrowserPlace(name=f"{name} #{seen[name]}" if seen[name] > 1 else name, found=place))
    return named
