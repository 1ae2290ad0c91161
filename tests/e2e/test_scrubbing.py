"""Going back and forth in the past: the panels follow by themselves, and ask nothing once the stretch is there."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import go_to, run_to, start_story

pytestmark = pytest.mark.e2e


def told_by(answer):
    """What an answer about a stretch completes."""
    told = answer.json()
    tab = answer.url.split("/track/")[1].split("/")[0]
    return ["causes"] if "causes" in told else [] if told["more"] else [tab]


def test_panels_follow_the_playhead_without_the_server(visit):
    person = visit()
    page = person.page
    answers = []
    page.on("response", lambda answer: answers.append(answer) if "/track/" in answer.url else None)
    start_story(page, person.origin, "hello-pod")
    run_to(page, 40)
    go_to(page, "0:20")
    while not {"inspector", "why", "causes"} <= {what for each in [*answers] for what in told_by(each)}:
        page.wait_for_timeout(50)
    page.route(re.compile("/(panel|track)/"), lambda route: route.abort())
    inspector, drawer = page.locator("#inspector"), page.locator("#drawer-body")
    for text, word in (("0:00.2", "Pending"), ("0:20", "Running"), ("0:00.2", "Pending")):
        go_to(page, text)
        expect(inspector).to_contain_text(word)
    expect(drawer).to_contain_text("0:00.")
    stale = page.evaluate('() => [...document.querySelectorAll("[data-stale]")].map((each) => each.id + each.className)')
    assert stale == [], [each.url for each in answers]
