"""Two runs side by side: one ruler, one playhead, the first difference, the diff of an object, and a branch that is moved."""

import re
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import branched, go_to, wait_until

pytestmark = pytest.mark.e2e


def opened(page) -> None:
    """Wait until both runs are drawn."""
    expect(page.locator("html")).to_have_attribute("data-ready", "compare", timeout=20_000)


@pytest.fixture
def branch(visit):
    """The page of a branch that deletes the pod at 0:10 of a run that has reached 0:30; both are paused."""
    return branched(visit(), stands_at_s=40)


def linked(page):
    """From a branch to the comparison: a link in the menu of branches, which a key opens."""
    page.locator("main").focus()
    page.keyboard.press("Shift+C")
    return page.locator("#branches").get_by_role("link", name="Compare with main")


def of_one_branch(visit):
    page = branched(visit(), stands_at_s=40)
    return page, urljoin(page.url, linked(page).get_attribute("href"))


@pytest.fixture
def comparison(shared):
    """The comparison, opened from the menu of branches."""
    page, address = shared(of_one_branch)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(address)
    opened(page)
    return page


def moment(page) -> int:
    return int(page.locator("main").get_attribute("data-playhead"))


def test_page_opens_at_the_first_difference_on_one_ruler(branch):
    page = branch
    linked(page).click()
    opened(page)
    wait_until(page, "() => Math.abs(document.querySelector('main').dataset.playhead - 10000) < 50")
    expect(page.locator("#first-difference")).to_contain_text("You deleted pod hello")
    left, right = (page.locator("main").get_attribute("data-view") or "").split(" ")
    assert left == right
    page.locator('[data-side="right"] .timeline').focus()
    page.keyboard.press("w")
    wait_until(page, f"() => document.querySelector('main').dataset.view.split(' ').every((view) => view !== '{left}')")
    left, right = (page.locator("main").get_attribute("data-view") or "").split(" ")
    assert left == right


def test_page_is_used_by_keyboard(comparison):
    page = comparison
    page.locator('[data-side="left"] .timeline').focus()
    page.keyboard.press("Home")
    wait_until(page, "() => Number(document.querySelector('main').dataset.playhead) === 0")
    page.keyboard.press("n")
    wait_until(page, "() => Math.abs(document.querySelector('main').dataset.playhead - 10000) < 50")
    page.keyboard.press("Shift+ArrowRight")
    wait_until(page, "() => Math.abs(document.querySelector('main').dataset.playhead - 11000) < 50")
    page.keyboard.press("c")
    expect(page.locator('[data-side="right"] .timeline')).to_be_focused()
    page.keyboard.press("b")
    expect(page.locator("[data-move]")).to_be_focused()


def test_selected_object_is_shown_as_a_difference_of_both(comparison):
    page = comparison
    expect(page.locator("[data-object]")).to_contain_text("metadata.deletionTimestamp")
    page.locator('[data-side="left"] .timeline').focus()
    page.keyboard.press("Home")
    expect(page.locator("[data-object]")).to_contain_text("No differences.")


def test_runs_are_aligned_on_an_event(comparison):
    page = comparison
    page.locator("#align").select_option("event-Unhealthy") if page.locator("#align option[value=event-Unhealthy]").count() else None
    options = page.locator("#align option").evaluate_all("(all) => all.map((option) => option.value)")
    assert options[0] == "zero"
    page.goto(page.url.partition("?")[0] + "?a=10&b=12")
    opened(page)
    expect(page.locator("#align")).to_have_value("chosen")
    expect(page.locator("main")).to_have_attribute("data-view", re.compile(r"^-?\d+:\d+ -?\d+:\d+$"))


def test_branch_point_is_moved_by_keyboard_and_its_line_is_shown_before(comparison):
    page = comparison
    handle = page.locator("[data-move]")
    handle.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-offer]:visible")).to_contain_text("kubectl delete pod hello")
    expect(handle).to_have_attribute("aria-valuetext", re.compile(r"0:08\.0, 2 s earlier"))
    page.keyboard.press("Escape")
    expect(page.locator("[data-offer]:visible")).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    before = page.url.partition("?")[0]
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: not url.startswith(before))
    opened(page)
    expect(page.locator("[data-move]")).to_have_attribute("aria-valuenow", "9000")


def test_branch_point_is_dragged(comparison):
    page = comparison
    box = page.locator("[data-move]").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 120, y, steps=4)
    expect(page.locator("[data-offer]:visible")).to_contain_text("release to create this branch")
    before = page.url.partition("?")[0]
    page.mouse.up()
    page.wait_for_url(lambda url: not url.startswith(before))
    opened(page)
    assert int(page.locator("[data-move]").get_attribute("aria-valuenow")) < 10_000


def test_tab_diff_shows_the_last_change_and_a_pinned_moment(branch):
    page = branch
    go_to(page, "0:20")
    page.keyboard.press("Shift+Y")
    body = page.locator("#drawer-body")
    expect(body).to_contain_text("last change")
    go_to(page, "0:05")
    expect(body).to_contain_text("as of 0:05.0")
    body.get_by_text("Pin this moment").click()
    expect(body).to_contain_text("No differences.")
    go_to(page, "0:10.1")
    expect(body).to_contain_text("from 0:05.0 (pinned)")
    expect(body).to_contain_text("metadata.deletionTimestamp")
    body.get_by_text("Include bookkeeping fields").click()
    expect(body).to_contain_text("metadata.resourceVersion")
    body.get_by_text("Show the last change instead").click()
    expect(body).to_contain_text("last change")


def test_comparison_fits_a_phone(comparison):
    page = comparison
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    opened(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_two_versions_of_a_story_are_played_side_by_side(visit):
    person = visit()
    page = person.open("/scenarios/third-time-lucky/lens/?versions=1.20,1.33&for=60")
    page.get_by_role("button", name="Play both", exact=True).click()
    opened(page)
    expect(page.locator("#first-difference")).to_contain_text("First difference", timeout=20_000)
