"""The server dies in the middle of a run and comes back."""

import json

import pytest

from tests.e2e.conftest import Server, Visit
from tests.e2e.helpers import run_to, start_story, wait_until

pytestmark = pytest.mark.e2e


class Log:
    """What the page received, put together as it does: frames of records over the socket or by HTTP."""

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


@pytest.fixture
def lonely(prepared, browser):
    server = Server(prepared)
    server.start()
    context = browser.new_context()
    yield server, Visit(context, server.url)
    context.close()
    server.stop()


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
