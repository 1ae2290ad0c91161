"""What the owner of a run writes: records in order, commands in their place, branches, and the end of the run."""

import asyncio
import threading
from types import SimpleNamespace

import pytest
from asgiref.sync import sync_to_async

from simulator.engine.acts.pods.delete import DeletePod
from simulator.runs.drive import actor as actor_module
from simulator.runs.drive.limits import RunnerLimits
from simulator.runs.log import storage
from simulator.runs.services.commands import command_submit
from simulator.runs.services.runs import run_branch, run_control
from simulator.runs.turns.constants import SLICE_S, TAKER_FLUSH_S
from simulator.runs.turns.fair_turns import FairTurns
from tests.factories import OWNER, make_content, pod_json
from tests.runs.drive.stage import Stage, expected, in_small_turns, staged

pytestmark = pytest.mark.django_db(transaction=True)


async def test_log_is_what_a_replay_gives(wall):
    stage = await staged(wall)
    await stage.turn(20_000)
    assert await stage.log() == await sync_to_async(expected)(stage.run, 20_000)


async def test_log_has_no_gap_when_computed_in_small_slices(wall, monkeypatch):
    stage = await staged(wall)
    in_small_turns(stage.actor, monkeypatch, events_max=3)
    await stage.turn(30_000)
    assert [record.seq for record in await stage.log()] == list(range(1, stage.actor.course.world.seq + 1))


UNIT_S = 0.00001
"""The approximate time for a unit of work."""


@pytest.mark.parametrize("event_s", [0.0001, 0.001, 0.1])
async def test_turn_ends_in_time_whatever_an_event_takes(wall, monkeypatch, event_s):
    stage = await staged(wall)
    now, course, units = [0.0], stage.actor.course, round(event_s / UNIT_S)
    monkeypatch.setattr(actor_module, "perf_counter", lambda: now[0])
    monkeypatch.setattr(actor_module, "SLICE_S", SLICE_S)

    def slow(until_ms, *, limit):
        now[0] += max(1, limit // units) * event_s
        return course.drive(until_ms, limit=limit)

    stage.actor.course = SimpleNamespace(drive=slow)
    stage.actor._drive(3_600_000)
    now[0] = 0.0
    stage.actor._drive(3_600_000)
    assert now[0] <= max(actor_module.SLICE_S + actor_module.PIECE_S, 2 * event_s)


async def test_command_takes_its_place_at_the_moment_it_was_given(wall):
    stage = await staged(wall)
    await stage.turn(5000)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    await stage.turn(250)
    command = await sync_to_async(stage.run.commands.get)(n=1)
    own_record = (await stage.log())[command.applied_seq - 1]
    assert (command.at_ms, command.outcome, own_record.kind, own_record.at_ms) == (5000, "accepted", "command", 5000)


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


async def test_many_commands_at_once_are_all_applied(wall):
    stage = await staged(wall, paused=True)
    for n in range(300):
        await stage.ask(command_submit, command=DeletePod(target="default/nobody"), client_key=f"k{n}")
    await stage.turn()
    places = await sync_to_async(lambda: [(row.n, row.at_ms, row.outcome) for row in stage.run.commands.order_by("applied_seq")])()
    assert places == [(n, 0, "refused") for n in range(1, 301)]


async def test_loop_serves_others_while_a_run_computes(wall, monkeypatch):
    stage = await staged(wall)
    loop_went_on, drive = threading.Event(), stage.actor._drive

    def waiting_drive(until_ms):
        assert loop_went_on.wait(10)
        return drive(until_ms)

    monkeypatch.setattr(stage.actor, "_drive", waiting_drive)
    asyncio.get_running_loop().call_soon(loop_went_on.set)
    await stage.turn(4000)


async def test_runs_of_a_process_take_turns_in_one_thread(wall, monkeypatch):
    stages, threads = [await staged(wall) for _ in range(3)], set()
    turns = FairTurns()
    for stage in stages:
        stage.actor._computer = turns.seat("somebody")
        drive = stage.actor._drive
        monkeypatch.setattr(stage.actor, "_drive", lambda until_ms, drive=drive: threads.add(threading.get_ident()) or drive(until_ms))
    await asyncio.gather(*(stage.actor._compute(4000) for stage in stages))
    turns.shutdown()
    assert len(threads) == 1


@pytest.mark.parametrize(("address", "since_s", "is_due"), [("calm", 0.1, True), ("greedy", 0.1, False), ("greedy", TAKER_FLUSH_S, True)])
async def test_whoever_takes_much_is_written_down_less_often(wall, monkeypatch, address, since_s, is_due):
    stage, turns = await staged(wall), FairTurns()
    turns.set_takers(frozenset({"greedy"}))
    actor = stage.actor
    actor._computer, actor._records = turns.seat("somebody", address), list(actor.course.world.first_records)
    monkeypatch.setattr(actor_module, "perf_counter", lambda: actor._flushed + since_s)
    assert actor._is_due(True) is is_due


async def test_run_that_is_sent_far_ahead_lets_others_go_first(wall, monkeypatch):
    stage = await staged(wall)
    hurried, drive = [], stage.actor._drive
    monkeypatch.setattr(stage.actor, "_drive", lambda until_ms: hurried.append(stage.actor._computer.hurries) or drive(until_ms))
    await stage.turn(4000)
    assert not any(hurried)
    await stage.ask(run_control, do="run_to", to_ms=600_000)
    await stage.turn()
    assert hurried[-1]


@pytest.mark.parametrize(("rate", "is_fast"), [(16_000, False), (16_001, True)])
async def test_run_that_is_played_very_fast_lets_others_go_first(wall, monkeypatch, rate, is_fast):
    stage = await staged(wall)
    await stage.turn(4000)
    await stage.ask(run_control, do="rate", rate_permille=rate)
    await stage.turn(100)
    hurried, drive = [], stage.actor._drive
    monkeypatch.setattr(stage.actor, "_drive", lambda until_ms: hurried.append(stage.actor._computer.hurries) or drive(until_ms))
    await stage.turn(100)
    assert set(hurried) == {is_fast}


async def test_instant_cut_in_pieces_is_shown_whole(wall, monkeypatch):
    whole = await staged(wall)
    await whole.turn(6000)
    cut, seen = await staged(wall), []
    in_small_turns(cut.actor, monkeypatch)
    append = storage.append

    def watched(*args, **kwargs):
        seen.append(cut.actor.course.ahead_ms() != cut.actor.course.world.now_ms)
        append(*args, **kwargs)

    monkeypatch.setattr(storage, "append", watched)
    await cut.turn(6000)
    assert seen and all(seen)
    assert await cut.log() == (await whole.log())[: len(await cut.log())]


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


@pytest.mark.parametrize(
    ("limits", "note"),
    [
        (RunnerLimits(run_ms_max=10_000, records_max=200_000, pods_max=500), {"code": "limit_hours", "hours": 0}),
        (RunnerLimits(run_ms_max=86_400_000, records_max=8, pods_max=500), {"code": "limit_records", "records": 8}),
        (RunnerLimits(run_ms_max=86_400_000, records_max=200_000, pods_max=0), {"code": "limit_pods", "pods": 0}),
    ],
)
async def test_run_ends_when_a_limit_is_met(wall, limits, note):
    stage = await staged(wall, limits=limits, content=make_content(pod_json()))
    await stage.turn(60_000)
    row = await stage.row()
    assert (row.state, row.state_note, stage.actor.is_over) == ("limit", note, True)
