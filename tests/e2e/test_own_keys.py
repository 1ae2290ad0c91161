"""Custom keys: changed, swapped, reset and turned off on the sheet of keys, and stored by the browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import standing, wait_for_run

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(visit):
    """A paused story with its pod selected."""
    return standing(visit(), "liveness-death-spiral", 20)


def sheet(page):
    """The sheet where keys are changed."""
    page.locator("#timeline").focus()
    page.locator(".statusbar [data-do=help]").click()
    page.locator("#help [data-do=ownKeys]").click()
    expect(page.locator(".keys__own")).to_be_visible()
    return page.locator("#help")


def change(page, action, key):
    page.locator(f'[data-change="{action}"]').click()
    page.keyboard.press(key)


def said(page):
    return page.locator(".keys__line")


def back(page):
    page.locator("#help [data-close]").click()
    page.locator("#timeline").focus()


def clock(page):
    return page.locator('.timeline__tool[data-do="clock"]')


def test_key_is_changed_used_and_kept(page):
    sheet(page)
    change(page, "clock", "z")
    expect(said(page)).to_contain_text("Z is now “ruler clock”.")
    back(page)
    before = clock(page).text_content()
    page.keyboard.press("t")
    expect(clock(page)).to_have_text(before)
    page.keyboard.press("z")
    expect(clock(page)).not_to_have_text(before)
    page.reload()
    wait_for_run(page)
    page.locator("#timeline").focus()
    page.keyboard.press("z")
    expect(clock(page)).not_to_have_text(before)
    expect(clock(page)).to_have_attribute("aria-keyshortcuts", "Z")
    expect(clock(page)).to_have_attribute("title", re.compile(r"^Ruler clock: .* \(Z\)$"))
    page.keyboard.press("Control+k")
    page.locator(".commands__input").fill("ruler clock")
    expect(page.locator(".commands__line kbd").first).to_have_text("Z")


def test_key_that_is_taken_is_reported_and_swapped(page):
    sheet(page)
    change(page, "clock", "e")
    expect(said(page)).to_contain_text("E is “why?”. Swap them?")
    page.get_by_role("button", name="Swap").click()
    expect(page.locator('[data-change="clock"]')).to_have_text("E")
    expect(page.locator('[data-change="why"]')).to_have_text("T")


def test_keys_of_the_browser_are_refused_in_words(page):
    sheet(page)
    change(page, "clock", "Control+j")
    expect(said(page)).to_contain_text("belongs to the browser")
    page.keyboard.press("Escape")
    expect(page.locator('[data-change="clock"]')).to_have_text("T")
    expect(page.locator("#help")).to_be_visible()


def test_one_key_and_all_keys_are_reset(page):
    sheet(page)
    change(page, "clock", "z")
    change(page, "live", ";")
    page.locator('[data-reset="clock"]').click()
    expect(page.locator('[data-change="clock"]')).to_have_text("T")
    expect(page.locator('[data-change="live"]')).to_have_text(";")
    page.get_by_role("button", name="Reset all shortcuts").click()
    expect(page.locator('[data-change="live"]')).to_have_text("L")
    expect(page.locator("[data-reset]")).to_have_count(0)


def test_single_letters_are_switched_off_and_on(page):
    box = sheet(page).locator(".keys__own [type=checkbox]")
    box.uncheck()
    back(page)
    before = clock(page).text_content()
    page.keyboard.press("t")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_hidden()
    expect(clock(page)).to_have_text(before)
    expect(clock(page)).not_to_have_attribute("aria-keyshortcuts", "T")
    sheet(page).locator(".keys__own [type=checkbox]").check()
    back(page)
    page.keyboard.press("t")
    expect(clock(page)).not_to_have_text(before)
