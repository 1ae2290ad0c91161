"""Stories observed on a real node are reproduced: the words kubectl showed, their seconds, and the Events."""

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.fidelity.recordings.observed import differences, play, stories

STORIES = stories()


@pytest.mark.parametrize("story", STORIES, ids=[story["what"] for story in STORIES])
def test_run_shows_what_was_seen_on_a_real_node(story: dict[str, Any], tmp_path: Path) -> None:
    assert list(differences(story, play(story, tmp_path))) == []


CRASHES = next(story for story in STORIES if "crash loop" in story["what"])


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("words", "CrashLoopBackOff 0/1 x2", "Error 0/1 x2"),
        ("words", "Running 1/1 x3", "Running 0/1 x3"),
        ("words", "100.4 Running", "160.4 Running"),
        ("events", "BackOff", "Backoff"),
        ("events", "0 Scheduled", "30 Scheduled"),
        ("events", "Scheduled", "Scheduled x4"),
    ],
)
def test_another_word_second_or_number_is_reported(part: str, old: str, new: str, tmp_path: Path) -> None:
    story = copy.deepcopy(CRASHES)
    text = story["seen"]["web"][part]
    assert old in text
    story["seen"]["web"][part] = text.replace(old, new, 1)
    assert list(differences(story, play(story, tmp_path))) != []
