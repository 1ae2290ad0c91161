"""A separate process for tests of changed code: broken at one place, or reporting which functions are called.

``python -m simulator.bench.mutate.code_run REQUEST``, where REQUEST is a file with a CodeRequest; the answer is written next to it. Nothing
of the packages may be imported before the loader is changed, so this module imports neither Django nor the site.
"""

import ast
import builtins
import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import _lru_cache_wrapper
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from simulator.bench.mutate.code import PACKAGES, ROOT, break_at, tell_calls
from simulator.engine.kernel.typed import Typed

CALL = "__mutate_called__"
LEARN = -1
"""As the index of a request: break nothing, report calls."""
EARLY = ""
"""Code that runs on import, during collection, or in a session fixture: attributed to no single test, possibly used by all."""
OPTIONS = (
    "--capture=sys",
    "-o",
    "timeout=0",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-p",
    "no:rerunfailures",
    "--no-header",
    "--no-summary",
    "-q",
)
MARKED = ("-m", "not servers and not e2e and not pg and not redis")


class CodeRequest(Struct, frozen=True, kw_only=True):
    """Which tests to run (files or ids), and where the code is broken."""

    tests: tuple[str, ...]
    path: str = ""
    index: int = LEARN


class CodeAnswer(Struct, kw_only=True):
    """The outcome: pytest's exit code, each test's CPU seconds, those that failed, and, when learning, which tests run which block.

    A block is attributed to a test, to a test file if something shared by all of its tests runs it, or to EARLY.
    """

    code: int = 0
    took_s: dict[str, float] = {}
    failed: list[str] = []
    calls: dict[str, list[str]] = {}


def change_source(change: Callable[[str, ast.Module], ast.Module], wanted: Callable[[str], bool]) -> None:
    """From now on, files whose path in the project is ``wanted`` are compiled from a changed tree, ignoring ``__pycache__``."""
    usual = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> Any:
        file = Path(self.get_filename(fullname))
        path = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else ""
        if not path or not wanted(path):
            return usual(self, fullname)
        return compile(change(path, ast.parse(file.read_bytes())), str(file), "exec", dont_inherit=True)

    setattr(SourceFileLoader, "get_code", get_code)  # noqa: B010 - its type is wider than what it is called with


CODE_REQUEST: Typed[CodeRequest] = Typed(CodeRequest)
CODE_ANSWER: Typed[CodeAnswer] = Typed(CodeAnswer)


def is_of_packages(path: str) -> bool:
    """Whether a path in the project belongs to code that is broken."""
    return path.startswith(tuple(f"{package}/" for package in PACKAGES))


def main(request_file: Path) -> None:
    """Run the tests of a request; writes the answer next to it."""
    request = CODE_REQUEST.from_json(request_file.read_bytes())
    early = [name for name in sys.modules if is_of_packages(f"{name.replace('.', '/')}/")]
    assert not early, f"imported too early to be changed: {early}"
    answer = CodeAnswer()
    plugins: list[object] = [_Results(answer)]
    if request.index == LEARN:
        calls = _Calls(request_file.with_suffix(".calls"))
        plugins.append(calls)
        setattr(builtins, CALL, calls.called)
        change_source(lambda path, tree: tell_calls(tree, path, CALL), is_of_packages)
    else:
        change_source(lambda _, tree: break_at(tree, request.index), request.path.__eq__)
    stop = [] if request.index == LEARN else ["-x"]
    answer.code = int(pytest.main(["-c", str(ROOT / "pyproject.toml"), *OPTIONS, *MARKED, *stop, *request.tests], plugins=plugins))
    if request.index == LEARN:
        answer.calls = calls.read()
    request_file.with_suffix(".answer").write_bytes(msgspec.json.encode(answer))


class _Results:
    """The plugin that records passed and failed tests."""

    def __init__(self, answer: CodeAnswer) -> None:
        self._answer = answer

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Around each test."""
        began_s = _cpu_s()
        result = yield
        self._answer.took_s[item.nodeid] = _cpu_s() - began_s
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called for each phase of each test."""
        if report.failed and report.nodeid not in self._answer.failed:
            self._answer.failed.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Called for each file; code that cannot be imported counts as noticed."""
        if report.failed:
            self._answer.failed.append(report.nodeid)


class _Calls:
    """The plugin that records which blocks run during which test, also in processes that the test forks: all append to one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        self._who = [EARLY]
        self._now = 0
        self._seen: dict[int, set[str]] = {0: set()}
        self._caches: list[Callable[[], None]] = []

    def called(self, block: str) -> None:
        """Called by the first statement of each block."""
        seen = self._seen[self._now]
        if block not in seen:
            seen.add(block)
            os.write(self._file, f"{block}\t{self._now}\n".encode())

    def read(self) -> dict[str, list[str]]:
        """Who runs each block."""
        calls: dict[str, dict[str, None]] = {}
        for line in self._path.read_text(encoding="utf-8").splitlines():
            block, _, number = line.partition("\t")
            calls.setdefault(block, {})[self._who[int(number)]] = None
        return {block: [*who] for block, who in calls.items()}

    def pytest_collection_finish(self) -> None:
        """A cached value is not computed by the test that gets it, so the packages' caches are emptied before each test."""
        self._caches = own_caches()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Around each test."""
        for empty in self._caches:
            empty()
        with self._noting(item.nodeid):
            result = yield
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Iterator[None]:
        """Around fixtures that are set up once for many tests."""
        shared = EARLY if fixturedef.scope == "session" else request.node.nodeid.partition("::")[0]
        with nullcontext() if fixturedef.scope == "function" else self._noting(shared):
            result = yield
        return result

    @contextmanager
    def _noting(self, who: str) -> Iterator[None]:
        before = self._now
        self._who.append(who)
        self._now = len(self._who) - 1
        self._seen[self._now] = set()
        try:
            yield
        finally:
            del self._seen[self._now]
            self._now = before


def own_caches() -> list[Callable[[], None]]:
    """Functions that empty the packages' caches. What is cached is not called again."""
    kept = getattr(sys.modules.get("simulator.web.base.caches"), "Kept", None)
    every = gc.get_objects()  # by exact type: isinstance() makes a lazy object read the database
    return [each._found.clear for each in every if type(each) is kept] + [
        each.cache_clear for each in every if type(each) is _lru_cache_wrapper and _is_ours(each)
    ]


def _cpu_s() -> float:
    """CPU seconds of this process and of those it has waited for: how busy the machine is makes no difference."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _is_ours(cache: Any) -> bool:
    return is_of_packages(f"{str(getattr(cache, '__module__', '')).replace('.', '/')}/")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
