"""``python -m tests.engine.tell_story crash-loop``: a golden story as in its file, each line with its second since the beginning."""

import sys

from tests.engine.stories import FOLDER
from tests.engine.story_files import expected, kept_times
from tests.engine.telling import times


def with_seconds(name: str) -> list[str]:
    """The lines of the story, each starting with its second. Raises FileNotFoundError if there is no such story."""
    story = expected(FOLDER / f"{name}.txt")
    return [f"{at_ms / 1000:9.3f}  {line}" for at_ms, line in zip(times(story, kept_times()), story, strict=True)]


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for name in sys.argv[1:] for line in with_seconds(name)))
