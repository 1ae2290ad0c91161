"""The editor of a run when answers come late, or not at all."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import played, wait_until

pytestmark = pytest.mark.e2e

PODS = "\n---\n".join(
    f"{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{containers: [{{name: app, image: 'nginx:1.27'}}]}}}}"
    for name in ("aa", "bb")
)
OBJECT = "**/object/Pod/default/{}/"
PREVIEW = "**/preview/"
AGAIN = "() => fetch('/healthz').then((answer) => answer.text())"
SHORT = "() => { const real = AbortSignal.timeout.bind(AbortSignal); AbortSignal.timeout = () => real(50); }"


def at_two_pods(visit):
    person = visit()
    played(person, PODS, 12)
    return person


@pytest.fixture
def page(shared):
    """A run of two pods with the editor closed but loaded. No test changes the run."""
    person = shared(at_two_pods)
    close_editor(person.page)
    yield person.page
    person.troubles.clear()  # failed requests are intended here


@pytest.fixture
def new_page(visit):
    """The same before anybody has opened the editor, for a test that waits for its style sheet, or cannot undo what it does."""
    person = visit()
    yield played(person, PODS, 12)
    person.troubles.clear()


def close_editor(page) -> None:
    for _ in range(2):  # the first press says what would be lost
        if page.locator("#editor").is_visible():
            page.locator("[data-editor-close]").click()
    expect(page.locator("#editor")).to_be_hidden()


def choose(page, name: str) -> None:
    """Select a pod, and wait until its button is there."""
    page.locator(f'.lane-label[data-kind="status"] [data-lane*="default/{name}"]').first.click()
    expect(page.locator(f'[data-edit="Pod/default/{name}"]')).to_be_visible()


def press_edit(page, name: str) -> None:
    page.locator(f'[data-edit="Pod/default/{name}"]').click()


def edit(page, name: str) -> None:
    """Open the editor of a pod."""
    choose(page, name)
    press_edit(page, name)
    expect(page.locator("#editor .cm-content")).to_be_focused()


def hold(page, address) -> list:
    """From now on, requests to an address wait until the test releases them."""
    held: list = []
    page.route(address, lambda route: held.append(route))  # noqa: PLW0108 - it cannot take a builtin
    return held


def let_go(page, address, held: list) -> None:
    """Release every answer and wait until it has been processed, including follow-up requests."""
    for route in held:
        route.fulfill(response=route.fetch())
    page.unroute(address)
    page.evaluate(AGAIN)


def change_image(page, image: str) -> None:
    page.get_by_role("tab", name="Form").click()
    knob = page.locator("[data-bench] [id^=knob-][id$='-image']")
    knob.fill(image)
    knob.press("Tab")


def review(page) -> None:
    page.get_by_role("button", name="Review changes").click()


def under_review(page) -> list:
    """A change of aa is being previewed; its answer waits until the test releases it."""
    edit(page, "aa")
    change_image(page, "nginx:1.28")
    held = hold(page, PREVIEW)
    with page.expect_request(PREVIEW):
        review(page)
    return held


def expect_outcome(page, outcome: str) -> None:
    expect(page.locator("#editor")).to_have_attribute("data-preview", outcome)


def accepted(page, name: str = "aa") -> None:
    """A change of a pod that the API server has accepted, in its preview."""
    edit(page, name)
    change_image(page, "nginx:1.28")
    review(page)
    expect_outcome(page, "accepted")


def type_into_the_yaml(page, key: str) -> None:
    page.locator("#run-tab-yaml").click()
    page.locator("#editor .bench__yaml .cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.press(key)


def test_slow_answer_does_not_replace_another_editor(page):
    choose(page, "aa")
    held = hold(page, OBJECT.format("aa"))
    with page.expect_request(OBJECT.format("aa")):
        press_edit(page, "aa")
    edit(page, "bb")
    page.keyboard.type("# mine")
    let_go(page, OBJECT.format("aa"), held)
    expect(page.locator("#editor-title")).to_have_text("Edit bb")
    expect(page.locator("#editor textarea[name=manifest]")).to_have_value(re.compile("^# mine"))


def test_object_that_is_not_wanted_any_more_is_not_waited_for(page):
    choose(page, "aa")
    hold(page, OBJECT.format("aa"))
    with page.expect_request(OBJECT.format("aa")):
        press_edit(page, "aa")
    choose(page, "bb")
    with page.expect_event("requestfailed", lambda request: "/aa/" in request.url):
        press_edit(page, "bb")
    expect(page.locator("#editor")).to_be_visible()


def test_press_that_waits_for_the_editor_yields_to_a_later_one(new_page):
    """The style sheet comes late: the later press finds it already loading, and is faster."""
    choose(new_page, "aa")
    sheets, objects = hold(new_page, re.compile(r"/editor\.[0-9a-f.]*css$")), hold(new_page, OBJECT.format("bb"))
    with new_page.expect_request(re.compile(r"/editor\.[0-9a-f.]*css$")):
        press_edit(new_page, "aa")
    choose(new_page, "bb")
    with new_page.expect_request(OBJECT.format("bb")):
        press_edit(new_page, "bb")
    let_go(new_page, re.compile(r"/editor\.[0-9a-f.]*css$"), sheets)
    let_go(new_page, OBJECT.format("bb"), objects)
    expect(new_page.locator("#editor-title")).to_have_text("Edit bb")


def test_change_stays_accepted_when_a_typed_character_is_removed(page):
    accepted(page)
    type_into_the_yaml(page, "2")
    page.keyboard.press("Backspace")
    review(page)
    expect_outcome(page, "accepted")
    expect(page.locator("[data-editor-send]")).to_be_focused()


def test_text_that_had_an_answer_is_asked_about_again_after_a_failure(page):
    accepted(page)
    page.route(PREVIEW, lambda route: route.fulfill(status=503, body=""))
    type_into_the_yaml(page, "2")
    review(page)
    expect_outcome(page, "failed")
    page.unroute(PREVIEW)
    type_into_the_yaml(page, "Backspace")
    review(page)
    expect_outcome(page, "accepted")


def test_trouble_of_the_server_is_not_a_verdict(page):
    edit(page, "aa")
    page.route(PREVIEW, lambda route: route.fulfill(status=503, json={"error": "The database is unavailable."}))
    review(page)
    expect_outcome(page, "failed")


REFUSED = {
    "of the server": ({"text": "Too many at once."}, "Too many at once."),
    "of nobody": ({}, "That did not work. The server returned 429."),
}


@pytest.mark.parametrize("words", REFUSED)
def test_refused_preview_says_why(page, words):
    answer, told = REFUSED[words]
    edit(page, "aa")
    page.route(PREVIEW, lambda route: route.fulfill(status=429, json=answer))
    review(page)
    expect(page.locator("#editor .preview")).to_have_text(told)


def test_change_that_is_refused_after_all_has_to_be_reviewed_again(page):
    accepted(page)
    page.route("**/commands/", lambda route: route.fulfill(status=422, json={"text": "Not now."}))
    page.locator("[data-editor-send]").click()
    expect_outcome(page, "waiting")
    expect(page.locator("[data-editor-send]")).to_be_disabled()
    review(page)
    expect_outcome(page, "accepted")


def test_preview_without_an_answer_fails_in_the_end(new_page):
    edit(new_page, "aa")
    hold(new_page, PREVIEW)
    new_page.evaluate(SHORT)
    review(new_page)
    expect_outcome(new_page, "failed")


def test_answer_about_an_earlier_text_does_not_let_this_one_be_applied(page):
    held = under_review(page)
    type_into_the_yaml(page, "2")
    let_go(page, PREVIEW, held)
    expect(page.locator("[data-editor-send]")).to_be_disabled()


def test_failure_for_a_closed_editor_says_nothing_about_the_next(page):
    held = under_review(page)
    close_editor(page)
    page.route(PREVIEW, lambda route: route.continue_())
    accepted(page, "bb")
    held[0].abort()
    page.evaluate(AGAIN)
    expect_outcome(page, "accepted")


TROUBLES = {
    "lost": (lambda route: route.abort(), "The server did not respond. Try again."),
    "503": (lambda route: route.fulfill(status=503, body=""), "That did not work. The server returned 503."),
    "404": (lambda route: route.fulfill(status=404, body=""), "The object does not exist at this moment."),
}


def test_object_that_does_not_come_is_told_as_it_is(page):
    choose(page, "aa")
    for handle, words in TROUBLES.values():
        page.route(OBJECT.format("aa"), handle)
        press_edit(page, "aa")
        expect(page.locator("#toasts .toast").last).to_have_text(words)


def test_button_is_free_again_when_its_object_did_not_come(page):
    choose(page, "aa")
    page.route(OBJECT.format("aa"), lambda route: route.abort())
    with page.expect_event("requestfailed", lambda request: "/object/" in request.url):
        press_edit(page, "aa")
    expect(page.locator('[data-edit="Pod/default/aa"]')).not_to_have_attribute("aria-busy", "true")


def test_button_that_is_pressed_again_is_busy_until_the_last_answer(page):
    choose(page, "aa")
    hold(page, OBJECT.format("aa"))
    with page.expect_request(OBJECT.format("aa")):
        press_edit(page, "aa")
    with page.expect_event("requestfailed", lambda request: "/aa/" in request.url):
        press_edit(page, "aa")
    page.evaluate(AGAIN)
    wait_until(page, "() => document.querySelector('[data-edit=\"Pod/default/aa\"]').ariaBusy === 'true'", seconds=1)
