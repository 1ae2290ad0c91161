"""The page of reasons: found, read, and followed to a story that shows one."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import standing, wait_for_run

pytestmark = pytest.mark.e2e


def test_a_reason_is_looked_up_and_watched_in_a_story(visit):
    person = visit()
    page = person.open("/")
    page.get_by_role("link", name="Scenarios").click()
    page.get_by_role("link", name="Reasons").click()
    page.get_by_label("Search reasons").press_sequentially("oomkilled")
    expect(page.locator("#waiting-ImagePullBackOff")).to_have_count(0)
    assert "q=oomkilled" in page.url
    word = page.locator("#terminated-OOMKilled")
    expect(word).to_contain_text("memory limit")
    word.get_by_role("button").first.click()
    page.wait_for_url(re.compile(r"/r/[0-9a-f-]{36}/\?"))
    wait_for_run(page)
    expect(page.locator("#inspector")).to_contain_text("OOMKilled")
    expect(page.locator("#drawer-body .why__step").first).to_contain_text("OOMKilled")
    page.locator('[data-do="play"]').click()
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "true")
    assert person.troubles == []


def test_the_decision_about_status_leads_to_the_word_in_stories(visit):
    person = visit()
    page = standing(person, "crash-loop-ladder", 20)
    page.locator("#tab-machine").click()
    page.locator("#machine-choices").get_by_text("STATUS", exact=True).click()
    word = page.locator(".questions__end strong").inner_text()
    page.get_by_role("link", name="See it in a story").click()
    expect(page.locator(f"#status-{word}")).to_be_visible()
    assert person.troubles == []


def test_an_address_names_a_word(visit):
    page = visit().open("/reasons/#status-CrashLoopBackOff")
    expect(page.locator("#status-CrashLoopBackOff")).to_be_in_viewport()
    assert page.evaluate("() => document.querySelector('.word:target').id") == "status-CrashLoopBackOff"
