"""Working sweeps off: what is claimed, written, given back, and what becomes of those that are stopped or lost."""

import asyncio
from datetime import timedelta

import pytest
from django.utils import timezone

from simulator.headless.sweeps.sweep import SweepCell, SweepPlan
from simulator.headless.sweeps.work import CellTask
from simulator.models import StoredSweep
from simulator.runs.db import in_db
from simulator.runs.runner import sweeper
from simulator.runs.runner.sweeper import Sweeper, claim, release, write
from simulator.runs.services.sweeps import sweep_stop
from tests.factories import OWNER, STRANGER
from tests.runs.services.test_sweeps import a_sweep, ask

pytestmark = pytest.mark.django_db(transaction=True)


class Hands:
    """A crew of this process that answers at once, or never."""

    size = 2
    is_resting = True

    def __init__(self, *, answers: int = 1000) -> None:
        self.answers, self.asked, self.rested = answers, [], 0

    async def cell(self, task: CellTask) -> SweepCell:
        """The value as its own outcome."""
        self.asked.append((task.value, task.seed))
        if len(self.asked) > self.answers:
            await asyncio.Event().wait()
        return SweepCell(int(task.value))

    async def rest(self) -> None:
        self.rested += 1


def state_of(row: StoredSweep) -> tuple[str, int]:
    row.refresh_from_db()
    return row.state, row.done


async def test_sweep_is_worked_off():
    row, hands = await in_db(ask), Hands()
    working = Sweeper(owner="one", crew=hands)
    await working.look()
    await working.finish()
    assert await in_db(state_of, row) == ("done", 4)
    assert [cell.value for cell in row.cells()] == [1, 1, 2, 2]
    assert sorted(hands.asked) == list(SweepPlan(a_sweep()).places())


async def test_cells_that_are_there_are_not_worked_out_again():
    row = await in_db(ask)
    (claimed,) = await in_db(claim, "dead", room=1)
    claimed.cells[0] = SweepCell(99)
    await in_db(write, claimed, "dead")
    await in_db(StoredSweep.objects.update, lease_until=timezone.now() - timedelta(seconds=1))
    working = Sweeper(owner="one", crew=(hands := Hands()))
    await working.look()
    await working.finish()
    assert await in_db(state_of, row) == ("done", 4)
    assert row.cells()[0] == SweepCell(99) and len(hands.asked) == 3


async def test_stopped_sweep_ends_and_keeps_what_is_there(monkeypatch):
    monkeypatch.setattr(sweeper, "WRITE_S", 0.01)
    row, hands = await in_db(ask), Hands(answers=1)
    working = Sweeper(owner="one", crew=hands)
    await working.look()
    while (await in_db(state_of, row))[1] < 1:
        await asyncio.sleep(0.01)
    await in_db(lambda: sweep_stop(row=row, owner_key=OWNER))
    await asyncio.wait_for(working.finish(), 10)
    assert await in_db(state_of, row) == ("stopped", 1)


async def test_sweep_that_takes_too_long_is_stopped_with_what_is_there(monkeypatch, settings):
    monkeypatch.setattr(sweeper, "WRITE_S", 0.01)
    settings.SIM_SWEEP_S_MAX = 0
    row, working = await in_db(ask), Sweeper(owner="one", crew=Hands(answers=2))
    await working.look()
    await asyncio.wait_for(working.finish(), 10)
    assert await in_db(state_of, row) == ("stopped", 2) and row.state_note == sweeper.TOO_LONG


async def test_sweeps_go_back_to_the_queue_when_the_runner_stops():
    row, hands = await in_db(ask), Hands(answers=0)
    serving = asyncio.create_task(Sweeper(owner="one", crew=hands).serve())
    while not hands.asked:
        await asyncio.sleep(0.01)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    assert (await in_db(state_of, row))[0] == "queued" and row.attempts == 0 and row.lease_until is None
    assert hands.rested


def test_sweep_that_somebody_works_on_is_not_claimed():
    ask()
    assert len(claim("one", room=2)) == 1
    assert claim("two", room=2) == []


def test_sweep_of_a_process_that_died_is_claimed_when_its_lease_ends():
    ask()
    claim("one", room=1)
    StoredSweep.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    (claimed,) = claim("two", room=1)
    assert write(claimed, "two") and not write(claimed, "one")


def test_whoever_has_fewest_under_way_comes_first():
    first = ask(values=(1,))
    claim("one", room=1)
    ask(values=(2,))
    other = ask(owner=STRANGER, values=(3,))
    assert [claimed.id for claimed in claim("one", room=1)] == [other.id] != [first.id]


def test_sweep_over_which_three_processes_were_lost_is_left_alone():
    row = ask()
    for _time in range(3):
        assert claim("one", room=1)
        StoredSweep.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert claim("one", room=1) == []
    row.refresh_from_db()
    assert (row.state, row.state_note) == ("failed", sweeper.LOST)


def test_sweep_that_is_given_back_in_order_counts_for_nothing():
    row = ask()
    claim("one", room=1)
    release("one")
    row.refresh_from_db()
    assert (row.state, row.attempts) == ("queued", 0)


def test_sweep_that_cannot_be_read_is_marked_as_failed():
    row = ask()
    StoredSweep.objects.update(body="{}")
    assert claim("one", room=1) == []
    row.refresh_from_db()
    assert row.state == "failed"
