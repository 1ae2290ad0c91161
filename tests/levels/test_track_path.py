"""Tracks as paths: every story and level of a track belongs to one stage, and no stage is empty."""

import pytest

from simulator.levels.track_path import track_path
from simulator.scenarios.story import read_stories
from simulator.scenarios.tracks import TRACKS
from tests.built_in import LEVELS

STORIES = sorted(read_stories(), key=lambda story: story.order)


def path_of(track):
    return track_path([story for story in STORIES if story.track == track], [level for level in LEVELS if level.track == track])


@pytest.fixture(params=[track.slug for track in TRACKS])
def track(request):
    return request.param


def test_path_leads_from_an_example_over_a_prediction_and_hints_to_levels_alone(track):
    stages = path_of(track)
    assert [stage.kind for stage in stages] == ["example", "prediction", "guided", "alone"]
    assert all(stage.stories or stage.levels for stage in stages)


def test_path_has_all_of_its_track_once(track):
    stages = path_of(track)
    stories = [story.slug for stage in stages for story in stage.stories]
    levels = [level.slug for stage in stages for level in stage.levels]
    assert sorted(stories) == sorted(story.slug for story in STORIES if story.track == track)
    assert levels == [level.slug for level in LEVELS if level.track == track]


def test_predictions_ask_and_guided_levels_have_hints(track):
    _example, prediction, guided, _alone = path_of(track)
    assert all(each.asks for each in (*prediction.stories, *prediction.levels))
    assert all(level.hints for level in guided.levels)


def test_track_without_anything_has_an_empty_path():
    assert [(stage.stories, stage.levels) for stage in track_path([], [])] == [((), ())] * 4
