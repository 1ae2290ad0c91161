"""Without a pointer, with the system's colours, or with text twice as large: the same run, and nothing is lost."""

import re

import pytest
from playwright.sync_api import expect

from simulator.bench.browser.report import chromium_path
from tests.e2e.helpers import playhead, standing, start_story, wait_for_run, wait_until
from tests.e2e.site import ARGUMENTS

pytestmark = pytest.mark.e2e

FOCUSED = "() => document.activeElement?.id || document.activeElement?.dataset.do || document.activeElement?.tagName"
PAINTED = """() => {
  const canvas = document.querySelector(".timeline__canvas--base");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const colour = data.slice(at, at + 3).join();
    if (data[at + 3] === 255) colours.set(colour, (colours.get(colour) ?? 0) + 1);
  }
  return [...colours].filter(([, count]) => count > 400).map(([colour]) => colour);
}"""
"""The most frequent colours of the lanes."""
CUT = """() => [...document.querySelectorAll("#inspector button, .transport button, .topbar a, .topbar button, .lane-label__name")]
  .filter((it) => it.checkVisibility({ visibilityProperty: true }) && !it.closest(".visually-hidden"))
  .filter((it) => {
    const { overflowX, overflowY } = getComputedStyle(it);
    const isHigh = overflowY !== "visible" && it.scrollHeight > it.clientHeight + 2;
    return isHigh || (overflowX !== "visible" && it.scrollWidth > it.clientWidth + 2);
  })
  .map((it) => `${it.className} "${it.textContent.trim().slice(0, 30)}" ${it.scrollWidth} × ${it.scrollHeight}`)"""
"""Buttons and names that are truncated."""
A_FRAME = "() => new Promise((drawn) => { requestAnimationFrame(() => { requestAnimationFrame(drawn); }); })"
"""Wait until any new layout has been done."""
LABELS = """() => [...document.querySelectorAll(".lane-label")].map((label) => {
  const [name, value] = [".lane-label__head", ".lane-label__value"].map((part) => label.querySelector(part)?.getBoundingClientRect());
  const isApart = !name || !value || name.bottom <= value.top + 3 || name.right <= value.left + 1;
  return isApart ? "" : label.textContent;
}).filter(Boolean)"""
"""Labels whose name and state overlap."""


def test_first_minute_by_keys_alone(visit):
    person = visit()
    page = person.open_run("/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip-link")).to_be_focused()
    page.keyboard.press("Enter")
    stops = 1
    while page.evaluate(FOCUSED) != "timeline":
        page.keyboard.press("Tab")
        stops += 1
        assert stops <= 6
    here = page.locator("[data-run]").get_attribute("data-run")
    page.keyboard.press("x")
    menu = page.get_by_role("dialog", name="Actions")
    expect(menu.locator(".fault-menu__body button").first).to_be_focused()
    for _ in range(20):
        if "Delete pod" in page.evaluate("() => document.activeElement.textContent"):
            break
        page.keyboard.press("ArrowDown")
    with page.expect_response(lambda response: response.request.method == "POST"):
        page.keyboard.press("Enter")
    expect(page.locator("#insp-head .tone")).to_contain_text("Terminating")
    expect(page.locator("#timeline")).to_be_focused()
    page.keyboard.press("e")
    expect(page.locator("#drawer-body .why__step").first).to_be_visible()
    at_ms = playhead(page)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "false")
    assert playhead(page) <= at_ms + 2000
    page.keyboard.press("End")
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "true")
    assert page.locator("[data-run]").get_attribute("data-run") == here, "nothing has branched"
    with page.expect_response(re.compile("/share/")) as shared:
        page.keyboard.press("Shift+S")
    assert "/s/" in shared.value.json()["url"]


def painted(person):
    page = standing(person, "liveness-death-spiral", 60)
    wait_until(page, "() => document.querySelector('.timeline__canvas--base').width > 300")
    return set(page.evaluate(PAINTED))


def test_lanes_are_painted_with_no_colours_but_the_system_s(visit):
    usual, forced = painted(visit()), painted(visit(forced_colors="active"))
    assert len(forced) >= 4, "bars, words and what is to come are told apart"
    assert forced & usual <= {"0,0,0", "255,255,255"}


@pytest.fixture(scope="module")
def large(browser):
    """A browser whose reader has doubled the text size in its settings."""
    chromium = browser.browser_type.launch(executable_path=chromium_path(), args=[*ARGUMENTS, "--blink-settings=defaultFontSize=32"])
    yield chromium
    chromium.close()


@pytest.mark.parametrize("path", ["/", "/scenarios/", "/new/", "run"])
def test_text_twice_as_large_runs_out_of_no_window_and_is_not_cut(large, server, path):
    page = large.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce").new_page()
    if path == "run":
        start_story(page, server.url, "hello-pod", stands_at_s=20)
    else:
        page.goto(server.url + path)
    if path in {"/", "run"}:
        wait_for_run(page)
    wait_until(page, "() => document.documentElement.dataset.ready")
    for width in (1440, 1024):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(A_FRAME)
        found = page.evaluate("() => document.documentElement.scrollWidth"), page.evaluate(CUT), page.evaluate(LABELS)
        assert found == (width, [], [])
    page.context.close()
