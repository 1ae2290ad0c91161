"""A node is cut off and connected again, as a visitor sees it."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import press, run_to, start_story, wait_for_run

pytestmark = pytest.mark.e2e


def test_both_truths_are_shown_until_the_network_is_back(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "two-truths", stands_at_s=30)
    page.goto(f"{page.url.partition('?')[0]}?sel=node/node-1")
    wait_for_run(page)
    press(page, "Cut network")
    run_to(page, 40)
    expect(page.locator("#insp-node-head .callout")).to_contain_text("The node is disconnected")
    label = page.locator(".timeline", has_text="the API server still shows Running")
    expect(label.first).to_be_attached()
    page.goto(f"{page.url.partition('?')[0]}?sel=pod/default/app")
    expect(page.locator("#insp-head .callout")).to_contain_text("On the node it is Running 1/1, restarts 0.")
    page.goto(f"{page.url.partition('?')[0]}?sel=node/node-1")
    wait_for_run(page)
    press(page, "Restore network")
    run_to(page, 55)
    expect(page.locator("#insp-node-head .callout")).to_have_count(0)
    expect(page.locator(".timeline", has_text="the API server still shows")).to_have_count(0)
