"""Answers that are lost, late or partial: in the end a page shows what it would have shown with a fast server."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.helpers import another_run, go_to, press, run_to, standing, start_story, wait_until

pytestmark = pytest.mark.e2e

SKIPPING = "const now = performance.now.bind(performance); window.skipped = 0; performance.now = () => now() + window.skipped;"
"""A page's clock that a test can advance."""

HASTY = "const timeout = AbortSignal.timeout.bind(AbortSignal); AbortSignal.timeout = () => timeout(2000);"
"""A page whose requests time out after two seconds."""


def is_cut(route: Route) -> None:
    """Requests fail at once."""
    route.abort()


def is_left(route: Route) -> None:
    """Requests hang."""


def fails_at_first(page: Page, address: str, trouble: Callable[[Route], None] = is_cut) -> list[str]:
    """The first request to each matching address is never answered; returns the requests from here on."""
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if asked.count(route.request.url) == 1:
            trouble(route)
        else:
            route.fallback()

    page.route(re.compile(address), answer)
    return asked


def in_pieces(size: int) -> Callable[[Route], None]:
    """Logs come in parts of a few records, each saying that more is coming."""

    def answer(route: Route) -> None:
        told = json.loads(route.fetch().text())
        if len(told["records"]) > size:
            told["records"] = told["records"][:size]
            told |= {"to": told["records"][-1][0], "now_ms": told["records"][-1][1], "is_coming": True}
        route.fulfill(json=told)

    return answer


@pytest.fixture
def link(visit) -> str:
    """A link to 0:20 of a story."""
    person = visit()
    page = standing(person, "hello-pod", 20)
    with page.expect_response(re.compile("/share/")) as answer:
        page.locator("header [data-do=share]").click()
    return answer.value.json()["url"].removeprefix(person.origin)


def test_tab_of_a_page_that_stands_is_asked_for_again(visit, link):
    page = visit().open_run(link)
    asked = fails_at_first(page, "/panel/events/")
    page.locator("#tab-events").click()
    expect(page.locator("#drawer-body")).to_have_text("This panel could not be loaded.")
    expect(page.locator("#drawer-body table caption")).to_be_attached()
    assert len(asked) == 2


def test_tab_whose_answer_is_on_its_way_does_not_pass_off_what_stands_there_as_its_own(visit, link):
    page = visit().open_run(link)
    page.route(re.compile("/panel/events/"), is_left)
    page.locator("#tab-events").click()
    expect(page.locator("#drawer-body")).to_have_attribute("data-stale", "true")


def test_end_of_a_recording_is_no_place_to_go_to_the_end_from(visit, link):
    page = visit().open_run(link)
    expect(page.locator(".live")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".timeline__pill")).to_be_hidden()
    go_to(page, "0:10")
    expect(page.locator(".live")).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".timeline__pill")).to_be_visible()


def test_old_future_comes_though_the_first_answer_is_lost(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "hello-pod", stands_at_s=30)
    go_to(page, "0:10")
    here = page.url.partition("?")[0]
    asked = fails_at_first(page, re.escape(here.removeprefix(person.origin)) + "records/")
    with another_run(page):
        press(page, "Delete pod")
    expect(page.locator("main")).to_have_attribute("data-ghost", re.compile(r"10\d*:\d+"))
    assert len(asked) > 1


COMPARED = "/scenarios/crash-loop-ladder/lens/?versions=1.20,1.33&for=120"


def compared(visit, prepare: Callable[[Page], object]) -> Page:
    """The page of two versions of a story, once its answers have been manipulated."""
    page = visit().open(COMPARED)
    prepare(page)
    page.get_by_role("button", name="Play both", exact=True).click()
    expect(page.locator("html")).to_have_attribute("data-ready", "compare")
    return page


def test_comparison_of_logs_in_pieces_shows_all_of_them_and_stands_at_the_first_difference(visit):
    whole = compared(visit, lambda page: None)
    wait_until(whole, "() => location.search.includes('t=')")
    view = whole.locator("main").get_attribute("data-view")
    page = compared(visit, lambda page: page.route(re.compile("/records/"), in_pieces(25)))
    expect(page.locator("main")).to_have_attribute("data-view", view)
    expect(page.locator("main")).to_have_attribute("data-playhead", whole.locator("main").get_attribute("data-playhead"))


@pytest.mark.parametrize("trouble", [is_cut, is_left])
def test_object_of_a_comparison_is_asked_for_again(visit, trouble):
    page = compared(visit, lambda page: page.add_init_script(HASTY))
    expect(page.locator("[data-object] .diff-head, [data-object] table, [data-object] pre").first).to_be_attached()
    asked = fails_at_first(page, "/diff/", trouble)
    page.locator("#timeline, .timeline").first.focus()
    with page.expect_response(re.compile("/diff/")):
        page.keyboard.press(".")
    assert asked[-1] in asked[:-1]


def test_run_that_was_left_by_its_line_is_followed_again(visit):
    """Frames stop coming though nobody has closed the connection, as after a change of networks; the page notices by itself."""
    person = visit()
    lines = []

    def relay(line) -> None:
        server = line.connect_to_server()
        lines.append(line)
        if len(lines) == 1:
            server.on_message(lambda message: line.send(message) if not line_is_dead else None)

    line_is_dead: list[bool] = []
    person.page.route_web_socket(re.compile("/ws/run/"), relay)
    person.page.add_init_script(SKIPPING)
    page = person.page
    start_story(page, person.origin, "hello-pod")
    run_to(page, 5)
    line_is_dead.append(True)
    page.evaluate("window.skipped = 60000")
    wait_until(page, "() => document.querySelector('[data-run]').dataset.connection !== 'open'")
    expect(page.locator("[data-run]")).to_have_attribute("data-connection", "open")
    assert len(lines) > 1
