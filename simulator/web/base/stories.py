"""What pages show of a story: its texts, its steps with their checks, its place in its track.

The browser checks off a story's steps by their checks (JSON), following the same rules as the tests.
"""

from dataclasses import dataclass
from functools import cache

import msgspec

from simulator.manifests.documentation import docs_in_language
from simulator.models import Scenario
from simulator.scenarios.story import Story, StoryStep, read_stories
from simulator.scenarios.tracks import TRACKS, Track, track_of


@dataclass(frozen=True)
class StepText:
    """A line of a story. ``check`` is JSON for ``static/js/learn/story-checks.js``, empty if the reader checks it off; ``name`` is its key.

    Lines of users' scenarios declare nothing from which hints could be derived.
    """

    name: str
    text: str
    check: str = ""
    has_hints: bool = False


@dataclass(frozen=True)
class StoryText:
    """What a scenario's page shows besides title and summary, as lists of lines. Users' scenarios have no track."""

    about: list[str]
    tries: list[StepText]
    watch: list[StepText]
    docs_url: str
    docs_title: str
    slug: str = ""
    credit: str = ""
    track: Track | None = None
    next: Story | None = None


@cache
def builtin_stories() -> dict[str, Story]:
    """The built-in stories by slug, track by track, read once per process."""
    place = {track.slug: n for n, track in enumerate(TRACKS)}
    return {story.slug: story for story in sorted(read_stories(), key=lambda story: (place[story.track], story.order))}


def builtin_story(scenario: Scenario) -> Story | None:
    """The built-in story behind a row; None for a user's scenario."""
    return builtin_stories().get(scenario.slug) if scenario.is_builtin else None


def story_text(scenario: Scenario) -> StoryText:
    """The texts of a scenario: the paragraphs of its story, lines of what to try and watch, and the next story."""
    story = builtin_story(scenario)
    return StoryText(
        about=[part for part in scenario.story.split("\n\n") if part.strip()],
        tries=_steps("try", story) if story else _lines("try", scenario.what_to_try),
        watch=_steps("watch", story) if story else _lines("watch", scenario.what_to_watch),
        docs_url=docs_in_language(scenario.docs_url),
        docs_title=story.docs_title if story else scenario.docs_url,
        slug=scenario.slug,
        credit=story.credit if story else "",
        track=track_of(story.track) if story else None,
        next=next_story(story) if story else None,
    )


def next_story(story: Story) -> Story | None:
    """The story after this one, in its track or the first of the next; None after the last."""
    stories = list(builtin_stories().values())
    after = stories.index(story) + 1
    return stories[after] if after < len(stories) else None


def place_in_track(story: Story) -> int:
    """Its number in its track, from 1."""
    return [other.slug for other in builtin_stories().values() if other.track == story.track].index(story.slug) + 1


def named_steps(story: Story) -> dict[str, StoryStep]:
    """The steps of a story by the names used on pages."""
    parts = (("try", story.tries), ("watch", story.watch))
    return {f"{part}-{n}": step for part, steps in parts for n, step in enumerate(steps, start=1)}


def _steps(part: str, story: Story) -> list[StepText]:
    named = ((name, step) for name, step in named_steps(story).items() if name.startswith(f"{part}-"))
    return [StepText(name, step.text, _check(step), has_hints=True) for name, step in named]


def _check(step: StoryStep) -> str:
    return msgspec.json.encode(step.done, order="sorted").decode() if step.done else ""


def _lines(part: str, text: str) -> list[StepText]:
    lines = [line.removeprefix("- ").strip() for line in text.splitlines() if line.strip()]
    return [StepText(f"{part}-{n}", line) for n, line in enumerate(lines, start=1)]
