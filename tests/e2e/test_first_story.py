"""The first story on a small laptop: what its steps ask for happens, and can be read."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import control, standing, start_story, wait_until

pytestmark = pytest.mark.e2e
LAPTOP = {"width": 1366, "height": 768}


@pytest.fixture
def person(visit):
    person = visit()
    person.page.set_viewport_size(LAPTOP)
    return person


def _next_event(page):
    page.locator("#transport [data-do=next]").click()


def test_next_event_describes_every_record_in_turn_with_its_actor_and_why(person):
    page = standing(person, "hello-pod", 20)
    page.locator("#transport [data-do=first]").click()
    line, why = page.locator("#narrator"), page.locator("#drawer-body li").first
    steps = (
        ("Scheduler: PodScheduled=True on hello", "The scheduler set PodScheduled=True"),
        ("Scheduler: Scheduled: Successfully assigned", "default-scheduler wrote Event Scheduled"),
        ("The kubelet of node-1 accepted pod hello", "The kubelet of node-1 accepted pod hello"),
        ("kubelet: web is waiting: ContainerCreating", "The kubelet published web: waiting"),
    )
    for told, because in steps:
        _next_event(page)
        expect(line).to_contain_text(told)
        expect(why).to_contain_text(because)
    page.locator("#transport [data-do=prev]").click()
    expect(line).to_contain_text("accepted pod hello")


def test_next_event_stops_a_run_that_plays_and_goes_on_record_by_record(person):
    page = person.page
    start_story(page, person.origin, "hello-pod")
    control(page, "pause")
    control(page, "run_to", to_ms=9000)
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) >= 9000")
    control(page, "play")
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "true")
    _next_event(page)
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "false")
    for told in ("readiness probe of web: success", "now reports success", "web is running and ready", "Ready=True on hello"):
        expect(page.locator("#narrator")).to_contain_text(told)
        _next_event(page)


def test_what_to_watch_for_is_shown_once_it_has_been_seen_or_asked_for(person):
    page = standing(person, "hello-pod", 20)
    lines = page.locator("#rail [data-step^=watch]")
    expect(lines.nth(1)).to_contain_text("The container runs before the pod is ready")
    expect(lines.nth(1).get_by_text("Not seen yet")).to_be_hidden()
    expect(lines.nth(2).locator("#step-watch-3")).to_be_hidden()
    lines.nth(2).get_by_text("Not seen yet").press("Enter")
    expect(lines.nth(2).locator("#step-watch-3")).to_be_visible()
    expect(lines.nth(2)).to_have_attribute("data-state", "open")


def test_page_of_a_story_shows_only_what_has_been_seen(person):
    page = person.open("/scenarios/hello-pod/")
    first = page.get_by_text("turns True first")
    expect(first).to_be_hidden()
    page.get_by_text("Not seen yet").first.click()
    expect(first).to_be_visible()
    standing(person, "hello-pod", 20)
    expect(page.locator("#rail [data-state=done]").first).to_be_visible()
    person.open("/scenarios/hello-pod/")
    expect(first).to_be_visible()
    expect(page.get_by_text("Not seen yet").filter(visible=True)).to_have_count(1)


def test_steps_of_the_story_have_room_for_their_words(person):
    page = standing(person, "hello-pod", 5)
    words = page.locator("#rail #step-try-1")
    wide = words.evaluate("(words) => words.getBoundingClientRect().width / parseFloat(getComputedStyle(words).fontSize)")
    assert wide > 11.5
    assert page.locator("#rail").evaluate("(rail) => rail.scrollWidth <= rail.clientWidth")
