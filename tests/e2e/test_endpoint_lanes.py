"""A pod's endpoints have a lane below its conditions: its state in the EndpointSlices, and when that is late."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import act_now, go_to, record_rows, run_to, standing, view_at_rest, wait_until

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(visit):
    """The story of the 502s: one of the three pods was deleted at 0:20, and its conditions are unfolded."""
    person = visit()
    page = standing(person, "zero-downtime", 20)
    act_now(page, page.locator("#insp-acts button").first)
    run_to(page, 30)
    expect(page.locator(lane(page))).to_have_count(0)
    page.locator(f'[data-fold="open"][data-pod="default/{pod(page)}"]').click()
    expect(page.locator(lane(page))).to_be_visible()
    return page


def pod(page):
    """The deleted pod, from the log."""
    return next(row for row in record_rows(page) if "command" in row and "accepted" in row)[3].split("/")[-1]


def lane(page):
    return f'.lane-label:has([data-lane="endpoint:service/default/web/default/{pod(page)}"])'


def test_endpoint_follows_the_slices(page):
    value = page.locator(f"{lane(page)} .lane-label__value")
    expect(value).to_have_text("–")
    go_to(page, "0:10")
    expect(value).to_have_text("ready")
    go_to(page, "0:01")
    expect(value).to_have_text("–")


def test_keys_move_along_the_lane_to_the_sync_that_changed_it_and_why_explains_it(page):
    page.locator("#timeline").focus()
    go_to(page, "0:15")
    while page.locator(lane(page)).get_attribute("data-focus") != "true":
        page.keyboard.press("ArrowDown")
    page.keyboard.press(".")
    expect(page.locator(lane(page))).to_have_attribute("data-focus", "true")
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) >= 20000")
    page.keyboard.press("e")
    expect(page.locator("#drawer-body .why__step").first).to_contain_text("ENDPOINTSLICE-SYNC")


def test_card_names_the_field(page):
    box, stage = page.locator(lane(page)).bounding_box(), page.locator(".timeline__stage").bounding_box()
    begin, end = view_at_rest(page)
    page.mouse.move(stage["x"] + (10_000 - begin) / (end - begin) * stage["width"], box["y"] + box["height"] / 2)
    expect(page.locator(".hover-card")).to_contain_text(re.compile(r"EndpointSlice.*conditions\.ready"))
