"""The summary of changes in golden stories: kinds of change and where they occur, in one screen."""

from collections import Counter
from types import SimpleNamespace

import pytest

from tests.engine import story_files, story_report
from tests.engine.story_changes import SCREEN, WIDTH, changes, summary, usual_changes
from tests.engine.telling import StoryLine, as_table, from_table, parsed

READY = ("sandbox", "creating → ready", "SANDBOX-READY")


def line(name: str = "p", *, time: str = "", change: str = "creating → ready", said: str = "") -> StoryLine:
    """A line of a story about a sandbox."""
    return StoryLine(time, name, "sandbox", change, "SANDBOX-READY", said)


def test_same_shift_in_many_lines_is_one_kind() -> None:
    old, new = (
        [line(name, time=time) for name, time in zip("pq", times, strict=True)] for times in (("+0.370", "+0.500"), ("+0.371", "+0.501"))
    )
    assert changes(old, new) == {"sandbox creating → ready SANDBOX-READY: +0.001": 2}


def test_other_way_to_say_a_time_is_told_as_it_was_and_is() -> None:
    assert [*changes([line(time="·")], [line(time="+0.500")])] == ["sandbox creating → ready SANDBOX-READY: · → +0.500"]


def test_line_that_comes_to_begin_a_moment_says_so() -> None:
    assert [*changes([line()], [line(time="+0.001")])] == ["sandbox creating → ready SANDBOX-READY: with the line above → +0.001"]


def test_data_are_told_by_what_differs_in_them() -> None:
    old, new = line(said="attempt=0, message=after 10 s, until_ms=+9.500"), line(said="attempt=0, message=after 12 s, until_ms=+9.750")
    assert [*changes([old], [new])] == ["sandbox creating → ready SANDBOX-READY: message 10 → 12, until_ms +0.250"]


def test_data_that_come_are_told() -> None:
    assert [*changes([line()], [line(said="attempt=1")])] == ["sandbox creating → ready SANDBOX-READY: nothing → attempt=1"]


def test_lines_come_and_go() -> None:
    gone, come = line(change="ready → stopped"), line(change="absent → creating")
    assert changes([line(), gone], [come, line()]) == {
        "gone: sandbox ready → stopped SANDBOX-READY": 1,
        "new: sandbox absent → creating SANDBOX-READY": 1,
    }


def test_line_in_another_place_has_moved() -> None:
    assert [*changes([line("p"), line("q"), line("r")], [line("q"), line("r"), line("p")])] == [
        "moved: sandbox creating → ready SANDBOX-READY"
    ]


def test_same_story_has_no_change() -> None:
    assert changes([line(time="·"), line("q")], [line(time="·"), line("q")]) == {}


def test_usual_time_is_reported_with_the_lines_that_rely_on_it() -> None:
    uses = {READY: Counter({"crash-loop": 1, "recreate": 4})}
    assert usual_changes({READY: ("+", 370)}, {READY: ("+", 371)}, uses) == [
        "sandbox creating → ready SANDBOX-READY: +0.370 → +0.371 (5 lines in 2 stories)"
    ]


def test_usual_time_that_comes_or_goes_is_reported() -> None:
    assert usual_changes({READY: ("+", 370)}, {}, {}) == ["sandbox creating → ready SANDBOX-READY: +0.370 → none (0 lines in 0 stories)"]
    assert usual_changes({}, {READY: ("~", 5)}, {}) == ["sandbox creating → ready SANDBOX-READY: none → ~.005 (0 lines in 0 stories)"]


def test_kinds_of_change_stand_by_the_stories_they_are_in() -> None:
    stories = {"a": {"one": 1}, "b": {"one": 7, "two": 1}, "c": {"one": 1}, "d": {}}
    assert summary(["x: +0.370 → +0.371"], stories) == [
        "Golden stories: 1 usual time and 3 stories changed.",
        "  usual: x: +0.370 → +0.371",
        "  3 stories: one",
        "  b: two",
    ]


def test_summary_fits_a_screen() -> None:
    said = summary([f"usual {number}" for number in range(300)], {"a": {f"{number} {'long ' * 99}": 1 for number in range(300)}})
    assert len(said) == 1 + 2 * (SCREEN + 1)
    assert {"  … and 276 more usual times", "  … and 276 more kinds of change"} <= {*said}
    assert max(map(len, said)) == WIDTH


def test_nothing_changed_is_said() -> None:
    assert summary((), {"a": {}}) == ["Golden stories: nothing changed."]


def test_usual_times_are_read_as_they_are_written() -> None:
    usuals = {READY: ("+", 370), ("note", "*", "JOB-*"): ("~", 10), ("condition", "True", "SCHEDULE-BIND"): ("+", 12_005)}
    assert from_table(as_table(usuals)) == usuals


def test_line_is_read_as_it_is_written() -> None:
    lines = [
        line(time="·2", said="message=two  spaces, then␠"),
        line("a-name-longer-than-its-column/app", time="+6.010 since object present"),
        StoryLine("", "p", "status_word", "Running → PostStartHookError: exited with 126:␠", "PRINT-WAITING", ""),
    ]
    assert parsed("".join(f"{each}\n" for each in lines)) == lines


def test_rewriting_says_what_changed_before_it_writes(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "crash-loop.txt"
    old.write_text((story_files.FOLDER / old.name).read_text(encoding="utf-8").replace("POD-CREATED", "POD-MADE"), encoding="utf-8")
    monkeypatch.setattr(story_report, "paths", lambda: [old])
    texts: list[str] = []

    def said(text: str) -> None:
        texts.append(text)
        assert texts[3:] or "POD-MADE" in old.read_text(encoding="utf-8")

    report = SimpleNamespace(user_properties=[(story_report.STORY, ("crash-loop", {"anything": 1}))])
    story_report.tell_changes([report], said, rewrite=True)
    assert texts == [
        "Golden stories: 0 usual times and 1 story changed.",
        "  crash-loop: gone: object absent → present POD-MADE",
        "  crash-loop: gone: phase Pending POD-MADE",
        "  crash-loop: new: object absent → present POD-CREATED",
        "  crash-loop: new: phase Pending POD-CREATED",
        "Written: 1 file. Read `git diff`.",
    ]
    assert old.read_text(encoding="utf-8") == (story_files.FOLDER / old.name).read_text(encoding="utf-8")


def test_run_without_rewriting_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(story_report, "texts_now", lambda names: pytest.fail("asked what to write"))
    texts: list[str] = []
    report = SimpleNamespace(user_properties=[(story_report.STORY, ("crash-loop", {"one": 1})), (story_report.TIMES, ["x"])])
    story_report.tell_changes([report], texts.append, rewrite=False)
    assert texts == [
        "Golden stories: 1 usual time and 1 story changed.",
        "  usual: x",
        "  crash-loop: one",
        "If that is meant: `make golden`.",
    ]


def test_run_in_which_nothing_changed_says_nothing() -> None:
    story_report.tell_changes([SimpleNamespace(user_properties=[("other", 1)])], lambda text: pytest.fail(text), rewrite=True)
