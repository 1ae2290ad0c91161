"""Pinned lanes: above all pods and visible while the rest scrolls, by menu, key, list of commands and link."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import as_it_stood, go_to, standing, wait_until

pytestmark = pytest.mark.e2e
PINNED = ".lane-label[data-pinned]"
LIVENESS = '.lane-label [data-lane^="probe/"][data-lane$="/liveness"]'


def spiral(visit):
    return standing(visit(), "liveness-death-spiral", 90)


@pytest.fixture
def page(visit):
    """A container that its liveness probe has killed."""
    return spiral(visit)


@pytest.fixture
def seen(shared):
    """The same, with nothing pinned, for tests that change nothing else."""
    page = as_it_stood(shared(spiral))
    buttons = page.get_by_role("button", name=re.compile("^Unpin "))
    for left in range(buttons.count(), 0, -1):
        buttons.first.press("Enter")
        expect(buttons).to_have_count(left - 1)
    return page


def pinned(page):
    """The pinned lanes, from the top, as ids."""
    return page.locator(f"{PINNED} .lane-label__name").evaluate_all("(names) => names.map((name) => name.dataset.lane.split('/').at(-1))")


def pin(page, lane):
    """Choose a lane by its name and pin it with the key."""
    page.locator(lane).last.click()
    page.keyboard.press("Shift+P")


def test_lane_is_pinned_and_unpinned_in_its_menu(page):
    page.locator(LIVENESS).click(button="right")
    page.locator(".fault-menu__pin").click()
    label = page.locator(PINNED)
    expect(label).to_have_count(1)
    expect(label.locator(".lane-label__owner")).to_contain_text("▸")
    first = page.locator('.lane-label[data-kind="status"]').bounding_box()
    assert label.bounding_box()["y"] < first["y"]
    label.click(button="right")
    expect(page.locator(".fault-menu__pin")).to_have_text("Unpin this lane")
    page.locator(".fault-menu__pin").click()
    expect(label).to_have_count(0)


def test_key_pins_the_lane_that_has_the_focus_and_says_so(seen):
    pin(seen, '.lane-label [data-lane^="container/"]')
    pin(seen, LIVENESS)
    expect(seen.locator(PINNED)).to_have_count(2)
    assert pinned(seen)[1] == "liveness"
    expect(seen.locator("#timeline p[role=status]").first).to_contain_text("is pinned to the top")
    seen.keyboard.press("Shift+P")
    expect(seen.locator(PINNED)).to_have_count(1)


def test_keys_go_through_pinned_lanes_first_and_stop_at_each_once(seen):
    pin(seen, LIVENESS)
    stops = seen.locator(".lane-label:not([data-twin])").count()
    for _ in range(stops + 3):
        seen.keyboard.press("ArrowUp")
    expect(seen.locator(PINNED)).to_have_attribute("data-focus", "true")
    seen.keyboard.press("ArrowDown")
    expect(seen.locator('.lane-label[data-kind="status"]')).to_have_attribute("data-focus", "true")


def test_pin_on_a_label_unpins_by_keyboard(seen):
    pin(seen, LIVENESS)
    button = seen.get_by_role("button", name=re.compile("^Unpin .*liveness"))
    button.focus()
    seen.keyboard.press("Enter")
    expect(seen.locator(PINNED)).to_have_count(0)


def test_list_of_commands_pins(seen):
    seen.locator(LIVENESS).click()
    seen.keyboard.press("Control+k")
    seen.locator(".commands__input").fill("pin the lane")
    expect(seen.locator(".commands__line").first).to_contain_text("Shift+P")
    seen.keyboard.press("Enter")
    expect(seen.locator(PINNED)).to_have_count(1)


def test_pinned_lane_stays_in_sight_while_the_rest_scrolls(page):
    page.set_viewport_size({"width": 1440, "height": 560})
    pin(page, LIVENESS)
    body = page.locator(".timeline__body")
    top = page.locator(PINNED).bounding_box()["y"]
    body.evaluate("(body) => { body.scrollTop = 60; }")
    wait_until(page, "() => document.querySelector('.timeline__body').scrollTop > 20")
    page.wait_for_timeout(100)
    assert page.locator(PINNED).bounding_box()["y"] == top
    # Its drawing and its target are both the pinned lane's: a click selects it.
    stage = page.locator(".timeline__stage").bounding_box()
    page.mouse.click(stage["x"] + 8, top + 12)
    expect(page.locator(PINNED)).to_have_attribute("data-focus", "true")


def test_folding_and_searching_leave_pinned_lanes(page):
    pin(page, LIVENESS)
    page.locator('.timeline__tool[data-do="foldAll"]').click()
    expect(page.locator(".lane-label")).to_have_count(2)
    expect(page.locator(PINNED)).to_have_count(1)


def test_link_opens_with_the_same_pins_in_the_same_order(page, visit):
    pin(page, LIVENESS)
    pin(page, '.lane-label [data-lane^="container/"]')
    go_to(page, "0:48")
    expect(page).to_have_url(re.compile("pins="))
    with page.expect_response(re.compile("/share/")) as answer:
        page.locator("header [data-do=share]").click()
    guest = visit(locale="en")
    opened = guest.open_run(answer.value.json()["url"].removeprefix(guest.origin))
    expect(opened.locator(PINNED)).to_have_count(2)
    assert pinned(opened) == pinned(page)


def test_table_says_what_is_pinned(page):
    pin(page, LIVENESS)
    page.locator(".timeline__more summary").click()
    page.locator('.timeline__more [data-do="table"]').click()
    lines = page.locator(".treegrid tbody tr")
    expect(lines.first).to_contain_text("liveness, pinned")
    expect(lines.filter(has_text="pinned")).to_have_count(1)


def test_all_are_unpinned_at_once(seen):
    pin(seen, LIVENESS)
    pin(seen, '.lane-label [data-lane^="container/"]')
    expect(seen.locator(PINNED)).to_have_count(2)
    seen.locator(".timeline__more summary").click()
    seen.locator('.timeline__more [data-do="unpinAll"]').click()
    expect(seen.locator(PINNED)).to_have_count(0)


def test_picture_has_the_pinned_lane(seen):
    pin(seen, LIVENESS)
    seen.locator(".timeline__more summary").click()
    with seen.expect_download() as saved:
        seen.locator('.timeline__more [data-do="saveSvg"]').click()
    assert "▸ liveness" in saved.value.path().read_text(encoding="utf-8")
