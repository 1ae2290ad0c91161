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


def test_act_is_sent_as_it_was_pressed_although_its_button_is_gone(person):
    page, held = person.page, []
    page.route(HTMX, lambda route: held.append(route))  # noqa: PLW0108 - playwright marks what it is given
    start_story(page, person.origin, "hello-pod", stands_at_s=10)
    page.locator("#insp-acts button").first.click()
    page.locator("#insp-acts").evaluate("(acts) => acts.replaceChildren()")
    for route in held:
        route.continue_()
    expect(page.locator("#narrator")).to_contain_text("for deletion")
    assert deletes(page) == 1


def test_act_is_sent_where_the_run_is_never_drawn(person):
    page = person.page
    start_story(page, person.origin, "hello-pod", stands_at_s=10)
    page.route_web_socket("**/ws/run/**", lambda socket: socket.close())
    page.reload()
    expect(page.locator("[data-run][data-connection=closed]")).to_be_attached()
    expect(page.locator("html[data-ready=run]")).to_have_count(0)
    with page.expect_response("**/commands/") as answer:
        page.locator("#insp-acts button").first.click()
    assert answer.value.ok
    assert page.evaluate("typeof htmx") == "object"


def test_run_that_has_just_begun_has_a_selection_once_its_records_come(person):
    page = person.page

    def hello_first(socket):
        server = socket.connect_to_server()
        server.on_message(lambda text: socket.send(text.replace('"head_seq":', '"head_seq":0,"was":') if '"hello"' in text else text))

    page.route_web_socket("**/ws/run/**", hello_first)
    start_story(page, person.origin, "hello-pod", stands_at_s=10)
    expect(page.locator(".lane-label[data-focus=true]")).to_have_count(1)
