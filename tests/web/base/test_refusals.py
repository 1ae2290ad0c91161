"""The text of a page that refuses something."""

import pytest
from django.db import OperationalError

from simulator.runs.log.outlook import LookingAhead
from simulator.runs.turns.allowance import StillComputing
from simulator.runs.turns.constants import SLOT_MUCH_S
from simulator.runs.turns.slots import Busy
from simulator.web.base.common import refusal
from simulator.web.base.guards import LIGHT_BYTES, _is_large, away, busy, still_computing


@pytest.mark.parametrize(("after_s", "title"), [(0, "That was not possible"), (9, "Not available now")])
def test_a_page_says_whether_it_may_be_possible_later(rf, after_s, title):
    response = refusal(rf.get("/"), "Too many.", status=429, retry_after_s=after_s)
    page = response.content.decode()
    assert (title in page, "Too many." in page, response.status_code) == (True, True, 429)
    assert (response.get("Retry-After"), response.get("Cache-Control")) == ((str(after_s), "no-store") if after_s else (None, None))


@pytest.mark.parametrize(("method", "asks_again", "again"), [("get", True, "9"), ("get", False, None), ("post", True, None)])
def test_page_that_will_be_there_soon_loads_itself_again(rf, method, asks_again, again):
    request = getattr(rf, method)("/r/1/?t=4&sel=x")
    response = refusal(request, "Too many.", status=503, retry_after_s=9, asks_again=asks_again)
    page = response.content.decode()
    assert response.get("Refresh") == again
    assert ("reloads automatically in 9 seconds" in page, 'href="/r/1/?t=4&amp;sel=x"' in page) == (again is not None, again is not None)


def test_answer_to_a_script_loads_no_page(rf):
    request = rf.get("/", HTTP_ACCEPT="application/json")
    assert "Refresh" not in refusal(request, "Too many.", status=503, retry_after_s=9, asks_again=True)


def test_page_of_a_site_at_full_capacity_loads_itself_again(rf):
    assert busy(rf.get("/r/1/"), Busy("", had_s=0))["Refresh"]


@pytest.mark.parametrize(("had_s", "is_told"), [(SLOT_MUCH_S - 1, False), (SLOT_MUCH_S, True), (3 * SLOT_MUCH_S, True)])
def test_only_who_has_had_much_is_told_how_much(rf, had_s, is_told):
    page = busy(rf.get("/r/1/"), Busy("", had_s=had_s)).content.decode()
    assert (f"used {had_s:.0f} seconds of computing time" in page, "at full capacity" in page) == (is_told, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("database or disk is full", "disk is full"),
        ("no space left on device", "disk is full"),
        ("attempt to write a readonly database", "not accepting changes"),
        ("cannot execute in a read-only transaction", "not accepting changes"),
        ("database is locked", "is busy"),
        ("server closed the connection", "is unavailable"),
    ],
)
def test_reader_is_told_what_is_the_matter_with_the_database(rf, words, told):
    answer = away(rf.get("/"), OperationalError(words.upper()))
    assert (answer.status_code, told in answer.content.decode()) == (503, True)


@pytest.mark.parametrize(("method", "is_nothing_done"), [("get", False), ("head", False), ("post", True)])
@pytest.mark.parametrize(("kind", "word"), [(StillComputing, "Computing the past"), (LookingAhead, "Looking ahead")])
def test_moment_that_takes_long_is_told_with_how_far_it_is(rf, method, is_nothing_done, kind, word):
    text = still_computing(getattr(rf, method)("/"), kind(12_000, 90_000)).content.decode()
    assert (f"{word}: 0:12 of 1:30" in text, "Nothing was done yet" in text) == (True, is_nothing_done)


@pytest.mark.parametrize(
    ("method", "length", "is_large"),
    [
        ("GET", "99999999", False),
        ("POST", "", True),
        ("POST", str(LIGHT_BYTES), False),
        ("POST", str(LIGHT_BYTES + 1), True),
        ("POST", "x", True),
    ],
)
def test_body_that_may_be_large_is_taken_for_one(rf, method, length, is_large):
    request = rf.generic(method, "/")
    request.META["CONTENT_LENGTH"] = length
    assert _is_large(request) is is_large
