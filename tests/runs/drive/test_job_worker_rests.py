"""When the processes of a worker on jobs are stopped, and what a runner process says. Time passes only where a test lets it."""

import asyncio
from types import SimpleNamespace

import pytest

from simulator.runs.drive import processes
from simulator.runs.drive.jobs import worker
from simulator.runs.drive.jobs.worker import IDLE_S, JobWorker
from simulator.runs.drive.processes import LOSSES_MAX, LOSSES_S, RunnerProcesses, RunnersLost, _Runner


class Crew:
    size = 1

    def __init__(self, *, is_resting):
        self.is_resting, self.rested_s = is_resting, []

    async def rest(self):
        self.rested_s.append(LOOP.now_s)
        self.is_resting = True


LOOP = SimpleNamespace(now_s=0.0)


async def rests(monkeypatch, *, is_resting=False, busy_until_s=0.0, looks=4):
    """When a crew is sent to rest by a worker that looks every ten seconds."""
    LOOP.now_s = 0.0
    crew = Crew(is_resting=is_resting)
    working = JobWorker(owner="one", crew=crew)

    async def look():
        working._tasks = {1} if LOOP.now_s < busy_until_s else set()

    async def sleep(seconds):
        LOOP.now_s += IDLE_S / 3
        if LOOP.now_s > looks * IDLE_S / 3:
            raise asyncio.CancelledError

    async def give_back():
        pass

    monkeypatch.setattr(working, "look", look)
    monkeypatch.setattr(working, "_give_back", give_back)
    clock = SimpleNamespace(time=lambda: LOOP.now_s)
    monkeypatch.setattr(worker, "asyncio", SimpleNamespace(get_running_loop=lambda: clock, sleep=sleep))
    with pytest.raises(asyncio.CancelledError):
        await working.serve()
    return crew.rested_s


@pytest.mark.parametrize(
    ("fields", "rested_s"),
    [
        ({"looks": 3}, []),
        ({"looks": 4}, [4 * IDLE_S / 3]),
        ({"looks": 9}, [4 * IDLE_S / 3]),
        ({"looks": 9, "is_resting": True}, []),
        ({"looks": 9, "busy_until_s": 21.0}, [6 * IDLE_S / 3]),
    ],
)
async def test_processes_that_have_nothing_to_do_for_long_are_stopped_once(monkeypatch, fields, rested_s):
    assert await rests(monkeypatch, **fields) == pytest.approx(rested_s)


@pytest.mark.parametrize(
    ("word", "content", "does"),
    [
        ("ready", None, ["ready"]),
        ("beat", {"spent": True}, ["spent"]),
        ("beat", {"spent": False}, []),
        ("group", ("runners", {"type": "x"}), ["group"]),
        ("unknown", None, []),
    ],
)
async def test_each_word_of_a_runner_is_a_sign_of_life_and_means_something(monkeypatch, word, content, does):
    told = []

    async def group_send(group, message):
        told.append("group")

    monkeypatch.setattr(processes, "get_channel_layer", lambda: SimpleNamespace(group_send=group_send))
    runner = SimpleNamespace(
        _last_message_s=0.0, _on_ready=lambda: told.append("ready"), _spent=SimpleNamespace(set=lambda: told.append("spent"))
    )
    await _Runner._on_message(runner, word, content)
    assert (told, runner._last_message_s > 0) == (does, True)


@pytest.mark.parametrize(
    ("count", "within_s", "is_over"), [(LOSSES_MAX - 1, 0, False), (LOSSES_MAX, LOSSES_S - 1, True), (LOSSES_MAX, LOSSES_S, False)]
)
async def test_runners_are_given_up_when_so_many_are_lost_within_so_long(monkeypatch, count, within_s, is_over):
    runners = RunnerProcesses(None)
    now_s = [100.0]
    monkeypatch.setattr(processes, "asyncio", SimpleNamespace(get_running_loop=lambda: SimpleNamespace(time=lambda: now_s[0])))
    for _ in range(count - 1):
        runners._note_loss()
    now_s[0] += within_s
    if is_over:
        with pytest.raises(RunnersLost):
            runners._note_loss()
    else:
        runners._note_loss()


@pytest.mark.parametrize("has_spent", [True, False])
def test_site_is_ready_once_and_a_spent_runner_makes_way_for_the_next(has_spent):
    told = []
    runners = SimpleNamespace(_is_ready=False, _on_ready=lambda: told.append("ready"))
    spent = SimpleNamespace(stop=lambda: told.append("stop")) if has_spent else None
    for _ in range(2):
        RunnerProcesses._ready(runners, instead_of=spent)
    assert told == (["ready", "stop", "stop"] if has_spent else ["ready"])
