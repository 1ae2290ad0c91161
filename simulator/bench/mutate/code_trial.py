"""The trial of broken code: learn which tests call which function (kept in ``var/``), then run those tests for each broken place.

Every place gets a process of its own that compiles the one file broken, so neither the tree nor ``__pycache__`` changes. The quickest
tests that call the function run first; when these pass, the files of all that do, for what a fixture calls once is seen in one test only.
"""

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import TypeVar

import msgspec
from msgspec import Struct

from simulator.bench.mutate.code import PACKAGES, ROOT, CodePlace
from simulator.bench.mutate.code_run import CODE_ANSWER, CodeAnswer, CodeRequest
from simulator.bench.mutate.trial import Failed, MutantVerdict
from simulator.engine.kernel.typed import Typed

T = TypeVar("T")
CODE_TESTS = ("tests/web", "tests/runs", "tests/kubectl", "tests/imports")
LEARNED = ROOT / "var" / "mutate-learned.json"
CODE_KEPT = ROOT / "tests" / "bench" / "code_unnoticed.txt"
"""As the kept file of declarations: one line a place, its name, a colon, why no test can notice it."""
FIRST = 40
"""So many of the quickest tests run before the others."""
PATIENCE_S = 90
SLOWER = 6
"""A trial may take so many times what its tests took when they were learned, and the patience."""


class LearnedFile(Struct, frozen=True, kw_only=True):
    """What a file of tests did while nothing was broken. ``digest``: of the file and of the code at that time."""

    digest: str
    took_s: dict[str, float]
    failed: tuple[str, ...]
    calls: dict[str, tuple[str, ...]]


LEARNED_FILES: Typed[dict[str, LearnedFile]] = Typed(dict[str, LearnedFile])


class Learned(Struct, frozen=True, kw_only=True):
    """Seconds of every test that passes, those that fail with nothing broken, and the tests that call each function."""

    took_s: dict[str, float]
    failed: tuple[str, ...]
    calls: dict[str, tuple[str, ...]]


def drawn(places: Iterable[T], count: int, seed: int) -> list[T]:
    """So many places at random, in their own order; the same for the same seed. 0: all."""
    every = list(places)
    if not count or count >= len(every):
        return every
    return [every[number] for number in sorted(Random(seed).sample(range(len(every)), count))]


def learn(tests: Sequence[str] = CODE_TESTS, kept: Path = LEARNED) -> Learned:
    """Run the tests whose file or code has changed since they were last learned, and put all together. Raises Failed."""
    code = hashlib.sha256()
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        code.update(path.read_bytes())
    known = LEARNED_FILES.from_json(kept.read_bytes()) if kept.is_file() else {}
    wanted = {file: hashlib.sha256(code.digest() + (ROOT / file).read_bytes()).hexdigest() for file in _files(tests)}
    fresh = [file for file, digest in wanted.items() if file not in known or known[file].digest != digest]
    if fresh:
        answer = _answer(CodeRequest(tests=tuple(fresh)), None)
        if answer is None or answer.code not in (0, 1):
            raise Failed(f"the tests could not be learned: {answer and answer.failed}")
        known |= {file: _of_file(file, wanted[file], answer) for file in fresh}
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(msgspec.json.encode(known))
    return _together([known[file] for file in wanted])


def try_places(places: Sequence[CodePlace], learned: Learned, *, jobs: int = 0) -> Iterator[MutantVerdict]:
    """The verdict on each place, in their order. ``jobs`` processes at a time (0: one a core)."""
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        yield from pool.map(lambda place: _tried(place, learned), places)


def _tried(place: CodePlace, learned: Learned) -> MutantVerdict:
    calling = sorted(learned.calls.get(place.function, ()), key=lambda test: learned.took_s[test])
    files = dict.fromkeys(test.partition("::")[0] for test in calling)
    by = ""
    for tests in (tuple(calling[:FIRST]), tuple(files)):
        if tests and not by:
            by = _noticed(place, tests, learned)
    return MutantVerdict(mutant=place.name, by=by, asked=len(calling))


def _noticed(place: CodePlace, tests: tuple[str, ...], learned: Learned) -> str:
    """The test that failed, or what else came of it; empty if all passed."""
    took_s = sum(took for test, took in learned.took_s.items() if test in tests or test.partition("::")[0] in tests)
    left_out = tuple(f"--deselect={test}" for test in learned.failed)
    answer = _answer(CodeRequest(tests=(*tests, *left_out), path=place.path, index=place.index), PATIENCE_S + SLOWER * took_s)
    if answer is None:
        return "no end"
    if answer.failed or answer.code == 0:
        return answer.failed[0] if answer.failed else ""
    return f"a crash ({answer.code})"


def _answer(request: CodeRequest, timeout_s: float | None) -> CodeAnswer | None:
    """What a process of its own says; None where it had to be ended."""
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        file = Path(folder) / "request"
        file.write_bytes(msgspec.json.encode(request))
        command = [sys.executable, "-m", "simulator.bench.mutate.code_run", str(file)]
        environ = {**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": folder, "TMPDIR": folder}
        with subprocess.Popen(
            command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        ) as process:
            try:
                process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return None
        said = file.with_suffix(".answer")
        return CODE_ANSWER.from_json(said.read_bytes()) if said.is_file() else CodeAnswer(code=process.returncode or 3)


def _files(tests: Sequence[str]) -> list[str]:
    found = [path for test in tests for path in ((ROOT / test).rglob("test_*.py") if (ROOT / test).is_dir() else [ROOT / test])]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def _of_file(file: str, digest: str, answer: CodeAnswer) -> LearnedFile:
    def is_here(test: str) -> bool:
        return test.partition("::")[0] == file

    took_s = {test: took for test, took in answer.took_s.items() if is_here(test) and test not in answer.failed}
    calls = {function: tuple(test for test in tests if test in took_s) for function, tests in answer.calls.items()}
    failed = tuple(filter(is_here, answer.failed))
    return LearnedFile(digest=digest, took_s=took_s, failed=failed, calls={function: tests for function, tests in calls.items() if tests})


def _together(files: Iterable[LearnedFile]) -> Learned:
    took_s: dict[str, float] = {}
    failed: list[str] = []
    calls: dict[str, list[str]] = {}
    for file in files:
        took_s |= file.took_s
        failed += file.failed
        for function, tests in file.calls.items():
            calls.setdefault(function, []).extend(tests)
    return Learned(took_s=took_s, failed=tuple(failed), calls={function: tuple(tests) for function, tests in calls.items()})
