"""Progress kept by the site under a nickname and a phrase: from one browser to another, and what a browser keeps of it."""

import json

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.e2e
PASSED = {"levels": {"let-it-finish": {"passed": "2026-11-02", "acts": 1, "tries": 2}}, "asks": {}}
FAILED = {"levels": {"let-it-finish": {"tries": 1}, "cold-start": {"tries": 1}}, "asks": {}}
PHRASE = "seven green umbrellas"


def at_levels(visit, progress=None) -> Page:
    """The list of levels in a clean browser with this progress."""
    person = visit()
    if progress:
        person.page.add_init_script(
            f"if (!localStorage.getItem('podscope.levels')) localStorage.setItem('podscope.levels', {json.dumps(json.dumps(progress))})"
        )
    return person.open("/levels/")


def ask(page: Page, nickname: str, do: str, *, phrase: str = PHRASE, remember: bool = False) -> None:
    page.get_by_label("Nickname").fill(nickname)
    page.get_by_label("Phrase").fill(phrase)
    if remember:
        page.get_by_label("Remember on this device").check()
    page.get_by_role("button", name=do).click()


def says(page: Page, words: str) -> None:
    expect(page.locator("[data-site-says]")).to_contain_text(words)


def stored(page: Page) -> str:
    return page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}])")


def test_progress_goes_from_one_browser_to_another_and_neither_loses_any(visit):
    one, other = at_levels(visit, PASSED), at_levels(visit, FAILED)
    ask(one, "Ada", "Save my progress")
    says(one, "Your progress is saved here from now on.")
    ask(other, " ADA", "Load my progress", phrase="Seven green  umbrellas")
    says(other, "Up to date")
    expect(other.locator("[data-level-key=let-it-finish]")).to_contain_text("passed with 1 action")
    one.get_by_role("button", name="Update now").click()
    says(one, "Up to date")
    expect(one.locator("[data-level-key=cold-start]")).to_contain_text("1 attempt")


def test_wrong_phrase_finds_nothing_and_begins_nothing(visit):
    page = at_levels(visit, PASSED)
    ask(page, "Grace", "Save my progress")
    says(page, "Your progress is saved here from now on.")
    other = at_levels(visit)
    ask(other, "Grace", "Load my progress", phrase="eight green umbrellas")
    says(other, "Nothing is saved under this nickname and phrase.")
    expect(other.get_by_label("Nickname")).to_be_visible()
    expect(other.locator("[data-level-key][data-done]")).to_have_count(0)


def test_page_remembers_only_if_it_is_told_to_and_never_the_phrase(visit):
    page = at_levels(visit, PASSED)
    ask(page, "Edsger", "Save my progress")
    says(page, "Your progress is saved here from now on.")
    assert "Edsger" not in stored(page)
    page.reload()
    ask(page, "Edsger", "Load my progress", remember=True)
    says(page, "Up to date")
    page.reload()
    says(page, "Up to date")
    expect(page.locator("[data-site-name]")).to_have_text("Edsger")
    assert "umbrellas" not in stored(page)
    page.get_by_role("button", name="Use another nickname").click()
    expect(page.get_by_label("Nickname")).to_be_focused()
    assert "Edsger" not in stored(page)


def test_progress_is_deleted_from_the_site_and_stays_in_the_browser(visit):
    page = at_levels(visit, PASSED)
    ask(page, "Alan", "Save my progress")
    says(page, "Your progress is saved here from now on.")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete my progress from this site").click()
    says(page, "Deleted from this site.")
    expect(page.locator("[data-level-key=let-it-finish]")).to_contain_text("passed with 1 action")
    ask(page, "Alan", "Load my progress")
    says(page, "Nothing is saved")


def test_keyboard_alone_keeps_progress(visit):
    page = at_levels(visit, PASSED)
    page.get_by_label("Nickname").focus()
    page.keyboard.type("Barbara")
    page.keyboard.press("Tab")
    page.keyboard.type(PHRASE)
    page.keyboard.press("Enter")
    says(page, "Your progress is saved here from now on.")
    expect(page.locator("[data-site-says]")).to_be_focused()
