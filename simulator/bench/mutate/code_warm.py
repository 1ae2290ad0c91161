"""Mutation testing of code in processes with no start-up cost: each is forked from one in which everything is imported and collected.

In the fork, the functions that have changed get the broken code in place. What has run before the fork stays as it was: where that may hide
a break, ``code_trial`` tries the place again in a process that starts with the broken file. A test that fails counts only if it passes with
nothing broken after the same tests, since they run in another order here.
"""

import ast
import gc
import os
import resource
import shutil
import signal
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from inspect import iscoroutinefunction
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from simulator.bench.mutate.code import ROOT, break_at
from simulator.bench.mutate.code_run import change_source, own_caches
from simulator.bench.mutate.trial import MEMORY_BYTES

NO_END = "no end"
CRASH = "a crash"
OUT_OF_TIME = (signal.SIGALRM, signal.SIGXCPU)
STRAYS_MAX = 3
"""So many tests of a place may fail with nothing broken. After that it is the order or the machine that most of the others would fail
for too, one after the other."""


class WarmTask(Struct, frozen=True, kw_only=True):
    """One place to break, the tests that may notice, in order, and their limits in seconds, of CPU and wall-clock time.

    ``is_cold``: begin with empty caches. ``strays``: so many tests have been left out that failed with nothing broken.
    """

    number: int
    path: str
    index: int
    tests: tuple[str, ...]
    is_cold: bool
    cpu_s: int
    wall_s: int
    strays: int = 0


class WarmVerdict(Struct, frozen=True, kw_only=True):
    """``by``: the test that failed, ``a crash`` or ``no end``; empty if all passed. ``is_broken``: it could be tried here."""

    by: str
    is_broken: bool = True


class WarmTrial:
    """The plugin that replaces the loop of a pytest session. ``done`` is called with each verdict. ``problem``: why there are none."""

    def __init__(self, tasks: Sequence[WarmTask], jobs: int, done: Callable[[WarmTask, WarmVerdict], None]) -> None:
        self.problem = ""
        self._tasks, self._jobs, self._done = tasks, jobs, done
        self._session: Any = None
        self._items: dict[str, pytest.Item] = {}
        self._functions: dict[str, list[FunctionType]] = {}
        self._caches: list[Callable[[], None]] = []
        self._trusted: set[str] = set()
        self._running: dict[int, _WarmProcess] = {}
        self._database = Path()
        self._has_failed = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Create the database, then try every place."""
        if session.testsfailed:
            self.problem = "the tests could not be collected"
            return True
        self._session = session
        self._items = {item.nodeid: item for item in session.items}
        self._warm()
        for task in self._tasks:
            self._start(task)
            while len(self._running) >= self._jobs:
                self._take()
        while self._running:
            self._take()
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called for each phase of each test."""
        self._has_failed = self._has_failed or report.failed

    def _warm(self) -> None:
        """A test sets up the database that every process copies."""
        from django.db import connection

        first = next((item for item in self._items.values() if _uses_database(item)), None)
        if first is not None and connection.vendor == "sqlite":
            self._fails(first, self._session)
            self._database = Path(str(connection.settings_dict["NAME"]))
            connection.close()
            with closing(sqlite3.connect(self._database)) as whole:
                whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        gc.collect()
        for each in gc.get_objects():
            if type(each) is FunctionType:  # isinstance() makes a lazy object read the database
                self._functions.setdefault(each.__code__.co_filename, []).append(each)
        self._caches = own_caches()
        for empty in self._caches:
            empty()
        gc.freeze()

    def _start(self, task: WarmTask, suspect: str = "") -> None:
        """Fork a process that runs the tests of a task with its break; or with nothing broken, up to a test that failed under it."""
        names = task.tests[: task.tests.index(suspect) + 1] if suspect else task.tests
        folder = tempfile.mkdtemp(prefix="mutate-")
        reading, writing = os.pipe()
        pid = os.fork()
        if pid:
            os.close(writing)
            self._running[pid] = _WarmProcess(task=task, suspect=suspect, reading=reading, folder=folder)
            return
        by, is_broken = CRASH, True
        try:
            _leave_parent(folder, task)
            self._copy_database(folder)
            if task.is_cold:
                for empty in self._caches:
                    empty()
            is_broken = bool(suspect) or break_live(task.path, task.index, self._functions)
            by = self._first_that_fails([self._items[name] for name in names if name in self._items]) if is_broken else ""
        finally:
            os.write(writing, f"{int(is_broken)}{by}".encode())
            os._exit(0)

    def _copy_database(self, folder: str) -> None:
        from django.conf import settings
        from django.db import connection

        if self._database.is_file():
            connection.settings_dict["NAME"] = settings.DATABASES["default"]["NAME"] = shutil.copy(self._database, folder)

    def _first_that_fails(self, items: Sequence[pytest.Item]) -> str:
        for number, item in enumerate(items):
            if self._fails(item, items[number + 1] if number + 1 < len(items) else self._session):
                return item.nodeid
        return ""

    def _fails(self, item: pytest.Item, after: Any) -> bool:
        """Run a test; ``after`` determines which fixtures are kept: those of the next test, or with the session those of all."""
        self._has_failed = False
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        return self._has_failed

    def _take(self) -> None:
        """Wait for one of the processes and read its answer."""
        pid, status = os.wait()
        if pid not in self._running:
            return
        child = self._running.pop(pid)
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # processes left behind by its tests
        with os.fdopen(child.reading) as pipe:
            answer = pipe.read() if os.WIFEXITED(status) else ""
        shutil.rmtree(child.folder, ignore_errors=True)
        by = answer[1:] if answer else NO_END if os.WIFSIGNALED(status) and os.WTERMSIG(status) in OUT_OF_TIME else CRASH
        self._judge(child.task, child.suspect, by, is_broken=answer[:1] != "0")

    def _judge(self, task: WarmTask, suspect: str, by: str, *, is_broken: bool) -> None:
        """A test that fails under a break counts if it passes with nothing broken; one that fails then too is left out.

        Where several do, the place is left to a process of its own, in which tests run in their usual order.
        """
        if suspect and by and task.strays == STRAYS_MAX:
            self._done(task, WarmVerdict(by="", is_broken=False))
        elif suspect and by:
            unsure = by if by in task.tests else suspect
            self._start(replace(task, tests=tuple(test for test in task.tests if test != unsure), strays=task.strays + 1))
        elif suspect:
            self._trusted.add(suspect)
            self._done(task, WarmVerdict(by=suspect))
        elif by in task.tests and by not in self._trusted:
            self._start(task, suspect=by)
        else:
            self._done(task, WarmVerdict(by=by, is_broken=is_broken))


class _WarmProcess(Struct, frozen=True, kw_only=True):
    task: WarmTask
    suspect: str
    reading: int
    folder: str


def break_live(path: str, index: int, functions: Mapping[str, Sequence[FunctionType]], root: Path = ROOT) -> bool:
    """Replace the code of a file's functions by that of the broken file; one that is not imported yet is compiled broken later.

    ``functions``: all that exist, by file. False if a closure would need other variables than it has.
    """
    file = root / path
    source = file.read_bytes()
    usual = compile(ast.parse(source), str(file), "exec", dont_inherit=True)
    broken = compile(break_at(ast.parse(source), index), str(file), "exec", dont_inherit=True)
    change_source(lambda _, tree: break_at(tree, index), path.__eq__)
    was = {_key(code): code for code in _codes(usual)}
    changed = {_key(code): code for code in _codes(broken) if was.get(_key(code)) != code}
    for function in functions.get(str(file), ()):
        code = changed.get(_key(function.__code__))
        if code is None:
            continue
        if code.co_freevars != function.__code__.co_freevars:
            return False
        function.__code__ = code
    return True


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of each named function in a module's code."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if not inner.co_name.startswith("<"):
                yield inner
            yield from _codes(inner)


def _leave_parent(folder: str, task: WarmTask) -> None:
    """In a process just forked: its own process group, folder and exit, and no output."""
    os.setsid()
    for each in OUT_OF_TIME:
        signal.signal(each, signal.SIG_DFL)
    signal.alarm(task.wall_s)
    resource.setrlimit(resource.RLIMIT_CPU, (task.cpu_s, task.cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    silence = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(silence, number)
    os.environ["TMPDIR"] = tempfile.tempdir = folder


def _uses_database(item: pytest.Item) -> bool:
    names = getattr(item, "fixturenames", ())
    return ("db" in names or item.get_closest_marker("django_db") is not None) and not iscoroutinefunction(getattr(item, "obj", None))
