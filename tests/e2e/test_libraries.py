"""What is sent before htmx is there waits for it, and goes without it where it does not come."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import record_rows, start_story

pytestmark = pytest.mark.e2e
HTMX = "**/vendor/htmx@*/**"


@pytest.fixture
def person(visit):
    return visit()


def deletes(page) -> int:
    return sum(row[2] == "command" for row in record_rows(page))


def test_act_that_is_pressed_before_htmx_has_come_is_sent_once_when_it_is_there(person):
    page, held, posts = person.page, [], []
    page.route(HTMX, lambda route: held.append(route))  # noqa: PLW0108 - playwright marks what it is given
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    start_story(page, person.origin, "hello-pod", stands_at_s=10)
    page.locator("#insp-acts button").first.click()
    page.wait_for_timeout(300)
    assert (posts, page.evaluate("typeof htmx")) == ([], "undefined")
    for route in held:
        route.continue_()
    expect(page.locator("#narrator")).to_contain_text("for deletion")
    assert ([url.rsplit("/", 2)[-2] for url in posts], deletes(page)) == (["commands"], 1)


def test_act_is_carried_out_without_htmx_where_it_does_not_come(person):
    page = person.page
    page.route(HTMX, lambda route: route.abort())
    start_story(page, person.origin, "hello-pod", stands_at_s=10)
    page.locator("#insp-acts button").first.click()
    expect(page.locator("#narrator")).to_contain_text("for deletion")
    assert (page.evaluate("typeof htmx"), deletes(page)) == ("undefined", 1)
