"""The card of what is pointed at on the lanes: it appears after a delay, is kept open by a click or a key, and has links."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import as_it_stood, standing, wait_until
from tests.e2e.test_marks import point, record

pytestmark = pytest.mark.e2e
CONTAINER = "container/default/liveness-exec/liveness"
PAGE = "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/"
DELAY_MS = 145
TIMED = """() => {
  const stage = document.querySelector(".timeline__stage");
  stage.addEventListener("pointermove", () => { window.movedAt = performance.now(); }, { once: true });
  new MutationObserver(() => {
    const card = document.querySelector(".hover-card");
    if (card && !card.hidden) window.cardAfter ??= performance.now() - window.movedAt;
  }).observe(document.querySelector("#timeline"), { subtree: true, childList: true, attributes: true });
}"""
"""Records how long after the pointer's first move the card is shown."""


def spiral(visit):
    return standing(visit(), "liveness-death-spiral", 100)


@pytest.fixture
def page(visit):
    """A container whose liveness probe has killed it once, 100 s after it began."""
    return spiral(visit)


@pytest.fixture
def seen(shared):
    """The same for tests that do not change it."""
    return as_it_stood(shared(spiral))


def running(page):
    """The position of the container's first bar on the screen."""
    return point(page, CONTAINER, 20_000)


def kept(page):
    return page.locator(".hover-card[data-pinned]")


def test_card_comes_after_a_while_and_goes_with_the_pointer(seen):
    x, y = running(seen)
    card = seen.locator(".hover-card")
    seen.evaluate(TIMED)
    seen.mouse.move(x, y)
    expect(card).to_contain_text("since")
    assert seen.evaluate("() => window.cardAfter") >= DELAY_MS
    seen.mouse.move(x, 2)
    expect(card).to_be_hidden()


def test_card_shows_state_times_cause_and_field(seen):
    seen.mouse.click(*running(seen))
    card = kept(seen)
    expect(card.locator("dt")).to_have_text(["since", "for", "until", "on the node", "field"])
    expect(card).to_contain_text('status.containerStatuses[?name=="liveness"].state.running.startedAt')
    expect(card.locator(".hover-card__because")).not_to_be_empty()


def test_card_that_is_kept_leads_to_why_and_the_documentation(seen):
    seen.locator("[data-tab=yaml]").first.click()
    seq = record(seen, "container_status", "running")["seq"]
    seen.mouse.click(*running(seen))
    expect(kept(seen).get_by_role("link", name="Documentation")).to_have_attribute("href", f"{PAGE}#container-states")
    kept(seen).get_by_role("button", name="Why?").click()
    expect(seen.locator(f"#drawer-body #why-{seq}")).to_be_visible()


def test_card_that_is_kept_stays_while_the_pointer_goes_into_it(seen):
    seen.mouse.click(*running(seen))
    box = kept(seen).bounding_box()
    seen.mouse.move(box["x"] + 30, box["y"] + 20, steps=8)
    seen.mouse.move(box["x"] + 60, box["y"] + box["height"] - 10, steps=4)
    expect(kept(seen)).to_be_visible()
    seen.keyboard.press("Escape")
    expect(seen.locator(".hover-card")).to_be_hidden()
    expect(seen.locator(f'.lane-label[data-focus=true] [data-lane="{CONTAINER}"]')).to_be_visible()


def test_card_that_is_kept_covers_nothing_of_the_lane(seen):
    x, y = running(seen)
    seen.mouse.click(x, y)
    row, box = seen.locator(f'.lane-label:has([data-lane="{CONTAINER}"])').bounding_box(), kept(seen).bounding_box()
    assert box["y"] >= row["y"] + row["height"] or box["y"] + box["height"] <= row["y"]


def test_press_outside_a_pinned_card_closes_it_and_has_its_usual_effect(page):
    x, y = running(page)
    page.mouse.click(x, y)
    expect(kept(page)).to_be_visible()
    before = page.locator("[data-run]").get_attribute("data-view")
    page.mouse.move(x + 100, y)
    page.mouse.down()
    page.mouse.move(x - 60, y, steps=4)
    page.mouse.up()
    expect(kept(page)).to_have_count(0)
    wait_until(page, "(before) => document.querySelector('[data-run]').dataset.view !== before", before)


def test_phone_keeps_no_card_over_its_lanes(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-ready", "run")
    page.mouse.click(*point(page, CONTAINER, 20_000))
    expect(page.locator(f'.lane-label[data-focus=true] [data-lane="{CONTAINER}"]')).to_be_visible()
    expect(kept(page)).to_have_count(0)


def test_card_of_the_focused_lane_is_opened_entered_and_left_by_keys(page):
    page.locator("#timeline").focus()
    for _ in range(30):
        page.keyboard.press("ArrowDown")
        if page.locator(f'.lane-label[data-focus=true] [data-lane="{CONTAINER}"]').count():
            break
    page.keyboard.press("Shift+Enter")
    expect(kept(page)).to_contain_text("Running #1")
    page.keyboard.press("Tab")
    expect(kept(page).get_by_role("button", name="Why?")).to_be_focused()
    page.keyboard.press("Escape")
    expect(kept(page)).to_have_count(0)
    expect(page.locator("#timeline")).to_be_focused()


def test_label_and_bars_of_a_lane_are_tinted_as_one_row(page):
    row = page.locator(f'.lane-label:has([data-lane="{CONTAINER}"])').bounding_box()
    tint = page.locator(".timeline__tint")
    page.mouse.move(row["x"] + 40, row["y"] + 12)
    expect(tint).to_be_attached()
    page.mouse.move(row["x"] + 42, row["y"] + 12)
    stage = page.locator(".timeline__stage").bounding_box()
    wanted = {"x": row["x"], "y": row["y"], "width": stage["x"] + stage["width"] - row["x"], "height": row["height"]}
    assert tint.bounding_box() == pytest.approx(wanted, abs=1.5)
    page.mouse.move(stage["x"] + 200, row["y"] - 8)
    assert tint.bounding_box()["y"] < row["y"]
    page.mouse.move(stage["x"] + 200, row["y"] + 12)
    assert tint.bounding_box() == pytest.approx(wanted, abs=1.5)
    page.mouse.move(stage["x"] + 200, 4)
    expect(tint).to_be_hidden()
