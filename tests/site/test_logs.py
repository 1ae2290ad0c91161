"""Limits of a log: on the length of entries, and on the number of each kind."""

import io
import logging
import sys

import pytest

from lifecycle_site.logs import (
    ENTRY_CHARS_MAX,
    KINDS_MAX,
    LINES_MAX,
    TRACEBACKS_MAX,
    WINDOW_S,
    BoundedFormatter,
    BudgetHandler,
    broker_away,
    kind_of,
)


class Clock:
    """A clock and a timer that move only when advanced."""

    now_s = 0.0

    def __init__(self):
        self.waiting = []

    def __call__(self):
        return self.now_s

    def later(self, seconds, function):
        self.waiting.append((self.now_s + seconds, function))

    def go_on(self, seconds):
        self.now_s += seconds
        due = [function for at_s, function in self.waiting if at_s <= self.now_s]
        self.waiting = [each for each in self.waiting if each[0] > self.now_s]
        for function in due:
            function()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def written():
    return io.StringIO()


@pytest.fixture
def handler(clock, written):
    handler = BudgetHandler(written, clock_s=clock, later=clock.later)
    handler.setFormatter(BoundedFormatter("{levelname} {name}: {message}", style="{"))
    return handler


def failure(error):
    try:
        raise error
    except Exception:
        return sys.exc_info()


def record(words="it failed", *args, level=logging.ERROR, error=None, line=7):
    exc_info = failure(error) if error is not None else None
    return logging.LogRecord("site", level, "/somewhere/views.py", line, words, args, exc_info)


def test_tracebacks_of_one_kind_are_few_and_the_rest_is_counted_in_one_line(handler, clock, written):
    for _ in range(500):
        handler.handle(record(error=LookupError("no such codec")))
    assert written.getvalue().count("Traceback") == TRACEBACKS_MAX
    written.truncate(written.seek(0))
    clock.go_on(WINDOW_S)
    told = written.getvalue()
    assert told.count("\n") == 1 and f"{500 - TRACEBACKS_MAX} more" in told and "LookupError at site/test_logs.py:" in told


def test_another_kind_has_a_budget_of_its_own(handler, written):
    for _ in range(TRACEBACKS_MAX + 5):
        handler.handle(record(error=LookupError("x")))
    handler.handle(record(error=ValueError("other")))
    assert "ValueError: other" in written.getvalue()


def test_same_kind_is_shown_again_in_the_next_window(handler, clock, written):
    for _ in range(TRACEBACKS_MAX + 1):
        handler.handle(record(error=LookupError("x")))
    clock.go_on(WINDOW_S)
    written.truncate(written.seek(0))
    handler.handle(record(error=LookupError("again")))
    assert "LookupError: again" in written.getvalue()


def test_what_was_left_out_is_told_when_the_process_ends(handler, written):
    for _ in range(TRACEBACKS_MAX + 2):
        handler.handle(record(error=LookupError("x")))
    handler.close()
    assert "2 more" in written.getvalue()


def test_what_was_left_out_is_told_where_no_thread_can_be_had(clock, written):
    def later(seconds, function):
        raise RuntimeError("can't start new thread")

    handler = BudgetHandler(written, clock_s=clock, later=later)
    for _ in range(TRACEBACKS_MAX + 2):
        handler.handle(record(error=LookupError("x")))
    clock.go_on(WINDOW_S)
    handler.handle(record(error=ValueError("y")))
    assert "2 more" in written.getvalue()


def test_lines_without_a_traceback_have_a_budget_by_the_place_that_logs(handler, written):
    for number in range(LINES_MAX + 10):
        handler.handle(record("lost: %s", number, level=logging.WARNING))
    handler.handle(record("another", line=8))
    assert written.getvalue().count("lost:") == LINES_MAX and "another" in written.getvalue()


def test_ordinary_lines_are_all_shown(handler, written):
    for _ in range(LINES_MAX + 10):
        handler.handle(record(level=logging.INFO))
    assert written.getvalue().count("it failed") == LINES_MAX + 10


def test_kinds_are_bounded_too(handler, clock, written):
    for line in range(KINDS_MAX + 3 * LINES_MAX):
        handler.handle(record(line=line))
    assert written.getvalue().count("it failed") == KINDS_MAX + LINES_MAX
    clock.go_on(WINDOW_S)
    assert written.getvalue().count("left out") == 1


def test_long_entry_keeps_its_beginning_and_its_end(handler, written):
    handler.handle(record("first " + "x" * 100_000 + " last"))
    entry = written.getvalue()
    assert len(entry) < ENTRY_CHARS_MAX + 100 and "first" in entry and entry.endswith("last\n") and "characters left out" in entry


@pytest.mark.parametrize("forged", ["a\nERROR site: forged", "a\r\x1b[2Jb", "a\u2028ERROR site: forged"])
def test_what_a_visitor_wrote_is_not_an_entry_of_its_own(handler, written, forged):
    handler.handle(record("not found: %s", forged))
    lines = written.getvalue().splitlines()
    assert lines[0].startswith("ERROR site: not found") and all(line.startswith("    ") for line in lines[1:])
    assert "\x1b" not in written.getvalue()


def test_the_site_logs_within_this_budget():
    from django.conf import settings

    assert settings.LOGGING["handlers"]["console"]["class"] == "lifecycle_site.logs.BudgetHandler"
    assert settings.LOGGING["root"]["handlers"] == ["console"]


@pytest.mark.parametrize(("length", "is_whole"), [(ENTRY_CHARS_MAX, True), (ENTRY_CHARS_MAX + 1, False)])
def test_entry_of_just_the_greatest_length_is_whole(length, is_whole):
    text = BoundedFormatter("{message}", style="{").format(record("x" * length))
    assert (text == "x" * length) is is_whole


def test_entry_without_an_error_is_not_about_the_broker():
    plain = record()
    assert broker_away(plain) and (plain.levelname, plain.getMessage()) == ("ERROR", "it failed")


@pytest.mark.parametrize("nothing", [None, (None, None, None)])
def test_kind_of_an_entry_without_an_error_is_the_line_that_logged_it(nothing):
    plain = record()
    plain.exc_info = nothing
    assert kind_of(plain) == "ERROR of site at somewhere/views.py:7"


def test_kind_of_an_error_is_the_line_that_raised_it():
    assert kind_of(record(error=LookupError("x"))).startswith("LookupError at site/test_logs.py:")


def test_window_lasts_just_so_long(handler, clock, written):
    for _ in range(LINES_MAX + 1):
        handler.handle(record())
    clock.waiting = []
    clock.now_s = WINDOW_S - 0.5
    handler.handle(record())
    assert "left out" not in written.getvalue()
    clock.now_s = WINDOW_S
    handler.handle(record())
    assert "2 more" in written.getvalue()
