"""The speed of a run: rates, pauses, steps, and wall clocks that jump."""

import json
from types import SimpleNamespace

import pytest
from asgiref.sync import sync_to_async

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course.replay import Course
from simulator.runs.drive import actor as actor_module
from simulator.runs.drive import desk
from simulator.runs.log.clock import is_resting
from simulator.runs.services.commands import command_submit, command_submit_at
from simulator.runs.services.runs import run_control
from simulator.runs.wire import announce
from tests.factories import OWNER, make_content, pod_json
from tests.runs.drive.stage import in_small_turns, staged, successor

pytestmark = pytest.mark.django_db(transaction=True)


async def test_run_goes_as_fast_as_its_rate(wall):
    stage = await staged(wall, rate_permille=60_000)
    await stage.turn(1000)
    assert (await stage.row()).head_ms == 60_000


async def test_run_stands_still_when_paused(wall):
    stage = await staged(wall, paused=True)
    await stage.turn(60_000)
    assert (await stage.row()).head_ms == 0


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
    await stage.ask(run_control, do="step")  # while the first one is being processed
    await stage.actor._step()
    await stage.turn()
    row = await stage.row()
    assert (row.steps_asked, row.steps_done) == (2, 2)


async def strained(wall, monkeypatch):
    """A run at an impossible speed: one event per turn, each taking half a second, and a probe that never lets it rest."""
    probed = {"name": "app", "image": "nginx", "readinessProbe": {"tcpSocket": {"port": 80}, "periodSeconds": 60}}
    stage = await staged(wall, content=make_content(pod_json(containers=[probed])))
    await stage.ask(run_control, do="rate", rate_permille=600_000)
    in_small_turns(stage.actor, monkeypatch)
    for _ in range(40):
        stage.actor.wake()
        wall.now += 500
        await stage.actor.turn()
    return stage


async def test_clock_is_set_back_when_the_world_cannot_follow_a_new_rate(wall, monkeypatch):
    stage = await strained(wall, monkeypatch)
    assert stage.actor.pacer.behind_ms(stage.actor.course.world.now_ms, wall.now) <= 1500
    assert stage.actor._note == "slower"


async def clocks_told(stage, monkeypatch):
    """The clocks that the run announces in one more turn."""
    told = []

    async def note(run_id, *, frame):
        told.append(json.loads(frame))

    monkeypatch.setattr(announce, "notified", note)
    monkeypatch.setattr(actor_module, "CLOCK_S", 0.0)
    stage.actor.wake()
    await stage.actor.turn()
    return [frame for frame in told if frame["type"] == "clock"]


async def test_clock_says_at_what_rate_a_run_goes_that_nothing_could_follow(wall, monkeypatch):
    stage = await strained(wall, monkeypatch)
    await clocks_told(stage, monkeypatch)
    wall.now += 500
    [clock] = (await clocks_told(stage, monkeypatch))[-1:]
    assert (clock["note"], clock["rate"]) == ("slower", 600_000)
    assert 0 < clock["got"] < 600_000


async def test_clock_says_so_no_more_once_the_run_has_kept_up_for_a_while(wall, monkeypatch):
    with monkeypatch.context() as slow:
        stage = await strained(wall, slow)
    for _ in range(20):
        wall.now += 500
        [*_, clock] = await clocks_told(stage, monkeypatch)
    assert (clock["note"], clock["got"], clock["rate"]) == ("", 600_000, 600_000)


async def test_run_sent_far_ahead_may_take_its_time(wall, monkeypatch):
    stage = await staged(wall)
    in_small_turns(stage.actor, monkeypatch)
    await stage.ask(run_control, do="run_to", to_ms=600_000)
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


async def test_run_to_is_reached_at_once(wall):
    stage = await staged(wall, paused=True)
    await stage.ask(run_control, do="run_to", to_ms=120_000)
    await stage.turn()
    assert (await stage.row()).head_ms == 120_000


async def test_command_of_a_moment_to_come_is_given_at_just_that_moment(wall):
    stage = await staged(wall, rate_permille=16_000)
    await stage.turn(1000)
    await stage.ask(command_submit_at, command=DeletePod(target="default/web"), client_key="k", run_to_ms=50_000)
    await stage.turn(700)
    command = await stage.run.commands.aget()
    assert (command.at_ms, command.outcome) == (50_000, "accepted")


def act_then_run_to(run):
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="k")
    run_control(run=run, owner_key=OWNER, do="run_to", to_ms=3_600_000)


def act_at_a_moment_to_come(run):
    command_submit_at(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="k", run_to_ms=50_000)


@pytest.mark.parametrize("is_paused", [True, False], ids=["paused", "playing"])
async def test_act_takes_its_place_before_the_clock_is_sent_on(wall, is_paused):
    stage = await staged(wall)
    await stage.turn(5000)
    if is_paused:
        await stage.ask(run_control, do="pause")
    await sync_to_async(act_then_run_to)(stage.run)
    await stage.turn(100)
    command, row = await stage.run.commands.aget(), await stage.row()
    assert (command.at_ms, row.head_ms >= 3_600_000) == (5000, True)


async def test_acts_between_which_the_clock_was_sent_on_take_their_places_where_they_were_given(wall):
    stage = await staged(wall, paused=True)
    for n in range(3):
        await stage.ask(command_submit, command=DeletePod(target="default/nobody"), client_key=f"key{n}")
        await stage.ask(run_control, do="run_to", to_ms=(n + 1) * 600_000)
    await stage.turn()
    assert [command.at_ms async for command in stage.run.commands.order_by("n")] == [0, 600_000, 1_200_000]


async def test_act_waits_for_its_owner_whose_clock_is_late(wall):
    """If the process that accepted the act is ahead, the owner carries it out at the same moment of its own clock."""
    stage = await staged(wall, paused=True)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    await stage.run.commands.aupdate(given_ms=9000)
    await stage.turn()
    assert (await stage.run.commands.aget()).at_ms == 0


@pytest.mark.parametrize(("done", "at_ms"), [(act_then_run_to, 5000), (act_at_a_moment_to_come, 50_000)])
async def test_look_sees_acts_and_clock_of_one_instant(wall, monkeypatch, done, at_ms):
    """Between the two reads of a look, an act arrives that moves the clock."""
    stage, reads = await staged(wall), []
    await stage.turn(5000)

    def followed(statement_of):
        def statement(places):
            def rows(**given):
                found = statement_of(places).rows(**given)
                reads.append(statement_of)
                if len(reads) == 1:
                    done(stage.run)
                return found

            return SimpleNamespace(rows=rows)

        return statement

    for name in ("_waiting_of", "_inboxes_of"):
        monkeypatch.setattr(desk, name, followed(getattr(desk, name)))
    for _ in range(2):
        await stage.turn()
    assert (await stage.run.commands.aget()).at_ms == at_ms


async def test_database_that_lets_a_look_wait_plays_nothing_back(wall, monkeypatch):
    """As after an outage: simulated time does not catch up on what viewers saw standing still."""
    look, stalls = desk.look, []

    def slow(*args, **kwargs):
        if stalls:
            wall.now += stalls.pop()
        return look(*args, **kwargs)

    monkeypatch.setattr(desk, "look", slow)
    stage = await staged(wall)
    await stage.turn(4000)
    stalls.append(150_000)
    stage.actor.wake()
    await stage.turn()
    assert stage.actor.course.world.now_ms < 20_000


async def quiet(wall):
    """A run of a sleeping pod, at a moment after which nothing more happens."""
    stage = await staged(wall, content=make_content(pod_json(command=("sleep", "infinity"))))
    return await stage.turn(60_000)


async def test_clock_stands_where_nothing_more_will_happen_by_itself(wall):
    stage = await quiet(wall)
    row = await stage.row()
    assert (is_resting(row), row.base_ms < 30_000) == (True, True)


async def test_act_sets_a_clock_going_that_stood_because_nothing_happened(wall):
    stage = await quiet(wall)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    await stage.turn(1000)
    row = await stage.row()
    assert not (row.is_paused or is_resting(row))


async def test_play_goes_on_although_nothing_will_happen(wall):
    stage = await quiet(wall)
    await stage.ask(run_control, do="play")
    await stage.turn(60_000)
    row = await stage.row()
    assert not (row.is_paused or is_resting(row))


async def test_look_ahead_ends_at_what_is_seen_next_and_is_not_repeated_before_it(wall, monkeypatch):
    stage = await staged(wall, content=make_content(pod_json(command=("sh", "-c", "sleep 100"))))
    courses = []
    drive = Course.drive

    def watched(course, until_ms, **limits):
        courses.extend([course] if until_ms > 3_600_000 else [])
        return drive(course, until_ms, **limits)

    monkeypatch.setattr(Course, "drive", watched)
    monkeypatch.setattr(actor_module, "QUIET_WORK_AT_ONCE", 1)
    await stage.turn(40_000)
    for _ in range(5):
        await stage.turn(5000)
    assert len({id(course) for course in courses}) == 1
    assert courses[0].world.now_ms < 110_000


async def test_successor_finds_out_itself_that_nothing_more_happens(wall, monkeypatch):
    stage = await quiet(wall)
    monkeypatch.setattr(stage.actor, "open", stage.turn)
    stage.actor.stop()
    await stage.actor.work()
    assert not (await stage.row()).is_paused
    heir = await (await successor(stage)).open()
    await heir.turn(1000)
    assert is_resting(await heir.row())


async def test_hint_that_comes_during_a_look_makes_it_look_again(wall):
    stage = await staged(wall)
    ask = stage.actor._looks.ask
    looks = []

    async def slow(hold):
        inbox = await ask(hold)
        looks.append(inbox)
        if len(looks) == 1:
            stage.actor.wake()  # for what was added after the inbox was read
        return inbox

    stage.actor._looks.ask = slow
    stage.actor.wake()
    await stage.actor.turn()
    assert len(looks) == 2


async def test_look_that_fails_for_want_of_memory_is_repeated_and_takes_no_command_twice(wall):
    stage = await staged(wall)
    ask = stage.actor._looks.ask
    failed = []

    async def short(hold):
        if stage.actor.course.applied_count and not failed:  # the look after the command was given
            failed.append(hold)
            raise MemoryError
        return await ask(hold)

    stage.actor._looks.ask = short
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    await stage.turn()
    await stage.actor.turn()
    assert len(failed) == 1
    assert len([record for record in await stage.log() if record.rule.startswith("COMMAND")]) == 1


async def test_reason_to_leave_goes_with_the_clock_only_once_the_run_is_left(wall):
    stage = await staged(wall)
    stage.actor.free_place()
    assert stage.actor._note == stage.actor._state.note
    await stage.actor.work()
    assert stage.actor._note == "queue"
