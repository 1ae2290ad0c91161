"""The report about golden stories after a test run, and what ``--golden-rewrite`` writes."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from tests.engine.story_changes import changes, counted, summary, usual_changes
from tests.engine.story_files import TABLE, as_file, expected, goes, kept_times, paths, times_now, uses_now
from tests.engine.telling import as_table

STORY, TIMES = "golden story", "golden times"
"""The names under which tests report the changes of a story (its name and kinds of change), and the changes of usual times."""


def tell_changes(reports: Iterable[pytest.TestReport], write: Callable[[str], None], *, rewrite: bool) -> None:
    """Summarise in one screen the changes that the tests found; then write them into the files, if requested."""
    found = [each for report in reports for each in report.user_properties]
    stories = dict(value for name, value in found if name == STORY)
    usual = next((value for name, value in found if name == TIMES), None)
    if not stories and usual is None:
        return
    texts: Mapping[Path, str] = {}
    if rewrite:
        usual = usual_changes(kept_times(), times_now(), uses_now())
        texts = texts_now(None if usual else stories)
        stories = {path.stem: changes(expected(path), goes(path, times_now())) for path in texts if path != TABLE}
    for line in summary(usual or (), stories):
        write(line)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    write(f"Written: {counted(len(texts), 'file')}. Read `git diff`." if rewrite else "If that is meant: `make golden`.")


def texts_now(names: Iterable[str] | None) -> dict[Path, str]:
    """The files to write, with their texts: those of these stories, or of all, and the table of usual times."""
    only = None if names is None else set(names)
    texts = {path: as_file(path, goes(path, times_now())) for path in paths() if only is None or path.stem in only}
    texts[TABLE] = as_table(times_now())
    return {path: text for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text}
