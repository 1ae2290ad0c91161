"""A stretch of time in numbers, notes on instants, the clocks of the ruler, and the timeline as a picture."""

import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import go_to, press, record_rows, run_to, standing, start_story, wait_for_run, wait_until

pytestmark = pytest.mark.e2e
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def person(visit):
    """A visitor at a run whose container was killed by its liveness probe at 75, 150 and 225 s."""
    person = visit()
    standing(person, "liveness-death-spiral", 300)
    return person


def cells(page, subject):
    return page.locator(f'.stretch tr[data-select="{subject}"] td').all_inner_texts()


def choose(page, begin, end):
    """Select a stretch with keys."""
    go_to(page, begin)
    page.locator("#timeline").focus()
    page.keyboard.press("Shift+I")
    go_to(page, end)
    page.locator("#timeline").focus()
    page.keyboard.press("Shift+O")


def test_stretch_summarises_what_happened_in_it(person):
    page = person.page
    choose(page, "0:40", "1:20")
    expect(page.locator(".stretch__title")).to_have_text("0:40.0 – 1:20.0 · 40 s")
    name, ready, restarts, exits, probes, states = cells(page, "container/default/liveness-exec/liveness")
    assert (name, restarts, exits) == ("liveness", "1", "137")
    assert re.fullmatch(r"(39\.\d|40) s · (99|100) %", ready)
    assert re.fullmatch(r"liveness \d/\d", probes) and "Running" in states
    page.keyboard.press("Escape")
    expect(page.locator(".stretch")).to_be_hidden()


def test_stretch_is_chosen_by_dragging_with_shift(person):
    page = person.page
    stage = page.locator(".timeline__stage").bounding_box()
    before = page.locator("[data-run]").get_attribute("data-view")
    page.keyboard.down("Shift")
    page.mouse.move(stage["x"] + 60, stage["y"] + 150)
    page.mouse.down()
    page.mouse.move(stage["x"] + 260, stage["y"] + 150, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(page.locator(".stretch")).to_be_visible()
    assert page.locator("[data-run]").get_attribute("data-view") == before


def test_stretch_leads_to_its_first_and_last_event(person):
    page = person.page
    choose(page, "0:40", "1:20")
    ends = page.locator(".stretch__ends button")
    expect(ends).to_have_count(2)
    told = [re.match(r"([\d:.]+) (\w+)", words).groups() for words in ends.all_inner_texts()]
    events = [(row[1], row[7]) for row in record_rows(page) if row[2] == "event" and 40_000 <= row[1] < 80_000]
    assert [reason for _, reason in told] == [events[0][1], events[-1][1]]
    ends.last.click()
    expect(page.locator("[data-run]")).to_have_attribute("data-playhead", str(events[-1][0]))


def test_stretch_alone_is_saved_as_a_picture(person, tmp_path):
    page = person.page
    choose(page, "0:40", "1:20")
    with page.expect_download() as saved:
        page.locator(".stretch__head").get_by_role("button", name="Download as SVG").click()
    saved.value.save_as(tmp_path / "stretch.svg")
    picture = ElementTree.parse(tmp_path / "stretch.svg").getroot()
    assert "from 0:40 to 1:20" in picture.findtext(f"{SVG}title")
    words = [text.text for text in picture.iter(f"{SVG}text")]
    assert words.count("137") == 1
    with page.expect_download() as saved:
        page.locator(".stretch__head").get_by_role("button", name="Download as PNG").click()
    assert saved.value.suggested_filename.endswith(".png")


def test_stretch_counts_failed_requests(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "zero-downtime", stands_at_s=20)
    press(page, "Delete pod")
    run_to(page, 60)
    choose(page, "0:05", "0:15")
    line = page.locator('.stretch tr[data-select^="service/"]')
    expect(line).to_have_attribute("data-failed", "0")
    choose(page, "0:15", "0:58")
    expect(line).not_to_have_attribute("data-failed", "0")


def test_note_stays_and_travels_with_the_link(person, visit):
    page = person.page
    go_to(page, "1:15")
    page.locator("#timeline").focus()
    page.keyboard.press("m")
    page.keyboard.type("why so late?")
    page.keyboard.press("Enter")
    expect(page.locator(".note")).to_have_attribute("title", "1:15.0 why so late?")
    choose(page, "0:40", "1:20")
    with page.expect_response(re.compile("/share/")) as answer:
        page.locator("header [data-do=share]").click()
    guest = visit().open_run(answer.value.json()["url"].removeprefix(person.origin))
    expect(guest.locator(".note")).to_have_attribute("title", "1:15.0 why so late?")
    expect(guest.locator(".stretch__title")).to_contain_text("40 s")
    guest.locator("#timeline").focus()
    guest.keyboard.press("[")
    expect(guest.locator("[data-run]")).to_have_attribute("data-playhead", "75000")
    page.goto(page.url.split("?")[0])
    wait_for_run(page)
    expect(page.locator(".note")).to_have_count(1)


def test_note_that_is_typed_before_its_form_has_come_is_kept(visit):
    person = visit()
    page, held = person.page, []
    page.route(re.compile(r"/later\.(\w+\.)?js"), lambda route: held.append(route))  # noqa: PLW0108 - it cannot take a builtin
    start_story(page, person.origin, "hello-pod", stands_at_s=20)
    page.locator("#timeline").focus()
    page.keyboard.press("m")
    page.keyboard.type("why so late?")
    page.keyboard.press("Enter")
    expect(page.locator(".note")).to_have_count(0)
    held[0].continue_()
    expect(page.locator(".note")).to_have_attribute("title", "0:20.0 why so late?")
    expect(page.locator("#timeline")).to_be_focused()


def test_clocks_take_turns(person):
    page = person.page
    choose(page, "0:40", "1:20")
    title, tool = page.locator(".stretch__title"), page.locator(".timeline__tool[data-do=clock]")
    page.keyboard.press("t")
    expect(tool).to_have_text("UTC")
    expect(title).to_have_text(re.compile(r"^\d\d:\d\d:\d\d\.0 – \d\d:\d\d:\d\d\.0 · 40 s$"))
    page.locator('.lane-label[data-kind="container"] [data-lane]').click()
    page.keyboard.press("t")
    expect(tool).to_have_text("Δ")
    expect(title).to_have_text(re.compile(r"^[+−]\d:\d\d\.\d – [+−]\d:\d\d\.\d · 40 s$"))
    page.keyboard.press("t")
    expect(title).to_have_text("0:40.0 – 1:20.0 · 40 s")


def saved_as(page, kind, folder):
    """The exported file of the timeline."""
    page.locator(".timeline__more summary").click()
    with page.expect_download() as saved:
        page.locator(f".timeline__more [data-do=save{kind}]").click()
    path = folder / saved.value.suggested_filename
    saved.value.save_as(path)
    wait_until(page, "() => document.querySelector('.timeline__more').open === false")
    return path


def test_timeline_is_saved_as_a_picture(person, tmp_path):
    page = person.page
    path = saved_as(page, "Png", tmp_path)
    assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5000
    picture = ElementTree.parse(saved_as(page, "Svg", tmp_path)).getroot()
    assert "The liveness death spiral" in picture.findtext(f"{SVG}title")
    assert "liveness" in picture.findtext(f"{SVG}desc")
    words = [text.text for text in picture.iter(f"{SVG}text")]
    assert words.count("137") == 3 and "KILL" in words and "liveness-exec" in words
    assert not list(picture.iter(f"{SVG}script")) and 300 < float(picture.get("width")) < 1440
