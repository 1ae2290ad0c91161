"""After an act time goes on, whatever was done to the clock before; if it stands still, the page says why."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import act, control, playhead, run_to, start_story, wait_until

pytestmark = pytest.mark.e2e

RESTS = "Nothing more will happen on its own"
HELD = "The run is paused: press Play"


@pytest.fixture
def idle(visit):
    """The page of a run that stands still because nothing more happens by itself."""
    person = visit()
    page = person.page
    start_story(page, person.origin, "drain-and-a-budget")
    run_to(page, 18)
    control(page, "rate", rate=16_000)
    expect(page.locator("[data-next]")).to_contain_text(RESTS, timeout=30_000)
    return page


def any_act(page):
    return page.locator("#inspector form[data-act] button:enabled:visible").first


def test_act_sets_an_idle_run_going_after_another_speed_was_chosen(idle):
    idle.locator("[data-speed]").select_option("1000")
    expect(idle.locator("[data-next]")).to_contain_text(RESTS)
    before = playhead(idle)
    act(idle, any_act(idle))
    wait_until(idle, "(ms) => Number(document.querySelector('[data-run]').dataset.playhead) > ms + 2000", before)


def test_run_that_was_paused_by_hand_says_after_an_act_why_it_stands_and_goes_on_with_play(idle):
    control(idle, "play")
    control(idle, "pause")
    expect(idle.locator("[data-next]")).not_to_contain_text(RESTS)
    act(idle, any_act(idle))
    expect(idle.locator("[data-next]")).to_contain_text(HELD)
    before = playhead(idle)
    idle.locator('#transport [data-do="play"]').click()
    wait_until(idle, "(ms) => Number(document.querySelector('[data-run]').dataset.playhead) > ms + 1000", before)
    expect(idle.locator("[data-next]")).not_to_contain_text(HELD)
