"""An act whose answer never came is resent with the same key, and any other act with another one."""

from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import standing

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(visit):
    person = visit()
    standing(person, "hello-pod", 12)
    yield person.page
    person.troubles.clear()  # the failed requests are intended here


@pytest.fixture
def keys(page):
    """The keys of all acts that were sent. Each waits until the test sets its answer: a status, or 0 for a broken connection."""
    sent, answers = [], []

    def handle(route):
        sent.append(parse_qs(route.request.post_data)["client_key"][0])
        status = answers.pop(0)
        if status == 0:
            route.abort()
        elif status == 503:
            route.fulfill(status=503, json={"text": "The database is unavailable."}, headers={"HX-Reswap": "none"})
        else:
            route.continue_()

    page.route("**/commands/", handle)
    page.route("**/kubectl/", handle)
    return sent, answers


def press(page, name, answer, keys):
    sent, answers = keys
    answers.append(answer)
    before = len(sent)
    page.locator("#inspector").get_by_role("button", name=name, exact=True).click()
    page.wait_for_function("() => !document.querySelector('.htmx-request')")
    while len(sent) == before:
        page.wait_for_timeout(20)
    expect(page.locator("#toasts .toast").last).to_be_visible()


@pytest.mark.parametrize("lost", [0, 503])
def test_act_without_an_answer_keeps_its_key(page, keys, lost):
    for answer in (lost, 204):
        press(page, "Hang process", answer, keys)
    assert len(set(keys[0])) == 1
    expect(page.locator("#insp-acts-web").get_by_role("button", name="Wake process")).to_be_visible()


def test_another_act_has_a_key_of_its_own(page, keys):
    press(page, "Hang process", 503, keys)
    press(page, "Fail readiness", 204, keys)
    assert len(set(keys[0])) == 2
