"""A sweep as requested by a person: the form, its progress, the chart, and a run that it opens."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.helpers import expect_status, playhead, start_story, wait_for_run, wait_until

pytestmark = pytest.mark.e2e
RESULT_MS = 60_000


def fill_form(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        page.locator(f"#id_{name}").fill(value)


def open_cell(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()
    page.wait_for_url(re.compile(r"/r/[0-9a-f-]{36}/"))


def test_sweep_is_run_and_one_of_its_cells_opened(visit):
    page = visit().open("/sweeps/?example=ready&last=31&step=10&seeds=3&seconds=60")
    page.get_by_role("button", name="Start sweep").click()
    expect(page.locator(".sweep-cell").first).to_be_visible(timeout=RESULT_MS)
    expect(page.locator(".sweep-chart__column")).to_have_count(4)
    open_cell(page, "Open the run with 21 and seed 3")
    wait_for_run(page)
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) > 20_000")
    assert playhead(page) < 23_000
    expect_status(page, "Running")
    expect(page.locator("body")).to_contain_text("periodSeconds: 21")


def test_same_sweep_is_there_at_once_the_second_time(visit):
    page = visit().open("/sweeps/?example=hang&first=1&last=6&step=5&seeds=2&seconds=60")
    page.get_by_role("button", name="Start sweep").click()
    expect(page.locator(".sweep-cell").first).to_be_visible(timeout=RESULT_MS)
    first, second = page.url, "/sweeps/?example=hang&first=1&last=6&step=5&seeds=2&seconds=60"
    other = visit().open(second)
    other.get_by_role("button", name="Start sweep").click()
    expect(other.locator(".sweep-cell").first).to_be_visible()
    assert other.url != first  # the result is shared, the address is not
    page.goto(page.url.partition("/sweeps/")[0] + second)
    page.get_by_role("button", name="Start sweep").click()
    expect(page.locator(".sweep-cell").first).to_be_visible()
    assert page.url == first


def test_sweep_of_a_running_run_is_stopped(visit):
    host = visit()
    start_story(host.page, host.origin, "hello-pod")
    page = host.page
    page.get_by_text("This run", exact=True).click()
    page.get_by_role("link", name="Sweep a field").click()
    fill_form(page, field="spec.terminationGracePeriodSeconds", first="1", last="50", step="1", seeds="20", seconds="3600")
    page.get_by_role("button", name="Start sweep").click()
    page.get_by_role("button", name="Stop sweep").click()
    expect(page.get_by_role("button", name="Compute missing cells")).to_be_visible()


def test_two_visitors_ask_the_same_and_each_stops_their_own(visit):
    pages = [visit().open("/sweeps/?example=ready&first=1&last=40&step=1&seeds=25&seconds=3600") for _ in range(2)]
    for page in pages:
        page.get_by_role("button", name="Start sweep").click()
        expect(page.get_by_role("button", name="Stop sweep")).to_be_visible()
    first, second = pages
    first.get_by_role("button", name="Stop sweep").click()
    expect(first.get_by_role("button", name="Compute missing cells")).to_be_visible()
    second.reload()
    second.get_by_role("button", name="Stop sweep").click()
    expect(second.get_by_role("button", name="Compute missing cells")).to_be_visible()


def test_chart_is_reached_by_keyboard_and_leads_to_its_value(visit):
    page = visit().open("/sweeps/?example=ready&last=11&step=10&seeds=2&seconds=30")
    page.get_by_role("button", name="Start sweep").click()
    expect(page.locator(".sweep-cell").first).to_be_visible(timeout=RESULT_MS)
    column = page.locator(".sweep-chart__column").nth(1)
    column.focus()
    expect(column).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#value-1$"))


def test_sweep_works_without_scripts(visit):
    page = visit(java_script_enabled=False).open("/sweeps/?example=ready&last=11&step=10&seeds=2&seconds=31")
    page.get_by_role("button", name="Start sweep").click()
    expect(page.locator(".sweep-cell").first).to_be_visible(timeout=RESULT_MS)
    open_cell(page, "Open the run with 11 and seed 2")
    expect(page.locator("#insp-head .tone")).to_be_visible()


def test_page_of_a_sweep_waits_quietly_for_a_server_that_is_away(visit):
    person = visit()
    page = person.open("/sweeps/?example=ready&first=1&last=50&step=1&seeds=20&seconds=3600")
    page.get_by_role("button", name="Start sweep").click()
    expect(page.locator("#sweep-live progress")).to_be_visible()
    with page.expect_event("requestfailed"):
        page.context.set_offline(True)
    expect(page.locator(".toast")).to_have_count(0)
    page.context.set_offline(False)
    person.troubles.clear()  # htmx logs each to the console
    page.get_by_role("button", name="Stop sweep").click()
    expect(page.get_by_role("button", name="Compute missing cells")).to_be_visible()
