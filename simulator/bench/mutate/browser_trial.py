"""Mutation testing of scripts: learn which tests of ``tests/js`` run which places, then run those for each place that is broken.

For each place, the test files that run it are started in processes of their own, the quickest first, until one fails. The process loads the
one module broken, so the tree does not change. What runs is taken from V8's coverage; learning costs one run of all tests, so it is not
cached. Places are drawn from modules that some test loads: the others run only in the browser, whose tests are not used here.
"""

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from simulator.bench.mutate.browser import NODE, STATIC, TOOLS, BrowserPlace, broken_environment
from simulator.bench.mutate.code import ROOT
from simulator.bench.mutate.trial import MutantVerdict
from simulator.engine.kernel.typed import Typed

BROWSER_TESTS = ("tests/js",)
BROWSER_KEPT = ROOT / "tests" / "bench" / "browser_unnoticed.txt"
"""As in the kept file of code: one line per place: its name, a colon, why no test can notice it."""
NODE_OPTIONS = ("--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--max-old-space-size=512", "--test-reporter=tap")
NODE_PATIENCE_S = 15
NODE_SLOWER = 6
"""Time limit of a test file, as a multiple of the time it took when learned, plus the patience."""
NOT_OK = re.compile(r"^\s*not ok \d+ - (.*)$", re.MULTILINE)


class CoverageRange(Struct, frozen=True, rename="camel"):
    """How often V8 ran a range of a script. A range inside another is counted separately."""

    start_offset: int
    end_offset: int
    count: int


class CoverageFunction(Struct, frozen=True):
    """The ranges of a function, its own first."""

    ranges: tuple[CoverageRange, ...]


class CoverageScript(Struct, frozen=True):
    """V8's counts for a script."""

    url: str
    functions: tuple[CoverageFunction, ...]


class CoverageFile(Struct, frozen=True):
    """The file that a Node.js process writes if ``NODE_V8_COVERAGE`` is set."""

    result: tuple[CoverageScript, ...]


COVERAGE: Typed[CoverageFile] = Typed(CoverageFile)


class NodeRun(Struct, frozen=True, kw_only=True):
    """The outcome of a test file. ``by``: its first test that failed, ``a crash`` or ``no end``; empty if all passed."""

    by: str
    took_s: float


class BrowserLearned(Struct, frozen=True, kw_only=True):
    """For every test file that passes: its seconds, and the ranges of each module that it loads, by path below ``static``.

    ``failed``: the files that fail with nothing broken.
    """

    took_s: dict[str, float]
    pieces: dict[str, dict[str, list[CoverageRange]]]
    failed: tuple[str, ...]

    @property
    def loaded(self) -> frozenset[str]:
        """The modules that some test loads."""
        return frozenset(path for modules in self.pieces.values() for path in modules)

    def running(self, place: BrowserPlace) -> list[str]:
        """The test files that run a place, the quickest first."""
        files = [file for file, modules in self.pieces.items() if _is_run(modules.get(place.found.path, ()), place.found.at)]
        return sorted(files, key=self.took_s.__getitem__)


def learn_scripts(tests: Sequence[str] = BROWSER_TESTS, *, jobs: int = 0) -> BrowserLearned:
    """Run every test file once with nothing broken. ``jobs`` processes at a time (0: one per core)."""
    files = _test_files(tests)
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        covered = dict(zip(files, pool.map(_covered, files), strict=True))
    return BrowserLearned(
        took_s={file: run.took_s for file, (run, _) in covered.items() if not run.by},
        pieces={file: pieces for file, (run, pieces) in covered.items() if not run.by},
        failed=tuple(file for file, (run, _) in covered.items() if run.by),
    )


def try_scripts(places: Sequence[BrowserPlace], learned: BrowserLearned, *, jobs: int = 0) -> Iterator[MutantVerdict]:
    """The verdict on each place, in order. ``jobs`` processes at a time (0: one per core)."""
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        yield from pool.map(lambda place: _script_tried(place, learned), places)


def not_loaded(places: Sequence[BrowserPlace], loaded: frozenset[str]) -> dict[str, tuple[int, int]]:
    """For each folder of scripts, how many modules with places no test loads, and how many places these have."""
    left: dict[str, list[str]] = {}
    for path in (place.found.path for place in places if place.found.path not in loaded):
        left.setdefault("/".join(path.split("/")[:-1][:2]), []).append(path)
    return {folder: (len(set(paths)), len(paths)) for folder, paths in sorted(left.items())}


def _script_tried(place: BrowserPlace, learned: BrowserLearned) -> MutantVerdict:
    files = learned.running(place)
    where = f"static/{place.found.path}:{place.found.line}"
    for file in files:
        by = _node_run(file, broken_environment(place), NODE_PATIENCE_S + NODE_SLOWER * learned.took_s[file]).by
        if by:
            return MutantVerdict(mutant=place.name, by=f"{file}: {by}", asked=len(files), where=where)
    return MutantVerdict(mutant=place.name, by="", asked=len(files), where=where)


def _node_run(file: str, environ: dict[str, str], timeout_s: float | None = None) -> NodeRun:
    """Run a test file, with a module broken if the environment says so."""
    hook = ["--import", (TOOLS / "break.mjs").as_uri()] if "PODSCOPE_BREAK" in environ else []
    command = [NODE, *NODE_OPTIONS, *hook, "--import", "./tests/js/setup.mjs", file]
    began = monotonic()
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return NodeRun(by="no end", took_s=monotonic() - began)
    first = NOT_OK.search(output)
    by = "" if not process.returncode else first[1] if first else f"a crash ({process.returncode})"
    return NodeRun(by=by, took_s=monotonic() - began)


def _covered(file: str) -> tuple[NodeRun, dict[str, list[CoverageRange]]]:
    """Run a test file with nothing broken; also returns the ranges of each module that it loads, by the module's path below ``static``."""
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        run = _node_run(file, {"NODE_V8_COVERAGE": folder})
        scripts = [script for path in Path(folder).iterdir() for script in COVERAGE.from_json(path.read_bytes()).result]
    counted: dict[str, list[CoverageRange]] = {}
    for script in scripts:
        path = Path(unquote(urlsplit(script.url).path))
        if script.url.startswith("file:") and path.is_relative_to(STATIC):
            pieces = [piece for function in script.functions for piece in function.ranges]
            counted.setdefault(path.relative_to(STATIC).as_posix(), []).extend(pieces)
    return run, counted


def _is_run(pieces: Sequence[CoverageRange], at: int) -> bool:
    """Whether the innermost range around a position was run."""
    around = [piece for piece in pieces if piece.start_offset <= at < piece.end_offset]
    return bool(around) and min(around, key=lambda piece: piece.end_offset - piece.start_offset).count > 0


def _test_files(tests: Sequence[str]) -> list[str]:
    found = [path for test in tests for path in ((ROOT / test).rglob("*.test.mjs") if (ROOT / test).is_dir() else [ROOT / test])]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)
