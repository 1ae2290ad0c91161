"""The text of a page that refuses something."""

import pytest

from simulator.runs.turns.constants import SLOT_MUCH_S
from simulator.runs.turns.slots import Busy
from simulator.web.base.common import refusal
from simulator.web.base.guards import busy


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
