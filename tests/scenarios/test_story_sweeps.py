"""Sweeps of stories: the result of the site's main example, and that every story's acts leave its swept fields alone."""

import pytest

from simulator.engine.acts.all_acts import Stamped
from simulator.headless.sweeps.fields import numeric_fields
from simulator.headless.sweeps.sweep import Sweep, SweepPlan, summaries
from simulator.scenarios.build import story_content
from simulator.scenarios.story import Story, read_stories
from simulator.web.sweeps.sweep_forms import opening

STORIES = read_stories()


def plan_of(story: Story, **asked) -> SweepPlan:
    """The sweep suggested on a story's page, with fewer values and seeds."""
    header = story_content(story).header
    shown = opening(numeric_fields(header), {}, has_load="podscope.dev/load" in story.manifest)
    commands = tuple(Stamped(step.at_ms, n, step.command) for n, step in enumerate(story.sweep_steps(), 1))
    values = {"field": shown["field"], "values": (1,), "seeds": (1,), "outcome": shown["outcome"], "until_ms": 60_000}
    return SweepPlan(Sweep(header=header, commands=commands, **(values | asked)))


def test_failed_requests_fall_to_none_with_the_sleep_at_every_seed() -> None:
    story = next(story for story in STORIES if story.slug == "zero-downtime")
    plan = plan_of(story, values=(0, 1, 5), seeds=(1, 2, 7, 42, 1000))
    assert plan.sweep.outcome == "failed-requests" and plan.field.path.endswith("preStop.sleep.seconds")
    cells = [plan.play(value, seed) for value, seed in plan.places()]
    without, short, long = summaries(plan.sweep, cells, plan.unit)
    assert (without.refused, short.refused, long.refused) == (0, 0, 0)
    assert without.happened == without.measured == 5
    assert (short.happened, long.happened) == (0, 0)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_sweep_that_a_story_proposes_can_be_asked(story: Story) -> None:
    if numeric_fields(story_content(story).header):
        assert plan_of(story).refusal(1) == ""
