"""The gallery's search and progress, and the steps of a story, which are ticked off automatically."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import press, run_to, start_story

pytestmark = pytest.mark.e2e
CASES = json.loads((Path(__file__).parents[1] / "scenarios" / "checks.json").read_text())
RUN = [
    [1, 1000, "transition", "pod/default/web", "phase", "Pending", "", "Running", 0, "PHASE", []],
    [2, 3000, "command", "pod/default/web", "command", "", "", "accepted", 0, "COMMAND", [["grace_s", 1], ["force", False]]],
    [3, 5000, "transition", "pod/default/web", "phase", "Running", "", "Failed", 2, "PHASE", []],
]
"""As in tests/scenarios/test_expect.py."""
VERDICTS = """async ([cases, rows]) => {
  const { CheckProgress } = await import("/static/js/learn/story-checks.js");
  const { decode } = await import("/static/js/wire/record.js");
  return cases.map(({ check, now_ms }) => {
    const progress = new CheckProgress(check);
    for (const row of rows) progress.add(decode(row));
    progress.reach(now_ms);
    return progress.verdict;
  });
}"""


def test_browser_judges_steps_as_the_stories_tests_do(visit):
    page = visit().open("/scenarios/")
    assert page.evaluate(VERDICTS, [CASES, RUN]) == [case["verdict"] for case in CASES]


def test_search_finds_sidecar_while_one_types(visit):
    page = visit().open("/scenarios/")
    page.get_by_label("Search scenarios").press_sequentially("sidecar")
    expect(page.locator("#tracks .story")).to_have_count(2)
    expect(page.locator("#tracks")).to_contain_text("The Job that never ends")
    expect(page).to_have_url(re.compile("q=sidecar"))


def test_picture_sweeps_under_the_pointer_and_holds_still_where_less_motion_is_wanted(visit):
    sweep = "() => getComputedStyle(document.querySelector('#scenario-pid-1-is-deaf .thumb'), '::after').animationName"
    for motion, name in (("no-preference", "thumb-head"), ("reduce", "none")):
        page = visit(reduced_motion=motion).open("/scenarios/")
        assert page.evaluate(sweep) == "none"
        page.locator("#scenario-pid-1-is-deaf").hover()
        assert page.evaluate(sweep) == name
        page.mouse.move(0, 0)
        page.locator("#scenario-pid-1-is-deaf h3 a").focus()
        assert page.evaluate(sweep) == name


def test_steps_tick_themselves_off_and_the_gallery_remembers(visit):
    host = visit()
    page = host.page
    start_story(page, host.origin, "pid-1-is-deaf")
    steps = page.locator("#rail .step")
    expect(page.locator("#rail .step[data-state=done]")).to_have_count(0)
    run_to(page, 10)
    press(page, "Delete pod")
    expect(steps.first).to_have_attribute("data-state", "done")
    expect(page.locator("[data-steps-told]")).to_contain_text("Done:")
    run_to(page, 60)
    expect(page.locator("#rail .step[data-state=done]")).to_have_count(3)
    expect(page.locator("[data-steps-count]").first).to_have_text("1 of 2")
    expect(page.get_by_role("link", name="A good goodbye")).to_be_visible()

    host.open("/scenarios/")
    expect(page.locator("#scenario-pid-1-is-deaf [data-story-progress]")).to_have_text("3 of 4 steps")
    page.get_by_role("button", name="Clear progress").click()
    expect(page.locator("#scenario-pid-1-is-deaf [data-story-progress]")).to_have_text("")


def test_step_that_no_record_shows_is_ticked_off_by_hand(visit):
    host = visit()
    start_story(host.page, host.origin, "hello-pod")
    box = host.page.get_by_role("checkbox").first
    box.press("Space")
    expect(box).to_have_attribute("aria-checked", "true")
    host.page.reload()
    expect(host.page.get_by_role("checkbox").first).to_have_attribute("aria-checked", "true")


def test_story_whose_steps_are_done_says_why_and_offers_a_variant(visit):
    host = visit()
    page = host.page
    start_story(page, host.origin, "hello-pod")
    card = page.locator("[data-debrief]")
    card.locator("summary").click()
    expect(card).to_contain_text("Complete every step")
    for box in page.locator("#rail button[data-step-tick]").all():
        box.press("Space")
    run_to(page, 30)
    expect(card).not_to_have_attribute("data-ready", "")
    press(page, "Delete pod")
    expect(card).to_have_attribute("data-ready", "")
    expect(card).not_to_contain_text("Complete every step")
    expect(card.locator("code").first).to_have_text(re.compile("^[A-Z-]+$"))
    expect(card.get_by_role("link", name="Documentation")).to_have_attribute("href", re.compile(r"^https://kubernetes\.io/docs/"))
    expect(card.get_by_role("link", name="Try a variant")).to_have_attribute("href", "/new/?scenario=hello-pod")


@pytest.fixture
def failed_debrief(visit):
    """A story whose steps are done and whose card is open, but its content failed to load; counts the requests."""
    host = visit()
    page, asked = host.page, []

    def handle(route):
        asked.append(route.request.url)
        if len(asked) == 1:
            route.fulfill(status=503)
        else:
            route.continue_()

    page.route("**/debrief/*", handle)
    start_story(page, host.origin, "hello-pod", stands_at_s=12)
    press(page, "Delete pod")
    for box in page.locator("#rail button[data-step-tick]").all():
        box.press("Space")
    page.locator("[data-debrief] summary").click()
    expect(page.locator(".toast").filter(has_text="could not be loaded")).to_be_visible()
    yield page, asked
    host.troubles.clear()  # the failed request is intended here


def test_debrief_that_did_not_come_is_asked_for_when_its_card_is_opened_again(failed_debrief):
    page, _ = failed_debrief
    card = page.locator("[data-debrief]")
    card.locator("summary").click()
    card.locator("summary").click()
    expect(card).not_to_contain_text("Complete every step")
    expect(card.get_by_role("link", name="Try a variant")).to_be_visible()


def test_debrief_that_did_not_come_is_not_asked_for_by_each_frame_of_the_run(failed_debrief):
    page, asked = failed_debrief
    for seconds in (20, 25, 30):
        run_to(page, seconds)
    assert len(asked) == 1
