"""Processes that compute the cells of sweeps and replay runs, with a limit on time and memory for each cell.

A process that dies or takes too long is replaced, and its cell reports it; other cells are not affected. The standard library's process
pool breaks as a whole when one process dies, so these are plain processes that read a line and write a line (``work.py``).

A process is only reused after a complete answer. If a timeout or a cancellation interrupts the wait, the process is still working on the
old task: it is killed, and the next task gets another one.

These processes only compute while nobody else wants the core (``work.py``), so a cell's time limit applies to CPU time. ``PATIENCE``
limits the elapsed time.
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
"""A process that is not ready after this long is considered failed."""
REPLAY_PATIENCE = 30
"""A replayed run may take this many times as long as a cell, because it may have been going on for days."""
PATIENCE = 15
"""A cell is stopped after this many times its limit in elapsed time, however little CPU time its process got."""
LOOK_S = 0.05
"""Shortest interval between two checks of a process's CPU time."""
TRIES = 2
"""A cell whose process dies is tried once more, because the cell may not have been the cause."""
COMMAND = (sys.executable, "-m", "simulator.headless.sweeps.work")

Result = SweepCell | ReplayVerdict
Tell = Callable[[int, Any], None]
"""Takes the number of a cell or run and its result."""
Part = tuple[int, Callable[[], Awaitable[Result]]]
"""The number of a part of the work, and the function that computes it."""


class CellLimits(Struct, frozen=True, kw_only=True):
    """Limits for one cell: seconds of CPU time, and memory."""

    seconds: float
    memory_mib: int


class WorkerLost(Exception):
    """The process died, or its output is invalid."""


def _past_of(task: Task) -> tuple[str, int] | None:
    """The key of the past that a cell's run may share with others; None for a replay."""
    return (task.sweep, task.seed) if isinstance(task, CellTask) else None


class CellWorker:
    """One process, which works on one task at a time."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.is_lost = False
        self.past: tuple[str, int] | None = None
        """Sweep and seed of the last cell."""

    @classmethod
    async def started(cls, command: Sequence[str], memory_mib: int) -> "CellWorker":
        """Start a process and wait until it is ready. Raises WorkerLost."""
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
        """The result of a task. Raises WorkerLost, or TimeoutError after ``seconds`` of CPU time; the process is unusable then."""
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
        """Let ``bound`` time out once the process has used that many seconds of CPU time."""
        began_s, left_s = self._computed_s(), seconds
        while left_s > 0:
            await asyncio.sleep(max(left_s, LOOK_S))
            left_s = seconds - (self._computed_s() - began_s)
        bound.reschedule(asyncio.get_running_loop().time())

    def _computed_s(self) -> float:
        """CPU time of the process so far, in seconds; the monotonic clock on systems without /proc."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return monotonic()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def _line(self) -> bytes:
        assert self._process.stdout is not None
        return await self._process.stdout.readline()

    async def end(self) -> None:
        """Kill the process and wait for it."""
        self.is_lost = True
        with suppress(ProcessLookupError):
            self._process.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()


class Crew:
    """At most ``size`` processes, started on demand, for one event loop. Waiting cells take turns."""

    def __init__(self, size: int, limits: CellLimits, *, command: Sequence[str] = COMMAND) -> None:
        self.size, self._limits, self._command = size, limits, command
        self._turns = asyncio.Semaphore(size)
        self._idle: list[CellWorker] = []
        self._ending: set[asyncio.Task[None]] = set()

    async def result(self, task: Task) -> Result:
        """The result of a task; problems with the task are results too, not exceptions. Cancelling it kills its process."""
        async with self._turns:
            for _try in range(TRIES):
                try:
                    return await self._ask_worker(task)
                except TimeoutError:
                    return failure(task, TOO_SLOW)
                except WorkerLost:
                    continue
            return failure(task, DIED)

    async def _ask_worker(self, task: Task) -> Result:
        worker = self._take_idle(task) if self._idle else await CellWorker.started(self._command, self._limits.memory_mib)
        worker.past = _past_of(task)
        try:
            return await worker.ask(task, seconds=self._limits.seconds * (REPLAY_PATIENCE if isinstance(task, ReplayTask) else 1))
        finally:
            if worker.is_lost:
                self._dismiss(worker)
            else:
                self._idle.append(worker)

    def _take_idle(self, task: Task) -> CellWorker:
        """Take an idle process: if possible one that has already played the past of this task's run, otherwise the one idle longest."""
        past = _past_of(task)
        chosen = next((worker for worker in self._idle if past and worker.past == past), self._idle[0])
        self._idle.remove(chosen)
        return chosen

    def _dismiss(self, worker: CellWorker) -> None:
        """Kill a process without waiting for it, so that cancelling a cell takes no time."""
        ending = asyncio.ensure_future(worker.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def rest(self) -> None:
        """Kill the idle processes; new ones are started when there is work again."""
        while self._idle:
            self._dismiss(self._idle.pop())
        await asyncio.gather(*self._ending)

    @property
    def is_resting(self) -> bool:
        """Whether no process is idle."""
        return not self._idle


async def work_through(plan: SweepPlan, crew: Crew, tell: Tell, done: frozenset[int] = frozenset()) -> None:
    """Compute every cell of a plan except those in ``done``, and pass each result to ``tell`` when it comes. Cancelling stops them."""
    text, places = encode_sweep(plan.sweep), list(plan.places())
    rows = (
        [(number, partial(crew.result, CellTask(text, *places[number]))) for number in row if number not in done]
        for row in plan.rows(crew.size)
    )
    await work_off_rows(rows, crew.size, tell)


async def work_off(parts: Iterable[Part], hands: int, tell: Tell, done: frozenset[int]) -> None:
    """Compute parts in order, ``hands`` at once."""
    await work_off_rows(([part] for part in parts if part[0] not in done), hands, tell)


async def work_off_rows(rows: Iterable[Sequence[Part]], hands: int, tell: Tell) -> None:
    """Compute rows of parts, ``hands`` rows at once, the parts of a row one after the other."""
    # All hands share one iterator: each takes the next row when it is free.
    left = iter(rows)
    async with asyncio.TaskGroup() as group:
        for _number in range(hands):
            group.create_task(_work(left, tell))


async def _work(left: Iterator[Sequence[Part]], tell: Tell) -> None:
    for row in left:
        for number, worked_out in row:
            tell(number, await worked_out())
