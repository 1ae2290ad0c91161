"""Every built-in story, headless: what it promises must happen, with the acts it proposes."""

import pytest

from simulator.engine import advance, apply, new_world
from simulator.engine.kernel.records import Record
from simulator.management.commands.collect_texts import TARGET, module_text
from simulator.scenarios.build import story_content
from simulator.scenarios.expect import broken, horizon_ms
from simulator.scenarios.story import LEVELS, Story, read_stories

STORIES = read_stories()


def play(story: Story) -> list[Record]:
    world = new_world(story_content(story).header)
    records = list(world.first_records)
    for step in story.answer_steps():
        records += advance(world, until_ms=step.at_ms).records
        records += apply(world, step.command)
    return records + advance(world, until_ms=horizon_ms(story.expect)).records


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_story_keeps_its_promises(story):
    assert broken(story.expect, play(story)) == []


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_story_gives_acts_that_are_accepted(story):
    assert [record for record in play(story) if record.kind == "command" and record.target == "refused"] == []


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_story_tells_what_to_try_and_watch(story):
    assert story.tries and story.watch and story.expect and story.level in LEVELS


def test_stories_have_their_own_places_in_the_gallery():
    assert len({story.order for story in STORIES}) == len(STORIES) >= 8


def test_one_story_plays_on_the_landing_page():
    assert [story.slug for story in STORIES if story.landing] == ["liveness-death-spiral"]


def test_collected_texts_are_up_to_date():
    assert TARGET.read_text(encoding="utf-8") == module_text()
