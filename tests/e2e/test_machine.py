"""The Machine tab in a browser: it follows the playhead, its parts are chosen by pointer and keyboard, and it links to instants."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import act, go_to, standing

pytestmark = pytest.mark.e2e
CONTAINER = "container/default/liveness-exec/liveness"


@pytest.fixture
def page(visit):
    """A container that has been killed by its liveness probe, with its machine open."""
    person = visit()
    standing(person, "liveness-death-spiral", 100)
    person.page.locator(f'[data-lane="{CONTAINER}"]').first.click()
    person.page.locator("#tab-machine").click()
    return person.page


def test_machine_follows_the_playhead(page):
    expect(page.locator('#machine-container [aria-current="true"]#state-running')).to_be_visible()
    go_to(page, "0:20")
    expect(page.locator("#edge-running--stopping")).not_to_have_attribute("data-fired", "1")
    go_to(page, "1:35")
    expect(page.locator("#edge-running--stopping")).to_have_attribute("data-fired", "1")


def test_edge_is_chosen_and_its_instant_jumped_to(page):
    page.locator("#edge-running--stopping .machine__hit").click(force=True)
    expect(page.locator("#machine-facts")).to_contain_text("STOP-REQUESTED")
    page.locator("#machine-facts .machine__instants a").first.click()
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "false")
    expect(page.locator("#state-stopping")).to_have_attribute("aria-current", "true")
    expect(page.locator("#edge-running--stopping")).to_have_attribute("data-chosen", "")


def test_arrow_keys_go_through_the_picture_and_enter_chooses(page):
    page.locator("#state-running").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#state-stopping")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#machine-facts h3")).to_contain_text("stopping")
    assert "part=container.stopping" in page.url or page.locator("[data-run]").get_attribute("data-live") == "true"


def test_machines_are_switched(page):
    page.locator("#machine-choices").get_by_text("STATUS", exact=True).click()
    expect(page.locator(".questions__end")).to_contain_text("STATUS")
    page.locator("#machine-choices").get_by_text("Phase", exact=True).click()
    expect(page.locator(".fold")).to_have_count(2)


def test_moment_link_opens_the_same_part(page, visit):
    go_to(page, "1:40")
    page.locator("#machine-choices").get_by_text("Sandbox", exact=True).click()
    expect(page.locator("#machine-sandbox")).to_be_visible()
    page.wait_for_url("**part=sandbox**")
    other = visit()
    other.page.goto(page.url)
    expect(other.page.locator("#machine-sandbox")).to_be_visible()


def test_chosen_edge_offers_what_makes_it_happen(page):
    page.locator("#edge-running--exited").focus()
    page.keyboard.press("Enter")
    acts = page.locator("#machine-acts")
    expect(acts).to_contain_text("Make it happen")
    expect(acts.get_by_role("button", name="Run out of memory")).to_be_visible()
    act(page, acts.get_by_role("button", name="Run out of memory"))
    expect(page.locator("#edge-running--exited")).to_have_attribute("data-fired", "1")
    page.locator("#edge-running--stopping").focus()
    page.keyboard.press("Enter")
    expect(acts.get_by_role("button", name="Fail liveness")).to_be_visible()
    expect(acts.get_by_role("button", name="Run out of memory")).to_have_count(0)
