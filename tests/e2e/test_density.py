"""Lanes closer together or further apart, as the reader prefers."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import standing, wait_for_run, wait_until

pytestmark = pytest.mark.e2e


HEIGHTS = "[...document.querySelectorAll('.lane-label')].map((label) => [label.offsetTop, label.offsetHeight])"


def heights(page):
    return page.evaluate(HEIGHTS)


def chosen(page, words):
    """The lanes once the choice is drawn."""
    before = heights(page)
    page.locator(".timeline__more summary").click()
    page.locator(".timeline__more").get_by_role("button", name=words).click()
    wait_until(page, f"(before) => JSON.stringify({HEIGHTS}) !== JSON.stringify(before)", before)
    return heights(page)


def test_lanes_are_closer_further_and_as_usual_and_the_browser_keeps_it(visit):
    page = standing(visit(), "liveness-death-spiral", 20)
    usual = heights(page)
    close = chosen(page, "Compact lanes")
    expect(page.locator(".visually-hidden", has_text="Lanes are now compact")).to_have_count(1)
    assert all(after[1] < before[1] for before, after in zip(usual, close, strict=True))
    assert all(top + height <= below for (top, height), (below, _) in zip(close, close[1:], strict=False))
    page.reload()
    wait_for_run(page)
    assert heights(page) == close
    assert all(after[1] > before[1] for before, after in zip(usual, chosen(page, "Spacious lanes"), strict=True))
    assert chosen(page, "Default lane height") == usual
