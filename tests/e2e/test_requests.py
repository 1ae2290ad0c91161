"""Requests of a Service: a deletion makes some fail, a preStop hook fixes that, and each failure has an explanation."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.helpers import kubectl_act, playhead, press, run_to, start_story

pytestmark = pytest.mark.e2e
HOOK = {"spec": {"template": {"spec": {"containers": [{"name": "app", "lifecycle": {"preStop": {"sleep": {"seconds": 5}}}}]}}}}


def open_service(page: Page) -> None:
    """Show the Service in the inspector: since 0:15 it has received 100 requests per second."""
    page.locator(".lane-label[data-kind=requests][data-depth='1'] .lane-label__name").click()
    expect(page.locator("#insp-object-requests [data-failed]")).to_contain_text(f" of {(playhead(page) - 15_000) // 10} failed.")


def failed(page: Page) -> int:
    """How many requests have failed so far, once the inspector says so twice: records may still be on their way."""

    def told() -> int:
        open_service(page)
        return int(page.locator("#insp-object-requests [data-failed]").get_attribute("data-failed") or -1)

    before, now = -1, told()
    while now != before:
        page.locator("#insp-object-pods a").first.click()
        expect(page.locator("#insp-object-requests")).to_have_count(0)
        before, now = now, told()
    return now


def delete(page: Page, pod: str, seconds: float) -> None:
    """Delete a pod with its own grace period and let time pass."""
    page.locator("#inspector nav a", has_text=pod).first.click()
    expect(page.locator("#insp-head")).to_contain_text(pod)
    press(page, "Delete pod")
    run_to(page, seconds)


def pods(page: Page) -> list[str]:
    """The existing pods of the Service, from its inspector."""
    open_service(page)
    return [text.split()[0] for text in page.locator("#insp-object-pods a").all_inner_texts()]


def test_failed_requests_fall_to_none_when_a_hook_gives_the_proxies_their_time(visit) -> None:
    person = visit()
    page = person.page
    start_story(page, person.origin, "zero-downtime", stands_at_s=20)
    assert failed(page) == 0
    old = pods(page)
    delete(page, old[0], 24)
    lost = failed(page)
    assert lost > 0
    page.locator("#tab-map").click()
    on_map = page.locator("#map-controllers a[data-select='service/default/web']")
    expect(on_map).to_contain_text("100/s answered")
    expect(on_map).to_contain_text(f"{lost} of 900 failed.")
    kubectl_act(page, f"patch rs web -p '{json.dumps(HOOK)}'")
    delete(page, old[1], 28)
    delete(page, old[2], 32)
    lost = failed(page)
    (new, *_) = [name for name in pods(page) if name not in old]
    for name in [name for name in pods(page) if name not in old][-2:]:
        delete(page, name, 45 if name == new else 60)
    assert failed(page) == lost


def test_failed_stretch_says_why(visit) -> None:
    person = visit()
    page = person.page
    start_story(page, person.origin, "zero-downtime", stands_at_s=20)
    (pod, *_) = pods(page)
    delete(page, pod, 24)
    page.locator(".lane-label[data-kind=requests][data-depth='2'] .lane-label__name", has_text=pod).click()
    expect(page.locator("#insp-object-requests")).to_contain_text("timed out")
