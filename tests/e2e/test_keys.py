"""Keys of the run page, pressed one after another on one page."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import control, go_to, standing, wait_until

pytestmark = pytest.mark.e2e
POD = "pod/default/liveness-exec"
IS_WIDER = """([from, to, by]) => {
  const [a, b] = document.querySelector("[data-run]").dataset.view.split(":");
  return (b - a) * by > (to - from) * by;
}"""
IS_FROM = "([from, , by]) => Number(document.querySelector('[data-run]').dataset.view.split(':')[0]) * by > from * by"


@pytest.fixture
def page(visit):
    """A paused story, shown at a past moment."""
    page = standing(visit(), "liveness-death-spiral", 90)
    go_to(page, "1:00")
    expect(page.locator("[data-run]")).to_have_attribute("data-playhead", "60000")
    page.locator("#timeline").focus()
    return page


def view(page):
    return [int(part) for part in page.locator("[data-run]").get_attribute("data-view").split(":")]


def test_letters_at_their_places_zoom_and_pan(page):
    for key, what, by in (("w", IS_WIDER, -1), ("s", IS_WIDER, 1), ("a", IS_FROM, -1), ("d", IS_FROM, 1)):
        before = view(page)
        page.keyboard.press(key)
        wait_until(page, what, [*before, by])


def test_letters_open_tabs_and_the_drawer_and_a_sign_the_list_of_commands(page):
    main = page.locator("[data-run]")
    for key, tab in (("y", "yaml"), ("v", "events"), ("e", "why")):
        page.keyboard.press(key)
        expect(page.locator(f"#tab-{tab}")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("q")
    expect(main).to_have_attribute("data-drawer", "closed")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(main).not_to_have_attribute("data-drawer", "closed")
    expect(page.locator(".lane-label[data-focus=true]")).to_have_count(1)
    page.keyboard.press("Shift+>")
    expect(page.locator(".commands__input")).to_be_focused()


def test_selection_is_centred_fitted_and_told_in_numbers(page):
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    for _ in ("centred", "fitted"):
        before = page.locator("[data-run]").get_attribute("data-view")
        page.keyboard.press("f")
        expect(page.locator("[data-run]")).not_to_have_attribute("data-view", before)
    page.keyboard.press("r")
    expect(page.get_by_role("region", name="Interval statistics").first).to_be_visible()


def test_letters_of_time(page):
    main = page.locator("[data-run]")
    page.keyboard.press("n")
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) > 60000")
    page.keyboard.press("l")
    expect(main).to_have_attribute("data-live", "true")
    page.keyboard.press("l")
    expect(main).to_have_attribute("data-live", "false")
    page.keyboard.press("7")
    expect(page.locator("[data-speed]")).to_have_value("600000")


def test_no_letter_works_while_a_field_has_the_focus(page):
    page.keyboard.press("/")
    field, main = page.locator(".find__input"), page.locator("[data-run]")
    expect(field).to_be_focused()
    before = main.get_attribute("data-playhead"), page.locator("[data-speed]").input_value(), page.url.split("?")[0]
    page.keyboard.type("qb7n>")
    expect(field).to_have_value("qb7n>")
    assert (main.get_attribute("data-playhead"), page.locator("[data-speed]").input_value(), page.url.split("?")[0]) == before
    expect(main).not_to_have_attribute("data-drawer", "closed")
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_sheet_shows_the_letters_of_the_readers_keyboard(visit):
    person = visit()
    letters = {"KeyW": "z", "KeyA": "q", "KeyS": "s", "KeyD": "d", "KeyK": "x"}
    layout = f"{{ getLayoutMap: async () => new Map(Object.entries({letters})) }}"
    person.page.add_init_script(f"Object.defineProperty(navigator, 'keyboard', {{ value: {layout}, configurable: true }});")
    page = standing(person, "hello-pod", 5)
    page.keyboard.press("?")
    keys = lambda words: page.locator("#help tr", has=page.get_by_text(words, exact=True)).locator("kbd")  # noqa: E731
    expect(keys("zoom in / out")).to_have_text(["Z", "S"])
    expect(keys("pan")).to_have_text(["Q", "D"])
    expect(keys("all commands: actions, pods, moments, pages")).to_have_text(["Ctrl+K", ">"])
    expect(keys("speed").last).to_have_text("7")


def test_wheel_with_ctrl_zooms_at_the_pointer_and_a_plain_one_scrolls(page):
    page.set_viewport_size({"width": 1440, "height": 420})
    box = page.locator(".timeline__stage").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 60)
    before = view(page)
    page.mouse.wheel(0, 60)
    wait_until(page, "() => document.querySelector('.timeline__body').scrollTop > 0")
    assert view(page) == before
    under = before[0] + 200 / box["width"] * (before[1] - before[0])
    page.keyboard.down("Control")
    page.mouse.wheel(0, -240)
    page.keyboard.up("Control")
    wait_until(page, IS_WIDER, [*before, -1])
    now = view(page)
    assert abs(now[0] + 200 / box["width"] * (now[1] - now[0]) - under) < 500


HOLD = """([selector, x, y]) => {
  const target = document.querySelector(selector);
  const box = target.getBoundingClientRect();
  const at = { pointerType: "touch", pointerId: 7, isPrimary: true, button: 0, bubbles: true, clientX: box.left + x, clientY: box.top + y };
  target.setPointerCapture = () => {};
  target.dispatchEvent(new PointerEvent("pointerdown", at));
}"""


def _opened(page, way, tile):
    if way == "right click":
        page.locator(tile).click(button="right")
    elif way == "long press":
        page.evaluate(HOLD, [tile, 3, 3])
    else:
        page.locator(tile).focus()
        page.keyboard.press("Shift+F10")


def test_long_press_on_a_lane_and_every_way_to_a_tile_of_the_map_open_its_acts(page):
    page.evaluate(HOLD, [".timeline__stage", 300, 30])
    title, first = page.locator(".fault-menu__title"), page.locator(".fault-menu__body button").first
    expect(first, "long press on a lane").to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    tiles = {"liveness-exec": f".map__tile[data-select='{POD}']", "node-1": ".map__head [data-select='node/node-1']"}
    for name, tile in tiles.items():
        expect(page.locator(tile)).to_be_visible()
        for way in ("right click", "long press", "keys"):
            _opened(page, way, tile)
            expect(title, f"{way} on {name}").to_have_text(name)
            expect(first, f"{way} on {name}").to_be_focused()
            page.keyboard.press("Escape")
            expect(title, f"{way} on {name}").to_be_hidden()
        expect(page.locator(tile), "after the keys").to_be_focused()


def test_live_is_pressed_only_while_the_lanes_follow(page):
    live, pill = page.locator("#transport [data-do=live]"), page.locator(".timeline__pill")
    expect(pill).to_have_text("Live, 30 s ahead")
    page.keyboard.press("End")
    expect(live).to_have_attribute("aria-pressed", "true")
    expect(pill).to_be_hidden()
    for _ in range(9):
        page.keyboard.press("a")
    expect(live).to_have_attribute("aria-pressed", "false")
    expect(pill).to_have_text(re.compile(r"^Live, \d+ s ahead$"))
    width = pill.bounding_box()["width"]
    control(page, "run_to", to_ms=3_000_000)
    expect(pill).to_have_text(re.compile(r"^Live, 4\d m \d+ s ahead$"))
    assert pill.bounding_box()["width"] == width
    live.click()
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "true")
    expect(live).to_have_attribute("aria-pressed", "true")
    expect(pill).to_be_hidden()
