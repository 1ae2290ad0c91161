"""What an owner decides at the end of a turn: to rest, to count as idle or proven, to set its clock back. No run and no database."""

from types import SimpleNamespace

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from simulator.runs.drive import actor as actor_module
from simulator.runs.drive import owner
from simulator.runs.drive.actor import BEHIND_MS, QUIET_AHEAD_MS, QUIET_MS, REST_MS, SLOW_MS, TRIAL_MS, RunActor
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
