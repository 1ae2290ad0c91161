"""What an owner decides at the end of a turn: to rest, to count as idle or proven, to set its clock back. No run and no database."""

from types import SimpleNamespace

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from simulator.runs.drive import actor as actor_module
from simulator.runs.drive import owner
from simulator.runs.drive.actor import BEHIND_MS, FAST_PERMILLE, QUIET_AHEAD_MS, QUIET_MS, REST_MS, SILENT_MS, SLOW_MS, TRIAL_MS, RunActor
from simulator.runs.log.pacing import Pacer
from simulator.runs.state_notes import state_note

WALL = 10_000_000


class Run(RunActor):
    """A run that drives, caught up with a clock at 1x; what it would store and announce is written down."""

    def __init__(self, *, world_ms=60_000, due_ms=None, pods=0, **fields):
        self._state, self._leaves, self._slow_wall, self._behind_ms = owner.DRIVING, None, 0, 0
        self._records, self._applied, self._idle_as_of = [], [], None
        self._goal_ms = self._last_record_ms = self._sight_ms = self._driven_wall = 0
        self._clocked, self._look_at, self.is_proven = float("inf"), 1.0, False
        self.inbox = SimpleNamespace(waiting=(), steps=0, is_frozen=False, controls=7, pacer=None)
        self.pacer = Pacer(base_ms=60_000, base_wall_ms=WALL, end_ms=10**9)
        self._wall = lambda: WALL
        world = SimpleNamespace(now_ms=world_ms, seq=9, tables=SimpleNamespace(pods=range(pods)))
        self.course = SimpleNamespace(world=world, ahead_ms=lambda: due_ms)
        self._computer = SimpleNamespace(hurries=False, counts=True)
        self.run_id, self.epoch, self.did = "run", 1, []
        for name, value in fields.items():
            setattr(self, name, value)

    async def _settle(self, pacer, *, steps, is_idle=False, rests=False):
        self.did.append(("settle", pacer.base_ms, pacer.is_paused, is_idle, rests))

    async def _announce_clock(self):
        self.did.append("announce")

    async def _next_sight_ms(self, until_ms):
        self.did.append(("look", until_ms))
        return self.sight

    sight = None


def inbox(**fields):
    return SimpleNamespace(**{"waiting": (), "steps": 0, "is_frozen": False, "controls": 7, "pacer": None} | fields)


def paused(**fields):
    return Pacer(base_ms=60_000, base_wall_ms=WALL, end_ms=10**9, is_paused=True, **fields)


QUIET = {"_last_record_ms": 60_000 - QUIET_MS}


@pytest.fixture
def countdown(monkeypatch):
    """The end of the last countdown on the page."""
    ends = []
    monkeypatch.setattr(actor_module, "last_countdown_ms", lambda world: ends[0] if ends else None)
    return ends


@pytest.mark.parametrize(
    ("is_there", "fields", "looks"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"_last_record_ms": 60_001 - QUIET_MS}, False),
        (True, {"_state": owner.STANDING}, False),
        (True, {"inbox": inbox(waiting=(1,))}, False),
        (True, {"inbox": inbox(steps=1)}, False),
        (True, {"pacer": paused()}, False),
        (True, {"_sight_ms": 60_001}, False),
        (True, {"_sight_ms": 60_000}, True),
    ],
)
async def test_run_looks_ahead_once_nothing_has_been_seen_for_a_while(countdown, is_there, fields, looks):
    run = Run(**QUIET | fields)
    await run._rest_when_quiet(is_there)
    assert (("look", 60_000 + QUIET_AHEAD_MS) in run.did) is looks


@pytest.mark.parametrize(("sight", "state", "next_ms"), [(None, owner.RESTING, 60_000 + QUIET_AHEAD_MS), (90_000, owner.DRIVING, 90_000)])
async def test_clock_rests_only_if_nothing_is_seen_to_come(countdown, sight, state, next_ms):
    run = Run(**QUIET, sight=sight)
    await run._rest_when_quiet(True)
    assert (run._state, run._sight_ms) == (state, next_ms)
    assert (("settle", 60_000, True, False, True) in run.did) is (sight is None)
    assert (run._computer.hurries, run._computer.counts) == (True, False)


async def test_clock_goes_on_while_a_page_counts_down(countdown):
    countdown.append(75_000)
    run = Run(**QUIET)
    await run._rest_when_quiet(True)
    assert (run.did, run._sight_ms) == ([], 75_000)


@pytest.mark.parametrize(
    ("is_there", "fields", "settles"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"_state": owner.STANDING}, False),
        (True, {"pacer": Pacer(base_ms=60_000, base_wall_ms=WALL, end_ms=10**9)}, False),
        (True, {"inbox": inbox(is_frozen=True)}, False),
        (True, {"_idle_as_of": 7}, False),
        (True, {"_idle_as_of": 6}, True),
        (True, {"_records": [1]}, False),
        (True, {"inbox": inbox(waiting=(1,))}, False),
        (True, {"inbox": inbox(steps=1)}, False),
    ],
)
async def test_run_whose_clock_stands_is_idle_once_all_is_done(is_there, fields, settles):
    run = Run(**{"pacer": paused()} | fields)
    await run._idle_when_done(is_there)
    assert run.did == ([("settle", 60_000, True, True, False)] if settles else [])


@pytest.mark.parametrize(
    ("is_there", "due_ms", "fields", "is_proven"),
    [
        (True, None, {}, True),
        (True, 60_000 + REST_MS + 1, {}, True),
        (True, 60_000 + REST_MS, {}, False),
        (True, 60_000 + REST_MS, {"pacer": paused()}, True),
        (True, 60_000, {"_driven_wall": WALL - TRIAL_MS - 1}, True),
        (True, 60_000, {"_driven_wall": WALL - TRIAL_MS}, False),
        (False, None, {}, False),
        (True, None, {"_state": owner.STANDING}, False),
        (True, None, {"inbox": inbox(waiting=(1,))}, False),
        (True, None, {"inbox": inbox(steps=1)}, False),
    ],
)
async def test_owner_is_proven_once_nothing_can_fail_soon(monkeypatch, is_there, due_ms, fields, is_proven):
    told = []

    async def in_db(call, *args, **kwargs):
        told.append(call)

    monkeypatch.setattr(actor_module, "in_db", in_db)
    run = Run(due_ms=due_ms, **{"_driven_wall": WALL} | fields)
    await run._prove(is_there)
    assert (run.is_proven, bool(told)) == (is_proven, is_proven)
    await run._prove(is_there)
    assert len(told) == is_proven


def behind(ms):
    """A clock that is ahead of the world by so much."""
    return Pacer(base_ms=60_000, base_wall_ms=WALL - ms, end_ms=10**9)


@pytest.mark.parametrize(
    ("fields", "did", "left"),
    [
        ({"pacer": behind(BEHIND_MS)}, [], (0, 0)),
        ({"pacer": behind(BEHIND_MS + 1)}, [("settle", 60_000, False, False, False)], (0, WALL)),
        ({"pacer": behind(4000), "_behind_ms": 8000}, [], (4000, 0)),
        ({"pacer": behind(4000), "_behind_ms": 7999}, [("settle", 60_000, False, False, False)], (0, WALL)),
        ({"pacer": behind(4000), "_goal_ms": 60_001}, [], (0, 0)),
        ({"pacer": behind(4000), "_goal_ms": 60_000}, [("settle", 60_000, False, False, False)], (0, WALL)),
    ],
)
async def test_clock_is_set_back_if_the_world_falls_behind_and_does_not_catch_up(fields, did, left):
    run = Run(**fields)
    await run._keep_up(False)
    assert (run.did, (run._behind_ms, run._slow_wall)) == (did, left)


@pytest.mark.parametrize(("since_ms", "is_slow"), [(SLOW_MS, True), (SLOW_MS + 1, False)])
async def test_run_that_has_kept_up_for_a_while_is_no_longer_slow(since_ms, is_slow):
    run = Run(_slow_wall=WALL - since_ms, _behind_ms=5)
    await run._keep_up(True)
    assert (bool(run._slow_wall), run._behind_ms) == (is_slow, 0)


@pytest.mark.parametrize(("note", "numbers"), [(state_note("out_of_memory"), UNSET), (state_note("limit_hours", hours=24), {"hours": 24})])
async def test_end_of_a_run_is_told_with_its_reason(monkeypatch, note, numbers):
    frames = []

    async def in_db(call, *args, **kwargs):
        assert kwargs["note"] == note

    async def notified(run_id, *, frame):
        frames.append(frame)

    monkeypatch.setattr(actor_module, "in_db", in_db)
    monkeypatch.setattr(actor_module.announce, "notified", notified)
    monkeypatch.setattr(actor_module.protocol, "encode", lambda clock: clock)
    run = Run()
    await run.end(state="limit", note=note)
    (clock,) = frames
    assert (clock.note, clock.numbers, clock.now_ms, clock.paused, run._state) == (note["code"], numbers, 60_000, True, owner.ENDED)


@pytest.mark.parametrize(
    ("state", "own", "stored", "shown"),
    [
        (owner.DRIVING, True, False, (60_000, "paused")),
        (owner.DRIVING, False, True, (60_000, "live")),
        (owner.STANDING, True, False, (5000, "released")),
    ],
)
async def test_clock_is_that_of_the_owner_once_it_drives(monkeypatch, state, own, stored, shown):
    frames = []

    async def notified(run_id, *, frame):
        frames.append(frame)

    monkeypatch.setattr(actor_module.announce, "notified", notified)
    monkeypatch.setattr(actor_module.protocol, "encode", lambda clock: clock)
    pacer = replace(paused(), is_paused=own)
    run = Run(_state=state, pacer=pacer, inbox=inbox(pacer=replace(pacer, is_paused=stored)), _goal_ms=5000, _said=(0, 0))
    await RunActor._announce_clock(run)
    (clock,) = frames
    assert ((clock.now_ms, clock.state), clock.paused) == (shown, own if state.drives else stored)


@pytest.mark.parametrize(
    ("stored", "is_idle", "rests", "idle_as_of", "did"),
    [
        (True, False, False, None, ["announce"]),
        (True, True, False, 7, ["announce"]),
        (True, False, True, 7, ["announce"]),
        (False, True, False, None, ["look"]),
    ],
)
async def test_clock_is_adopted_once_it_is_stored(monkeypatch, stored, is_idle, rests, idle_as_of, did):
    async def in_db(call, **kwargs):
        return stored

    async def look():
        run.did.append("look")

    monkeypatch.setattr(actor_module, "in_db", in_db)
    run = Run(_idle_as_of=3, _look=look)
    before = run.pacer
    await RunActor._settle(run, paused(), steps=0, is_idle=is_idle, rests=rests)
    assert (run._idle_as_of, run.did, run.pacer is before) == (idle_as_of, did, not stored)


@pytest.mark.parametrize(
    ("ago_ms", "back_ms", "waiting", "leaves"),
    [(9000, None, (), False), (9001, None, (), True)] + [(9001, 9000, (), False), (9001, None, (1,), False)],
)
async def test_run_that_nobody_has_watched_for_long_is_left_unless_an_act_waits(ago_ms, back_ms, waiting, leaves):
    async def ask():
        return inbox(watched_wall_ms=WALL - ago_ms, waiting=waiting)

    awake = SimpleNamespace(set=lambda: None)
    back_wall = 0 if back_ms is None else WALL - back_ms
    run = Run(_watched_ms=9000, _back_wall=back_wall, _ask=ask, _next_look=lambda: 5.0, _awake=awake)
    await run._look()
    assert (run._leaves, run._look_at) == (owner.UNWATCHED if leaves else None, 5.0)


async def test_hint_that_comes_during_a_look_leads_to_another():
    async def ask():
        run.wake()
        return inbox(watched_wall_ms=WALL)

    run = Run(_watched_ms=9000, _back_wall=0, _ask=ask, _next_look=lambda: 5.0, _awake=SimpleNamespace(set=lambda: None))
    await run._look()
    assert run._look_at == float("-inf")


@pytest.mark.parametrize(("stands_ms", "goal_ms"), [(59_999, 60_000), (60_000, 60_000), (70_000, 70_000)])
async def test_owner_aims_at_where_the_clock_stands_and_never_back(stands_ms, goal_ms):
    run = Run(_behind_ms=5, _sight_ms=5, inbox=inbox(pacer=behind(1000), stands_ms=stands_ms))
    await run._aim_at_clock()
    assert (run._goal_ms, run.pacer.base_ms, run.pacer.is_paused, run._behind_ms, run._sight_ms) == (goal_ms, goal_ms, True, 0, 0)
    assert run.did == ["announce"]


@pytest.mark.parametrize(
    ("fields", "looks", "sight_ms"),
    [
        ({"answers": [(True, 90_000)]}, 1, 90_000),
        ({"answers": [(False, None), (True, None)]}, 2, None),
        ({"answers": [(False, None)] * 9, "look_s": 0.5}, 2, 66_000),
        ({"answers": [(False, None)] * 9, "look_s": 0.4}, 3, 66_000),
        ({"answers": [(False, None)] * 9, "_look_at": float("-inf")}, 0, 66_000),
        ({"answers": [(False, None)] * 9, "_leaves": owner.STOPPED}, 0, 66_000),
        ({"answers": [(False, None)] * 9, "freezes": True}, 1, 66_000),
    ],
)
async def test_look_ahead_ends_when_it_has_seen_enough_or_the_run_is_needed(monkeypatch, fields, looks, sight_ms):
    fields = {"look_s": 0.0, "freezes": False} | fields
    now_s, asked, ahead = [100.0], [], SimpleNamespace(world=SimpleNamespace(now_ms=66_000))
    monkeypatch.setattr(actor_module, "perf_counter", lambda: now_s[0])
    monkeypatch.setattr(actor_module, "QUIET_LOOK_S", 1.0)

    async def off_the_loop(work, *args):
        if not args:
            return ahead
        now_s[0] += fields["look_s"]
        asked.append(args)
        return fields["answers"][len(asked) - 1]

    async def hold():
        if fields["freezes"]:
            run._state = owner.STANDING

    given = {name: value for name, value in fields.items() if name.startswith("_")}
    run = Run(_off_the_loop=off_the_loop, _hold=hold, **given)
    run.course.fork = None
    assert (await RunActor._next_sight_ms(run, 99_000), len(asked)) == (sight_ms, looks)


class Turn(Run):
    """A run whose parts of a turn only say that they were called."""

    is_there, is_due, look_at = True, False, float("inf")

    def __init__(self, **fields):
        super().__init__(**{"_look_at": self.look_at, "_fast": None, "_signed_wall": WALL} | fields)

    def _is_due(self, is_there):
        return self.is_due

    async def _compute(self, until_ms, *, is_fast=False):
        self._fast = is_fast
        return self.is_there

    def stop(self, why=owner.STOPPED):
        self.did.append(why.name)


def _say(name):
    async def said(self, *args):
        self.did.append(name)

    return said


for _name in ("_look", "_follow_wall_set_back", "_take_commands", "flush", "_start_clock", "_step", "_keep_up", "_check_limits", "_prove"):
    setattr(Turn, _name, _say(_name.removeprefix("_")))
for _name in ("_rest_when_quiet", "_idle_when_done"):
    setattr(Turn, _name, _say(_name.removeprefix("_")))
ACT = SimpleNamespace(given_ms=None)
END = ["keep_up", "rest_when_quiet", "idle_when_done", "check_limits", "prove"]
STANDING = {"_state": owner.STANDING}


@pytest.mark.parametrize(
    ("fields", "does"),
    [
        ({}, []),
        ({"is_due": True}, ["flush"]),
        ({"inbox": inbox(waiting=(ACT,))}, ["take_commands", "flush", "look"]),
        ({"inbox": inbox(waiting=(ACT,)), "is_there": False}, []),
        ({"inbox": inbox(waiting=(ACT,), steps=1), **STANDING}, ["take_commands", "flush", "look"]),
        (STANDING, ["start_clock"]),
        (STANDING | {"is_there": False, "is_due": True}, ["flush"]),
        (STANDING | {"inbox": inbox(is_frozen=True)}, ["complete"]),
        (STANDING | {"inbox": inbox(is_frozen=True), "is_there": False}, []),
        ({"inbox": inbox(steps=1)}, ["step"]),
        ({"inbox": inbox(steps=1), "is_there": False, "is_due": True}, ["flush"]),
    ],
)
async def test_turn_does_what_is_next(fields, does):
    run = Turn(**fields)
    assert await run.turn() is run.is_there
    last = [name for name in does if name == "complete"]
    assert run.did == ["follow_wall_set_back", *(name for name in does if name not in last), *END, *last]


async def test_turn_after_acts_ends_where_the_world_is_not_at_its_clock_yet():
    run = Turn(world_ms=59_999, inbox=inbox(waiting=(ACT,)))
    assert await run.turn() is False and run.did[-1] == "look"


@pytest.mark.parametrize(("rate", "is_fast"), [(1000, False), (FAST_PERMILLE, False), (FAST_PERMILLE + 1, True)])
async def test_fast_run_is_computed_as_one(rate, is_fast):
    run = Turn(pacer=Pacer(base_ms=60_000, base_wall_ms=WALL, end_ms=10**9, rate_permille=rate))
    await run.turn()
    assert run._fast is is_fast


@pytest.mark.parametrize(
    ("state", "silent_ms", "is_silent"),
    [(owner.DRIVING, SILENT_MS, False), (owner.DRIVING, SILENT_MS + 1, True), (owner.STANDING, SILENT_MS + 1, False)],
)
def test_owner_that_was_frozen_for_long_stands_again(state, silent_ms, is_silent):
    run = Run(_state=state, _signed_wall=WALL - silent_ms)
    run._notice_freeze()
    assert (run._state is owner.STANDING, run._look_at == float("-inf")) == (is_silent or state is owner.STANDING, is_silent)


@pytest.mark.parametrize(
    ("is_stored", "did", "drives"),
    [(True, ["announce"], True), (False, ["look"], False)],
)
async def test_owner_looks_again_if_somebody_moved_the_clock_before_it_could_start_it(monkeypatch, is_stored, did, drives):
    async def in_db(work, *args, **fields):
        return is_stored

    async def look():
        run.did.append("look")

    monkeypatch.setattr(actor_module, "in_db", in_db)
    run = Run(_state=owner.STANDING, _look=look, inbox=inbox(pacer=paused(), is_resting=False))
    await run._start_clock()
    assert (run.did, run._state.drives) == (did, drives)


@pytest.mark.parametrize(("is_resting", "is_paused"), [(True, False), (False, True)])
async def test_clock_that_rested_is_started_and_one_that_somebody_paused_is_not(monkeypatch, is_resting, is_paused):
    async def in_db(work, *args, **fields):
        return True

    monkeypatch.setattr(actor_module, "in_db", in_db)
    run = Run(_state=owner.STANDING, inbox=inbox(pacer=paused(), is_resting=is_resting))
    await run._start_clock()
    assert run.pacer.is_paused is is_paused
