"""The built-in stories, each played once per process for the tests that look at its records."""

from functools import cache

from simulator.engine.kernel.records import Record
from simulator.scenarios.play import play
from simulator.scenarios.story import read_stories

STORIES = {story.slug: story for story in read_stories()}


@cache
def followed(slug: str, *, acted: bool = True) -> tuple[list[Record], int]:
    """The result of ``play`` for a story with the acts of its answer, or without acts. Read-only."""
    return play(STORIES[slug], None if acted else ())
