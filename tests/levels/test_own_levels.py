"""What is known of a level from its text: its shortest solution, and which acts are the learner's."""

import json

import pytest

from simulator.levels.checking import acts_used, best_acts, best_solution, check_commands
from simulator.levels.playing import check_play, play_level
from simulator.levels.reading import BadLevel, level_of
from simulator.levels.start import start_of

ACT = {"at": "5s", "do": "delete_pod", "target": "default/hello", "grace_s": 1}


def level(*solutions, **fields):
    rows = [{"name": f"s{n}", "expect": expect, "acts": [ACT] * acts} for n, (expect, acts) in enumerate(solutions)]
    check = {"id": "gone", "eventually": {"machine": "object", "subject": "pod/default/*", "target": "gone"}}
    return level_of({"title": "t", "story": "hello-pod", "horizon": "30s", "check": [check], "solution": rows} | fields)


@pytest.mark.parametrize(
    ("solutions", "best", "name"),
    [
        ([], None, None),
        ([("fail", 0)], None, None),
        ([("fail", 0), ("pass", 2), ("pass", 1), ("pass", 1)], 1, "s2"),
        ([("pass", 1), ("pass", 3)], 1, "s0"),
    ],
)
def test_best_solution_is_the_first_of_the_shortest_right_ones(solutions, best, name):
    found = best_solution(level(*solutions))
    assert (best_acts(level(*solutions)), found and found.name) == (best, name)


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: hello}\nspec: {containers: [{name: app, image: 'busybox:1.36'}]}\n"
GIVEN = {"at_ms": 5000, "do": "delete_pod", "target": "default/hello", "grace_s": 1}
BEGUN = {"podscope": 1, "kubernetes": "1.33", "manifests": POD, "acts": [GIVEN], "until_ms": 9000}


def test_act_that_the_level_begins_with_is_none_that_it_could_forbid():
    made = level(story="", scenario=json.dumps(BEGUN), allow=["cordon"])
    start = start_of(made, seed=42)
    assert len(start.commands) == 1 and acts_used(made, start.commands) == 0
    assert play_level(made, [], seed=42).forbidden == ()
    assert check_play(made, start, start.commands, seed=42, work=10**6, stops_ms=[]).forbidden == ()
    assert check_commands(made, start.commands, seed=42).passed


def test_act_of_the_learner_is_forbidden_unless_the_level_allows_it():
    made = level(("pass", 1), allow=["cordon"])
    assert play_level(made, made.solutions[0].steps(), seed=42).forbidden == ("delete_pod",)
    made = level(("pass", 1), allow=["delete_pod"])
    assert play_level(made, made.solutions[0].steps(), seed=42).passed


@pytest.mark.parametrize("story", ["no-such", "../stories/hello-pod", "a/../hello-pod", "hello-pod/"])
def test_level_begins_with_no_story_that_there_is_not_nor_with_another_folder(story):
    with pytest.raises(BadLevel, match="there is no story"):
        start_of(level(story=story), seed=42)
