"""Mutation testing of declarations: tests run once to learn which can notice what, then again under each mutant, until the first failure.

Every mutant gets a process of its own, forked from one in which everything is imported and collected, so a trial costs only its tests.
"""

import os
import resource
import signal
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from msgspec import Struct

from simulator.bench.mutate.asked import caches, noting
from simulator.bench.mutate.mutants import Mutant

ROOT = Path(__file__).resolve().parents[3]
TESTS = ("tests/engine", "tests/kubectl")
"""The golden stories, the engine's tests and those of kubectl's output, which depends on the version too."""
TOO_SLOW = (
    "tests/engine/apiserver/godiff",
    "tests/engine/apiserver/test_go_json.py",
    "tests/engine/containers/test_behaviour_properties.py",
    "tests/engine/containers/test_effort.py",
    "tests/engine/containers/test_hostile_scripts.py",
    "tests/engine/apiserver/store/test_fuzz.py",
    "tests/engine/test_json_text.py",
    "tests/engine/test_properties.py",
    "tests/kubectl/test_yaml.py",
)
OF_THE_TABLES = (
    "tests/engine/test_machine*.py",
    "tests/engine/test_profile*.py",
    "tests/engine/test_records_docs.py",
    "tests/engine/test_rule_coverage.py",
)
"""They repeat the declarations, so they notice every change of one and say nothing about what depends on it."""
TRIAL_S = 30
MEMORY_BYTES = 3 << 30


class MutantVerdict(Struct, frozen=True, kw_only=True):
    """The outcome of a mutant. ``by``: the test that noticed, ``a crash`` or ``no end``; empty if none did. ``asked``: how many could.

    ``where``: its file and line, if it is one of code.
    """

    mutant: str
    by: str
    asked: int
    where: str = ""


class Failed(Exception):
    """A test failed although nothing was broken, or the tests could not be collected."""


def try_mutants(mutants: Iterable[Mutant], *, tests: Sequence[str] = TESTS, jobs: int = 0) -> list[MutantVerdict]:
    """The verdict on each mutant, in order. ``jobs`` processes at a time (0: one per core). Raises Failed.

    Costs one run of the tests and, for each mutant, those of its tests that come before one fails.
    """
    trial = _Trial(list(mutants), jobs or os.cpu_count() or 1)
    left_out = [f"--ignore-glob={ROOT / path}" for path in (*TOO_SLOW, *OF_THE_TABLES)]
    options = ["-c", str(ROOT / "pyproject.toml"), "--capture=sys", "-p", "no:cacheprovider", "--no-header", "--no-summary", "-q"]
    code = pytest.main([*options, *left_out, *(str(ROOT / test) for test in tests)], plugins=[trial])
    if trial.problem or code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise Failed(trial.problem or f"pytest ended with {code}")
    return trial.verdicts


class _Trial:
    """The plugin that replaces the loop of a pytest session."""

    def __init__(self, mutants: list[Mutant], jobs: int) -> None:
        self.mutants, self.jobs = mutants, jobs
        self.verdicts: list[MutantVerdict] = []
        self.problem = ""
        self._took_s: dict[str, float] = {}
        self._asking: dict[str, list[Any]] = {}
        self._caches: list[Any] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Learn which tests read what, then try every mutant."""
        if session.testsfailed:
            self.problem = "the tests could not be collected"
            return True
        self._caches = caches()
        for number, item in enumerate(session.items):
            self._learn(item, session.items[number + 1] if number + 1 < len(session.items) else None)
            if self.problem:
                return True
        found: dict[str, MutantVerdict] = {}
        running: dict[int, tuple[Mutant, int]] = {}
        for mutant in self.mutants:
            if len(running) >= self.jobs:
                _take(running, found, self._asking)
            running |= self._start(mutant)
        while running:
            _take(running, found, self._asking)
        self.verdicts = [found[mutant.name] for mutant in self.mutants]
        return True

    def _forget(self) -> None:
        for cache in self._caches:
            cache.cache_clear()

    def _learn(self, item: pytest.Item, after: pytest.Item | None) -> None:
        asked: set[str] = set()
        self._forget()
        began = monotonic()
        with noting(asked.add):
            passed = _passes(item, after)
        self._took_s[item.nodeid] = monotonic() - began
        if not passed:
            self.problem = f"{item.nodeid} fails although nothing is broken"
        for key in asked:
            self._asking.setdefault(key, []).append(item)

    def _start(self, mutant: Mutant) -> dict[int, tuple[Mutant, int]]:
        """Start a process that tries a mutant; returns the end of the pipe on which it will report who noticed."""
        reading, writing = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if pid:
            os.close(writing)
            return {pid: (mutant, reading)}
        by = "a crash"
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(TRIAL_S)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            mutant.make()
            self._forget()
            by = _first_that_fails(sorted(self._asking.get(mutant.of, ()), key=lambda item: self._took_s[item.nodeid]))
        finally:
            os.write(writing, by.encode())
            os._exit(0)


def _take(running: dict[int, tuple[Mutant, int]], found: dict[str, MutantVerdict], asking: dict[str, list[Any]]) -> None:
    """Wait for one of the processes and record its verdict."""
    pid, status = os.wait()
    mutant, reading = running.pop(pid)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    ended = os.WIFEXITED(status)
    by = answer if ended else ("no end" if os.WTERMSIG(status) == signal.SIGALRM else "a crash")
    found[mutant.name] = MutantVerdict(mutant=mutant.name, by=by, asked=len(asking.get(mutant.of, ())))


def _first_that_fails(items: Sequence[pytest.Item]) -> str:
    for number, item in enumerate(items):
        if not _passes(item, items[number + 1] if number + 1 < len(items) else None):
            return item.nodeid
    return ""


def _passes(item: pytest.Item, after: pytest.Item | None) -> bool:
    """Run one test; ``after`` determines which fixtures are kept."""
    if hasattr(item, "_initrequest"):
        item._initrequest()  # the fixtures of an earlier run are gone
    return all(not report.failed for report in runtestprotocol(item, nextitem=after, log=False))
