"""Predictions: a question about what a run does next, played to its answer; hints for the steps of a story in three grades."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import PATIENCE_S, act, as_it_stood, control, run_to, standing, start_story
from tests.e2e.test_every_page import AXE, PRESSED, SMALL, THEME, axe

pytestmark = pytest.mark.e2e
LADDER = "crash-loop-ladder"


def at_the_ladder(visit):
    person = visit()
    standing(person, LADDER, 25)
    return person


def at_the_deaf_pod(visit):
    return standing(visit(), "pid-1-is-deaf", 10)


@pytest.fixture
def person(visit):
    """A visitor whose container ended at 21 s and waits for its next start: CrashLoopBackOff at 35.9 s."""
    return at_the_ladder(visit)


@pytest.fixture
def asker(shared):
    """The same for tests that give no answer: no question is open, and the run is where it was."""
    person = shared(at_the_ladder)
    if card(person.page).is_visible():
        card(person.page).get_by_role("button", name="Close").click()
    expect(card(person.page)).to_be_hidden()
    as_it_stood(person.page)
    yield person
    person.troubles.clear()  # some tests intend failed requests


@pytest.fixture
def deaf(shared):
    """A pod that ignores TERM, for read-only tests; no hint for its first step is open."""
    page = as_it_stood(shared(at_the_deaf_pod))
    while grades(page, "try-1").count():
        hint(page, "try-1").click()
    return page


def card(page):
    return page.locator("#predict")


def choices(page):
    return card(page).locator(".predict__choice")


def asked(page):
    """Press the button, and wait for the question."""
    page.locator("#transport [data-do=predict]").click()
    expect(choices(page)).to_have_count(4, timeout=PATIENCE_S * 1000)
    return card(page)


def answer(page, label):
    choices(page).filter(has_text=label).locator("input").check()
    card(page).get_by_role("button", name="Submit answer").click()


def expect_end(page, how):
    """Expect the card's outcome; the first look-ahead of a process takes a while."""
    expect(card(page)).to_have_attribute("data-end", how, timeout=PATIENCE_S * 1000)


def test_right_answer_leads_the_run_to_the_moment_and_offers_why(person):
    page = person.page
    before = page.url
    asked(page)
    expect(card(page).locator("legend")).to_have_text("What will the STATUS of ladder be next? It is now Error.")
    answer(page, "CrashLoopBackOff")
    expect_end(page, "right")
    expect(card(page).locator(".predict__told")).to_have_text("Correct. The STATUS of ladder is CrashLoopBackOff at 0:35.9.")
    expect(card(page).locator("[data-is=truth]")).to_contain_text("what happened, your answer")
    expect(card(page).locator(".predict__score")).to_have_text("1 of 1 correct so far")
    expect(page.locator("[data-run]")).to_have_attribute("data-playhead", "35958")  # in the frame after the one that brings the answer
    assert page.url.split("?")[0] == before.split("?")[0]
    card(page).get_by_role("button", name="Why?").click()
    expect(page.locator("#tab-why")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#drawer-body .why__step").first).to_contain_text("CrashLoopBackOff")
    expect(card(page)).to_be_hidden()
    expect(page.locator("#transport [data-do=live]")).to_have_attribute("aria-pressed", "true")


def test_wrong_answer_is_shown_counted_and_stored(person):
    page = person.page
    asked(page)
    answer(page, "Completed")
    expect_end(page, "wrong")
    expect(card(page).locator("[data-is=wrong]")).to_contain_text("Completed")
    expect(card(page).locator("[data-is=truth]")).to_contain_text("CrashLoopBackOff")
    page.reload()
    asked(page)
    expect(card(page).locator(".predict__score")).to_have_text("0 of 1 correct so far")


def test_whole_way_by_keys_alone(person):
    page = person.page
    page.locator("#timeline").focus()
    page.keyboard.press("p")
    expect(choices(page).first.locator("input")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(choices(page).filter(has_text="Completed").locator("input")).to_be_checked()
    page.keyboard.press("Enter")
    another = card(page).get_by_role("button", name="Another question")
    expect(another).to_be_focused()
    page.keyboard.press("Enter")
    expect(card(page).locator("legend")).to_contain_text("How much longer?")
    page.keyboard.press("Escape")
    expect(card(page)).to_be_hidden()
    expect(page.locator("#timeline")).to_be_focused()


def test_run_that_plays_stops_for_the_question(visit):
    person = visit()
    start_story(person.page, person.origin, LADDER)
    page = person.page
    control(page, "play")
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "true")
    asked(page)
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "false")


def test_question_asked_in_the_past_is_one_about_the_present(asker):
    page = asker.page
    page.locator("#timeline").focus()
    page.keyboard.press("Home")
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "false")
    page.keyboard.press("p")
    expect(card(page).locator("legend")).to_contain_text("It is now Error.")
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "true")


def test_page_does_not_hold_the_answer_before_it_is_given(asker):
    page = asker.page
    with page.expect_response(lambda response: "/predict/" in response.url) as response:
        asked(page)
    assert set(response.value.json()) == {"kind", "sel", "at_ms", "after", "given", "question", "choices"}
    assert page.locator("[data-is], [data-truth]").count() == 0


def test_prediction_is_void_once_somebody_acts(person):
    page = person.page
    asked(page)
    act(page, page.locator("#insp-acts button").first)
    expect_end(page, "void")
    expect(card(page).locator(".predict__told")).to_contain_text("Someone acted")
    expect(card(page).locator(".predict__score")).to_have_text("")


def test_run_that_went_on_meanwhile_makes_it_void(person):
    page = person.page
    asked(page)
    run_to(page, 30)
    answer(page, "CrashLoopBackOff")
    expect_end(page, "void")
    expect(card(page).locator(".predict__told")).to_contain_text("moved on")


@pytest.fixture
def failing(person):
    """Make the first request fail that matches an address and a method."""

    def fail(address, method):
        failed = []

        def handle(route):
            if route.request.method != method or failed:
                route.fallback()
                return
            failed.append(route.request.url)
            route.fulfill(status=503, json={"text": "The database is unavailable."})

        person.page.route(address, handle)

    yield fail
    person.troubles.clear()  # the failed requests are intended here


def test_run_that_is_not_led_to_the_answer_ends_the_prediction(person, failing):
    page = person.page
    failing("**/control/", "POST")
    asked(page)
    answer(page, "CrashLoopBackOff")
    expect_end(page, "failed")
    expect(card(page).locator(".predict__told")).to_have_text("The server did not respond. Try again.")
    expect(card(page).locator(".predict__score")).to_have_text("")
    card(page).get_by_role("button", name="Another question").click()
    expect(choices(page).first).to_be_visible()


def test_question_that_did_not_come_is_asked_for_again_from_the_card(person, failing):
    page = person.page
    failing("**/predict/?*", "GET")
    page.locator("#transport [data-do=predict]").click()
    expect_end(page, "failed")
    expect(card(page).locator(".predict__told")).to_have_text("The database is unavailable.")
    card(page).get_by_role("button", name="Another question").click()
    expect(choices(page)).to_have_count(4)


def test_nothing_to_come_is_said(visit):
    page = standing(visit(), "exit-0-exit-1", 60)
    page.locator("#transport [data-do=predict]").click()
    expect(card(page).locator(".predict__told")).to_contain_text("nothing to predict")
    expect(choices(page)).to_have_count(0)


def test_who_watches_is_told_why_not(asker, visit):
    watcher = visit()
    page = watcher.open_run(asker.page.url.partition("?")[0].removeprefix(asker.origin))
    page.locator("#transport [data-do=predict]").click()
    expect(page.locator(".toast")).to_contain_text("Only the owner of a run")
    expect(card(page)).to_have_count(0)


def test_list_of_commands_has_it(asker):
    page = asker.page
    page.keyboard.press("Control+k")
    page.locator(".commands__input").fill("predict")
    expect(page.locator(".commands__line").first).to_contain_text("Predict")
    page.keyboard.press("Enter")
    expect(choices(page)).to_have_count(4)


def test_shared_run_has_no_button(person):
    page = person.page
    with page.expect_response(lambda response: "/share/" in response.url) as made:
        page.locator("header [data-do=share]").click()
    person.open_run(made.value.json()["url"].removeprefix(person.origin))
    expect(page.locator("[data-do=predict]")).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_card_covers_neither_time_nor_the_lane_and_axe_finds_nothing(person, width, height):
    page = person.page
    page.set_viewport_size({"width": width, "height": height})
    asked(page)
    box, bar = card(page).bounding_box(), page.locator("#transport").bounding_box()
    lane = page.locator(".timeline__stage").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    assert box["y"] + box["height"] <= bar["y"] + 0.5 or box["y"] >= bar["y"] + bar["height"]
    assert box["y"] >= lane["y"] + 60
    page.evaluate(AXE)
    found = []
    for theme in ("light", "dark"):
        page.evaluate(THEME, theme)
        found += axe(page, include="#predict")
    answer(page, "Completed")
    expect_end(page, "wrong")
    for theme in ("dark", "light"):
        page.evaluate(THEME, theme)
        found += axe(page, include="#predict")
    assert found == []
    assert [each for each in page.evaluate(SMALL, PRESSED) if "predict" in each] == []


def hint(page, step):
    return page.locator(f'#rail [data-step="{step}"] [data-hint]')


def grades(page, step):
    return page.locator(f'#rail [data-step="{step}"] [data-hint-grade]:visible .hint__title')


def test_hint_opens_grade_by_grade(deaf):
    page = deaf
    button = hint(page, "try-1")
    for shown in (["Where to look"], ["Where to look", "What it means"], ["Where to look", "What it means", "What to do"], []):
        button.press("Enter")
        expect(grades(page, "try-1")).to_have_text(shown)
        expect(button).to_have_attribute("aria-expanded", str(bool(shown)).lower())
    for _ in range(3):
        button.click()
    step = page.locator('#rail [data-step="try-1"]')
    expect(step.locator(".hints .kubectl")).to_have_text("kubectl delete pod deaf")
    expect(step.locator(".hints")).to_contain_text("A delete request only marks the pod")


def test_hint_of_where_selects_it(asker):
    page = asker.page
    hint(page, "try-1").click()
    page.locator('#rail [data-step="try-1"] [data-select]').click()
    expect(page.locator("[data-run]")).to_have_attribute("data-current-sel", "container/default/ladder/app")


def test_step_of_time_alone_says_so(asker):
    page = asker.page
    for _ in range(2):
        hint(page, "watch-3").click()
    expect(page.locator('#rail [data-step="watch-3"] .hints')).to_contain_text("completes with time: at 5:00.0")


def test_button_of_the_next_step_stands_out_and_none_moves(visit):
    page = standing(visit(), "pid-1-is-deaf", 10)
    marked = page.locator("#rail [data-is-next]")
    expect(marked).to_have_attribute("data-step", "try-1")
    before = hint(page, "watch-1").bounding_box()
    act(page, page.locator("#insp-acts button").first)
    expect(marked).not_to_have_attribute("data-step", "try-1")
    assert hint(page, "watch-1").bounding_box() == before


def test_axe_finds_nothing_in_hints(deaf):
    page = deaf
    for _ in range(3):
        hint(page, "try-1").click()
    expect(grades(page, "try-1")).to_have_count(3)
    page.evaluate(AXE)
    found = []
    for theme in ("light", "dark"):
        page.evaluate(THEME, theme)
        found += axe(page, include="#rail")
    assert found == []
