"""Branches: named by what was done, told when they begin, shown against what would have happened."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import go_to, press, start_story, wait_for_run

pytestmark = pytest.mark.e2e


@pytest.fixture
def branch(visit):
    """The page of a branch that deletes the pod at 0:10 of a run that has come to 0:30."""
    person = visit()
    page = person.page
    start_story(page, person.origin, "hello-pod", stands_at_s=30)
    go_to(page, "0:10")
    here = page.url.partition("?")[0]
    expect(page.locator("[data-next]")).to_contain_text("acting makes a branch")
    press(page, "Delete pod")
    page.wait_for_url(lambda url: re.search("/r/", url) and not url.startswith(here))
    wait_for_run(page)
    return page


def test_branch_has_the_name_of_what_was_done(branch):
    expect(branch.locator("#toasts")).to_contain_text("A branch: main ▸ Delete")
    expect(branch.locator("[data-branch-path]")).to_contain_text("main ▸ Delete")
    branch.locator("#branches summary").click()
    expect(branch.locator(".branches li").first).to_contain_text("main")
    branch.keyboard.press("Escape")
    expect(branch.locator("#branches")).not_to_have_attribute("open", "")


def test_old_future_stays_below_the_new_one(branch):
    expect(branch.locator("[data-run]")).to_have_attribute("data-ghost", re.compile(r"^10000:[1-9]\d+$"))
