"""Ends known in advance, and the state at a moment: the header, the narrator's line and Why after time has passed fast."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import control, go_to, run_to, start_story, wait_for_run, wait_until

pytestmark = pytest.mark.e2e
PLAYED_TO = "(to) => Number(document.querySelector('[data-run]').dataset.playhead) >= to"


def test_back_off_of_a_stopped_container_is_shown_until_it_starts(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "liveness-death-spiral", stands_at_s=450.2)
    told = page.locator("[data-next]")
    expect(told).to_have_text(re.compile(r"back-off ends in 1 m"))
    run_to(page, 500)
    expect(told).to_have_text(re.compile(r"back-off ends in 30"))
    expect(page.locator("#insp-next")).to_contain_text("back-off ends · 30")
    run_to(page, 533)
    expect(told).to_have_text("liveness: back-off has ended, starts at the next sync")
    run_to(page, 537)
    expect(told).not_to_contain_text("is over")
    assert person.troubles == []


def test_pull_that_is_held_back_has_its_end_in_the_header(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "image-typo", stands_at_s=107)
    expect(page.locator("[data-next]")).to_have_text(re.compile(r"web: back-off ends in (59|1 m)"))
    expect(page.locator("#insp-next")).to_contain_text("image back-off ends")
    assert person.troubles == []


def test_what_was_left_out_in_fast_play_is_told_where_it_stops_and_why_follows(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "node-goes-dark", stands_at_s=1)
    narrator, why = page.locator("#narrator"), page.locator("#drawer-body .why__step").first
    first = narrator.get_attribute("data-seek-seq")
    control(page, "rate", rate=16000)
    control(page, "play")
    wait_until(page, PLAYED_TO, 60_000)
    control(page, "pause")
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "false")
    wait_until(page, "(seq) => document.querySelector('#narrator').dataset.seekSeq !== seq", first)
    told = narrator.get_attribute("data-seek-seq")
    expect(why).to_have_id(f"why-{told}")
    page.reload()
    wait_for_run(page)
    expect(narrator).to_have_attribute("data-seek-seq", told)
    assert person.troubles == []


def test_at_the_start_nothing_later_is_shown(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "rollout-stuck-on-an-image", stands_at_s=30)
    narrator, why = page.locator("#narrator"), page.locator("#drawer-body .why__step")
    expect(narrator).to_have_attribute("data-seek-seq", re.compile("."))
    expect(why.first).to_have_id(f"why-{narrator.get_attribute('data-seek-seq')}")
    go_to(page, "0")
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) === 0")
    expect(narrator).to_be_empty()
    expect(why).to_have_count(1)
    expect(why).to_contain_text("0:00.0")
    assert person.troubles == []
