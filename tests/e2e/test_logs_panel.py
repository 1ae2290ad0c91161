"""The Logs tab follows the playhead."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import go_to, start_story

pytestmark = pytest.mark.e2e


def test_log_is_opened_by_a_key_and_follows_the_playhead(visit):
    person = visit()
    start_story(person.page, person.origin, "crash-loop-ladder", stands_at_s=65)
    page = person.page
    page.locator("#timeline").focus()
    page.keyboard.press("o")
    parts = page.locator("#drawer-body .logs__part")
    expect(page.locator("#log-2")).to_contain_text("cannot connect")
    expect(parts.last).to_be_in_viewport()
    go_to(page, "4")
    expect(parts).to_have_count(1)
    expect(parts.first).to_contain_text("kubectl logs ladder -c app")
    assert person.troubles == []
