"""The levels of the product: every solution of every level goes as promised at every seed, and doing nothing passes none."""

from collections import Counter

import pytest

from simulator.levels.trial import tried
from simulator.scenarios.tracks import TRACKS
from tests.built_in import LEVELS


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.slug)
def test_level_keeps_its_promise(level):
    trial = tried(level)
    assert (trial.problems, trial.advice) == ((), ())


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
