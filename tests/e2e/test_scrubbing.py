"""Going back and forth in the past: the panels follow automatically, and send no requests once the stretch is loaded."""

import re
from bisect import bisect_right
from collections import Counter
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import control, expect_status, go_to, record_rows, run_to, start_story, status, wait_until

pytestmark = pytest.mark.e2e
SIDES = {"causes": 1}
"""The neighbourhood of a moment comes as two stretches: from a little before it on, and what came earlier. Causes come at once."""
WAITS_MAX = 1200


A_FRAME = "() => new Promise((drawn) => { requestAnimationFrame(() => { requestAnimationFrame(drawn); }); })"
"""Wait until pending drawing is done."""


def told_by(answer):
    """The answers about a stretch that are complete."""
    told = answer.json()
    tab = answer.url.split("/track/")[1].split("/")[0]
    return ["causes"] if "causes" in told else [] if told["more"] else [tab]


def wait_for_tracks(page, answers, *tabs):
    """Wait until both sides of the moment are loaded for these tabs."""
    for _ in range(WAITS_MAX):
        found = Counter(what for each in [*answers] for what in told_by(each))
        if all(found[tab] >= SIDES.get(tab, 2) for tab in tabs):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{found} of {[each.url for each in answers]}")


def pause(page):
    """Stop the run's time, whatever moment is shown."""
    page.keyboard.press("End")
    control(page, "pause")
    wait_until(page, "() => document.querySelector('[data-do=play]').ariaPressed === 'false'")
    go_to(page, "0:20")


@pytest.fixture
def page(visit):
    """A story at 20 s of the 40 s that it has played."""
    person = visit()
    start_story(person.page, person.origin, "hello-pod")
    run_to(person.page, 40)
    return person.page


@pytest.fixture
def answers(page):
    found = []
    page.on("response", lambda answer: found.append(answer) if "/track/" in answer.url else None)
    go_to(page, "0:20")
    return found


def test_panels_follow_the_playhead_without_the_server(page, answers):
    wait_for_tracks(page, answers, "inspector", "why", "causes")
    page.route(re.compile("/(panel|track)/"), lambda route: route.abort())
    inspector, drawer = page.locator("#inspector"), page.locator("#drawer-body")
    for text, word in (("0:00.2", "Pending"), ("0:20", "Running"), ("0:00.2", "Pending")):
        go_to(page, text)
        expect(inspector).to_contain_text(word)
    expect(drawer).to_contain_text("0:00.")
    stale = page.evaluate('() => [...document.querySelectorAll("[data-stale]")].map((each) => each.id + each.className)')
    assert stale == [], [each.url for each in answers]


def test_a_moment_that_was_shown_is_shown_again_without_asking(page):
    page.route(re.compile("/track/"), lambda route: route.abort())
    inspector, asked = page.locator("#inspector"), []
    go_to(page, "0:00.2")
    expect(inspector).to_contain_text("Pending")
    go_to(page, "0:20")
    expect(inspector).to_contain_text("Running")
    page.on("request", lambda request: asked.append(request.url) if "/panel/inspector/" in request.url else None)
    for text, word in (("0:00.2", "Pending"), ("0:20", "Running")):
        go_to(page, text)
        expect(inspector).to_contain_text(word)
    assert asked == []


def test_what_was_shown_comes_with_the_next_frames(page):
    page.route(re.compile("/track/"), lambda route: route.abort())
    inspector = page.locator("#inspector")
    for share, word in (("10", "Pending"), ("1000", "Running")):
        page.evaluate(DRAG_TO, [share, 0])
        expect(inspector).to_contain_text(word)
    words = [page.evaluate(DRAG_TO, [share, FRAMES_OF_A_TURN]) for share in ("10", "1000") * 2]
    assert ["Pending" in each for each in words] == [True, False] * 2


def test_scrubbing_where_nothing_is_held_never_forces_a_layout_to_see_whether_a_panel_is_visible(page):
    page.route(re.compile("/track/"), lambda route: route.abort())
    page.wait_for_timeout(500)  # the layout after the last answer
    page.evaluate(COUNT_LAYOUTS)
    inspector = page.locator("#inspector")
    for share, word in (("10", "Pending"), ("1000", "Running")):
        page.evaluate(DRAG_TO, [share, 0])
        expect(inspector).to_contain_text(word)
    assert page.evaluate("window.layouts") == 0


COUNT_LAYOUTS = """() => {
  const { get } = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "offsetParent");
  window.layouts = 0;
  const counted = function () { window.layouts += 1; return get.call(this); };
  Object.defineProperty(HTMLElement.prototype, "offsetParent", { get: counted });
}"""
FRAMES_OF_A_TURN = 5
"""One panel is drawn per frame, in turn."""
DRAG_TO = """async ([share, frames]) => {
  const scrubber = document.querySelector("#scrubber");
  scrubber.value = share;
  scrubber.dispatchEvent(new Event("input", { bubbles: true }));
  for (; frames > 0; frames -= 1) await new Promise(requestAnimationFrame);
  return document.querySelector("#inspector").innerText;
}"""
ASKED_AT = """(what) => {
  const found = performance.getEntriesByType("resource").filter(({ name }) => name.includes(`/${what}/inspector/`));
  return found.map(({ startTime, responseEnd }) => [startTime, responseEnd]);
}"""


def test_what_is_around_is_asked_for_once_the_reader_stays(page):
    before = len(page.evaluate(ASKED_AT, "panel"))
    with page.expect_response(re.compile("/track/inspector/")):
        go_to(page, "0:20")
    [_, shown], *_ = page.evaluate(ASKED_AT, "panel")[before:]
    [asked, _], *_ = page.evaluate(ASKED_AT, "track")
    assert asked - shown >= 290


TEXTS = """(html) => {
  const root = html === null ? document.querySelector("#drawer-body") : new DOMParser().parseFromString(html, "text/html").body;
  return [root.textContent.replace(/\\s+/g, " ").trim(), ...[...root.querySelectorAll("pre")].map((each) => each.textContent)];
}"""
"""The full text of a panel, with preformatted text verbatim: of the drawer, or of an answer."""


@pytest.mark.parametrize("tab", ["kubectl", "describe", "logs", "scheduling"])
def test_what_prints_ages_or_lines_follows_to_the_letter_without_the_server(page, answers, tab):
    page.locator(f'#drawer [role=tab][data-tab="{tab}"]').click()
    wait_for_tracks(page, answers, tab)
    page.route(re.compile("/(panel|track)/"), lambda route: route.abort())
    sel = next(parse_qs(urlsplit(each.url).query).get("sel", [""])[0] for each in answers if f"/{tab}/" in each.url)
    base, told = page.locator("[data-run]").get_attribute("data-panel-base"), [row[1] for row in record_rows(page)]
    for text in ("0:07.9", "0:08", "0:33.4", "0:02", "0:20.1"):
        go_to(page, text)
        t_ms = round(float(text.removeprefix("0:")) * 1000)
        wait_until(page, "(to) => Number(document.querySelector('[data-run]').dataset.playhead) === to", t_ms)
        url = f"{urljoin(page.url, base)}{bisect_right(told, t_ms)}/panel/{tab}/?{urlencode({'sel': sel, 't': t_ms})}"
        alone = page.request.get(url, headers={"HX-Request": "true"}).text()
        wait_until(page, f"(wanted) => JSON.stringify(({TEXTS})(null)) === JSON.stringify(wanted)", page.evaluate(TEXTS, alone))
    expect(page.locator("#drawer-body")).not_to_have_attribute("data-stale", "true")


def test_link_leads_to_the_moment_shown(page, answers):
    wait_for_tracks(page, answers, "inspector")
    link = page.locator("#insp-head a[data-select]")
    for text in ("0:33.4", "0:20.1"):  # the same version of the panel
        go_to(page, text)
        link.focus()
        expect(link).to_have_attribute("href", re.compile(rf"^\?t={text.removeprefix('0:')}&sel="))


SAID = """(html) => {
  const from = html === null ? document.querySelector("#inspector") : new DOMParser().parseFromString(html, "text/html").body;
  const root = from.cloneNode(true);
  for (const each of root.querySelectorAll("[data-countdown], [data-command]")) each.textContent = each.dataset.countdown || "";
  const forms = [...root.querySelectorAll("form button")].map((each) => [each.form.id, each.value, each.ariaDisabled].join(" "));
  return [root.textContent.replace(/\\s+/g, " ").trim(), ...forms];
}"""
"""The inspector's text except what scripts fill in, and which of its acts are enabled: of the page, or of an answer."""


def test_inspector_whose_pieces_stay_says_what_the_server_says(page, answers):
    wait_for_tracks(page, answers, "inspector")
    page.route(re.compile("/(panel|track)/"), lambda route: route.abort())
    sel = next(parse_qs(urlsplit(each.url).query).get("sel", [""])[0] for each in answers if "/inspector/" in each.url)
    base, told = page.locator("[data-run]").get_attribute("data-panel-base"), [row[1] for row in record_rows(page)]
    for text in ("0:33.4", "0:00.2", "0:00.3", "0:20.1", "0:33.4", "0:01.5", "0:00.2"):
        go_to(page, text)
        t_ms = round(float(text.removeprefix("0:")) * 1000)
        wait_until(page, "(to) => Number(document.querySelector('[data-run]').dataset.playhead) === to", t_ms)
        url = f"{urljoin(page.url, base)}{bisect_right(told, t_ms)}/panel/inspector/?{urlencode({'sel': sel, 't': t_ms})}"
        alone = page.request.get(url, headers={"HX-Request": "true"}).text()
        wait_until(page, f"(wanted) => JSON.stringify(({SAID})(null)) === JSON.stringify(wanted)", page.evaluate(SAID, alone))


def test_unchanged_piece_is_not_recreated(page, answers):
    wait_for_tracks(page, answers, "inspector")
    for text in ("0:33.4", "0:00.2", "0:33.4"):
        go_to(page, text)
        expect(page.locator("#inspector")).to_contain_text("Running" if text == "0:33.4" else "Pending")
    page.evaluate("document.querySelector('#insp-more').dataset.mine = 'kept'")
    go_to(page, "0:20.1")
    expect(page.locator("#insp-more")).to_have_attribute("data-mine", "kept")


WRITTEN = """async () => {
  const bodies = [document.querySelector("#inspector"), document.querySelector("#drawer-body")];
  const written = [];
  let frame = 0;
  bodies.forEach((body, which) => body.addEventListener("panel:shown", () => written.push(`${which} ${frame}`)));
  const scrubber = document.querySelector("#scrubber");
  const share = Number(scrubber.max) / 40;
  for (const at of [1, 20, 0.6, 15, 0.2, 19]) {
    scrubber.value = String(Math.round(at * share));
    scrubber.dispatchEvent(new Event("input", { bubbles: true }));
    for (let rest = 0; rest < 4; rest += 1) {
      await new Promise(requestAnimationFrame);
      frame += 1;
    }
  }
  return written;
}"""


def test_panels_are_rewritten_in_turn_one_per_frame(page, answers):
    wait_for_tracks(page, answers, "inspector", "why", "causes")
    page.route(re.compile("/(panel|track)/"), lambda route: route.abort())
    written = [each.split() for each in page.evaluate(WRITTEN)]
    frames = [frame for _, frame in written]
    assert {which for which, _ in written} == {"0", "1"}
    assert len(frames) == len(set(frames)) >= 8


ROWS = """async (wanted) => {
  const rows = [];
  const body = document.querySelector("#drawer-body");
  const [scrubber, list] = [document.querySelector("#scrubber"), () => body.querySelectorAll(".why__step").length];
  const share = Number(scrubber.max) / 40;
  const full = list();
  for (let frame = 0; frame < 60; frame += 1) {
    scrubber.value = String(Math.round((frame % 2 ? 39 : 8) * share));
    scrubber.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
    rows.push(list());
  }
  const heights = [...body.querySelectorAll(".why__step")].map((row) => row.offsetHeight);
  return [full, Math.max(...rows.slice(4)), body.clientHeight, Math.min(...heights)];
}"""
"""Rows of Why before and (at most) during a drag of the scrubber; the panel's height, and its lowest row, in px."""


def test_rows_below_the_fold_come_once_the_scrubber_rests(page, answers):
    wait_for_tracks(page, answers, "inspector", "why", "causes")
    pause(page)
    go_to(page, "0:39")
    wait_until(page, "() => document.querySelector('[data-run]').dataset.playhead === '39000'")
    page.evaluate(A_FRAME)
    drawer = page.locator("#drawer-body")
    wait_until(page, "() => document.querySelectorAll('#drawer-body .why__step').length > 8")
    drawer.evaluate("(body) => { body.style.height = '120px'; }")
    text = drawer.inner_text()
    full, most, height, row = page.evaluate(ROWS)
    assert most * row >= height, "what is in sight is there at once"
    assert most < full
    wait_until(page, "(full) => document.querySelectorAll('#drawer-body .why__step').length === full", full)
    expect(drawer).to_have_text(text, use_inner_text=True)


CLEARED = """async () => {
  const cleared = {};
  const clear = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    const name = this.canvas.className.replace(/.*--/, "");
    cleared[name] = (cleared[name] ?? 0) + 1;
    clear.apply(this, box);
  };
  const scrubber = document.querySelector("#scrubber");
  for (let step = 0; step < 12; step += 1) {
    scrubber.value = String(Math.round((0.4 + 0.01 * step) * Number(scrubber.max)));
    scrubber.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
  }
  CanvasRenderingContext2D.prototype.clearRect = clear;
  return cleared;
}"""


def test_unchanged_lanes_are_not_redrawn(page, answers):
    wait_for_tracks(page, answers, "inspector")
    pause(page)
    cleared = page.evaluate(CLEARED)
    assert cleared["top"] >= 11
    assert "base" not in cleared
    assert cleared["minimap"] <= cleared["top"] + 1, "of the strip, only what moves"


def test_text_that_somebody_marks_stays_while_time_passes(page, answers):
    wait_for_tracks(page, answers, "inspector", "why", "causes")
    go_to(page, "0:00.2")
    expect_status(page, "ContainerCreating")
    word = status(page)
    word.evaluate("(word) => getSelection().selectAllChildren(word)")
    page.keyboard.press("Space")
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) > 4000")
    assert page.evaluate("String(getSelection())") == word.inner_text() == "ContainerCreating"
    page.evaluate("getSelection().empty()")
    expect_status(page, "Running")
