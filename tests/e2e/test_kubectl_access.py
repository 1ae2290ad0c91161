"""Keys to a run's Kubernetes API, created with the page's own forms."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import start_story

pytestmark = pytest.mark.e2e


def test_key_is_made_and_its_file_downloaded_at_the_moment_shown(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "hello-pod", stands_at_s=30)
    page.locator("#tab-kubectl").click()
    page.get_by_role("link", name="kubectl access").click()
    page.get_by_role("button", name="Create a key with write access").click()
    expect(page.get_by_role("heading", name="Your key")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download kubeconfig").click()
    contexts = Path(download.value.path()).read_text()
    assert "current-context: podscope-" in contexts
    assert "@00:30" in contexts


def test_page_leads_back_to_the_run(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "hello-pod", stands_at_s=30)
    run = page.url.split("?")[0]
    page.goto(f"{run}door/")
    page.get_by_role("main").get_by_role("link", name="Hello, Pod").click()
    page.wait_for_url(lambda url: url.startswith(run) and "/door/" not in url)
