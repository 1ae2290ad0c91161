"""A page says why the server closed its socket; ``tests/js/wire/closed-socket.test.mjs`` covers when it reconnects."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e


@pytest.fixture
def person(visit):
    return visit()


@pytest.mark.parametrize(("code", "words"), [(4029, "too much at once"), (4013, "database is unavailable"), (4009, "Close some of them")])
def test_page_says_why_its_socket_was_closed(person, code, words):
    person.page.route_web_socket("**/ws/run/**", lambda socket: socket.close(code=code))
    person.page.goto(f"{person.origin}/scenarios/hello-pod/")
    person.page.get_by_role("button", name="Open run").click()
    expect(person.page.locator("#toasts .toast")).to_have_count(1)
    expect(person.page.locator("#toasts")).to_contain_text(words)
