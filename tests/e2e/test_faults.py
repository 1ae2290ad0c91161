"""Fault injection by the user: acts in the panel, at the lanes and as a menu, by pointer and by keyboard."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import go_to, standing

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(visit):
    return standing(visit(), "hello-pod", 12)


def lane(page, subject):
    return page.locator(f'.lane-label:has([data-lane="{subject}"])')


CONTAINER = "container/default/hello/web"


def test_landing_shows_faults_without_scrolling(visit):
    person = visit()
    person.page.set_viewport_size({"width": 1366, "height": 768})
    page = person.open_run("/")
    for name in ("Delete pod", "Fail liveness", "Kill container with signal"):
        box = page.locator("#inspector").get_by_role("button", name=name, exact=True).bounding_box()
        assert box and box["y"] + box["height"] <= 768, name


def test_lane_under_the_pointer_has_a_bar_of_faults(page):
    lane(page, CONTAINER).hover()
    bar = page.locator(".fault-bar")
    bar.get_by_role("button", name="Hang process").click()
    expect(page.locator("#insp-acts-web").get_by_role("button", name="Wake process")).to_be_visible()


def test_selected_lane_keeps_its_bar(page):
    lane(page, CONTAINER).locator("button.lane-label__name").click()
    page.mouse.move(5, 5)
    expect(page.locator(".fault-bar").get_by_role("button", name="Kill container with signal")).to_be_visible()


def test_right_click_on_a_lane_opens_its_acts_with_their_command_lines(page):
    box = lane(page, CONTAINER).bounding_box()
    page.mouse.click(box["x"] + box["width"] + 40, box["y"] + 12, button="right")
    menu = page.get_by_role("dialog", name="Actions")
    expect(menu).to_contain_text("kubectl delete pod hello")
    menu.get_by_role("button", name="Fail readiness").click()
    expect(menu).to_be_hidden()
    expect(page.locator("#insp-probe-web-readiness .badge")).to_contain_text("failure")


def test_menu_works_by_keyboard_alone(page):
    page.locator("#timeline").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+F10")
    menu = page.get_by_role("dialog", name="Actions")
    first = menu.locator(".fault-menu__body button").first
    expect(first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(first).not_to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(page.locator("#timeline")).to_be_focused()


def test_menu_warns_in_words_that_an_act_on_the_past_makes_a_branch(page):
    go_to(page, "0:08")
    page.keyboard.press("x")
    expect(page.get_by_role("dialog", name="Actions")).to_contain_text("acting creates a branch")
