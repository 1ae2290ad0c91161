"""The gallery: tracks, search, tags and the pictures on its cards."""

import re

import pytest

from simulator.models import Scenario
from simulator.scenarios.story import read_stories
from simulator.scenarios.tracks import TRACKS
from simulator.web.base.stories import builtin_stories, next_story, story_text
from simulator.web.gallery import gallery
from simulator.web.pictures.thumbnail import thumbnail_of
from tests.web.helpers import text_of

pytestmark = pytest.mark.django_db
STORIES = read_stories()


def found(query: str) -> set[str]:
    return {scenario.slug for scenario in gallery.matching(list(Scenario.objects.all()), query)}


def test_tracks_stand_in_their_order_with_their_stories_in_theirs(client, stories):
    page = text_of(client.get("/scenarios/"))
    places = [page.index(f'id="track-{track.slug}"') for track in TRACKS]
    assert places == sorted(places)
    basics = [story.slug for story in STORIES if story.track == "basics"]
    assert re.findall(r'data-story="([a-z0-9-]+)"', page)[: len(basics)] == basics


@pytest.mark.parametrize("query", ["sidecar", "SIDECAR", "边车", "邊車"])
def test_search_finds_sidecars_in_every_language(stories, query):
    assert "the-job-that-never-ends" in found(query)


@pytest.mark.parametrize(
    ("query", "slug"),
    [
        ("OOMKilled", "oom-in-one-container"),  # a reason shown in the run
        ("FailedScheduling", "surge-does-not-fit"),  # an Event
        ("readinessProbe tcpSocket", "hello-pod"),  # fields of the manifest
        ("ladder", "crash-loop-ladder"),  # the title
        ("guess what", "clean-exit-crash-loop"),  # a step
        ("137 preStop", "sixty-fifty-five-ten"),  # tags
    ],
)
def test_search_looks_at_everything_that_is_said(stories, query, slug):
    assert slug in found(query)


def test_every_word_must_be_there(stories):
    assert found("sidecar postgres") == set()


def test_search_field_gets_the_list_alone(client, stories):
    answer = client.get("/scenarios/", {"q": "sidecar"}, headers={"HX-Request": "true"})
    page = text_of(answer)
    assert "<html" not in page and 'data-story="the-job-that-never-ends"' in page and 'data-story="hello-pod"' not in page


def test_scenario_of_a_user_stands_behind_the_tracks(client, stories):
    body = Scenario.objects.get(slug="hello-pod").body
    Scenario.objects.create(slug="own", title="My own one", body=body, tags=["mine"])
    page = text_of(client.get("/scenarios/"))
    assert page.index("More scenarios") < page.index("My own one") and "My own one" in text_of(client.get("/scenarios/own/"))


def test_tags_are_sorted_by_letters_and_numbers_last():
    assert gallery.in_order(["TERM", "grace", "137", "preStop"]) == ["grace", "preStop", "TERM", "137"]


def test_number_on_a_card_is_that_in_the_track_whatever_is_searched(client, stories):
    page = text_of(client.get("/scenarios/", {"q": "NOT_SERVING"}))
    assert re.findall(r'story__number num" aria-hidden="true">(\d+)<', page) == ["7"]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_picture_is_drawn_from_the_run(story):
    picture = thumbnail_of(story)
    assert picture.told and 'class="ln-' in picture.markup and "NaN" not in picture.markup
    numbers = [float(number) for number in re.findall(r"[ML](-?[\d.]+) ", picture.markup)]
    assert min(numbers) >= 0 and max(numbers) <= 303


def test_picture_of_a_crash_loop_shows_back_off_and_says_so():
    picture = thumbnail_of(builtin_stories()["crash-loop-ladder"])
    assert "ln-backoff" in picture.markup and "CrashLoopBackOff" in picture.told


def test_next_story_is_the_next_of_the_track_and_then_of_the_next_track():
    stories = builtin_stories()
    assert next_story(stories["hello-pod"]).slug == "exit-0-exit-1"
    assert next_story(stories["two-containers"]).slug == "image-typo"
    assert next_story(list(stories.values())[-1]) is None


def test_run_of_a_story_lists_its_steps_with_their_checks(client, stories):
    page = text_of(client.get(client.post("/scenarios/pid-1-is-deaf/run/").url))
    steps = story_text(Scenario.objects.get(slug="pid-1-is-deaf"))
    assert page.count("data-check=") == sum(bool(step.check) for step in (*steps.tries, *steps.watch)) > 0
    assert "/scenarios/a-good-goodbye/" in page
