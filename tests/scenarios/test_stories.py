"""Every built-in story, headless: its promises come true with its suggested acts."""

import pytest
from msgspec.structs import replace

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.course.replay import replay as play_out
from simulator.engine.versions.usual import ERAS
from simulator.headless.lens import version_header
from simulator.headless.refused import is_refusal
from simulator.scenarios.build import story_content
from simulator.scenarios.expect import StepOutcome, broken, verdict
from simulator.scenarios.play import play
from simulator.scenarios.story import LEVELS, acts_of, read_stories
from simulator.scenarios.tracks import TRACKS
from tests.scenarios.followed import followed

STORIES = read_stories()
STEPS = [(story, step) for story in STORIES for step in story.steps() if step.done]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_story_keeps_its_promises(story):
    records, _ = followed(story.slug)
    assert broken(story.expect, records) == [], "\n".join(map(line_of, records))


def line_of(record):
    """A record in the notation of a story's expectations."""
    step = f"{record.source or '–'} → {record.target}"
    return f"{record.at_ms / 1000:>8.3f}s {record.kind}/{record.machine} {record.subject}: {step} {record.rule} {dict(record.data) or ''}"


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_story_gives_acts_that_are_accepted(story):
    assert [record for record in followed(story.slug)[0] if record.kind == "command" and record.target == "refused"] == []


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_story_says_what_to_try_and_watch(story):
    assert story.tries and story.watch and story.expect and story.level in LEVELS


def test_stories_have_their_own_places_in_the_gallery():
    assert len({story.order for story in STORIES}) == len(STORIES) >= 8


def test_one_story_plays_on_the_landing_page():
    assert [story.slug for story in STORIES if story.landing] == ["liveness-death-spiral"]


@pytest.mark.parametrize(("story", "step"), STEPS, ids=lambda value: getattr(value, "slug", ""))
def test_step_ticks_itself_off_when_it_is_done(story, step):
    acts = acts_of(step.acts)
    records, until_ms = play(story, acts) if acts else followed(story.slug)
    assert [record for record in records if record.kind == "command" and record.target == "refused"] == []
    assert verdict(step.done, records, now_ms=until_ms) == StepOutcome.DONE


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_every_story_has_steps_that_its_records_tick_off(story):
    assert any(step.done for step in story.steps())


def test_every_track_has_stories_and_every_story_a_track():
    assert {story.track for story in STORIES} == {track.slug for track in TRACKS}


SEEDS = (1, 2, 3, 7, 42, 1000, 54321, 2**31 - 1)
VERSIONS = ERAS
INTENDED = {
    ("cronjob-overlap", "1.20"): "API-NOT-FOUND",  # batch/v1 has no CronJob yet, so that there is none to patch
    ("not-serving", "1.20"): "COMMAND-NO-POD",  # no gRPC probes yet: its pod is rejected
    ("zero-downtime", "1.20"): "COMMAND-REJECTED",  # a hook cannot sleep yet
    ("zero-downtime", "1.27"): "COMMAND-REJECTED",
}
"""The rule by which a version refuses an act of a story because its subject does not exist there."""


def test_refusals_that_are_intended_are_of_stories_and_versions_that_are_tried():
    assert set(INTENDED) <= {(story.slug, version) for story in STORIES for version in VERSIONS}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_acts_of_a_story_find_what_they_mean_at_every_seed_and_version(story, version):
    header = version_header(story_content(story).header, version)
    given = [story.answer_steps(), acts_of(story.sweep), *(acts_of(step.acts) for step in story.steps() if step.acts)]
    sets = [acts for n, acts in enumerate(given) if acts and acts not in given[:n]]
    found = {(seed, *refusal) for seed in SEEDS for acts in sets for refusal in _refused(replace(header, seed=seed), acts)}
    intended = INTENDED.get((story.slug, version))
    assert {(command, rule) for _seed, command, rule in found if rule != intended} == set()
    assert intended in {None, *(rule for _seed, _command, rule in found)}


def _refused(header, acts):
    """The refused acts among these, as (what was done, rule)."""
    records = []
    last_ms = max((step.at_ms for step in acts), default=0)
    given = [Stamped(step.at_ms, n, step.command) for n, step in enumerate(acts, 1)]
    play_out(replace(header, jitter=True), given, until_ms=last_ms, into=records)
    return {(str(record.get("do")), record.rule) for record in records if is_refusal(record)}
