"""Checks about the learner's own acts, in a level that acts, too."""

import json

import pytest

from simulator.levels.hinting import next_hint
from simulator.levels.playing import play_level
from simulator.levels.reading import read_level
from simulator.levels.start import given_acts, start_of
from simulator.scenarios.grading.grader import CheckVerdict
from simulator.web.run.level_card import _given

LEVEL = """
title = "Whose act"
story = "sixty-fifty-five-ten"
horizon = "60s"
[[happens]]
at = "5s"
do = "hang_container"
target = "default/shop"
container = "app"
hang = true
[[check]]
id = "acted"
eventually = { kind = "command", own = true }
[[hint]]
text = "Go on."
when = { kind = "command", own = true }
[[solution]]
name = "delete"
expect = "pass"
acts = [{ at = "9s", do = "delete_pod", target = "default/shop" }]
"""


@pytest.fixture
def level():
    return read_level(LEVEL)


def test_what_the_level_does_is_not_an_act_of_the_learners(level):
    (idle,) = play_level(level, (), seed=42).result.checks
    (acted,) = play_level(level, level.solutions[0].steps(), seed=42).result.checks
    assert (idle.verdict, acted.verdict, acted.at_ms) == (CheckVerdict.BROKEN, CheckVerdict.KEPT, 9000)


def test_hint_waits_for_the_learners_act(level):
    def hint(acts):
        played = play_level(level, acts, seed=42)
        early = [record for record in played.records if record.at_ms <= 8000]
        return next_hint(level, early, now_ms=8000, told=())

    assert (hint(()).n, given_acts(start_of(level, seed=42))) == (None, [(5000, "hang_container")])


def test_hint_that_waits_is_early_and_one_that_was_given_is_not(level):
    found = [next_hint(level, (), now_ms=0, told=told).is_early for told in ((), (0,))]
    assert found == [True, False]


def test_hint_that_has_become_needless_is_not_early():
    unless = 'when = { kind = "command", own = true }\nunless = { kind = "command" }'
    level = read_level(LEVEL.replace('when = { kind = "command", own = true }', unless))
    played = play_level(level, (), seed=42)
    assert not next_hint(level, played.records, now_ms=9000, told=()).is_early


def test_browser_knows_the_levels_acts_only_where_a_check_needs_them(level):
    other = read_level(LEVEL.replace(", own = true }\n[[hint]]", " }\n[[hint]]"))
    assert (json.loads(json.dumps(_given(level))), _given(other)) == ({"given": [[5000, "hang_container"]]}, {})
