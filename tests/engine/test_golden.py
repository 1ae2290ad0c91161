"""Golden stories: a manifest, acts, and everything that happens, as a text that reads like a story.

A file is YAML (title, kubernetes, for, pods, nodes, gates …), a line of dashes, and the expected lines (``telling.py`` explains how to read
them). ``make golden`` reports the changes, then rewrites the lines; explain them in the commit.
"""

from collections import Counter
from pathlib import Path

import pytest

from simulator.engine.rules.rulebook import RULEBOOK
from tests.engine.story_changes import changes, summary, usual_changes
from tests.engine.story_files import TABLE, as_file, expected, goes, kept_times, paths, played, times_now, uses_now
from tests.engine.story_report import STORY, TIMES
from tests.engine.telling import as_table, parsed, times

PATHS = paths()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_story_goes_as_written(path: Path, request: pytest.FixtureRequest) -> None:
    """With the usual times of the table, or with the current ones: if only these differ, the test of the table reports it, once."""
    assert [record.rule for record in played(path)[0] if record.rule not in RULEBOOK] == []
    written, usuals = expected(path), kept_times()
    if [line.pattern for line in goes(path, usuals)] == [line.pattern for line in written]:  # otherwise the stories need not all be played
        usuals = usuals if goes(path, usuals) == written else times_now()
    story = goes(path, usuals)
    if as_file(path, story) == path.read_text(encoding="utf-8"):
        return
    found = changes(written, story) or Counter({"written otherwise": 1})
    request.node.user_properties.append((STORY, (path.stem, dict(found))))
    if not request.config.getoption("--golden-rewrite"):
        pytest.fail("\n".join(summary((), {path.stem: found})), pytrace=False)


def test_usual_times_are_those_of_the_table(request: pytest.FixtureRequest) -> None:
    if TABLE.read_text(encoding="utf-8") == as_table(times_now()):
        return
    found = usual_changes(kept_times(), times_now(), uses_now())
    request.node.user_properties.append((TIMES, found))
    if not request.config.getoption("--golden-rewrite"):
        pytest.fail("\n".join(summary(found, {})), pytrace=False)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_text_of_a_story_says_when_each_line_is(path: Path) -> None:
    records, shown = played(path)
    text = "".join(f"{line}\n" for line in goes(path, kept_times()))
    assert parsed(text) == goes(path, kept_times())
    assert times(parsed(text), kept_times()) == [records[seq - 1].at_ms for seq in shown]
