"""Two visitors, one slot: the second one is told their position, and that their acts are not lost."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import Server, Visit
from tests.e2e.helpers import start_story
from tests.prepared import prepared_site

pytestmark = pytest.mark.e2e


@pytest.fixture
def crowded(tmp_path_factory, tmp_path, browser, monkeypatch):
    """A separate site with one slot: another process on the same data would add slots."""
    monkeypatch.setenv("PODSCOPE_RUNS_PER_PROCESS", "1")
    monkeypatch.setenv("PODSCOPE_WORKERS", "1")
    server = Server(prepared_site(tmp_path_factory, tmp_path))
    server.start()
    contexts = [browser.new_context(viewport={"width": 1440, "height": 900}) for _ in range(2)]
    yield server, [Visit(context, server.url) for context in contexts]
    for context in contexts:
        context.close()
    server.stop()


def test_visitor_without_a_place_sees_the_queue_and_is_answered(crowded):
    server, (first, second) = crowded
    start_story(first.page, server.url, "liveness-death-spiral")
    second.open("/scenarios/liveness-death-spiral/")
    second.page.locator("form[action$='/run/'] button").first.click()
    expect(second.page.locator("[data-wait]")).to_have_text("Waiting for a free slot: number 1 in the queue", timeout=15_000)
    expect(second.page.locator("[data-socket-state]")).to_contain_text("number 1 in the queue")
    second.page.locator("[data-do=play]").click()
    expect(second.page.locator("#toasts")).to_contain_text("number 1 in the queue")
    expect(first.page.locator("[data-wait]")).to_be_hidden()
    assert first.troubles == second.troubles == []
