"""Lanes closer together or further apart, as the reader likes."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import standing, wait_for_run

pytestmark = pytest.mark.e2e


def heights(page):
    return page.evaluate("[...document.querySelectorAll('.lane-label')].map((label) => [label.offsetTop, label.offsetHeight])")


def choose(page, words):
    page.locator(".timeline__more summary").click()
    page.locator(".timeline__more").get_by_role("button", name=words).click()


def test_lanes_are_closer_further_and_as_usual_and_the_browser_keeps_it(visit):
    page = standing(visit(), "liveness-death-spiral", 20)
    usual = heights(page)
    choose(page, "Lanes closer together")
    expect(page.locator(".visually-hidden", has_text="The lanes are closer together")).to_have_count(1)
    close = heights(page)
    assert all(after[1] < before[1] for before, after in zip(usual, close, strict=True))
    assert all(top + height <= below for (top, height), (below, _) in zip(close, close[1:], strict=False))
    page.reload()
    wait_for_run(page)
    assert heights(page) == close
    choose(page, "Lanes further apart")
    assert all(after[1] > before[1] for before, after in zip(usual, heights(page), strict=True))
    choose(page, "Lanes as usual")
    assert heights(page) == usual
