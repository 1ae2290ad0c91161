"""Processes that work the cells of sweeps out, and replay runs, with a bound of time and memory for each cell.

A process that dies, or takes too long, is replaced, and its cell says so; nobody else's is touched. The pool of the standard library gives
up as a whole when one of its processes dies, so these are plain processes with a line in and a line out (``work.py``).

A process is handed back only after a whole answer. Whatever interrupts the wait, a timeout or a cancelled task,
leaves a process that still works on the old task: it is ended, and the next task gets another.

These processes compute only while nobody else wants the core (``work.py``), so a cell's bound counts the time its process had, not
the time that passed. ``PATIENCE`` bounds that.
"""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from msgspec import DecodeError, Struct, json

import simulator
from simulator.headless.replays import VERDICT, ReplayTask, ReplayVerdict
from simulator.headless.sweeps.failures import failure
from simulator.headless.sweeps.sweep import CELL, DIED, TOO_SLOW, SweepCell, SweepPlan, encode_sweep
from simulator.headless.sweeps.tasks import CellTask, Task
from simulator.headless.sweeps.work import READY

ROOT = Path(simulator.__file__).resolve().parents[1]
START_S = 60.0
"""A process that has not begun to listen after that is not going to."""
REPLAY_PATIENCE = 30
"""A run may take so many times as long as a cell: it may have been going on for days."""
PATIENCE = 15
"""A cell ends after so many times its bound on the clock, however little of that its process could compute."""
LOOK_S = 0.05
"""The computing time of a process is looked at no more often than this."""
TRIES = 2
"""A cell whose process dies is tried once more: it may have been somebody else who killed it."""
COMMAND = (sys.executable, "-m", "simulator.headless.sweeps.work")

Result = SweepCell | ReplayVerdict
Tell = Callable[[int, Any], None]
"""Takes the number of a cell or run and what came of it."""
Part = tuple[int, Callable[[], Awaitable[Result]]]
"""The number of a part of the work, and what works it out."""


class CellLimits(Struct, frozen=True, kw_only=True):
    """What one cell may take: seconds of computing, and memory."""

    seconds: float
    memory_mib: int


class WorkerLost(Exception):
    """The process died, or says what makes no sense."""


def _past_of(task: Task) -> tuple[str, int] | None:
    """What the run of a task may have in common with others."""
    return (task.sweep, task.seed) if isinstance(task, CellTask) else None


class CellWorker:
    """One process. It works on one task at a time."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.is_lost = False
        self.past: tuple[str, int] | None = None
        """Sweep and seed of the cell that it worked on last."""

    @classmethod
    async def started(cls, command: Sequence[str], memory_mib: int) -> "CellWorker":
        """A process that listens. Raises WorkerLost."""
        process = await asyncio.create_subprocess_exec(*command, str(memory_mib), stdin=PIPE, stdout=PIPE, cwd=ROOT)
        worker = cls(process)
        try:
            async with asyncio.timeout(START_S):
                if await worker._line() != READY:
                    raise WorkerLost
        except TimeoutError as error:
            await worker.end()
            raise WorkerLost from error
        except BaseException:
            await worker.end()
            raise
        return worker

    async def ask(self, task: Task, *, seconds: float) -> Result:
        """What comes of a task. Raises WorkerLost, and TimeoutError once the process has computed for ``seconds``; it is of no use then."""
        assert self._process.stdin is not None
        self.is_lost = True
        try:
            async with asyncio.timeout(seconds * PATIENCE) as bound:
                looking = asyncio.ensure_future(self._end_after(seconds, bound))
                try:
                    self._process.stdin.write(json.encode(task) + b"\n")
                    await self._process.stdin.drain()
                    line = await self._line()
                finally:
                    looking.cancel()
                result = VERDICT.from_json(line) if isinstance(task, ReplayTask) else CELL.from_json(line)
        except (ConnectionError, DecodeError, ValueError) as error:
            raise WorkerLost from error
        self.is_lost = False
        return result

    async def _end_after(self, seconds: float, bound: asyncio.Timeout) -> None:
        """Have ``bound`` end once the process has computed for so many seconds."""
        began_s, left_s = self._computed_s(), seconds
        while left_s > 0:
            await asyncio.sleep(max(left_s, LOOK_S))
            left_s = seconds - (self._computed_s() - began_s)
        bound.reschedule(asyncio.get_running_loop().time())

    def _computed_s(self) -> float:
        """Seconds that the process has computed so far; of the clock where the system does not tell."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return monotonic()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def _line(self) -> bytes:
        assert self._process.stdout is not None
        return await self._process.stdout.readline()

    async def end(self) -> None:
        """Kill the process and wait until it is gone."""
        self.is_lost = True
        with suppress(ProcessLookupError):
            self._process.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()


class Crew:
    """At most ``size`` processes, started as they are needed. For one event loop; cells that wait take turns."""

    def __init__(self, size: int, limits: CellLimits, *, command: Sequence[str] = COMMAND) -> None:
        self.size, self._limits, self._command = size, limits, command
        self._turns = asyncio.Semaphore(size)
        self._idle: list[CellWorker] = []
        self._ending: set[asyncio.Task[None]] = set()

    async def result(self, task: Task) -> Result:
        """What comes of a task; never raises for what the task is. One that is cancelled takes its process along."""
        async with self._turns:
            for _try in range(TRIES):
                try:
                    return await self._asked(task)
                except TimeoutError:
                    return failure(task, TOO_SLOW)
                except WorkerLost:
                    continue
            return failure(task, DIED)

    async def _asked(self, task: Task) -> Result:
        worker = self._chosen(task) if self._idle else await CellWorker.started(self._command, self._limits.memory_mib)
        worker.past = _past_of(task)
        try:
            return await worker.ask(task, seconds=self._limits.seconds * (REPLAY_PATIENCE if isinstance(task, ReplayTask) else 1))
        finally:
            if worker.is_lost:
                self._dismiss(worker)
            else:
                self._idle.append(worker)

    def _chosen(self, task: Task) -> CellWorker:
        """An idle process: the one that knows the past of this task's run, if there is one, else the one that has been idle longest."""
        past = _past_of(task)
        chosen = next((worker for worker in self._idle if past and worker.past == past), self._idle[0])
        self._idle.remove(chosen)
        return chosen

    def _dismiss(self, worker: CellWorker) -> None:
        """End a process without waiting for it: who cancels a cell must not be held up."""
        ending = asyncio.ensure_future(worker.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def rest(self) -> None:
        """Let the idle processes go; others are started when there is something to do again."""
        while self._idle:
            self._dismiss(self._idle.pop())
        await asyncio.gather(*self._ending)

    @property
    def is_resting(self) -> bool:
        """Whether no process is idle."""
        return not self._idle


async def work_through(plan: SweepPlan, crew: Crew, tell: Tell, done: frozenset[int] = frozenset()) -> None:
    """Have every cell of a plan worked out but those that are ``done``, and tell each as it comes. To cancel it ends them."""
    text, places = encode_sweep(plan.sweep), list(plan.places())
    rows = (
        [(number, partial(crew.result, CellTask(text, *places[number]))) for number in row if number not in done]
        for row in plan.rows(crew.size)
    )
    await work_off_rows(rows, crew.size, tell)


async def work_off(parts: Iterable[Part], hands: int, tell: Tell, done: frozenset[int]) -> None:
    """Have parts worked out in order, ``hands`` at once."""
    await work_off_rows(([part] for part in parts if part[0] not in done), hands, tell)


async def work_off_rows(rows: Iterable[Sequence[Part]], hands: int, tell: Tell) -> None:
    """Have rows of parts worked out, ``hands`` at once, the parts of a row one after the other."""
    # One generator for all hands: each takes the next row when it is free.
    left = iter(rows)
    async with asyncio.TaskGroup() as group:
        for _number in range(hands):
            group.create_task(_work(left, tell))


async def _work(left: Iterator[Sequence[Part]], tell: Tell) -> None:
    for row in left:
        for number, worked_out in row:
            tell(number, await worked_out())
