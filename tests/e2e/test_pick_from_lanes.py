"""Checks of a level picked from the lanes: by mouse, by key, on a branch and on a link, with ends that are dragged."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import deleted, record_rows, wait_for_run
from tests.e2e.test_gestures import box_of, x_of

pytestmark = pytest.mark.e2e
APP, POD = "container/default/shop/app", "pod/default/shop"
AT, MACHINE, TARGET = 1, 4, 7


@pytest.fixture
def page(visit):
    """The run of a pod that was deleted after ten seconds and took 65 seconds to go."""
    return deleted(visit(), "sixty-fifty-five-ten", "shop", until_s=100, grace_s="70")


def moment_of(page, machine, target):
    return next(row[AT] for row in record_rows(page) if (row[MACHINE], row[TARGET]) == (machine, target)) / 1000


def begin(page):
    page.locator("#branches > summary").click()
    page.get_by_role("button", name="Make a level from the lanes").click()
    expect(tray(page)).to_be_visible()
    page.locator("#branches > summary").click()


def tray(page):
    return page.get_by_role("region", name="Make a level")


def picks(page):
    return tray(page).get_by_role("list", name="Picks for the level").get_by_role("listitem")


def click_lane(page, at_s, lane=APP):
    box = box_of(page, lane)
    page.mouse.click(x_of(page, at_s), box["y"] + box["height"] / 2)


def say(page, way):
    menu = page.get_by_role("dialog", name="What must be true")
    expect(menu).not_to_contain_text("Reading")
    menu.get_by_role("button", name=way, exact=True).click()
    expect(menu).to_be_hidden()


def end(page, name):
    return page.get_by_role("slider", name=name)


def drag(page, handle, to_s):
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + x_of(page, to_s)) / 2, y)
    page.mouse.move(x_of(page, to_s), y)
    page.mouse.up()


def choose(page, subject):
    """Select a lane as the keyboard does, at its current record."""
    page.locator(f'.lane-label:has([data-lane="{subject}"]) button.lane-label__name').first.click()
    page.locator("#timeline").focus()


def test_record_that_is_clicked_must_or_must_not_happen_and_goes_to_the_form(page):
    begin(page)
    click_lane(page, 5)
    say(page, "This must happen")
    expect(picks(page)).to_have_count(1)
    expect(picks(page).first).to_contain_text('eventually = { machine = "container_status"')
    click_lane(page, moment_of(page, "stop", "term"))
    say(page, "This must not happen")
    expect(picks(page).nth(1)).to_contain_text("This does not happen")
    expect(page.locator(".level-mark--stretch")).to_be_visible()
    picks(page).nth(1).get_by_role("button", name="Remove").click()
    expect(picks(page)).to_have_count(1)
    expect(page.locator(".level-mark--stretch")).to_have_count(0)
    tray(page).get_by_role("button", name="Continue in the form").click()
    expect(page.get_by_role("heading", name="Make a level")).to_be_visible()
    expect(page.locator("#check-0-what")).to_have_value(re.compile('machine = "container_status"'))
    expect(page.locator("#solution-0-acts")).to_have_value(re.compile("delete_pod"))
    page.get_by_role("button", name="Try it").click()
    expect(page.locator("#trial")).to_contain_text("container-status-running: kept")
    expect(page.locator("#trial")).to_contain_text("Doing nothing")


def test_second_record_that_is_clicked_comes_after_the_first(page):
    begin(page)
    click_lane(page, 5)
    say(page, "… before …")
    expect(tray(page).get_by_role("status")).to_contain_text("Now choose the record that comes after")
    page.keyboard.press("Escape")
    expect(tray(page).get_by_role("status")).to_contain_text("Click a record")
    click_lane(page, 5)
    say(page, "… before …")
    click_lane(page, moment_of(page, "stop", "term"))
    expect(picks(page).first).to_contain_text(re.compile("First: .* Then: "))
    expect(page.locator(".level-mark--near")).to_have_count(2)


def test_end_of_within_is_dragged_moved_by_key_and_typed(page):
    begin(page)
    click_lane(page, 5)
    say(page, "… within …")
    click_lane(page, moment_of(page, "stop", "term"))
    expect(picks(page).first).to_contain_text("this happens")
    begun = moment_of(page, "container_status", "running")
    drag(page, end(page, "Deadline by which it must follow"), begun + 80)
    seconds = picks(page).first.get_by_role("spinbutton")
    dragged = float(seconds.input_value())
    assert abs(dragged - 80) < 1
    expect(picks(page).first).to_contain_text(f"Within {dragged:g} s")
    handle = end(page, "Deadline by which it must follow")
    handle.press("ArrowRight")
    handle.press("Shift+ArrowLeft")
    expect(picks(page).first).to_contain_text(f"Within {dragged + 0.9:.1f} s".replace(".0 s", " s"))
    expect(handle).to_be_focused()
    seconds.fill("70.5")
    seconds.press("Tab")
    expect(picks(page).first).to_contain_text("Within 70.5 s")
    expect(handle).to_have_attribute("aria-valuetext", "70.5 s")
    expect(page.locator(".level-mark--deadline")).to_contain_text("1")


def test_both_ends_of_holds_are_dragged_and_the_level_keeps_its_promise(page):
    begin(page)
    click_lane(page, 5)
    say(page, "True from … to …")
    expect(picks(page).first).to_contain_text("this still holds")
    drag(page, end(page, "Moment from which it must be true"), 20)
    drag(page, end(page, "Moment until which it must be true"), 60)
    expect(picks(page).first).to_contain_text(re.compile(r'from = "(19|20)[.\d]*s", by = "(59|60)[.\d]*s"'))
    expect(page.locator(".level-mark--stretch")).to_be_visible()
    tray(page).get_by_role("button", name="Continue in the form").click()
    page.get_by_role("button", name="Try it").click()
    row = page.locator("#trial tr").filter(has_text="As in the run").first
    expect(row).to_contain_text("container-status-running: kept")


def test_picks_are_made_and_changed_by_keyboard_alone(page):
    page.locator("#timeline").focus()
    page.keyboard.press("j")
    expect(tray(page)).to_be_visible()
    choose(page, APP)
    page.keyboard.press(",")
    page.keyboard.press("j")
    menu = page.get_by_role("dialog", name="What must be true")
    expect(menu.get_by_role("button", name="This must happen")).to_be_focused()
    expect(menu).not_to_contain_text("Reading")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(picks(page).first).to_contain_text("This does not happen")
    expect(page.locator("#timeline")).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(page.locator("#timeline")).to_be_focused()


def test_picks_stay_while_the_author_scrubs_and_changes_the_branch(page):
    begin(page)
    click_lane(page, 5)
    say(page, "This must happen")
    expect(picks(page)).to_have_count(1)
    run = page.url.split("?")[0]
    page.locator("#timeline").focus()
    page.keyboard.press("PageUp")
    page.keyboard.press("b")
    page.wait_for_url(lambda url: url.split("?")[0] != run)
    wait_for_run(page)
    expect(picks(page)).to_have_count(1)
    tray(page).get_by_role("button", name="Close").click()
    page.reload()
    wait_for_run(page)
    expect(page.locator("#timeline")).to_be_visible()
    expect(tray(page)).to_have_count(0)


def test_level_of_a_shared_moment_begins_there_with_what_was_picked(visit, page):
    link = page.evaluate("""async () => {
      const body = new URLSearchParams({ t: "20000" });
      const headers = { "X-CSRFToken": document.body.dataset.csrf, "HX-Request": "true", Accept: "application/json" };
      const answer = await fetch(document.querySelector("[data-run]").dataset.shareUrl, { method: "POST", body, headers });
      return (await answer.json()).url;
    }""")
    visitor = visit()
    shared = visitor.open_run("/s/" + link.split("/s/")[1])
    shared.get_by_role("button", name="Make a level from the lanes").click()
    click_lane(shared, 5)
    say(shared, "This must happen")
    expect(picks(shared)).to_have_count(1)
    tray(shared).get_by_label("The level starts").select_option(index=1)
    tray(shared).get_by_role("button", name="Continue in the form").click()
    expect(shared.get_by_label("The level begins at")).to_have_value("20.0")
    expect(shared.locator("#check-0-id")).to_have_value("container-status-running")
    shared.locator(".page__head .card__meta a").nth(1).click()
    expect(shared).to_have_url(re.compile("/s/"))
    shared.get_by_role("link", name="Make a level from this moment").click()
    expect(shared.get_by_label("The level begins at")).to_have_value(re.compile(r"\d+\.\d"))


def test_what_was_typed_into_the_form_is_there_after_one_more_pick(page):
    begin(page)
    click_lane(page, 5)
    say(page, "This must happen")
    expect(picks(page)).to_have_count(1)
    tray(page).get_by_role("button", name="Continue in the form").click()
    page.get_by_label("Brief", exact=True).fill("Typed before the second pick.")
    page.locator(".page__head .card__meta a").nth(1).click()
    wait_for_run(page)
    expect(tray(page)).to_be_visible()
    expect(picks(page)).to_have_count(0)
    click_lane(page, moment_of(page, "stop", "term"))
    say(page, "This must happen")
    expect(picks(page)).to_have_count(1)
    tray(page).get_by_role("button", name="Continue in the form").click()
    expect(page.get_by_label("Brief", exact=True)).to_have_value("Typed before the second pick.")
    expect(page.locator("#check-0-id")).to_have_value("container-status-running")
    expect(page.locator("#check-1-id")).to_have_value("stop-term")
