"""The layout of a run page: sizes, small screens, hints, and the tab order."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.helpers import go_to, standing, start_story, wait_for_run, wait_until
from tests.e2e.pages import own_run

pytestmark = pytest.mark.e2e
CUT_STATES = """() => [...document.querySelectorAll(".lane-label__value")]
  .filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.textContent)"""
CUT_NAMES = """() => [...document.querySelectorAll(".lane-label__head")]
  .filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.textContent)"""
CUT_ENDS = """() => [...document.querySelectorAll(".lane-label__name")]
  .filter((it) => it.lastElementChild.getBoundingClientRect().right > it.getBoundingClientRect().right + 1).map((it) => it.textContent)"""
FIRST_STEPS = "() => [...document.querySelectorAll('#drawer-body .why__step')].slice(0, 2).map((it) => it.getBoundingClientRect())"
FOCUSED = """() => {
  const it = document.activeElement;
  return it.id === "timeline" ? "timeline" : it.closest("#insp-acts") && it.tagName === "BUTTON" ? "act" : it.dataset.do ?? it.tagName;
}"""


def box(page: Page, selector: str) -> dict[str, float]:
    found = page.locator(selector).first.bounding_box()
    assert found is not None, selector
    return found


def sizes(page: Page) -> list[int]:
    """Width of the labels and of the inspector, height of the details."""
    return [round(box(page, ".timeline__labels")["width"]), round(box(page, "#inspector")["width"]), round(box(page, "#drawer")["height"])]


def test_link_to_a_tab_shows_the_tab_on_a_small_screen(visit):
    person = visit()
    page = standing(person, "hello-pod", 5)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(page.url.split("?")[0] + "?tab=kubectl")
    wait_for_run(page)
    expect(page.locator("#tab-kubectl")).to_be_in_viewport(ratio=0.9)
    expect(page.locator("#drawer-body")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390])
def test_labels_show_every_state_and_the_end_of_every_name(visit, width):
    person = visit()
    person.page.set_viewport_size({"width": width, "height": 844})
    page = standing(person, "rollout-stuck-on-an-image", 60)
    expect(page.locator('.lane-label[data-kind="status"]').first).to_be_visible()
    assert page.evaluate(CUT_STATES) == []
    assert page.evaluate(CUT_ENDS) == []
    if width >= 1200:
        assert page.evaluate(CUT_NAMES) == []


def test_sizes_and_tab_are_kept_over_reloads_and_runs(visit):
    person = visit()
    page = standing(person, "hello-pod", 20)
    labels, inspector, drawer = sizes(page)
    edge = box(page, '[data-splitter="labels"]')
    page.mouse.move(edge["x"] + 4, edge["y"] + 60)
    page.mouse.down()
    page.mouse.move(edge["x"] + 64, edge["y"] + 60, steps=4)
    page.mouse.up()
    page.locator('[data-splitter="inspector"]').press("ArrowLeft")
    page.locator('[data-splitter="drawer"]').press("ArrowUp")
    page.locator("#tab-events").click()
    chosen = [labels + 60, inspector + 16, drawer + 16]
    assert sizes(page) == chosen
    assert page.locator('[data-splitter="labels"]').get_attribute("aria-valuenow") == str(chosen[0])
    page.reload()
    wait_for_run(page)
    assert sizes(page) == chosen
    expect(page.locator("#drawer-body table caption")).to_be_visible()
    standing(person, "two-containers", 5)
    assert sizes(page) == chosen
    expect(page.locator("#tab-events")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#drawer-body table caption")).to_be_visible()
    page.locator('[data-splitter="labels"]').dblclick()
    assert sizes(page)[0] == labels


def test_own_run_begins_without_the_left_column_and_keeps_what_is_chosen(visit):
    person = visit()
    page = person.page
    own_run(page, person.origin)
    expect(page.locator("#rail")).to_be_hidden()
    page.locator('[data-do="rail"]').click()
    expect(page.locator("#rail")).to_be_visible()
    page.reload()
    expect(page.locator("#rail")).to_be_visible()
    start_story(page, person.origin, "hello-pod")
    expect(page.locator("#rail")).to_be_visible()


def test_lanes_are_as_high_as_their_content(visit):
    person = visit()
    page = standing(person, "two-containers", 20)
    last = box(page, ".lane-label[data-kind=events]")
    body = box(page, ".timeline__body")
    assert last["y"] + last["height"] <= body["y"] + body["height"]
    before = box(page, "#timeline")["height"]
    page.locator('[data-fold="open"]').first.click()
    wait_until(page, "(from) => document.querySelector('#timeline').offsetHeight > from", before)
    last = box(page, ".lane-label[data-kind=events]")
    grown = box(page, ".timeline__body")
    assert last["y"] + last["height"] <= grown["y"] + grown["height"] <= last["y"] + last["height"] + 40


def test_what_runs_out_of_its_box_fades_where_more_lies(visit):
    page = standing(visit(), "hello-pod", 20)
    page.set_viewport_size({"width": 1024, "height": 768})
    edges = "['--fade-start', '--fade-end'].map((name) => getComputedStyle(document.querySelector('#drawer .tabs')).getPropertyValue(name))"
    faded = f"() => {edges}"
    wait_until(page, f"() => ({faded})().join() === '0px,30px'")
    page.locator("#drawer .tabs").evaluate("(tabs) => tabs.scrollTo(tabs.scrollWidth, 0)")
    wait_until(page, f"() => ({faded})().join() === '30px,0px'")
    page.set_viewport_size({"width": 2200, "height": 1000})
    page.reload()
    wait_for_run(page)
    wait_until(page, f"() => ({faded})().join() === '0px,0px'")


def test_wide_window_is_used_and_a_tablet_has_no_blank_band(visit):
    person = visit()
    page = standing(person, "liveness-death-spiral", 70)
    page.set_viewport_size({"width": 2560, "height": 1440})
    wait_until(page, "() => document.querySelectorAll('#drawer-body .why__step').length > 2")
    first, second = page.evaluate(FIRST_STEPS)
    assert first["y"] == second["y"]
    assert second["x"] > first["x"]
    page.set_viewport_size({"width": 1024, "height": 768})
    narrator, drawer, inspector = (box(page, f"#{name}") for name in ("narrator", "drawer", "inspector"))
    assert abs(drawer["y"] - narrator["y"] - narrator["height"]) <= 1
    assert drawer["y"] == inspector["y"]
    assert drawer["y"] + drawer["height"] <= 768


def test_phone_has_time_faults_and_why_under_the_thumb(visit):
    person = visit(has_touch=True)
    person.page.set_viewport_size({"width": 390, "height": 844})
    page = standing(person, "liveness-death-spiral", 70)
    for name in ("#scrubber", "[data-do=play]", "#sheet-acts", "#sheet-why"):
        assert box(page, name)["y"] > 844 * 0.6, name
    expect(page.get_by_role("button", name="Fail liveness")).to_be_in_viewport()
    page.locator("#sheet-why").tap()
    expect(page.locator("#drawer-body .why__step").first).to_be_in_viewport()
    expect(page.locator("#timeline")).to_be_in_viewport()
    page.locator("#sheet-acts").tap()
    page.get_by_role("button", name="Fail liveness").tap()
    expect(page.locator("#insp-body")).to_contain_text("set by you")
    expect(page.locator(".fault-bar")).to_be_hidden()  # it would cover half of what the lane shows


def test_how_far_behind_fits_into_its_pill_at_every_width(visit):
    page = standing(visit(), "hello-pod", 6500)
    go_to(page, "0:05")
    pill = page.locator(".live")
    for width in (1440, 1366, 1024, 900, 390):
        page.set_viewport_size({"width": width, "height": 844})
        expect(pill).to_contain_text("1 h 48 m behind")
        words = page.evaluate("""() => {
          const range = document.createRange();
          range.selectNodeContents(document.querySelector(".live"));
          return range.getBoundingClientRect().toJSON();
        }""")
        box = pill.bounding_box()
        assert box["x"] + 4 <= words["left"] and words["right"] <= box["x"] + box["width"] - 4, width
        assert box["y"] <= words["top"] and words["bottom"] <= box["y"] + box["height"], width


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1366, 768)])
def test_first_hint_of_the_landing_page_leaves_its_doors_the_lanes_and_every_control_in_sight(visit, width, height):
    person = visit()
    person.page.set_viewport_size({"width": width, "height": height})
    page = person.open_run("/")
    card = page.locator(".coach")
    expect(card).to_contain_text("Drag back")
    hint = card.bounding_box()
    controls = [
        control.bounding_box() for control in page.locator(".transport :is(button, select, input), .door").locator("visible=true").all()
    ]
    assert len(controls) > 8 and max(each["y"] + each["height"] for each in controls) <= hint["y"]
    assert hint["y"] + hint["height"] <= page.locator(".lane-label").first.bounding_box()["y"]


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1366, 768), (390, 844)])
def test_hints_cover_nothing_they_speak_of(visit, width, height):
    person = visit()
    person.page.set_viewport_size({"width": width, "height": height})
    page = person.open_run("/")
    spoken_of = {
        "Drag back": ("#scrubber", 1),
        "Click a button": ("#sheet-acts, #insp-acts", 1),
        "Why?": ("#sheet-why, #tab-why, #why-ways .chip, .why__step:first-child", 4),
    }
    for words, (places, count) in spoken_of.items():
        card = page.locator(".coach", has_text=words)
        expect(card).to_be_in_viewport(ratio=0.99)
        hint = card.bounding_box()
        for place in [each.bounding_box() for each in page.locator(places).locator("visible=true").all()[:count]]:
            assert (
                hint["x"] + hint["width"] <= place["x"]
                or place["x"] + place["width"] <= hint["x"]
                or hint["y"] + hint["height"] <= place["y"]
                or place["y"] + place["height"] <= hint["y"]
            ), words
        card.get_by_role("button").click()
    expect(page.locator(".coach")).to_have_count(0)


def test_tab_key_reaches_the_timeline_and_the_first_act_soon(visit):
    person = visit()
    page = standing(person, "liveness-death-spiral", 20)
    page.reload()
    wait_for_run(page)
    expect(page.locator("#insp-acts")).to_be_visible()
    stops = []
    while "act" not in stops and len(stops) < 20:
        page.keyboard.press("Tab")
        stops.append(page.evaluate(FOCUSED))
    assert stops.index("timeline") < 6
    assert stops.index("act") < 10


def test_arrow_keys_move_within_the_bar_and_a_click_leaves_them_to_time(visit):
    person = visit()
    page = standing(person, "hello-pod", 20)
    page.locator('[data-do="play"]').focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(FOCUSED) == "next"
    page.locator('[data-do="prev"]').click()
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "false")
    at = int(page.locator("[data-run]").get_attribute("data-playhead"))
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-run]")).not_to_have_attribute("data-playhead", str(at))
    assert re.search(r"timeline", page.evaluate(FOCUSED))


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_way_back_to_live_is_whole_at_the_thumb_of_a_phone_and_covers_no_lane(visit, language):
    page = standing(visit(), "liveness-death-spiral", 90)
    page.set_viewport_size({"width": 390, "height": 844})
    live = page.locator("#transport .live")
    page.goto(f"{page.url.split('?')[0]}?t=10&lang={language}")
    expect(live).to_contain_text(re.compile("1 m 20 s|1 分 20 秒"))
    assert live.evaluate("(button) => button.scrollWidth <= button.clientWidth && button.scrollHeight <= button.clientHeight")
    expect(page.locator(".timeline__pill")).to_be_hidden()
    live.click()
    expect(live).to_have_attribute("aria-pressed", "true")
