"""Predictions of the built-in stories: the run answers them by itself, with every seed alike."""

import pytest
from msgspec.structs import replace

from simulator.levels.asking import truth_of
from simulator.scenarios.asks import Ask, Choice
from simulator.scenarios.build import story_content
from simulator.scenarios.grading.patterns import RecordPattern
from simulator.scenarios.grading.spans import span_ms
from simulator.scenarios.story import read_stories

STORIES = read_stories()
ASKS = [(story, ask) for story in STORIES for ask in story.asks]
IDS = [f"{story.slug}-{ask.id}" for story, ask in ASKS]


def truth_at(story, ask, seed):
    return truth_of(ask, replace(story_content(story).header, seed=seed), [])


@pytest.mark.parametrize(("story", "ask"), ASKS, ids=IDS)
def test_prediction_has_the_same_answer_with_every_seed(story, ask):
    truths = [truth_at(story, ask, seed) for seed in (story.seed, 7, 1234)]
    assert len({truth.choice for truth in truths}) == 1
    for truth in truths:
        assert truth.record if ask.place else truth.choice is not None


@pytest.mark.parametrize(("story", "ask"), ASKS, ids=IDS)
def test_flag_right_with_the_seed_of_the_story_is_right_with_others(story, ask):
    if ask.place is None:
        pytest.skip("asks for no moment")
    moments = [truth_at(story, ask, seed).record.at_ms for seed in (story.seed, 7, 1234)]
    assert max(moments) - min(moments) <= span_ms(ask.tolerance)


@pytest.mark.parametrize(("story", "ask"), ASKS, ids=IDS)
def test_every_other_answer_says_why_it_is_wrong(story, ask):
    right = truth_at(story, ask, story.seed).choice
    assert [choice.text for n, choice in enumerate(ask.choices) if n != right and not choice.why] == []


@pytest.mark.parametrize(("story", "ask"), ASKS, ids=IDS)
def test_prediction_is_asked_once_there_is_something_to_see(story, ask):
    """A page takes about two seconds of real time to open."""
    assert span_ms(ask.at) * 1000 >= 2000 * story.rate


def test_right_answer_does_not_always_stand_at_one_place():
    places = [truth_at(story, ask, story.seed).choice for story, ask in ASKS if ask.choices]
    assert {0, 1, 2, 3} <= set(places)
    assert max(map(places.count, places)) * 2 < len(places)


def test_stories_ask_but_not_the_first_and_not_the_one_of_the_landing_page():
    asking = {story.slug for story in STORIES if story.asks}
    assert len(asking) >= 20
    assert not asking & {"hello-pod", *(story.slug for story in STORIES if story.landing)}


@pytest.mark.parametrize("story", [story for story in STORIES if story.asks], ids=lambda story: story.slug)
def test_predictions_of_a_story_have_names_of_their_own(story):
    assert len({ask.id for ask in story.asks}) == len(story.asks)


def choices(count: int, open_: int = 0) -> tuple[Choice, ...]:
    """So many answers, ``open_`` of them without an occurrence."""
    return tuple(Choice(text=str(n), comes=None if n < open_ else RecordPattern(machine="phase")) for n in range(count))


@pytest.mark.parametrize(
    ("count", "open_", "is_taken"), [(1, 0, False), (2, 0, True), (8, 0, True), (9, 0, False), (3, 1, True), (3, 2, False)]
)
def test_prediction_has_two_to_eight_choices_and_one_of_them_may_be_that_nothing_happens(count, open_, is_taken):
    if is_taken:
        assert len(Ask(id="a", at="1s", question="?", choices=choices(count, open_)).choices) == count
    else:
        with pytest.raises(ValueError, match="choice"):
            Ask(id="a", at="1s", question="?", choices=choices(count, open_))


def test_prediction_is_about_a_choice_or_a_place():
    place = RecordPattern(machine="phase")
    assert Ask(id="a", at="1s", question="?", place=place).place == place
    for fields in ({}, {"choices": choices(2), "place": place}):
        with pytest.raises(ValueError, match="either choices or place"):
            Ask(id="a", at="1s", question="?", **fields)
