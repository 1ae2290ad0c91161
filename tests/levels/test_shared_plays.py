"""A check that resumes from an earlier play gives the same result as a check from zero; for every level in test_built_in.py."""

import msgspec
import pytest

from simulator.engine.acts.all_acts import Stamped
from simulator.levels import shared_plays
from simulator.levels.checking import check_commands
from simulator.levels.level import Solution
from simulator.levels.playing import PLAY_WORK, play_commands
from simulator.levels.shared_plays import SHARED_PLAYS, PlayBeginning, SharedPlays, play_shared
from simulator.levels.start import start_of
from tests.built_in import LEVELS

LEDGER = next(level for level in LEVELS if level.slug == "two-versions-never-meet")


@pytest.fixture(autouse=True)
def fresh():
    SHARED_PLAYS.clear()
    yield
    SHARED_PLAYS.clear()


def given(level, solution):
    """The commands of a run of the level whose learner does what the solution does."""
    ahead = start_of(level, seed=level.seeds[0]).commands
    own = (Stamped(at_ms=step.at_ms, n=n, command=step.command) for n, step in enumerate(solution.steps(), len(ahead) + 1))
    return [*ahead, *own]


def ledger_at(start):
    """What plays of that level depend on."""
    return PlayBeginning(header=start.header, checks=LEDGER.checks)


def from_zero(level, commands, *, seed):
    return play_commands(level, start_of(level, seed=seed), commands, seed=seed, work=PLAY_WORK)


def verdicts(plays):
    """Everything that a check says about its plays, as bytes."""
    return [msgspec.json.encode((play.seed, play.passed, play.is_whole, play.ended_ms, play.forbidden, play.result)) for play in plays]


def test_second_check_plays_only_what_is_new(monkeypatch):
    commands = given(LEDGER, LEDGER.solutions[0])
    begun = []
    monkeypatch.setattr(shared_plays, "Course", lambda *made: begun.append(made) or COURSE(*made))
    check_commands(LEDGER, commands, seed=42, until_ms=100_000)
    assert len(begun) == len(LEDGER.seeds)
    check_commands(LEDGER, commands, seed=42, until_ms=110_000)
    assert len(begun) == len(LEDGER.seeds)


COURSE = shared_plays.Course


def test_attempt_that_went_another_way_shares_only_what_came_before():
    first, other = given(LEDGER, LEDGER.solutions[0]), given(LEDGER, LEDGER.solutions[-1])
    check_commands(LEDGER, first, seed=42, until_ms=60_000)
    checked = check_commands(LEDGER, other, seed=42, until_ms=60_000)
    assert verdicts(checked.plays) == verdicts(from_zero(LEDGER, other, seed=seed) for seed in LEDGER.seeds)


def test_stop_serves_no_attempt_that_acted_before_it():
    nothing = Solution(name="", expect="fail")
    check_commands(LEDGER, given(LEDGER, nothing), seed=42, until_ms=170_000)
    late = given(LEDGER, LEDGER.solutions[0])
    checked = check_commands(LEDGER, late, seed=42, until_ms=170_000)
    assert verdicts(checked.plays) == verdicts(from_zero(LEDGER, late, seed=seed) for seed in LEDGER.seeds)


def test_run_that_was_lived_is_gone_on_with_and_not_played_again(monkeypatch):
    commands, start = given(LEDGER, LEDGER.solutions[-1]), start_of(LEDGER, seed=42)
    whole = from_zero(LEDGER, commands, seed=42)
    course = COURSE(start.header, commands)
    course.drive(60_000)
    asked = []
    lived = lambda seen: asked.append(seen) or (course, whole.records[seen : course.world.seq])  # noqa: E731
    begun = []
    monkeypatch.setattr(COURSE, "drive", lambda self, until_ms, **more: begun.append(self.world.now_ms) or DRIVE(self, until_ms, **more))
    play, _is_whole = play_shared(ledger_at(start), commands, end_ms=LEDGER.horizon_ms, work=PLAY_WORK, lived=lived)
    assert (play.grader.finish(LEDGER.horizon_ms), len(asked), min(begun)) == (whole.result, 1, 60_000)


DRIVE = COURSE.drive


@pytest.mark.parametrize("lost", [0, 1])
def test_run_that_was_lived_otherwise_is_played(lost):
    """Its world has other acts behind it, or its log is behind its world."""
    commands, start = given(LEDGER, LEDGER.solutions[-1]), start_of(LEDGER, seed=42)
    whole = from_zero(LEDGER, commands, seed=42)
    course = COURSE(start.header, commands if lost else ())
    course.drive(60_000)
    lived = lambda seen: (course, whole.records[seen : course.world.seq - lost])  # noqa: E731
    play, _is_whole = play_shared(ledger_at(start), commands, end_ms=LEDGER.horizon_ms, work=PLAY_WORK, lived=lived)
    assert play.grader.finish(LEDGER.horizon_ms) == whole.result


def test_stops_are_bounded_by_their_rows():
    shared, start = SharedPlays(rows_max=2_000), start_of(LEDGER, seed=42)
    for stop_ms in range(1_000, 60_000, 1_000):
        play_shared(ledger_at(start), (), end_ms=60_000, work=PLAY_WORK, stops_ms=[stop_ms], shared=shared)
    held = list(shared._stops.values())
    assert (sum(stop.rows for stop in held) <= 2_000, bool(held), held[-1].at_ms) == (True, True, 59_000)


def test_check_that_runs_out_of_work_is_not_whole():
    start = start_of(LEDGER, seed=42)
    for _again in range(2):
        _play, is_whole = play_shared(ledger_at(start), (), end_ms=LEDGER.horizon_ms, work=300, stops_ms=[1_000, 90_000])
        assert not is_whole


def test_a_check_goes_on_from_the_latest_stop_that_fits():
    commands = given(LEDGER, LEDGER.solutions[0])
    start = start_of(LEDGER, seed=42)
    plays, of = SharedPlays(), ledger_at(start)
    for until_ms in (30_000, 60_000, 90_000):
        name, play = plays.begun(of, commands, end_ms=until_ms)
        play.drive(until_ms, work=PLAY_WORK)
        plays.keep(name, play, commands)
    stands = [plays.begun(of, commands, end_ms=end_ms)[1].course.world.now_ms for end_ms in (29_999, 60_000, 89_999, 200_000)]
    assert stands == [0, 60_000, 60_000, 90_000]
