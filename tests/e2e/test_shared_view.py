"""The view: it stands still in the past, and a link carries it."""

import re

import pytest
from playwright.sync_api import expect

from simulator.scenarios.story import read_stories
from tests.e2e.helpers import control, go_to, run_to, standing, start_story, view_at_rest, wait_for_run, wait_until

pytestmark = pytest.mark.e2e
LANGUAGES = ("en", "zh-hans", "zh-hant")
IS_SHOWN = (
    """(shown) => document.querySelector("[data-run]").dataset.view.split(":").every((at, n) => Math.abs(Number(at) - shown[n]) <= 50)"""
)


def test_view_stands_still_while_somebody_looks_at_the_past(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "hello-pod", stands_at_s=40)
    control(page, "play")
    go_to(page, "0:05")
    before = view_at_rest(page)
    control(page, "rate", rate=60000)
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.headSeq) > 75")
    assert view_at_rest(page) == before
    page.keyboard.press("End")
    wait_until(page, "(to) => Number(document.querySelector('[data-run]').dataset.view.split(':')[1]) > to", before[1])


@pytest.mark.parametrize("language", ["en", "zh-Hans"])
def test_shared_moment_opens_exactly_as_it_was_seen(visit, language):
    person = visit(locale=language)
    page = person.page
    page.goto(f"{person.origin}/scenarios/liveness-death-spiral/")
    page.locator("main form button").first.click()
    page.wait_for_url(re.compile("/r/"))
    wait_for_run(page)
    control(page, "pause")
    run_to(page, 90)
    page.locator('[data-fold="open"]').first.click()
    page.locator('[data-lane^="container/"]').first.click()
    go_to(page, "0:48")
    page.keyboard.press("w")
    page.keyboard.press("w")
    page.locator("#tab-events").click()
    shown = view_at_rest(page)
    with page.expect_response(re.compile("/share/")) as answer:
        page.locator("header [data-do=share]").click()
    guest = visit(locale="en")
    opened = guest.open_run(answer.value.json()["url"].removeprefix(guest.origin))
    expect(opened.locator("[data-run]")).to_have_attribute("data-playhead", "48000")
    assert all(abs(one - other) <= 50 for one, other in zip(view_at_rest(opened), shown, strict=True))
    expect(opened.locator('[data-fold="open"]').first).to_have_attribute("aria-expanded", "true")
    expect(opened.locator("#tab-events")).to_have_attribute("aria-selected", "true")
    expect(opened.locator('.lane-label[data-kind="container"]')).to_have_attribute("data-focus", "true")
    expect(opened.locator("html")).to_have_attribute("lang", re.compile(language, re.IGNORECASE))


@pytest.mark.parametrize(("number", "slug"), [*enumerate(story.slug for story in read_stories())])
def test_moment_of_a_story_opens_as_it_was_seen(visit, number, slug, request):
    """Every fifth story, with the languages in rotation; ``--all-languages`` opens every story in each."""
    is_all = request.config.getoption("--all-languages")
    if number % 5 and not is_all:
        pytest.skip("only with --all-languages")
    owner = visit()
    page = owner.page
    start_story(page, owner.origin, slug, stands_at_s=90)
    go_to(page, "1:15")
    page.keyboard.press("w")
    page.locator(".lane-label [data-lane]").last.click()
    page.locator("#tab-yaml").click()
    shown, chosen = view_at_rest(page), page.locator("[data-focus=true]").count()
    with page.expect_response(re.compile("/share/")) as answer:
        page.locator("header [data-do=share]").click()
    link = answer.value.json()["url"].removeprefix(owner.origin)
    for language in LANGUAGES if is_all else LANGUAGES[number // 5 % 3 :][:1]:
        guest = visit()
        opened = guest.open_run(re.sub("lang=[^&#]*", f"lang={language}", link))
        expect(opened.locator("html")).to_have_attribute("lang", re.compile(language, re.IGNORECASE))
        expect(opened.locator("[data-run]")).to_have_attribute("data-playhead", "75000")
        wait_until(opened, IS_SHOWN, shown)
        expect(opened.locator("#tab-yaml")).to_have_attribute("aria-selected", "true")
        assert opened.locator("[data-focus=true]").count() == chosen


def machine_chosen(page):
    page.locator("#tab-machine").click()
    page.locator("#machine-choices").get_by_text("Sandbox", exact=True).click()
    expect(page.locator("#machine-sandbox")).to_be_visible()


def sequence_of_why(page):
    page.locator("#why-way-sequence").click()
    expect(page.locator("#why-way-sequence")).to_have_attribute("aria-current", "true")


def line_of_kubectl(page):
    page.keyboard.press("k")
    page.locator("#kubectl-line").fill("get pods -o name")
    page.keyboard.press("Enter")
    expect(page.locator("#kubectl-answer")).to_have_text("pod/liveness-exec\n")


def pinned_diff(page):
    page.keyboard.press("Shift+Y")
    page.get_by_text("Pin this moment").click()
    expect(page.locator(".diff-head")).to_contain_text("(pinned)", timeout=15_000)
    page.get_by_text("Include bookkeeping fields").click()
    go_to(page, "1:29")
    expect(page.locator(".diff-head")).to_contain_text("from 0:48.0 (pinned) to 1:29.0", timeout=15_000)


@pytest.mark.parametrize(
    ("look", "shown"),
    [
        (machine_chosen, "#machine-sandbox"),
        (sequence_of_why, "#why-way-sequence[aria-current=true]"),
        (line_of_kubectl, "#kubectl-line"),
        (pinned_diff, "[data-diff-noise='0']"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_shared_moment_keeps_what_its_tab_is_asked(visit, look, shown):
    person = visit()
    page = standing(person, "liveness-death-spiral", 90)
    go_to(page, "0:48")
    page.keyboard.press("e")
    look(page)
    expect(page.locator(shown)).to_be_visible()
    page.evaluate("document.querySelector('#kubectl-transcript')?.remove()")  # it stays in the browser in which it was typed
    panel = page.locator("#drawer-body").inner_text()
    with page.expect_response(re.compile("/share/")) as answer:
        page.locator("header [data-do=share]").click()
    link = answer.value.json()["url"].removeprefix(person.origin)
    opened = visit().open_run(link)
    expect(opened.locator(shown)).to_be_visible()
    expect(opened.locator("#drawer-body")).to_have_text(panel, use_inner_text=True)
