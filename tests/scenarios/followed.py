"""The built-in stories, each played once in a process for the tests that look at its records."""

from functools import cache

from simulator.engine.kernel.records import Record
from simulator.scenarios.play import play
from simulator.scenarios.story import read_stories

STORIES = {story.slug: story for story in read_stories()}


@cache
def followed(slug: str, *, acted: bool = True) -> tuple[list[Record], int]:
    """What ``play`` gives of a story with the acts of its answer, or with none. Only to be looked at."""
    return play(STORIES[slug], None if acted else ())
