"""The Scheduling tab shows the last attempt before the playhead."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import act_now, run_to, start_story

pytestmark = pytest.mark.e2e


def test_decisions_of_the_scheduler_are_opened_and_read(visit):
    """For a pod that was placed, and for one that no node accepts: the story has three pods that exclude each other from three nodes."""
    person = visit()
    start_story(person.page, person.origin, "nobody-beside-me", stands_at_s=30)
    page = person.page
    page.get_by_role("tab", name="Scheduling").click()
    expect(page.locator("#sched-outcome")).to_contain_text("Chosen node:")
    expect(page.locator("#sched-nodes tbody")).to_contain_text("chosen")
    page.locator("#tab-map").click()
    page.locator("#map-controllers a[data-select='deployment/default/web']").click()
    acts = page.locator("#insp-object-acts")
    acts.locator("input[name=image]").fill("nginx:1.28")
    act_now(page, acts.get_by_role("button", name="Change image of web"))
    run_to(page, 45)
    page.locator(".map__node--none .map__tile").click()
    page.get_by_role("tab", name="Scheduling").click()
    expect(page.locator("#sched-outcome")).to_contain_text("No node fits.")
    for node in ("node-1", "node-2", "node-3"):
        row = page.locator("#sched-nodes tbody tr", has_text=node)
        expect(row).to_contain_text("InterPodAffinity")
        expect(row).to_contain_text(f"kubernetes.io/hostname={node}")
    expect(page.locator("#sched-preemption")).to_contain_text("node-1")
