"""Direct manipulation of the lanes: ends, deadlines and attempts are dragged, or moved with keys; outlines show the effect first."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import control, deaf_pod, playhead, record_rows, run_to, standing, start_story, wait_for_run, wait_until
from tests.e2e.test_every_page import AXE, SMALL, THEME, axe

pytestmark = pytest.mark.e2e
CONTAINER, PROBE = "container/default/hello/web", "probe/default/hello/web/readiness"
SUBJECT, TARGET, DATA = 3, 7, 10
EITHER_RUN = re.compile(r"/r/[0-9a-f-]{36}/")


@pytest.fixture
def page(visit):
    return standing(visit(), "hello-pod", 30)


def box_of(page, subject):
    return page.locator(f'.lane-label:has([data-lane="{subject}"])').bounding_box()


def x_of(page, seconds):
    """The position of a moment on the screen."""
    begin, end = (int(each) for each in page.locator("[data-run]").get_attribute("data-view").split(":"))
    stage = page.locator(".timeline__stage").bounding_box()
    return stage["x"] + (1000 * seconds - begin) / (end - begin) * stage["width"]


def take(page, subject, at_s):
    """Press the handle that appears under the pointer on a lane; returns its centre."""
    box = box_of(page, subject)
    y = box["y"] + box["height"] / 2
    hold = page.locator(".hold")
    page.mouse.move(x_of(page, at_s) - 2, y)
    wait_until(page, "() => document.querySelector('.hold') !== null")
    page.mouse.move(x_of(page, at_s), y)
    expect(hold).to_be_visible()
    handle = hold.bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    return x, y


def drag(page, subject, at_s, to_s):
    x, y = take(page, subject, at_s)
    page.mouse.move((x + x_of(page, to_s)) / 2, y)
    page.mouse.move(x_of(page, to_s), y)


def bubble(page):
    return page.get_by_role("group", name="Act by dragging")


def foretold(page):
    """Wait until the bubble says what would follow."""
    expect(bubble(page).locator(".gesture__step").first).to_be_visible()


def choose_lane(page, subject):
    page.locator(f'.lane-label:has([data-lane="{subject}"]) button.lane-label__name').first.click()
    page.mouse.move(5, 5)


def take_by_key(page):
    page.keyboard.press("h")
    expect(page.locator(".hold")).to_be_focused()


def wait_for_branch(page, before):
    page.wait_for_url(lambda url: EITHER_RUN.search(url) is not None and url.split("?")[0] != before)
    wait_for_run(page)


def own_commands(page):
    return [row for row in record_rows(page) if row[2] == "command"]


def test_end_dragged_into_the_past_makes_a_branch_in_which_it_exits_there(page):
    before = page.url.split("?")[0]
    drag(page, CONTAINER, 20, 18)
    expect(bubble(page)).to_contain_text("Exit web with code 1")
    expect(bubble(page)).to_contain_text("in the past: this creates a branch")
    foretold(page)
    assert page.url.split("?")[0] == before
    page.mouse.up()
    wait_for_branch(page, before)
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.headSeq) > 40")
    (command,) = own_commands(page)
    assert (17_800 <= command[1] <= 18_200, command[TARGET], command[SUBJECT]) == (True, "accepted", CONTAINER)


def test_what_was_foretold_is_what_happens(page):
    before = page.url.split("?")[0]
    drag(page, CONTAINER, 20, 18)
    foretold(page)
    told = bubble(page).locator(".gesture__step").all_inner_texts()
    page.mouse.up()
    wait_for_branch(page, before)
    run_to(page, 40)
    words = [row[TARGET] for row in record_rows(page) if row[4] == "status_word" and row[1] > 17_000]
    assert [each.removeprefix("→ ").split(" ")[0] for each in told] == words[: len(told)]


def test_end_dragged_ahead_lets_the_run_go_there_first(page):
    control(page, "play")
    drag(page, CONTAINER, 20, 50)
    expect(bubble(page)).to_contain_text("the run advances to that point first")
    page.mouse.up()
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) > 52_000")
    (command,) = own_commands(page)
    assert 49_500 <= command[1] <= 50_500
    assert page.locator("[data-run]").get_attribute("data-live") == "true"


def test_escape_takes_a_drag_back_and_nothing_is_done(page):
    before, view = page.url, page.locator("[data-run]").get_attribute("data-view")
    drag(page, CONTAINER, 20, 15)
    foretold(page)
    page.keyboard.press("Escape")
    expect(bubble(page)).to_be_hidden()
    page.mouse.up()
    page.wait_for_timeout(500)
    assert (page.url, own_commands(page)) == (before, [])
    assert page.locator("[data-run]").get_attribute("data-view") == view


def test_end_is_moved_by_keys_and_the_code_chosen(page):
    before = page.url.split("?")[0]
    choose_lane(page, CONTAINER)
    take_by_key(page)
    expect(bubble(page)).to_contain_text("Now, at 0:30.0")
    for key in ("PageUp", "ArrowLeft", "Shift+ArrowLeft", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    expect(bubble(page)).to_contain_text("Exit web with code 3")
    expect(bubble(page)).to_contain_text("At 0:18.9")
    page.keyboard.press("Enter")
    wait_for_branch(page, before)
    (command,) = own_commands(page)
    assert command[1] == 18_900 and dict(command[DATA])["exit_code"] == 3


def test_reader_hears_what_would_follow(page):
    choose_lane(page, CONTAINER)
    take_by_key(page)
    page.keyboard.press("PageUp")
    expect(page.locator(".hold")).to_have_attribute("aria-valuetext", "0:20.0, Exit web with code 1")
    expect(page.locator("#timeline [role=status]").last).to_contain_text("Then Error 0:20")
    page.keyboard.press("Escape")
    expect(page.locator("#timeline")).to_be_focused()


def test_gesture_is_readable_and_large_enough(page):
    page.evaluate(AXE)
    choose_lane(page, PROBE)
    take_by_key(page)
    expect(bubble(page).get_by_role("radio").first).to_be_attached()
    for theme in ("light", "dark"):
        page.evaluate(THEME, theme)
        assert axe(page, include=".gesture") + axe(page, include=".hold") == []
    assert page.evaluate(SMALL, ".gesture :is(button, input), .hold") == []


def test_click_on_a_handle_offers_buttons_instead_of_a_drag(page):
    take(page, CONTAINER, 20)
    page.mouse.up()
    field = bubble(page).get_by_label("Exit code")
    field.fill("7")
    expect(bubble(page)).to_contain_text("Exit web with code 7")
    bubble(page).get_by_role("button", name="Earlier").click()
    bubble(page).get_by_role("button", name="Later").click()
    bubble(page).get_by_role("button", name="Later").click()
    expect(bubble(page)).to_contain_text("At 0:31.0")
    bubble(page).get_by_role("button", name="Do it").click()
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) >= 31_000")
    expect(page.locator("#toasts")).to_contain_text("Exit web with code 7")
    (command,) = own_commands(page)
    assert (command[1], dict(command[DATA])["exit_code"]) == (31_000, 7)


def test_attempt_of_a_probe_is_flipped_from_there_on(page):
    before = page.url.split("?")[0]
    x, y = take(page, PROBE, 15)
    page.mouse.move(x, y + 14)
    expect(bubble(page)).to_contain_text("Make the readiness probe of web fail")
    foretold(page)
    page.mouse.up()
    wait_for_branch(page, before)
    run_to(page, 30)
    attempts = [(row[1], row[TARGET]) for row in record_rows(page) if row[4] == "probe_attempt" and row[1] > 9000]
    assert {result for at_ms, result in attempts if at_ms < 14_900} == {"success"}
    assert {result for at_ms, result in attempts if at_ms >= 14_900} == {"failure"}


def test_attempt_is_chosen_by_keys_with_another_outcome(page):
    before = page.url.split("?")[0]
    choose_lane(page, PROBE)
    take_by_key(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    expect(bubble(page)).to_contain_text("Make the readiness probe of web time out")
    page.keyboard.press("Enter")
    wait_for_branch(page, before)
    assert dict(own_commands(page)[0][DATA])["outcome"] == "timeout"


def deadline_lane(page):
    return page.locator('.lane-label[data-depth="1"] button.lane-label__name').first


def test_deadline_dragged_gives_the_pod_another_grace(visit):
    page = deaf_pod(visit, until_s=60)
    before = page.url.split("?")[0]
    box = deadline_lane(page).bounding_box()
    page.mouse.move(x_of(page, 20), box["y"] + 10)
    wait_until(page, "() => document.querySelector('.hold:not([hidden])')?.dataset.kind === 'deadline'")
    handle = page.locator(".hold").bounding_box()
    page.mouse.move(handle["x"] + 14, handle["y"] + 14)
    page.mouse.down()
    page.mouse.move(handle["x"], handle["y"] + 14)
    page.mouse.move(x_of(page, 18), handle["y"] + 14)
    expect(bubble(page).locator(".gesture__line")).to_have_text("kubectl delete pod deaf --grace-period=8")
    page.mouse.up()
    wait_for_branch(page, before)
    run_to(page, 30)
    (command,) = own_commands(page)
    assert (dict(command[DATA])["grace_s"], 9_900 <= command[1] <= 10_100) == (8, True)


def test_deadline_is_moved_by_keys(visit):
    page = deaf_pod(visit, until_s=60)
    before = page.url.split("?")[0]
    deadline_lane(page).click()
    page.mouse.move(5, 5)
    take_by_key(page)
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowRight")
    expect(bubble(page).locator(".gesture__line")).to_have_text("kubectl delete pod deaf --grace-period=21")
    page.keyboard.press("Enter")
    wait_for_branch(page, before)
    assert dict(own_commands(page)[0][DATA])["grace_s"] == 21


def test_drag_next_to_a_handle_pans(page):
    control(page, "pause")
    box = box_of(page, CONTAINER)
    y = box["y"] + box["height"] / 2
    before = page.locator("[data-run]").get_attribute("data-view")
    page.mouse.move(x_of(page, 15), y)
    page.mouse.down()
    page.mouse.move(x_of(page, 15) - 80, y, steps=4)
    page.mouse.up()
    wait_until(page, "(before) => document.querySelector('[data-run]').dataset.view !== before", before)
    assert own_commands(page) == []


def test_finger_drags_the_handle_of_its_selection_and_pans_elsewhere(visit):
    person = visit(has_touch=True)
    page = person.page
    start_story(page, person.origin, "hello-pod", stands_at_s=30)
    box = box_of(page, CONTAINER)
    page.touchscreen.tap(x_of(page, 20), box["y"] + box["height"] / 2)
    handle = page.locator(".hold")
    expect(handle).to_be_visible()
    size = handle.bounding_box()
    assert min(size["width"], size["height"]) >= 24
    page.touchscreen.tap(size["x"] + size["width"] / 2, size["y"] + size["height"] / 2)
    expect(bubble(page).get_by_role("button", name="Do it")).to_be_visible()
    bubble(page).get_by_role("button", name="Cancel").click()
    expect(bubble(page)).to_be_hidden()
    assert own_commands(page) == []


def test_nobody_but_the_owner_has_handles(page, visit):
    stranger = visit()
    stranger.page.goto(page.url)
    wait_for_run(stranger.page)
    box = box_of(stranger.page, CONTAINER)
    stranger.page.mouse.move(x_of(stranger.page, 20), box["y"] + box["height"] / 2)
    expect(stranger.page.locator(".hover-card")).to_be_visible()
    expect(stranger.page.locator(".hold")).to_have_count(0)
    assert playhead(stranger.page) >= 30_000
