"""Going back and forth in the past: the panels follow by themselves, and ask nothing once the stretch is there."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import go_to, run_to, start_story

pytestmark = pytest.mark.e2e


def read(answer):
    return answer.json()


def test_panels_follow_the_playhead_without_the_server(visit):
    person = visit()
    page = person.page
    answers = []
    page.on("response", lambda answer: answers.append(answer) if "/track/" in answer.url else None)
    start_story(page, person.origin, "hello-pod")
    run_to(page, 40)
    go_to(page, "0:20")
    while not (
        any("more" in told and not told["more"] for told in map(read, [*answers])) and any("causes" in read(each) for each in [*answers])
    ):
        page.wait_for_timeout(50)
    page.route(re.compile("/(panel|track)/"), lambda route: route.abort())
    inspector, drawer = page.locator("#inspector"), page.locator("#drawer-body")
    for text, word in (("0:00.2", "Pending"), ("0:20", "Running"), ("0:00.2", "Pending")):
        go_to(page, text)
        expect(inspector).to_contain_text(word)
    expect(drawer).to_contain_text("0:00.")
    assert page.locator("[data-stale]").count() == 0
