"""The tab Scheduling shows the last attempt before the playhead."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import run_to, start_story

pytestmark = pytest.mark.e2e


def test_decision_of_the_scheduler_is_opened_and_read(visit):
    person = visit()
    start_story(person.page, person.origin, "hello-pod")
    page = person.page
    run_to(page, 20)
    page.get_by_role("tab", name="Scheduling").click()
    expect(page.locator("#sched-outcome")).to_contain_text("Chosen node:")
    expect(page.locator("#sched-nodes tbody tr").first).to_contain_text("chosen")
    assert person.troubles == []
