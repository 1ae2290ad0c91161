"""Working through jobs, here sweeps: what is claimed, written and given back, and what happens to jobs that are stopped or lost."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from simulator.headless.sweeps.sweep import SweepCell, SweepPlan
from simulator.headless.sweeps.tasks import CellTask
from simulator.models import StoredSweep
from simulator.runs.drive.jobs import dispatch, queue, worker
from simulator.runs.drive.jobs.dispatch import Dispatcher
from simulator.runs.drive.jobs.kinds import SWEEP
from simulator.runs.drive.jobs.queue import write
from simulator.runs.drive.jobs.worker import JobWorker
from simulator.runs.log.db import in_db
from simulator.runs.services.sweeps import sweep_stop
from tests.factories import OWNER, STRANGER
from tests.runs.services.test_sweeps import a_sweep, ask

pytestmark = pytest.mark.django_db(transaction=True)


class Hands:
    """A crew in this process that answers at once, and after a number of answers only when it is told to continue."""

    size = 2
    is_resting = True

    def __init__(self, *, answers: int = 1000) -> None:
        self.answers, self.asked, self.rested = answers, [], 0
        self.go_on = asyncio.Event()

    async def result(self, task: CellTask) -> SweepCell:
        """The value as its own outcome."""
        self.asked.append((task.value, task.seed))
        if len(self.asked) > self.answers:
            await self.go_on.wait()
        return SweepCell(int(task.value))

    async def rest(self) -> None:
        self.rested += 1


def state_of(row: StoredSweep) -> tuple[str, int]:
    row.refresh_from_db()
    return row.state, row.done


def asked(**fields) -> StoredSweep:
    """The work of a requested sweep."""
    return ask(**fields).work


async def test_sweep_is_worked_off():
    row, hands = await in_db(asked), Hands()
    working = JobWorker(owner="one", crew=hands)
    await working.look()
    await working.finish()
    assert await in_db(state_of, row) == ("done", 4)
    assert [cell.value for cell in row.cells()] == [1, 1, 2, 2]
    assert sorted(hands.asked) == list(SweepPlan(a_sweep()).places())


async def test_cells_that_are_there_are_not_computed_again():
    row = await in_db(asked)
    (claimed,) = await in_db(queue.claim, SWEEP, "dead", room=1)
    claimed.results[0] = SweepCell(99)
    await in_db(write, claimed, "dead")
    await in_db(StoredSweep.objects.update, lease_until=timezone.now() - timedelta(seconds=1))
    working = JobWorker(owner="one", crew=(hands := Hands()))
    await working.look()
    await working.finish()
    assert await in_db(state_of, row) == ("done", 4)
    assert row.cells()[0] == SweepCell(99) and len(hands.asked) == 3


async def test_stopped_sweep_ends_and_keeps_what_is_there(monkeypatch):
    monkeypatch.setattr(worker, "WRITE_S", 0.01)
    ask_row, hands = await in_db(ask), Hands(answers=1)
    row = ask_row.work
    working = JobWorker(owner="one", crew=hands)
    await working.look()
    while (await in_db(state_of, row))[1] < 1:
        await asyncio.sleep(0.01)
    await in_db(lambda: sweep_stop(row=ask_row, owner_key=OWNER))
    await asyncio.wait_for(working.finish(), 10)
    assert await in_db(state_of, row) == ("stopped", 1)


async def test_sweep_that_one_of_two_askers_stops_is_worked_off(monkeypatch):
    monkeypatch.setattr(worker, "WRITE_S", 0.01)
    first, hands = await in_db(ask), Hands(answers=1)
    await in_db(lambda: ask(owner=STRANGER))
    working = JobWorker(owner="one", crew=hands)
    await working.look()
    while (await in_db(state_of, first.work))[1] < 1:
        await asyncio.sleep(0.01)
    await in_db(lambda: sweep_stop(row=first, owner_key=OWNER))
    assert (await in_db(state_of, first.work))[0] == "running"
    hands.go_on.set()
    await asyncio.wait_for(working.finish(), 10)
    assert await in_db(state_of, first.work) == ("done", 4)


async def test_cells_that_come_while_others_are_written_are_kept(monkeypatch):
    monkeypatch.setattr(worker, "WRITE_S", 0.01)
    row, hands, loop = await in_db(asked), Hands(answers=0), asyncio.get_running_loop()

    def written_late(claimed, owner):
        """The rest arrives, and the work ends, before the writer has returned."""
        is_kept = write(claimed, owner)
        loop.call_soon_threadsafe(hands.go_on.set)
        while claimed.left() or any(task.get_coro().__name__ == "work_through" for task in asyncio.all_tasks(loop)):
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result()
        return is_kept

    monkeypatch.setattr(worker, "write", written_late)
    working = JobWorker(owner="one", crew=hands)
    await working.look()
    await asyncio.wait_for(working.finish(), 10)
    assert await in_db(state_of, row) == ("done", 4)


async def test_sweep_that_takes_too_long_is_stopped_with_what_is_there(monkeypatch, settings):
    monkeypatch.setattr(worker, "WRITE_S", 0.01)
    settings.SIM_SWEEP_S_MAX = 0
    row, working = await in_db(asked), JobWorker(owner="one", crew=Hands(answers=2))
    await working.look()
    await asyncio.wait_for(working.finish(), 10)
    assert await in_db(state_of, row) == ("stopped", 2) and row.state_note == {"code": "sweep_too_long"}


async def test_sweeps_go_back_to_the_queue_when_the_runner_stops():
    row, hands = await in_db(asked), Hands(answers=0)
    serving = asyncio.create_task(JobWorker(owner="one", crew=hands).serve())
    while not hands.asked:
        await asyncio.sleep(0.01)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    assert (await in_db(state_of, row))[0] == "queued" and row.attempts == 0 and row.lease_until is None
    assert hands.rested


def test_sweep_that_somebody_works_on_is_not_claimed():
    asked()
    assert len(queue.claim(SWEEP, "one", room=2)) == 1
    assert queue.claim(SWEEP, "two", room=2) == []


def test_sweep_of_a_process_that_died_is_claimed_when_its_lease_ends():
    asked()
    queue.claim(SWEEP, "one", room=1)
    StoredSweep.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    (claimed,) = queue.claim(SWEEP, "two", room=1)
    assert write(claimed, "two") and not write(claimed, "one")


def test_whoever_has_fewest_under_way_comes_first():
    first = asked(values=(1,))
    queue.claim(SWEEP, "one", room=1)
    asked(values=(2,))
    other = asked(owner=STRANGER, values=(3,))
    assert [claimed.id for claimed in queue.claim(SWEEP, "one", room=1)] == [other.id] != [first.id]


def test_work_that_a_newcomer_waits_for_as_well_comes_first(settings):
    settings.SIM_SWEEPS_PER_OWNER_MAX = 3
    asked(values=(1,))
    queue.claim(SWEEP, "one", room=1)
    asked(values=(2,))
    joined = asked(values=(3,))
    asked(owner=STRANGER, values=(3,))
    assert [claimed.id for claimed in queue.claim(SWEEP, "one", room=1)] == [joined.id]


def test_sweep_over_which_three_processes_were_lost_is_left_alone():
    row = asked()
    for _time in range(3):
        assert queue.claim(SWEEP, "one", room=1)
        StoredSweep.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert queue.claim(SWEEP, "one", room=1) == []
    row.refresh_from_db()
    assert (row.state, row.state_note) == ("failed", {"code": "sweep_lost"})


def test_sweep_that_is_given_back_in_order_counts_for_nothing():
    row = asked()
    queue.claim(SWEEP, "one", room=1)
    queue.release(SWEEP, "one")
    row.refresh_from_db()
    assert (row.state, row.attempts) == ("queued", 0)


def test_sweep_that_cannot_be_read_is_marked_as_failed():
    row = asked()
    StoredSweep.objects.update(body="{}")
    assert queue.claim(SWEEP, "one", room=1) == []
    row.refresh_from_db()
    assert row.state == "failed"


async def test_job_that_another_process_holds_is_left_alone_by_whoever_is_told_of_it():
    row = await in_db(asked)
    await in_db(queue.claim, SWEEP, "one", room=1)
    working = JobWorker(owner="two", crew=(hands := Hands()), seeks=False)
    await working.carry_out(SWEEP, row.id)
    await in_db(row.refresh_from_db)
    assert (row.owner, row.attempts, hands.asked) == ("one", 1, [])


async def test_worker_that_is_told_of_a_job_sees_it_to_its_end_and_seeks_no_other():
    row, other = await in_db(asked), await in_db(lambda: asked(values=(7,)))
    working = JobWorker(owner="one", crew=Hands(), seeks=False)
    await working.look()
    await working.carry_out(SWEEP, row.id)
    await working.carry_out(SWEEP, row.id)
    assert (await in_db(state_of, row), await in_db(state_of, other)) == (("done", 4), ("queued", 0))


def test_waiting_job_is_sent_once_and_again_when_nobody_took_it():
    row = asked()
    assert (queue.due(SWEEP), queue.due(SWEEP)) == ([row.id], [])
    StoredSweep.objects.update(sent_at=timezone.now() - queue.lease() - timedelta(seconds=1))
    assert queue.due(SWEEP) == [row.id]


def test_job_of_a_process_that_died_is_sent_again():
    row = asked()
    queue.due(SWEEP)
    queue.claim(SWEEP, "one", room=1)
    StoredSweep.objects.update(lease_until=timezone.now() - timedelta(seconds=1), sent_at=timezone.now() - timedelta(hours=1))
    assert queue.due(SWEEP) == [row.id]


def test_few_jobs_are_on_the_way_so_that_others_can_overtake(monkeypatch):
    monkeypatch.setattr(queue, "IN_FLIGHT_MAX", 1)
    first = asked(values=(1,))
    queue.claim(SWEEP, "one", room=1)
    second, other = asked(values=(2,)), asked(owner=STRANGER, values=(3,))
    assert queue.due(SWEEP) == [other.id]
    assert queue.due(SWEEP) == [] and first.id != second.id


async def test_job_that_could_not_be_sent_is_sent_when_redis_is_back(monkeypatch):
    row, sent = await in_db(asked), []

    def send(kind, job_id):
        if not sent:
            sent.append("lost")
            raise ConnectionError("away")
        sent.append((kind, job_id))

    monkeypatch.setattr(dispatch, "send", send)
    monkeypatch.setattr(dispatch, "RETRY_S", 0.01)
    sending = asyncio.create_task(Dispatcher().serve())
    while len(sent) < 2:
        await asyncio.sleep(0.01)
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)
    assert sent == ["lost", (SWEEP, row.id)]


@pytest.mark.parametrize("job_id", [UUID(int=7).hex, "nonsense"])
async def test_message_about_a_job_that_nobody_knows_does_nothing(job_id, monkeypatch):
    worked = []
    monkeypatch.setattr(JobWorker, "_work", lambda self, claimed: worked.append(claimed))
    await JobWorker(owner="host:1:worker", seeks=False).carry_out(SWEEP, job_id)
    assert worked == []


def test_messages_are_json_and_carry_an_id_alone(monkeypatch):
    said = {}
    monkeypatch.setattr(dispatch.app, "send_task", lambda name, **how: said.update(how, name=name))
    dispatch.send(SWEEP, "abc")
    assert (said["name"], said["args"], said["task_id"]) == ("podscope.sweep", ["abc"], "abc") and "kwargs" not in said
    assert dispatch.app.conf.accept_content == ["json"] == dispatch.app.conf.result_accept_content
    assert dispatch.app.conf.task_serializer == "json" and dispatch.app.conf.task_acks_late
