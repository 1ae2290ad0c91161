"""A visitor's first minute: from the landing page to a shared moment."""

import re

import pytest
from playwright.sync_api import expect

from simulator.bench.browser.measure import ACT_IN_VIEW, KILL_EXPLAINED, SMALL
from tests.e2e.helpers import another_run, expect_status, go_to, press, run_to, wait_until

pytestmark = pytest.mark.e2e


def test_first_minute_from_landing_to_a_shared_moment(visit):
    host = visit()
    page = host.open_run("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect_status(page, "Running")
    run_to(page, 50)

    press(page, "Delete pod")
    expect_status(page, "Terminating")

    go_to(page, "0:20")
    expect_status(page, "Running")
    with another_run(page):
        press(page, "Exit container with code")
    page.locator("#branches summary").click()
    expect(page.locator(".branches li")).to_have_count(2)
    page.keyboard.press("Escape")

    run_to(page, 26)
    go_to(page, "0:25")
    page.locator("#insp-container-liveness .card__title a").click()
    page.locator("#tab-why").click()
    steps = page.locator("#drawer-body .why__step")
    expect(steps.first).to_be_visible()
    assert steps.count() >= 2
    steps.last.locator("a").first.click()
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "false")

    go_to(page, "0:25")
    expect(page.locator("[data-run]")).to_have_attribute("data-playhead", "25000")
    with page.expect_response(re.compile("/share/")) as shared:
        page.locator("header [data-do=share]").click()
    link = shared.value.json()["url"]

    guest = visit()
    opened = guest.open_run(link.removeprefix(guest.origin))
    expect(opened.locator("[data-run]")).to_have_attribute("data-playhead", "25000")
    # The server rendered the guest's panels for the shared moment; the sharer's may still be on their way to it.
    for part in ("#insp-head .tone", "#insp-facts"):
        expect(page.locator(part)).to_have_text(opened.locator(part).inner_text(), use_inner_text=True)
    expect(opened.get_by_role("button", name="Force delete pod")).to_have_count(0)


def test_landing_plays_by_itself(visit):
    page = visit().open_run("/")
    first = int(page.locator("[data-run]").get_attribute("data-playhead"))
    wait_until(page, "(from) => Number(document.querySelector('[data-run]').dataset.playhead) > from + 2000", first)


def test_landing_doors_lead_on(visit):
    page = visit().open_run("/")
    page.locator(".door").first.click()
    expect(page).to_have_url(re.compile("/scenarios/$"))


def test_landing_shares_its_moment(visit):
    page = visit().open_run("/")
    run_to(page, 3)
    with page.expect_response(re.compile("/share/")) as shared:
        page.locator(".door[data-do=share]").click()
    assert "/s/" in shared.value.json()["url"]


def test_landing_explains_the_first_kill_without_being_asked(visit):
    page = visit().open_run("/")
    run_to(page, 46)
    wait_until(page, KILL_EXPLAINED)


def test_an_act_is_in_view_on_a_small_landing_page(visit):
    host = visit()
    host.page.set_viewport_size(SMALL)
    wait_until(host.open_run("/"), ACT_IN_VIEW)
