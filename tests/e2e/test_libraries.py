"""Forms submitted before htmx is loaded wait for it, and are sent without it if it fails to load."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import record_rows, run_to, start_story, wait_for_run

pytestmark = pytest.mark.e2e
HTMX = "**/vendor/htmx@*/**"
LIBRARIES = "**/vendor/*@*/**"


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
    page, held = person.page, []

    def hello_first(socket):
        server = socket.connect_to_server()
        as_new = '"head_seq":0,"was":'
        said = lambda text: socket.send(text.replace('"head_seq":', as_new)) if '"hello"' in text else held.append((socket, text))  # noqa: E731
        server.on_message(said)

    page.route_web_socket("**/ws/run/**", hello_first)
    start_story(page, person.origin, "hello-pod")
    expect(page.locator(".lane-label[data-focus=true]")).to_have_count(0)
    for socket, text in held:
        socket.send(text)
    expect(page.locator(".lane-label[data-focus=true]")).to_have_count(1)


SLOW = """addEventListener("DOMContentLoaded", () => {
  const picture = document.body.appendChild(new Image());
  picture.src = "/slow.png";
})"""


def test_htmx_that_comes_before_the_rest_of_the_page_sends_acts_all_the_same(person):
    page, slow = person.page, []
    start_story(page, person.origin, "hello-pod", stands_at_s=10)
    page.route("**/slow.png", lambda route: slow.append(route))  # noqa: PLW0108 - playwright marks what it is given
    page.add_init_script(SLOW)
    page.reload(wait_until="commit")
    wait_for_run(page)
    page.evaluate("window.isSame = true")
    page.locator("#insp-acts button").first.click()
    page.wait_for_timeout(300)
    slow[0].fulfill(status=204)
    expect(page.locator("#narrator")).to_contain_text("for deletion")
    assert page.evaluate("window.isSame")


def test_panel_refreshed_before_its_library_is_loaded_keeps_half_written_fields(person):
    page, held = person.page, []
    page.route(LIBRARIES, lambda route: held.append(route))  # noqa: PLW0108 - playwright marks what it is given
    start_story(page, person.origin, "crash-loop-ladder", stands_at_s=1)
    code = page.locator("#insp-acts input[name=exit_code]")
    code.fill("7")
    run_to(page, 90)
    expect(page.locator("#inspector")).not_to_contain_text("CrashLoopBackOff", timeout=1000)
    for route in held:
        route.continue_()
    expect(page.locator("#inspector")).to_contain_text("CrashLoopBackOff")
    expect(code).to_have_value("7")
