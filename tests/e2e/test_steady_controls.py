"""Nothing that can be pressed moves by itself: not one pixel while stories play."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import control, start_story, wait_until

pytestmark = pytest.mark.e2e
FROM_S, TO_S = 12, 72
CONTROLS = """() => Object.fromEntries([...document.querySelectorAll("button, input, select, summary, [role=tab]")]
  .filter((it) => it.checkVisibility() && it.type !== "hidden" && !it.closest("#insp-body, #drawer-body, .toasts, .coach, .treegrid"))
  .map((it) => {
    const box = it.getBoundingClientRect();
    const { do: act, lane, fold, pod } = it.dataset;
    const name = [it.closest("[id]")?.id, it.tagName, act, lane, fold, pod, it.name, it.tagName === "BUTTON" ? it.value : ""];
    return [name.join("/"), `${Math.round(box.x)},${Math.round(box.y)}`];
  }))"""

REACHED_OR_RESTS = """(to) => Number(document.querySelector("[data-run]").dataset.playhead) >= to ||
  document.querySelector("[data-do=play]").ariaPressed === "false" """
"""A run in which nothing will happen any more rests by itself, where depends on how often it looks."""


@pytest.mark.parametrize("slug", ["liveness-death-spiral", "hello-pod", "crash-loop-ladder", "two-containers"])
def test_control_stays_in_its_place_while_a_story_plays(visit, slug):
    person = visit()
    page = person.page
    start_story(page, person.origin, slug, stands_at_s=FROM_S)
    page.wait_for_timeout(1500)  # the panels of that moment
    places = page.evaluate(CONTROLS)
    control(page, "rate", rate=16000)
    control(page, "play")
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "true")
    moved = set()
    for at_s in range(FROM_S + 4, TO_S, 4):
        wait_until(page, REACHED_OR_RESTS, at_s * 1000)
        now = page.evaluate(CONTROLS)
        moved |= {(name, place, now.get(name)) for name, place in places.items() if now.get(name) != place}
        if page.locator("[data-do=play]").get_attribute("aria-pressed") == "false":
            break
    assert len(places) > 20
    assert moved == set()
