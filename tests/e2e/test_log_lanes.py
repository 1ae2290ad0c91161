"""Each container has a lane of its output below it, folded until somebody opens it."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import go_to, playhead, standing, view_at_rest, wait_for_run, wait_until

pytestmark = pytest.mark.e2e
APP = "container/default/ladder/app"
FOLD = f'[data-fold="logs"][data-pod="{APP}"]'
LANE = f'.lane-label:has([data-lane="logs:{APP}"])'
LINE = "cannot connect"


@pytest.fixture
def person(visit):
    """The story whose container keeps dying, and says why each time."""
    person = visit()
    standing(person, "crash-loop-ladder", 65)
    return person


@pytest.fixture
def page(person):
    """The lane of its lines is open, and its lines have arrived."""
    page = person.page
    with page.expect_response(re.compile("/printed/")) as answer:
        page.locator(FOLD).click()
    assert len(answer.value.json()["containers"]["app"]) > 2
    expect(page.locator(LANE)).to_be_visible()
    return page


def lines(page, words=LINE):
    """Every moment at which the container printed a line with this text, in ms."""
    url = page.locator("[data-run]").get_attribute("data-panel-base").replace("/at/", "/printed/")
    told = page.context.request.get(
        f"{page.url.split('/r/')[0]}{url}", params={"pod": "default/ladder", "from_ms": 0, "to_ms": 65_000}
    ).json()
    return [entry[0] for entry in told["containers"]["app"] if words in entry[4]]


def point_of(page, at_ms):
    """The position of a moment of the lane on the screen, once the view has come to rest."""
    begin, end = view_at_rest(page)
    stage, label = page.locator(".timeline__stage").bounding_box(), page.locator(LANE).bounding_box()
    return stage["x"] + (at_ms - begin) / (end - begin) * stage["width"], label["y"] + label["height"] / 2


def test_log_lines_are_folded_at_first_and_nothing_is_asked_for(person):
    asked = []
    person.page.on("request", lambda request: asked.append(request.url))
    person.page.mouse.move(700, 300)
    go_to(person.page, "0:30")
    expect(person.page.locator(FOLD)).to_have_attribute("aria-expanded", "false")
    assert not [url for url in asked if "/printed/" in url]


def test_mark_opens_the_log_at_its_moment(page):
    first = lines(page)[0]
    x, y = point_of(page, first)
    before = page.locator("[data-run]").get_attribute("data-view")
    page.mouse.move(x, y)
    expect(page.locator(".hover-card__facts").first).to_contain_text(LINE)
    page.mouse.click(x, y)
    expect(page.locator("#tab-logs")).to_have_attribute("aria-selected", "true")
    assert (playhead(page), page.locator("[data-run]").get_attribute("data-view")) == (first, before)
    expect(page.locator("#drawer-body .log__line").last).to_contain_text(LINE)
    expect(page.locator(LANE)).to_have_attribute("data-focus", "true")


def test_line_of_a_mark_is_in_view_wherever_the_log_was_scrolled_to(page):
    page.set_viewport_size({"width": 1440, "height": 640})
    page.locator("#tab-logs").click()
    expect(page.locator("#log-2")).to_be_attached()
    page.locator("#drawer-body").evaluate("(body) => { body.scrollTop = 0; }")
    expect(page.locator("#drawer-body .log__line").last).not_to_be_in_viewport()
    page.mouse.click(*point_of(page, lines(page)[-1]))
    expect(page.locator("#drawer-body .log__line").last).to_be_in_viewport()


def test_marks_are_reached_by_the_keys(page):
    moments = lines(page, "")
    page.locator("#timeline").focus()
    while page.locator(LANE).get_attribute("data-focus") != "true":
        page.keyboard.press("ArrowDown")
    go_to(page, "0")
    page.keyboard.press(".")
    wait_until(page, "(at) => Number(document.querySelector('[data-run]').dataset.playhead) === at", moments[0])
    page.keyboard.press(".")
    page.keyboard.press(".")
    assert playhead(page) == moments[2]
    page.keyboard.press(",")
    assert playhead(page) == moments[1]
    page.keyboard.press("Enter")
    expect(page.locator("#tab-logs")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#drawer-body .log__line")).to_have_count(2)


def test_menu_turns_the_lanes_of_all_containers_on_and_the_browser_keeps_it(person):
    page = person.page
    page.locator(".timeline__more summary").click()
    page.locator(".timeline__more [data-do=logLines]").click()
    expect(page.locator(FOLD)).to_have_attribute("aria-expanded", "true")
    expect(page.locator(LANE)).to_be_visible()
    page.goto(page.url.partition("?")[0])
    wait_for_run(page)
    expect(page.locator(LANE)).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("log lines")
    page.keyboard.press("Enter")
    expect(page.locator(LANE)).to_have_count(0)


def test_link_carries_which_lanes_are_open(visit, page):
    go_to(page, "0:30")
    with page.expect_response(re.compile("/share/")) as answer:
        page.locator("header [data-do=share]").click()
    guest = visit()
    opened = guest.open_run(answer.value.json()["url"].removeprefix(guest.origin))
    expect(opened.locator(LANE)).to_be_visible()


def test_table_has_the_lines_and_leads_to_their_moments(page):
    first = lines(page)[0]
    page.locator(".timeline__more summary").click()
    page.locator(".timeline__more [data-do=table]").click()
    row = page.locator(f'.treegrid [data-row="logs:{APP}"]')
    row.click()
    page.locator(f'.treegrid [data-row="logs:{APP}@{first}"]').click()
    expect(page.locator("#tab-logs")).to_have_attribute("aria-selected", "true")
    wait_until(page, "(at) => Number(document.querySelector('[data-run]').dataset.playhead) === at", first)
