"""The decisions of an owner, one by one, at their limits: no run, no database, no time that passes."""

from types import SimpleNamespace

import pytest

from simulator.runs.drive import actor as actor_module
from simulator.runs.drive import owner
from simulator.runs.drive.actor import BEHIND_MS, FLUSH_RECORDS, FLUSH_S, PIECE_S, SLOW_MS, TAKER_FLUSH_S, WORK_MAX, WORK_MIN, RunActor
from simulator.runs.drive.limits import RunnerLimits
from simulator.runs.log.pacing import Pacer

WALL = 1_000_000


@pytest.fixture
def clock(monkeypatch):
    """The machine's clock in seconds; it moves when the test moves it."""
    now_s = [1000.0]
    monkeypatch.setattr(actor_module, "perf_counter", lambda: now_s[0])
    return now_s


@pytest.mark.parametrize(
    ("records", "since_s", "is_there", "is_taker", "is_due"),
    [
        (0, 60, True, False, False),
        (1, 0, True, False, True),
        (1, 0, False, False, False),
        (1, FLUSH_S, False, False, True),
        (1, FLUSH_S - 0.01, False, False, False),
        (1, 0, True, True, False),
        (1, TAKER_FLUSH_S, True, True, True),
        (1, TAKER_FLUSH_S - 0.01, True, True, False),
        (FLUSH_RECORDS, 0, False, True, True),
        (FLUSH_RECORDS - 1, 0, False, True, False),
    ],
)
def test_records_are_written_when_it_is_time_or_there_are_many(clock, records, since_s, is_there, is_taker, is_due):
    run = SimpleNamespace(_flushed=clock[0] - since_s, _computer=SimpleNamespace(takes_much=is_taker), _records=[None] * records)
    assert RunActor._is_due(run, is_there) is is_due


@pytest.mark.parametrize(
    ("given_ms", "clock_ms", "world_ms", "moment_ms"),
    [(None, 900, 100, 900), (500, 900, 100, 500), (50, 900, 100, 100), (5000, 900, 100, 900), (50, 900, 1000, 900)],
)
def test_act_happens_when_it_was_given_if_the_world_and_the_clock_allow(given_ms, clock_ms, world_ms, moment_ms):
    run = SimpleNamespace(course=SimpleNamespace(world=SimpleNamespace(now_ms=world_ms)))
    assert RunActor._moment_of(run, SimpleNamespace(given_ms=given_ms), clock_ms) == moment_ms


def pacer(**fields):
    return Pacer(**{"base_ms": 0, "base_wall_ms": WALL, "end_ms": 10**9, **fields})


@pytest.mark.parametrize(
    ("world_ms", "goal_ms", "shown_ms"), [(3000, 8000, 3000), (8000, 8000, 8000), (3000, 3000, 5000), (9000, 3000, 9000)]
)
def test_clock_shows_how_far_the_world_has_come_on_its_way_and_then_goes(world_ms, goal_ms, shown_ms):
    course = SimpleNamespace(world=SimpleNamespace(now_ms=world_ms))
    run = SimpleNamespace(course=course, _goal_ms=goal_ms, pacer=pacer(), _wall=lambda: WALL + 5000)
    assert RunActor._shown_ms(run) == shown_ms


@pytest.mark.parametrize(
    ("slow_wall", "since_ms", "played_ms", "got"),
    [
        (0, 1000, 100, 4000),
        (1, 1000, 100, 100),
        (1, 1000, 0, 1),
        (1, 1000, 9000, 4000),
        (1, SLOW_MS, SLOW_MS, 1000),
        (1, SLOW_MS + 1, 100, 4000),
        (1, 0, 100, 4000),
    ],
)
def test_slow_run_says_at_what_rate_it_goes(slow_wall, since_ms, played_ms, got):
    run = SimpleNamespace(
        _said=(WALL, 500), _wall=lambda: WALL + since_ms, _slow_wall=slow_wall, pacer=pacer(rate_permille=4000),
        course=SimpleNamespace(world=SimpleNamespace(now_ms=500 + played_ms)),
    )  # fmt: skip
    assert (RunActor._got(run), run._said) == (got, (WALL + since_ms, 500 + played_ms))


@pytest.mark.parametrize(
    ("drives", "is_paused", "note", "state"),
    [(True, True, "", "paused"), (True, False, "", "live"), (False, True, "opening", "released"), (False, False, "silent", "waiting")],
)
def test_state_that_a_page_is_told(drives, is_paused, note, state):
    run = SimpleNamespace(_state=SimpleNamespace(drives=drives), _note=note)
    assert RunActor._shown_state(run, is_paused=is_paused) == state


@pytest.mark.parametrize(
    ("state", "leaves", "slow_wall", "waiting", "note"),
    [
        (owner.DRIVING, None, 0, (), ""),
        (owner.DRIVING, None, 1, (), "slower"),
        (owner.DRIVING, owner.GIVES_WAY, 0, (), ""),
        (owner.LEFT, owner.GIVES_WAY, 0, (), "queue"),
        (owner.LEFT, owner.UNWATCHED, 1, (), "unwatched"),
        (owner.LEFT, None, 0, (), ""),
        (owner.STANDING, None, 0, (1,), "opening"),
        (owner.RESTING, None, 0, (), "resting"),
        (owner.RESTING, None, 0, (1,), ""),
    ],
)
def test_note_beside_the_clock_is_that_of_the_state_or_of_what_is_the_matter(state, leaves, slow_wall, waiting, note):
    run = SimpleNamespace(_state=state, _leaves=leaves, _slow_wall=slow_wall, inbox=SimpleNamespace(waiting=waiting))
    assert RunActor._note.fget(run) == note


@pytest.mark.parametrize(
    ("one", "other", "left"),
    [
        (None, owner.COMPLETE, owner.COMPLETE),
        (owner.STOPPED, owner.UNWATCHED, owner.UNWATCHED),
        (owner.UNWATCHED, owner.STOPPED, owner.UNWATCHED),
        (owner.MOVES_ON, owner.GIVES_WAY, owner.GIVES_WAY),
    ],
)
def test_of_two_reasons_to_leave_the_one_that_keeps_a_run_from_going_on_counts(one, other, left):
    assert owner.overriding(one, other) is left


class Ahead:
    """A world that goes on piece by piece; each takes a while."""

    def __init__(self, clock, *pieces, piece_s=0.0):
        self.clock, self.pieces, self.piece_s, self.asked = clock, [*pieces], piece_s, []

    def drive(self, until_ms, *, limit):
        self.asked.append(limit)
        self.clock[0] += self.piece_s
        kinds, is_there = self.pieces.pop(0)
        records = [SimpleNamespace(kind=kind, at_ms=1000 * (n + 1)) for n, kind in enumerate(kinds)]
        return SimpleNamespace(records=records, applied=[], is_there=is_there, is_whole=True)


@pytest.mark.parametrize(
    ("pieces", "found"),
    [
        ([((), True)], (True, None)),
        ([((), False), (("decision", "transition"), False)], (True, 2000)),
        ([(("decision",), False), ((), True)], (True, None)),
        ([(("transition", "transition"), True)], (True, 1000)),
    ],
)
def test_look_ahead_ends_at_the_first_record_that_is_seen(clock, pieces, found):
    assert actor_module._look_on(Ahead(clock, *pieces), 9000) == found


@pytest.mark.parametrize(("pieces", "tried"), [(1, 3), (2, 2), (4, 1)])
def test_look_ahead_ends_with_its_slice(clock, monkeypatch, pieces, tried):
    monkeypatch.setattr(actor_module, "SLICE_S", 3.0)
    ahead = Ahead(clock, *[((), False)] * 9, piece_s=float(pieces))
    assert actor_module._look_on(ahead, 9000) == (False, None) and len(ahead.asked) == tried


@pytest.mark.parametrize(
    ("work", "piece_s", "is_there", "then"),
    [
        (100, PIECE_S * 1.1, True, 25),
        (WORK_MIN, PIECE_S * 1.1, True, WORK_MIN),
        (100, PIECE_S * 0.4, True, 100),
        (100, PIECE_S * 0.4, False, 200),
        (WORK_MAX, PIECE_S * 0.4, False, WORK_MAX),
        (100, PIECE_S * 0.75, False, 100),
    ],
)
def test_pieces_of_work_get_as_long_as_they_may_take(clock, monkeypatch, work, piece_s, is_there, then):
    monkeypatch.setattr(actor_module, "SLICE_S", piece_s)
    run = SimpleNamespace(course=Ahead(clock, ((), is_there), piece_s=piece_s), _work=work, _collect=lambda *_: None)
    RunActor._drive(run, 9000)
    assert run._work == then


@pytest.mark.parametrize(
    ("head_seq", "kinds", "kept", "last_ms"),
    [
        (0, ("transition", "decision"), 2, 1000),
        (1, ("transition", "transition"), 1, 2000),
        (0, ("decision",), 1, 77),
        (2, ("transition",), 0, 1000),
    ],
)
def test_records_that_are_not_in_the_log_yet_are_collected(head_seq, kinds, kept, last_ms):
    records = [SimpleNamespace(kind=kind, at_ms=1000 * n, seq=n) for n, kind in enumerate(kinds, 1)]
    run = SimpleNamespace(head_seq=head_seq, _records=[], _applied=[], _last_record_ms=77, _sight_ms=55)
    RunActor._collect(run, records, records)
    assert (len(run._records), len(run._applied), run._last_record_ms, run._sight_ms) == (kept, kept, last_ms, 55 if last_ms == 77 else 0)


@pytest.mark.parametrize(("back_ms", "moves"), [(BEHIND_MS, False), (BEHIND_MS + 1, True)])
@pytest.mark.parametrize("is_paused", [True, False])
async def test_clock_goes_on_from_what_it_showed_where_the_wall_clock_was_set_back(back_ms, moves, is_paused):
    settled = []

    async def settle(pacer, *, steps):
        settled.append(pacer.base_ms)

    run = SimpleNamespace(
        _wall=lambda: WALL + 5000 - back_ms, _wall_seen=WALL + 5000, _settle=settle, pacer=pacer(is_paused=is_paused),
        course=SimpleNamespace(world=SimpleNamespace(now_ms=5000)),
    )  # fmt: skip
    await RunActor._follow_wall_set_back(run)
    assert settled == ([5000] if moves and not is_paused else []) and run._wall_seen == WALL + 5000 - back_ms


@pytest.mark.parametrize(
    ("now_ms", "seq", "pods", "code"),
    [
        (3_600_000 - 1, 99, 10, None),
        (3_600_000, 99, 10, "limit_hours"),
        (0, 100, 10, "limit_records"),
        (0, 99, 11, "limit_pods"),
        (3_600_000, 100, 11, "limit_hours"),
    ],
)
def test_limit_of_a_run_is_met_at_its_last_moment_its_last_record_and_one_pod_too_many(now_ms, seq, pods, code):
    limits = RunnerLimits(run_ms_max=3_600_000, records_max=100, pods_max=10)
    assert limits.met(now_ms=now_ms, seq=seq, pods=pods).get("code") == code
