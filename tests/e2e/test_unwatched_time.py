"""Time during which nobody watches, and time in which nothing happens."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import act, control, playhead, run_to, start_story, wait_for_run, wait_until

pytestmark = pytest.mark.e2e
AWAY_MS = 6000
REST = "Nothing more will happen on its own"


def test_run_stands_while_its_page_is_closed(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "hello-pod")
    control(page, "rate", rate=16000)
    left_ms, url = playhead(page), page.url
    page.goto(f"{person.origin}/scenarios/")
    page.wait_for_timeout(AWAY_MS * 2)
    page.goto(url)
    wait_for_run(page)
    assert left_ms <= playhead(page) < left_ms + 16 * AWAY_MS


def test_clock_rests_where_nothing_is_pending_and_an_act_wakes_it(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "a-good-goodbye")
    control(page, "rate", rate=16000)
    expect(page.locator("[data-next]")).to_contain_text(REST)
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "false")
    assert playhead(page) < 120_000
    act(page, page.locator("#insp-acts button").first)
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "true")


def test_fit_shows_what_happened_and_not_the_empty_time_after_it(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "a-good-goodbye")
    run_to(page, 7000)
    page.locator("#timeline").focus()
    page.keyboard.press("0")
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.view.split(':')[1]) < 60000")
    page.reload()
    wait_for_run(page)
    wait_until(page, "() => Number((document.querySelector('[data-run]').dataset.view || ':1e9').split(':')[1]) < 60000")
