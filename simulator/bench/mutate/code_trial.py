"""Mutation testing of code: learn which tests run which blocks (cached in ``var/``), then run those tests for each broken place.

Every place gets a process of its own, forked from one that is ready (``code_warm``), so neither the tree nor ``__pycache__`` changes. The
tests that run the block go first, nearby and quick ones before others; then the rest of their files, since a value that is made once and
cached is seen in only one test. Code that runs on import or during collection cannot be broken afterwards: if no test of a forked process
notices, the tests run again in a process that compiles the broken file from the start.
"""

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import TypeVar

import msgspec
import pytest
from msgspec import Struct

from simulator.bench.mutate.code import PACKAGES, ROOT, SITE, CodePlace
from simulator.bench.mutate.code_run import CODE_ANSWER, EARLY, MARKED, OPTIONS, CodeAnswer, CodeRequest
from simulator.bench.mutate.code_warm import CRASH, NO_END, WarmTask, WarmTrial, WarmVerdict
from simulator.bench.mutate.trial import Failed, MutantVerdict
from simulator.engine.kernel.typed import Typed

T = TypeVar("T")
OF_COMMANDS = ("tests/test_simulate.py", "tests/test_sweep_command.py")
"""What ``simulator.headless`` is for: its own folder of tests has what no command shows."""
CODE_TESTS = (*(f"tests/{'site' if package == SITE else package.partition('/')[2]}" for package in PACKAGES), *OF_COMMANDS)
ASKS_BY_OTHERS = ("from tests.door.clients import", "from tests.door.cluster import")
"""Tests that start real clients, or a cluster in a process of its own, are slow; and what such processes run cannot be broken either."""
LEARNED = ROOT / "var" / "mutate-learned.json"
CODE_KEPT = ROOT / "tests" / "bench" / "code_unnoticed.txt"
"""As in the kept file of declarations: one line per place: its name, a colon, why no test can notice it."""
MOST_S = 60
"""The tests that run for a place took at most this many CPU seconds together when learned: what the nearby ones do not notice, hundreds
of others that pass through it rarely do."""
PATIENCE_S = 20
SLOWER = 4
"""CPU limit of a trial, as a multiple of the time that its tests took when learned, plus the patience."""
LEARNED_CODES = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
"""Nothing is collected if every test that a process was given is marked as one that needs a server or a browser."""
NO_ANSWER = -1
"""In place of an exit code of pytest: the process ended without an answer."""
WALL = 6
"""And this multiple of that in wall-clock time, for code that waits forever."""


class LearnedFile(Struct, frozen=True, kw_only=True):
    """What a test file did while nothing was broken. ``digest``: of the file and of the code at that time.

    ``blocks`` has the tests that run each block, as indexes into ``took_s``; ALL_OF_FILE if all of them may.
    """

    digest: str
    took_s: dict[str, float]
    failed: tuple[str, ...]
    blocks: dict[str, tuple[int, ...]]


ALL_OF_FILE = -1
LEARNED_FILES: Typed[dict[str, LearnedFile]] = Typed(dict[str, LearnedFile])


class Learned(Struct, frozen=True, kw_only=True):
    """CPU seconds of every test that passes, those that fail with nothing broken, the tests of each block, and the blocks run early."""

    took_s: dict[str, float]
    failed: tuple[str, ...]
    blocks: dict[str, tuple[str, ...]]
    early: frozenset[str]

    def asked(self, place: CodePlace) -> list[str]:
        """The tests that run the broken block, the likeliest to notice first."""
        return sorted(self.blocks.get(place.block, ()), key=lambda test: (-_beside(test, place.path), self.took_s[test]))

    def in_turn(self, place: CodePlace) -> tuple[str, ...]:
        """The tests to run for a place, in order, within a total of MOST_S."""
        asked = self.asked(place)
        files = {test.partition("::")[0] for test in asked}
        if place.block in self.early and not files:
            stem = Path(place.path).stem
            files = {file for file in map(_file, self.took_s) if Path(file).stem.removeprefix("test_").removeprefix("view_") == stem}
        others = sorted((test for test in self.took_s if _file(test) in files), key=self.took_s.__getitem__)
        chosen: list[str] = []
        took_s = 0.0
        for test in dict.fromkeys([*asked, *others]):
            took_s += self.took_s[test]
            if took_s > MOST_S and chosen:
                break
            chosen.append(test)
        return tuple(chosen)


def _file(test: str) -> str:
    return test.partition("::")[0]


def _beside(test: str, path: str) -> int:
    """How near a test is to the code: the number of folders with the same name, plus one if the files match."""
    of_test, of_code = Path(_file(test)).parts[1:], Path(path).parts[1:]
    near = [one == other for one, other in zip(of_test, of_code, strict=False)]
    return (near.index(False) if False in near else len(near)) + (Path(path).stem in of_test[-1])


def drawn(places: Iterable[T], count: int, seed: int) -> list[T]:
    """A random sample of this size, in its original order; the same for the same seed. 0: all."""
    every = list(places)
    if not count or count >= len(every):
        return every
    return [every[number] for number in sorted(Random(seed).sample(range(len(every)), count))]


def learn(tests: Sequence[str] = CODE_TESTS, kept: Path = LEARNED, *, jobs: int = 0) -> Learned:
    """Run the tests whose file or code has changed since they were last learned, and merge all results.

    ``jobs`` processes at a time (0: one per core). Raises Failed.
    """
    code = hashlib.sha256()
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        code.update(path.read_bytes())
    known = _known(kept)
    wanted = {file: hashlib.sha256(code.digest() + (ROOT / file).read_bytes()).hexdigest() for file in _files(tests)}
    fresh = [file for file, digest in wanted.items() if file not in known or known[file].digest != digest]
    if fresh:
        shares = _shares(fresh, jobs or os.cpu_count() or 1)
        with ThreadPoolExecutor(len(shares)) as pool:
            answers = [*pool.map(lambda share: _answer(CodeRequest(tests=tuple(share)), None), shares)]
        for share, answer in zip(shares, answers, strict=True):
            if answer is None or answer.code not in LEARNED_CODES:
                raise Failed(f"the tests could not be learned: {answer and answer.failed}")
            known |= {file: _of_file(file, wanted[file], answer) for file in share}
            known[EARLY] = _early(answer, known.get(EARLY))
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(msgspec.json.encode(known))
    return _together([known[file] for file in wanted], frozenset(known[EARLY].blocks))


def _shares(files: Sequence[str], jobs: int) -> list[list[str]]:
    """Distribute the files over this many processes, round robin, since those of one folder take about equally long."""
    return [[*files[start::jobs]] for start in range(min(jobs, len(files)))]


def _known(kept: Path) -> dict[str, LearnedFile]:
    try:
        return LEARNED_FILES.from_json(kept.read_bytes())
    except (OSError, msgspec.DecodeError):
        return {}


def try_places(
    places: Sequence[CodePlace], learned: Learned, on_verdict: Callable[[MutantVerdict], None], *, jobs: int = 0
) -> list[MutantVerdict]:
    """The verdict on each place, in order; ``on_verdict`` gets each as soon as it is known. ``jobs`` processes at a time (0: one per core).

    Raises Failed.
    """
    found: dict[int, MutantVerdict] = {}
    tasks = [_task(number, place, learned) for number, place in enumerate(places)]

    def done(task: WarmTask, verdict: WarmVerdict) -> None:
        place = places[task.number]
        by = verdict.by
        if not by and task.tests and (task.is_cold or not verdict.is_broken):
            by = _noticed(place, task, learned)
        found[task.number] = MutantVerdict(mutant=place.name, by=by, asked=len(task.tests), where=f"{place.path}:{place.line}")
        on_verdict(found[task.number])

    for task in tasks:
        if not task.tests:
            done(task, WarmVerdict(by=""))
    ready = [task for task in tasks if task.tests]
    if ready:
        _try_warm(ready, learned, jobs or os.cpu_count() or 1, done)
    return [found[number] for number in range(len(places))]


def _task(number: int, place: CodePlace, learned: Learned) -> WarmTask:
    tests = learned.in_turn(place)
    took_s = sum(learned.took_s[test] for test in tests)
    is_cold = place.block in learned.early
    cpu_s = int(PATIENCE_S + SLOWER * took_s)
    return WarmTask(number=number, path=place.path, index=place.index, tests=tests, is_cold=is_cold, cpu_s=cpu_s, wall_s=WALL * cpu_s)


def _try_warm(tasks: Sequence[WarmTask], learned: Learned, jobs: int, done: Callable[[WarmTask, WarmVerdict], None]) -> None:
    trial = WarmTrial(tasks, jobs, done)
    files = sorted({_file(test) for task in tasks for test in task.tests})
    left_out = [f"--deselect={test}" for test in learned.failed]
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
        options = ["-c", str(ROOT / "pyproject.toml"), *OPTIONS, *MARKED, *left_out]
        code = pytest.main([*options, *(str(ROOT / file) for file in files)], plugins=[trial])
    if trial.problem or code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise Failed(trial.problem or f"pytest ended with {code}")


def _noticed(place: CodePlace, task: WarmTask, learned: Learned) -> str:
    """The test that failed in a process of its own, or another reason; empty if all passed."""
    left_out = tuple(f"--deselect={test}" for test in learned.failed)
    answer = _answer(CodeRequest(tests=(*task.tests, *left_out), path=place.path, index=place.index), task.wall_s)
    if answer is None:
        return NO_END
    if answer.failed or answer.code == 0:
        return answer.failed[0] if answer.failed else ""
    return CRASH if answer.code == NO_ANSWER else f"{CRASH} ({answer.code})"


def _answer(request: CodeRequest, timeout_s: float | None) -> CodeAnswer | None:
    """The answer of a separate process; None if it had to be killed."""
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
        answer = file.with_suffix(".answer")
        return CODE_ANSWER.from_json(answer.read_bytes()) if answer.is_file() else CodeAnswer(code=NO_ANSWER)


def _files(tests: Sequence[str]) -> list[str]:
    """The test files below some folders, except those that use other programs against a site or a cluster; and files by name."""
    below = [path for test in tests if (ROOT / test).is_dir() for path in (ROOT / test).rglob("test_*.py")]
    found = [path for path in below if not any(sign in path.read_text(encoding="utf-8") for sign in ASKS_BY_OTHERS)]
    named = [ROOT / test for test in tests if not (ROOT / test).is_dir()]
    return sorted({path.relative_to(ROOT).as_posix() for path in (*found, *named)})


def _of_file(file: str, digest: str, answer: CodeAnswer) -> LearnedFile:
    def is_here(test: str) -> bool:
        return _file(test) == file

    took_s = {test: took for test, took in answer.took_s.items() if is_here(test) and test not in answer.failed}
    numbers = {test: number for number, test in enumerate(took_s)} | {file: ALL_OF_FILE}
    blocks = {block: tuple(numbers[test] for test in who if test in numbers) for block, who in answer.calls.items()}
    failed = tuple(filter(is_here, answer.failed))
    return LearnedFile(digest=digest, took_s=took_s, failed=failed, blocks={block: run for block, run in blocks.items() if run})


def _early(answer: CodeAnswer, before: LearnedFile | None) -> LearnedFile:
    """What runs early, kept like a file: including what was seen before, since the tests learned now import only some of it."""
    early: dict[str, tuple[int, ...]] = dict.fromkeys(before.blocks if before else (), ())
    early |= dict.fromkeys((block for block, who in answer.calls.items() if EARLY in who), ())
    return LearnedFile(digest="", took_s={}, failed=(), blocks=early)


def _together(files: Iterable[LearnedFile], early: frozenset[str]) -> Learned:
    took_s: dict[str, float] = {}
    failed: list[str] = []
    blocks: dict[str, list[str]] = {}
    for file in files:
        took_s |= file.took_s
        failed += file.failed
        tests = [*file.took_s]
        for block, numbers in file.blocks.items():
            blocks.setdefault(block, []).extend(tests if ALL_OF_FILE in numbers else [tests[number] for number in numbers])
    return Learned(took_s=took_s, failed=tuple(failed), blocks={block: tuple(run) for block, run in blocks.items()}, early=early)
