import asyncio
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers, get_channel_layer
from django.utils import timezone

from simulator import announce, storage
from simulator.course import Course
from simulator.engine.commands import DeletePod
from simulator.history import commands_of
from simulator.models import Run
from simulator.runner import actor as actor_module
from simulator.runner import lease
from simulator.runner.actor import Diverged, RunActor
from simulator.runner.limits import Limits
from simulator.services.commands import command_submit
from simulator.services.runs import run_branch, run_control
from tests.factories import OWNER, make_content, make_run, own, pod_json

pytestmark = pytest.mark.django_db(transaction=True)
ROOMY = Limits(run_ms_max=86_400_000, records_max=200_000, pods_max=500)


class Clock:
    """A wall clock that moves only when told."""

    def __init__(self):
        self.now = 1_800_000_000_000

    def __call__(self):
        return self.now


@pytest.fixture
def wall(monkeypatch):
    clock = Clock()
    for module in ("simulator.services.runs", "simulator.clock"):
        monkeypatch.setattr(f"{module}.wall_ms", clock)
    channel_layers.backends = {}
    return clock


class Stage:
    """A run and its owner, moved by hand."""

    def __init__(self, run, wall, *, limits=ROOMY, watched_s=10**9):
        self.run, self.wall = run, wall
        self.actor = RunActor(run_id=run.id, epoch=own(run), limits=limits, lease_ms=60_000, watched_s=watched_s, wall=wall)

    async def open(self):
        await self.actor.open()
        await self.turn()
        return self

    async def turn(self, ms=0):
        self.wall.now += ms
        self.actor.wake()
        is_there = False
        while not (is_there or self.actor.is_over):
            is_there = await self.actor.turn()
        await self.actor.flush()
        return self

    async def ask(self, service, **fields):
        await sync_to_async(service)(run=self.run, owner_key=OWNER, **fields)

    async def row(self):
        return await sync_to_async(Run.objects.get)(id=self.run.id)

    async def log(self):
        return await sync_to_async(storage.read)(self.run.id, after=0, limit=10**6)


async def staged(wall, *, limits=ROOMY, watched_s=10**9, **fields):
    run = await sync_to_async(make_run)(**fields)
    stage = await sync_to_async(Stage)(run, wall, limits=limits, watched_s=watched_s)
    return await stage.open()


async def successor(stage):
    """Another owner of the same run, as after a crash: whatever the first one had not written is gone."""
    await sync_to_async(Run.objects.filter(id=stage.run.id).update)(lease_until=timezone.now() - timedelta(seconds=5))
    return await sync_to_async(Stage)(stage.run, stage.wall)


def expected(run, until_ms):
    course = Course(run.header(), commands_of(run))
    return [*course.world.first_records, *course.drive(until_ms).records]


async def test_log_is_what_a_replay_gives(wall):
    stage = await staged(wall)
    await stage.turn(20_000)
    assert await stage.log() == await sync_to_async(expected)(stage.run, 20_000)


async def test_log_has_no_gap_when_computed_in_small_slices(wall, monkeypatch):
    monkeypatch.setattr(actor_module, "EVENTS_MAX", 3)
    stage = await staged(wall)
    stage.actor._events = 1
    await stage.turn(30_000)
    assert [record.seq for record in await stage.log()] == list(range(1, stage.actor.course.world.seq + 1))


async def test_run_goes_as_fast_as_its_rate(wall):
    stage = await staged(wall, rate_permille=60_000)
    await stage.turn(1000)
    assert (await stage.row()).head_ms == 60_000


async def test_run_stands_still_when_paused(wall):
    stage = await staged(wall, paused=True)
    await stage.turn(60_000)
    assert (await stage.row()).head_ms == 0


async def test_command_takes_its_place_at_the_present(wall):
    stage = await staged(wall)
    await stage.turn(5000)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    await stage.turn(250)
    command = await sync_to_async(stage.run.commands.get)(n=1)
    own_record = (await stage.log())[command.applied_seq - 1]
    assert (command.at_ms, command.outcome, own_record.kind, own_record.at_ms) == (5250, "accepted", "command", 5250)


async def test_refused_command_is_a_record(wall):
    stage = await staged(wall)
    await stage.ask(command_submit, command=DeletePod(target="default/nobody"), client_key="k")
    await stage.turn(1)
    assert (await sync_to_async(stage.run.commands.get)(n=1)).outcome == "refused"


async def test_commands_of_one_moment_keep_their_order(wall):
    stage = await staged(wall)
    for key in "abc":
        await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key=key)
    await stage.turn(10)
    rows = await sync_to_async(lambda: list(stage.run.commands.order_by("n").values_list("applied_seq", flat=True)))()
    assert rows == sorted(rows)


async def test_log_is_what_a_replay_gives_when_commands_came(wall):
    stage = await staged(wall)
    for step in range(1, 5):
        await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key=str(step))
        await stage.turn(7300)
    assert await stage.log() == await sync_to_async(expected)(stage.run, 4 * 7300)


async def test_pause_stops_and_play_goes_on(wall):
    stage = await staged(wall)
    await stage.turn(3000)
    await stage.ask(run_control, do="pause")
    await stage.turn(60_000)
    await stage.ask(run_control, do="play")
    await stage.turn(2000)
    assert (await stage.row()).head_ms == 5000


async def test_new_rate_counts_from_its_moment(wall):
    stage = await staged(wall)
    await stage.turn(1000)
    await stage.ask(run_control, do="rate", rate_permille=10_000)
    await stage.turn(1000)
    assert (await stage.row()).head_ms == 11_000


async def test_time_never_runs_back_when_a_pause_comes_late(wall):
    stage = await staged(wall, rate_permille=600_000)
    await stage.ask(run_control, do="pause")
    stage.wall.now += 100
    stage.actor._drive(60_000)
    await stage.turn()
    row = await stage.row()
    assert (row.base_ms, row.head_ms) == (60_000, 60_000)


async def test_step_stops_at_the_next_record(wall):
    stage = await staged(wall, paused=True)
    before = (await stage.row()).head_seq
    await stage.ask(run_control, do="step")
    await stage.turn()
    row, new = await stage.row(), (await stage.log())[before:]
    assert new and {record.at_ms for record in new} == {row.head_ms}
    assert (row.steps_done, row.base_ms, row.is_paused) == (1, row.head_ms, True)


async def test_two_steps_asked_at_once_are_two_steps(wall):
    stage = await staged(wall, paused=True)
    await stage.ask(run_control, do="step")
    await stage.actor._look()
    await stage.ask(run_control, do="step")  # while the first one is being taken
    await stage.actor._step()
    await stage.turn()
    row = await stage.row()
    assert (row.steps_asked, row.steps_done) == (2, 2)


async def strained(wall, monkeypatch):
    """A run at a speed that nothing could follow: one event a turn, and half a second passes with each."""
    stage = await staged(wall)
    await stage.ask(run_control, do="rate", rate_permille=600_000)
    monkeypatch.setattr(actor_module, "EVENTS_MAX", 1)
    monkeypatch.setattr(stage.actor, "_events", 1)
    stage.actor.wake()
    for _ in range(12):
        wall.now += 500
        await stage.actor.turn()
    return stage


async def test_clock_is_set_back_when_the_world_cannot_follow_a_new_rate(wall, monkeypatch):
    stage = await strained(wall, monkeypatch)
    assert stage.actor.pacer.behind_ms(stage.actor.course.world.now_ms, wall.now) <= 1500
    assert stage.actor._note == "slower"


async def test_run_sent_far_ahead_may_take_its_time(wall, monkeypatch):
    stage = await staged(wall)
    monkeypatch.setattr(actor_module, "EVENTS_MAX", 1)
    await stage.ask(run_control, do="run_to", to_ms=600_000)
    stage.actor._events = 1
    stage.actor.wake()
    while not await stage.actor.turn():
        wall.now += 10
    assert (stage.actor._note, stage.actor.course.world.now_ms >= 600_000) == ("", True)


async def test_run_goes_on_when_the_wall_clock_was_set_back(wall):
    stage = await staged(wall)
    await stage.turn(5000)
    await stage.turn(-3_600_000)
    await stage.turn(2000)
    assert (await stage.row()).head_ms == 7000


async def test_run_goes_on_when_its_clock_was_last_moved_in_the_future(wall):
    stage = await staged(wall)
    await stage.turn(5000)
    wall.now -= 3_600_000
    heir = await (await successor(stage)).open()
    await heir.turn(2000)
    assert (await heir.row()).head_ms == 7000


async def test_lease_is_kept_while_a_long_history_is_computed(wall, monkeypatch):
    stage = await staged(wall)
    await stage.turn(120_000)
    heir = await successor(stage)
    monkeypatch.setattr(actor_module, "LOOK_S", 0)
    monkeypatch.setattr(actor_module, "EVENTS_MAX", 1)
    heir.actor._events = 1
    renewed, renew = [], lease.renew
    monkeypatch.setattr(lease, "renew", lambda *args, **kwargs: renewed.append(1) or renew(*args, **kwargs))
    await heir.actor.open()
    assert renewed


async def test_run_is_given_back_when_it_is_stopped_while_it_opens(wall, monkeypatch):
    stage = await staged(wall)
    await stage.turn(120_000)
    heir = await successor(stage)
    monkeypatch.setattr(actor_module, "EVENTS_MAX", 1)
    heir.actor._events = 1
    heir.actor.stop()
    await heir.actor.work()
    row = await heir.row()
    assert (row.lease_until, row.head_ms) == (None, 120_000)


async def test_many_commands_at_once_are_all_applied(wall):
    stage = await staged(wall, paused=True)
    for n in range(300):
        await stage.ask(command_submit, command=DeletePod(target="default/nobody"), client_key=f"k{n}")
    await stage.turn()
    places = await sync_to_async(lambda: [(row.n, row.at_ms, row.outcome) for row in stage.run.commands.order_by("applied_seq")])()
    assert places == [(n, 0, "refused") for n in range(1, 301)]


async def test_busy_runs_compute_one_slice_at_a_time(wall, monkeypatch):
    stages = [await staged(wall, paused=True) for _ in range(3)]
    turnstile, computing = asyncio.Lock(), []
    for stage in stages:
        stage.actor._turnstile = turnstile
        monkeypatch.setattr(stage.actor, "_drive", lambda until_ms: computing.append(loop_passes[0]) or True)
    loop_passes = [0]

    async def count():
        while True:
            loop_passes[0] += 1
            await asyncio.sleep(0)

    counter = asyncio.create_task(count())
    await asyncio.gather(*(stage.actor._compute(0) for stage in stages))
    counter.cancel()
    assert len(set(computing)) == 3


async def test_run_to_is_reached_at_once(wall):
    stage = await staged(wall, paused=True)
    await stage.ask(run_control, do="run_to", to_ms=120_000)
    await stage.turn()
    assert (await stage.row()).head_ms == 120_000


async def test_branch_repeats_its_parents_past(wall):
    stage = await staged(wall)
    await stage.turn(4000)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    await stage.turn(6000)
    branch = await sync_to_async(run_branch)(parent=stage.run, owner_key=OWNER, at_ms=10_000, paused=True)
    other = await (await sync_to_async(Stage)(branch, wall)).open()
    assert await other.log() == await stage.log()


async def test_branch_without_the_command_goes_its_own_way(wall):
    stage = await staged(wall)
    await stage.turn(4000)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    await stage.turn(6000)
    branch = await sync_to_async(run_branch)(parent=stage.run, owner_key=OWNER, at_ms=3000)
    other = await (await sync_to_async(Stage)(branch, wall)).open()
    await other.turn(7000)
    assert "command" not in {record.kind for record in await other.log()}


async def test_successor_goes_on_without_a_gap_when_the_owner_was_killed(wall):
    stage = await staged(wall)
    await stage.turn(5000)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    await stage.turn(1000)
    stage.actor._drive(15_000)  # computed and never written
    heir = await (await successor(stage)).open()
    await heir.turn(9000)
    assert await heir.log() == await sync_to_async(expected)(stage.run, 15_000)


async def test_killed_owner_cannot_write_when_it_wakes_up(wall):
    stage = await staged(wall)
    await successor(stage)
    with pytest.raises(storage.LostLease):
        await stage.turn(5000)


async def test_successor_applies_a_command_the_owner_had_not_taken(wall):
    stage = await staged(wall)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    heir = await (await successor(stage)).open()
    await heir.turn(10)
    assert (await sync_to_async(stage.run.commands.get)(n=1)).applied_seq is not None


async def test_successor_stops_when_the_stored_history_is_another(wall):
    stage = await staged(wall)
    await stage.turn(5000)
    await sync_to_async(Run.objects.filter(id=stage.run.id).update)(head_digest=b"0" * 16)
    with pytest.raises(Diverged):
        await (await successor(stage)).open()


async def test_successor_stops_when_the_run_is_of_another_revision(wall):
    stage = await staged(wall)
    await sync_to_async(Run.objects.filter(id=stage.run.id).update)(revision=9999)
    with pytest.raises(Diverged):
        await (await successor(stage)).open()


async def test_released_run_catches_up_by_the_wall_clock(wall):
    stage = await staged(wall)
    await stage.turn(5000)
    wall.now += 55_000
    heir = await (await successor(stage)).open()
    assert (await heir.row()).head_ms == 60_000


async def test_run_is_left_when_nobody_watches(wall):
    stage = await staged(wall)
    stage.actor._watched_ms = 0
    await stage.turn(10_000_000_000)
    assert stage.actor.is_over


@pytest.mark.parametrize(
    "limits",
    [
        Limits(run_ms_max=10_000, records_max=200_000, pods_max=500),
        Limits(run_ms_max=86_400_000, records_max=8, pods_max=500),
        Limits(run_ms_max=86_400_000, records_max=200_000, pods_max=0),
    ],
)
async def test_run_ends_when_a_limit_is_met(wall, limits):
    stage = await staged(wall, limits=limits, content=make_content(pod_json()))
    await stage.turn(60_000)
    row = await stage.row()
    assert (row.state, stage.actor.is_over) == ("limit", True)
    assert "limit" in row.state_note


async def heard(run_id, work):
    """The messages that a watcher of the run gets while ``work`` is done."""
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(announce.run_group(run_id), channel)
    await work
    messages = []
    while True:
        try:
            messages.append(await asyncio.wait_for(layer.receive(channel), 0.05))
        except TimeoutError:
            return messages


async def test_announcement_names_exactly_what_was_written(wall):
    stage = await staged(wall)
    head = stage.actor.head_seq
    messages = await heard(stage.run.id, stage.turn(20_000))
    spans = [(message["from"], message["to"]) for message in messages if message["type"] == "run.advanced"]
    assert spans[0][0] == head and spans[-1][1] == (await stage.row()).head_seq


async def test_nothing_is_announced_before_it_can_be_read(wall, monkeypatch):
    readable = []

    async def note(run_id, *, from_seq, to_seq, frame):
        readable.append(await sync_to_async(storage.read_one)(run_id, to_seq) is not None)

    monkeypatch.setattr(announce, "advanced", note)
    await (await staged(wall)).turn(20_000)
    assert readable and all(readable)


async def test_notice_is_sent_when_a_limit_is_met(wall):
    stage = await staged(wall, limits=Limits(run_ms_max=10_000, records_max=10**6, pods_max=9))
    messages = await heard(stage.run.id, stage.turn(60_000))
    assert any('"type":"notice"' in message.get("frame", "") for message in messages)


async def test_clock_is_told_when_somebody_moved_it(wall):
    stage = await staged(wall)
    await stage.ask(run_control, do="pause")
    messages = await heard(stage.run.id, stage.turn())
    assert any('"paused":true' in message.get("frame", "") for message in messages)
