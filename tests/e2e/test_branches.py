"""Branches: named after the act, announced when they begin, shown against what would have happened."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import act, another_run, branched, go_to, press, run_to, start_story, wait_for_run

pytestmark = pytest.mark.e2e


@pytest.fixture
def branch(visit):
    """The page of a branch that deletes the pod at 0:10 of a run that has reached 0:30."""
    person = visit()
    page = person.page
    start_story(page, person.origin, "hello-pod", stands_at_s=30)
    go_to(page, "0:10")
    expect(page.locator("[data-next]")).to_contain_text("acting creates a branch")
    with another_run(page):
        press(page, "Delete pod")
    return page


def test_branch_has_the_name_of_what_was_done(branch):
    expect(branch.locator("#toasts")).to_contain_text("Branch: main ▸ Delete")
    expect(branch.locator("[data-branch-path]")).to_contain_text("main ▸ Delete")
    branch.locator("#branches summary").click()
    expect(branch.locator(".branches li").first).to_contain_text("main")
    branch.keyboard.press("Escape")
    expect(branch.locator("#branches")).not_to_have_attribute("open", "")


def test_page_opened_after_a_refused_act_mentions_no_branch(branch):
    branch.route("**/commands/", lambda route: route.fulfill(status=422, json={"text": "Not now."}))
    go_to(branch, "0:05")  # in the present the pod would disappear meanwhile, along with its buttons
    act(branch, branch.locator("#inspector form[data-act] button:enabled:visible").first)
    branch.reload()
    wait_for_run(branch)
    assert branch.locator("#toasts").inner_text() == ""


def test_long_names_push_nothing_out_of_the_head_of_the_page(branch):
    for width, lines in ((1366, 1), (1024, 1), (390, 2)):
        branch.set_viewport_size({"width": width, "height": 844})
        for control in branch.locator(".topbar :is(button, summary)").locator("visible=true").all():
            box = control.bounding_box()
            assert 0 <= box["x"] <= box["x"] + box["width"] <= width, (width, control.inner_text())
        assert branch.locator(".topbar__title").bounding_box()["width"] > 60, width
        assert branch.locator(".topbar").bounding_box()["height"] <= 52 * lines, width


def test_message_on_a_phone_leaves_time_under_the_thumb(branch):
    branch.set_viewport_size({"width": 390, "height": 844})
    toast = branch.locator("#toasts").bounding_box()
    assert toast["height"] > 20
    assert toast["y"] + toast["height"] <= branch.locator("#transport").bounding_box()["y"]


def _label(page, lane):
    return page.locator(".lane-label").filter(has=page.locator(f'[data-lane="{lane}"]'))


STATUS = "status:pod/default/hello"


@pytest.fixture
def futures(visit):
    """Such a branch at 0:45, with both futures on screen."""
    branch = branched(visit(), stands_at_s=45)
    expect(branch.locator("[data-run]")).to_have_attribute("data-ghost", re.compile(r"^10000:[1-9]\d+$"))
    branch.locator("#timeline").focus()
    branch.keyboard.press("0")
    expect(_label(branch, STATUS)).to_have_attribute("data-future", "both")
    return branch


def _height(page, lane):
    return _label(page, lane).bounding_box()["height"]


def test_lanes_that_differ_are_split_in_place(futures):
    """The old future has the lower part of the lane, with its name and its value at the playhead."""
    expect(_label(futures, STATUS).locator(".lane-label__old")).to_have_text("▽ main: Running")
    assert _height(futures, STATUS) == 34 + 18


def test_lanes_that_are_the_same_stay_one_row(visit):
    """A readiness probe that fails changes Ready, not the phase."""
    person = visit()
    page = person.page
    start_story(page, person.origin, "hello-pod", stands_at_s=30)
    go_to(page, "0:14")
    with another_run(page):
        press(page, "Fail readiness")
    run_to(page, 45)
    expect(_label(page, "condition/default/hello/Ready")).to_have_attribute("data-future", "both")
    expect(_label(page, "phase:pod/default/hello")).not_to_have_attribute("data-future", "both")
    assert _height(page, "phase:pod/default/hello") == 20


def test_old_future_can_be_hidden_and_the_link_keeps_it(futures):
    go_to(futures, "0:20")
    tool = futures.locator('.timeline__tool[data-do="futures"]')
    expect(tool).to_have_attribute("aria-pressed", "true")
    tool.click()
    expect(tool).to_have_attribute("aria-pressed", "false")
    expect(futures.locator(".lane-label[data-future]")).to_have_count(0)
    assert _height(futures, STATUS) == 34
    expect(futures).to_have_url(re.compile("old=0"))
    futures.reload()
    wait_for_run(futures)
    expect(futures.locator("[data-run]")).to_have_attribute("data-ghost", re.compile("^10000:"))
    expect(tool).to_have_attribute("aria-pressed", "false")
    futures.locator("#timeline").focus()
    futures.keyboard.press("u")
    expect(_label(futures, STATUS)).to_have_attribute("data-future", "both")


def test_card_of_the_old_future_says_which_it_is_and_leads_there(futures):
    at = _label(futures, STATUS).bounding_box()
    stage = futures.locator(".timeline__stage").bounding_box()
    lanes = stage["x"], stage["width"]
    expect(futures.locator(".lane-label__old").first).to_be_visible()
    # The whole run is on screen: 0:20 is in the second quarter.
    x, y = lanes[0] + lanes[1] * 0.38, at["y"] + at["height"] - 9
    futures.mouse.move(x, y)
    futures.mouse.move(x + 1, y)
    card = futures.locator(".hover-card")
    expect(card).to_contain_text("old future: main")
    expect(card).to_contain_text("Running")
    futures.mouse.click(x, y)
    link = card.get_by_role("link", name="Open the old future here")
    link.click()
    wait_for_run(futures)
    expect(futures.locator("[data-branch-path]")).to_have_text("main")


def test_table_shows_both_futures(futures):
    futures.locator(".timeline__more summary").click()
    futures.locator('.timeline__more [data-do="table"]').click()
    expect(futures.locator(f'.treegrid tr[data-row="{STATUS}"]')).to_contain_text("old future: main: Running")


@pytest.mark.parametrize("way", ["key", "button", "command"])
def test_branch_is_made_at_the_moment_shown(visit, way):
    person = visit()
    page = person.page
    start_story(page, person.origin, "hello-pod", stands_at_s=30)
    go_to(page, "0:10")
    with another_run(page):
        if way == "key":
            page.keyboard.press("b")
        elif way == "button":
            page.locator("#branches summary").click()
            page.locator("#branches").get_by_role("button", name="Branch from this moment").click()
        else:
            page.keyboard.press("Control+k")
            page.locator(".commands__input").fill("branch from this")
            expect(page.locator(".commands__line[aria-selected=true]")).to_contain_text("Branch from this momentB")
            page.keyboard.press("Enter")
    expect(page.locator(".branches [aria-current]")).to_contain_text("from 0:10")


def test_key_says_where_no_branch_can_be_made(visit):
    person = visit()
    start_story(person.page, person.origin, "hello-pod", stands_at_s=5)
    with person.page.expect_response(re.compile("/share/")) as answer:
        person.page.locator("header [data-do=share]").click()
    page = person.open_run(answer.value.json()["url"].removeprefix(person.origin))
    page.keyboard.press("b")
    expect(page.locator("#toasts")).to_contain_text("You cannot create a branch here.")


def test_later_acts_missing_in_a_branch_are_listed_and_carried_over_by_keyboard(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "hello-pod", stands_at_s=30)
    press(page, "Delete pod")
    go_to(page, "0:10")
    with another_run(page):
        press(page, "Delete pod")
    expect(page.locator("#toasts")).to_contain_text("1 later action is not part of this branch")
    page.locator("#branches summary").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Change only this").focus()
    with another_run(page):
        page.keyboard.press("Enter")
    expect(page.locator("#toasts")).to_contain_text("Refused")
    page.locator("#branches summary").click()
    expect(page.locator("#later-acts")).to_contain_text("1 later action was carried over")
