"""Processes that compute cells: their answers, and what happens when they die, hang or are abandoned."""

import asyncio
import os
import signal
import subprocess
import sys

import pytest
from msgspec import json

from simulator.bench.processes import children_of
from simulator.headless.sweeps import workers
from simulator.headless.sweeps.sweep import DIED, TOO_LARGE, TOO_SLOW, Sweep, SweepCell, SweepPlan, encode_sweep
from simulator.headless.sweeps.tasks import CellTask
from simulator.headless.sweeps.work import READY
from simulator.headless.sweeps.workers import COMMAND, ROOT, CellLimits, CellWorker, Crew, work_through
from tests.engine.worlds import container, header, pod

AMPLE = CellLimits(seconds=60, memory_mib=1024)
BRIEF = CellLimits(seconds=0.3, memory_mib=1024)
LONG = header(pod(container("while true; do sleep 0.01; done")))


def a_plan(base=None, until_ms: int = 5_000, field: str = "spec.terminationGracePeriodSeconds") -> SweepPlan:
    """Two values of a quiet pod."""
    base = base or header(pod(container("sleep 600")))
    return SweepPlan(Sweep(header=base, field=field, values=(1, 2), seeds=(1, 2), outcome="time-to-ready", until_ms=until_ms))


def task_of(plan: SweepPlan) -> CellTask:
    return CellTask(encode_sweep(plan.sweep), plan.sweep.values[0], plan.sweep.seeds[0])


def acting(code: str) -> tuple[str, ...]:
    """A process that reports that it is ready and then runs the code for each line it receives."""
    head = "import sys, os, time\nprint('ready', flush=True)\nfor line in sys.stdin:\n"
    return (sys.executable, "-c", head + "".join(f"    {each}\n" for each in code.splitlines()))


async def cell_of(crew: Crew, plan: SweepPlan | None = None) -> SweepCell:
    """The first cell of a plan; the worker processes are ended afterwards."""
    try:
        return await crew.result(task_of(plan or a_plan()))
    finally:
        await crew.rest()


async def test_crew_gives_the_cells_that_the_plan_gives() -> None:
    plan, crew, cells = a_plan(), Crew(2, AMPLE), {}
    await work_through(plan, crew, cells.__setitem__)
    await crew.rest()
    assert [cells[number] for number in range(4)] == [plan.play(*place) for place in plan.places()]


async def test_cells_that_are_done_are_left_out() -> None:
    crew, cells = Crew(1, AMPLE), {}
    await work_through(a_plan(), crew, cells.__setitem__, done=frozenset({0, 2}))
    await crew.rest()
    assert sorted(cells) == [1, 3]


async def test_worker_that_was_killed_is_replaced() -> None:
    crew = Crew(1, AMPLE)
    before = await crew.result(task_of(a_plan()))
    (worker,) = crew._idle
    os.kill(worker._process.pid, signal.SIGKILL)
    assert await cell_of(crew) == before and before.problem == ""
    assert worker.is_lost


async def test_cell_whose_worker_dies_twice_says_so() -> None:
    cell = await cell_of(Crew(1, AMPLE, command=acting("os._exit(3)")))
    assert (cell.failure, cell.is_final) == (DIED, False)


async def test_cell_that_takes_too_long_is_ended_and_its_worker_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 1)
    crew = Crew(1, BRIEF, command=acting("time.sleep(600)"))
    assert (await cell_of(crew)).failure == TOO_SLOW
    assert crew.is_resting


async def test_cell_that_takes_too_much_computing_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 60_000)  # the clock does not end it
    crew = Crew(1, CellLimits(seconds=0.2, memory_mib=1024), command=acting("while True: pass"))
    assert (await cell_of(crew)).failure == TOO_SLOW


async def test_time_in_which_a_cell_could_not_compute_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CellWorker, "_computed_s", lambda _worker: 0.0)
    plan = a_plan()
    crew = Crew(1, CellLimits(seconds=0.001, memory_mib=1024), command=acting("time.sleep(0.2)\nprint('nonsense')"))
    monkeypatch.setattr(workers, "PATIENCE", 60_000)
    assert (await cell_of(crew, plan)).failure == DIED  # it was listened to until it answered


async def test_worker_that_answers_nonsense_is_not_believed() -> None:
    assert (await cell_of(Crew(1, AMPLE, command=acting("print('what?', flush=True)")))).failure == DIED


async def test_cell_that_needs_too_much_memory_says_so() -> None:
    pods = [pod(container("sleep 600"), name=f"p{number}") for number in range(300)]
    crew = Crew(1, CellLimits(seconds=120, memory_mib=40))
    assert (await cell_of(crew, a_plan(header(*pods), field="p0: spec.terminationGracePeriodSeconds"))).failure in (TOO_LARGE, DIED)


async def test_process_that_has_no_memory_to_listen_with_ends() -> None:
    crew = Crew(1, CellLimits(seconds=120, memory_mib=1))
    assert (await cell_of(crew)).failure == DIED


async def test_cancelling_ends_the_process_at_once() -> None:
    others = children_of(os.getpid())  # left behind by earlier tests, to serve more tests
    crew = Crew(1, AMPLE, command=acting("time.sleep(600)"))
    asking = asyncio.create_task(crew.result(task_of(a_plan())))
    while not asking.done() and children_of(os.getpid()) == others:
        await asyncio.sleep(0.01)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await crew.rest()
    assert children_of(os.getpid()) == others


@pytest.mark.parametrize("is_busy", [False, True])
def test_worker_ends_with_whoever_started_it(is_busy: bool) -> None:
    with subprocess.Popen([*COMMAND, "1024"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == READY
        if is_busy:
            process.stdin.write(json.encode(task_of(a_plan(LONG, until_ms=80_000_000))) + b"\n")
        process.stdin.close()
        assert process.wait(timeout=20) == 0


def test_worker_outlives_ctrl_c_which_is_meant_for_its_parent() -> None:
    with subprocess.Popen([*COMMAND, "1024"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.stdin.write(json.encode(task_of(a_plan())) + b"\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"{")
        process.stdin.close()
        process.wait(timeout=20)
