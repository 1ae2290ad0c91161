"""A track as a path in a browser: what is done, and what comes next."""

import json
import time

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.helpers import wait_for_run

pytestmark = pytest.mark.e2e
DAY_MS = 86_400_000
PASSED = {"passed": "2026-11-02", "acts": 1, "tries": 1}


def path(visit, track: str, *, levels=None, asks=None, stories=None) -> Page:
    """The path of a track in a browser with this progress."""
    person = visit()
    kept = {"podscope.levels": {"levels": levels or {}, "asks": asks or {}}, "podscope.stories": stories or {}}
    for name, value in kept.items():
        person.page.add_init_script(f"localStorage.setItem('{name}', {json.dumps(json.dumps(value))})")
    return person.open(f"/levels/track/{track}/")


def steps_of(page: Page, story: str) -> list[str]:
    return page.locator(f"[data-path-story={story}]").get_attribute("data-steps").split()


def test_path_begins_with_its_first_example(visit):
    page = path(visit, "basics")
    expect(page.get_by_role("link", name="Start with: ")).to_have_attribute("href", "/scenarios/hello-pod/")
    expect(page.locator("[data-next]")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(page.locator("[data-path-count]")).to_have_text("0 of 14 done")


def test_story_that_is_done_is_ticked_and_the_next_one_is_shown(visit):
    steps = steps_of(path(visit, "basics"), "hello-pod")
    page = path(visit, "basics", stories={"hello-pod": steps})
    expect(page.locator("[data-path-story=hello-pod]")).to_contain_text("done")
    expect(page.locator("[data-path-stage=example] [data-path-stage-count]")).to_have_text("1 of 1 done")
    expect(page.get_by_role("link", name="Continue with: ")).to_have_attribute("href", "/scenarios/exit-0-exit-1/")


def test_prediction_that_was_wrong_waits_for_its_day_and_is_then_due(visit):
    steps = steps_of(path(visit, "init-sidecars"), "waiting-for-two-friends")
    name = path(visit, "init-sidecars").locator("[data-path-stage=prediction] li").get_attribute("data-asks")
    for due, words, href in (
        (time.time() * 1000 + DAY_MS, "comes back later", "/levels/half-of-the-way/"),
        (time.time() * 1000 - 1, "due again", "/scenarios/the-job-that-never-ends/"),
    ):
        page = path(visit, "init-sidecars", asks={name: {"right": 0, "due": int(due)}}, stories={"waiting-for-two-friends": steps})
        expect(page.locator("[data-path-stage=prediction] li").first).to_contain_text(words)
        expect(page.get_by_role("link", name="Continue with: ")).to_have_attribute("href", href)


def test_path_whose_levels_are_all_passed_says_so(visit):
    page = path(visit, "scheduling")
    stories = {
        row.get_attribute("data-path-story"): row.get_attribute("data-steps").split() for row in page.locator("[data-path-story]").all()
    }
    levels = {row.get_attribute("data-level-key"): PASSED for row in page.locator("[data-level-key]").all()}
    page = path(visit, "scheduling", levels=levels, stories=stories)
    expect(page.locator("[data-shelf-goon]")).to_have_text("You have completed this path.")
    page.get_by_role("link", name="Next track: Resources").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Resources")


def test_last_stage_leads_to_an_attempt_without_hints(visit):
    page = path(visit, "termination")
    page.locator("[data-path-stage=alone] a").first.click()
    page.get_by_role("button", name="Start without hints").click()
    wait_for_run(page)
    expect(page.get_by_role("button", name="Check now")).to_be_visible()
    expect(page.locator("[data-level-do=hint], [data-level-do=solution]")).to_have_count(0)


def test_objectives_of_exams_lead_to_their_levels_and_say_how_many_are_passed(visit):
    person = visit()
    kept = json.dumps({"levels": {"once-is-enough": PASSED}})
    person.page.add_init_script(f"localStorage.setItem('podscope.levels', {json.dumps(kept)})")
    page = person.open("/levels/exam/")
    objective = page.locator(".objectives li", has_text="CKAD: Application Design and Build")
    expect(objective).to_contain_text("20 % of the exam")
    expect(objective.locator("[data-section-count]")).to_contain_text("1 of ")
    objective.get_by_role("link").press("Enter")
    expect(page.get_by_role("heading", name="CKAD: Application Design and Build")).to_be_in_viewport()
