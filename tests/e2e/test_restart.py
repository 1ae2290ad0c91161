"""The server dies in the middle of a run and comes back."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import Server, Visit
from tests.e2e.helpers import run_to, start_story, wait_for_run, wait_until

pytestmark = pytest.mark.e2e


class Log:
    """The records the page received, assembled as it does: frames over the socket or by HTTP."""

    def __init__(self, page) -> None:
        self.last = 0
        self.seqs: list[int] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._frame))
        page.on("response", self._answer)

    def _frame(self, payload) -> None:
        self._take(json.loads(payload))

    def _answer(self, response) -> None:
        if "/records/?" in response.url and response.ok:
            self._take(response.json())

    def _take(self, frame) -> None:
        if frame.get("type") != "records" or frame["from"] != self.last:
            return
        self.seqs += [record[0] for record in frame["records"]]
        self.last = frame["to"]


@pytest.fixture(scope="module")
def own_server(prepared):
    """A server for these tests, which they kill."""
    server = Server(prepared)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def lonely(own_server, browser):
    context = browser.new_context()
    yield own_server, Visit(context, own_server.url)
    context.close()


def test_page_resumes_without_gap_or_repetition_when_the_server_was_killed(lonely):
    server, person = lonely
    page = person.page
    log = Log(page)
    start_story(page, server.url, "liveness-death-spiral")
    run_to(page, 60)
    before = int(page.locator("[data-run]").get_attribute("data-head-seq"))

    server.kill()
    page.wait_for_timeout(500)
    server.start()

    wait_until(page, "(seq) => Number(document.querySelector('[data-run]').dataset.headSeq) > seq", before, seconds=60)
    assert log.seqs == list(range(1, log.last + 1)) and log.last > before


@pytest.fixture
def lonely_class(own_server, browser):
    """A separate server with a teacher and a pupil, Ada, in browsers of their own; Ada follows the teacher's run."""
    server = own_server
    contexts = [browser.new_context(), browser.new_context()]
    teacher, ada = (Visit(context, server.url) for context in contexts)
    teacher.open("/class/").get_by_role("button", name="Start a class").click()
    code = teacher.page.locator(".class-code").inner_text().strip()
    start_story(teacher.page, server.url, "hello-pod", stands_at_s=30)
    ada.open("/class/").get_by_label("Class code").fill(code)
    ada.page.get_by_label("Your name").fill("Ada")
    ada.page.get_by_role("button", name="Join").click()
    wait_for_run(ada.page)
    yield server, teacher, ada
    for context in contexts:
        context.close()


def test_class_with_an_open_vote_goes_on_when_the_server_was_killed(lonely_class):
    server, teacher, ada = lonely_class
    here, page = teacher.page.url.split("?")[0], ada.page
    with teacher.context.expect_page() as opened:
        teacher.page.locator(".classbar").get_by_role("link", name="Class wall").click()
    wall = opened.value
    wall.get_by_text("Start a level for everyone").click()
    wall.get_by_label("Choose a level").select_option("let-it-finish")
    wall.get_by_role("button", name="Start this level").click()
    page.wait_for_url(lambda url: "/r/" in url and not url.startswith(here))
    wait_for_run(page)
    own = page.url.split("?")[0]
    wall.get_by_text("Ask all").click()
    wall.get_by_label("What will happen?").fill("Will it be killed?")
    wall.get_by_label("Choices").fill("Yes\nNo")
    wall.get_by_role("button", name="Ask everyone").click()
    vote = page.locator(".class-vote")
    vote.get_by_label("No", exact=True).check()
    vote.get_by_role("button", name="Vote").click()
    expect(vote).to_contain_text("Your vote counts.")

    server.kill()
    page.wait_for_timeout(500)
    server.start()

    expect(wall.locator(".wall__ask li", has_text="No").locator(".num")).to_have_text("1")
    expect(wall.locator(".tile")).to_have_count(1)
    wall.get_by_role("button", name="Close the vote").click()
    expect(vote.get_by_role("row", name=re.compile("No .your vote. 1"))).to_be_visible(timeout=30_000)
    wall.get_by_role("button", name="Bring everyone back").click()
    page.wait_for_url(lambda url: url.startswith(here))
    page.locator(".classbar").get_by_role("link", name="My run").click()
    page.wait_for_url(lambda url: url.startswith(own))
    expect(page.locator("main")).to_have_attribute("data-role", "owner")
