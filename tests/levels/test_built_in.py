"""The product's levels: every solution of every level has the promised result with every seed, and doing nothing passes none.

Also, a check that resumes from an earlier play gives the same result as these plays from zero.
"""

from collections import Counter

import pytest
from msgspec.structs import replace

from simulator.levels.checking import check_commands
from simulator.levels.shared_plays import SHARED_PLAYS
from simulator.levels.trial import NOTHING, tried
from simulator.scenarios.tracks import TRACKS
from tests.built_in import LEVELS
from tests.levels.test_shared_plays import given, verdicts


@pytest.fixture(scope="module", params=LEVELS, ids=lambda level: level.slug)
def trial(request):
    """A level with everything that is played of it, once for both tests that need it."""
    return tried(request.param)


def test_level_keeps_its_promise(trial):
    assert (trial.problems, trial.advice) == ((), ())


def a_right_and_a_wrong_solution(level):
    return [next((each for each in level.solutions if each.expect == said), NOTHING) for said in ("pass", "fail")]


def test_checks_along_the_way_say_what_checks_from_zero_say(trial):
    level = replace(trial.level, seeds=trial.level.seeds[:2])
    SHARED_PLAYS.clear()
    for n, solution in enumerate(a_right_and_a_wrong_solution(level)):
        commands = given(level, solution)
        whole = [each.played for each in trial.attempts if each.solution == solution and each.played.seed in level.seeds]
        # As a learner checks: before each act, then with all of them, and then once more.
        for count in range(len(commands) - len(solution.acts), len(commands)):
            check_commands(level, commands[:count], seed=level.seeds[0], until_ms=commands[count].at_ms - n)
        last_ms = commands[-1].at_ms + 1 if commands else 0
        for _again in range(2):
            checked = check_commands(level, commands, seed=level.seeds[0], until_ms=last_ms)
            assert verdicts(checked.plays) == verdicts(whole)
            for fast, slow in zip(checked.plays, whole, strict=True):
                assert fast.records == slow.records[: len(fast.records)]
    SHARED_PLAYS.clear()


def test_every_track_has_levels():
    counted = Counter(level.track for level in LEVELS)
    assert [track.slug for track in TRACKS if counted[track.slug] < 5] == []


def test_there_are_sixty_levels():
    assert len(LEVELS) >= 60


def test_names_are_unique():
    assert [name for name, times in Counter(level.slug for level in LEVELS).items() if times > 1] == []


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.slug)
def test_level_says_all_that_a_learner_needs(level):
    missing = [name for name in ("brief", "debrief", "sources", "hints") if not getattr(level, name)]
    assert (missing, [check.id for check in level.checks if not check.text], len(level.seeds) > 1) == ([], [], True)
