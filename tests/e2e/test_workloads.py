"""Workloads by click: a bad image rolled out and undone, another size, a budget that refuses a drain with its arithmetic."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import act, control, run_to, start_story

pytestmark = pytest.mark.e2e
DEPLOYMENT = "deployment/default/web"


@pytest.fixture
def page(visit):
    person = visit()
    start_story(person.page, person.origin, "rollout-stuck-on-an-image")
    control(person.page, "pause")
    run_to(person.page, 30)
    person.page.locator("#tab-map").click()
    person.page.locator(f"#map-controllers a[data-select='{DEPLOYMENT}']").click()
    expect(person.page.locator("#insp-object-head")).to_contain_text("3 of 3")
    return person.page


def test_bad_image_is_rolled_out_and_undone(page):
    acts = page.locator("#insp-object-acts")
    acts.locator("input[name=image]").first.fill("nginx:typo")
    act(page, acts.get_by_role("button", name=re.compile("^(Set|Change) image")).first)
    run_to(page, 100)
    expect(page.locator("#insp-object-conditions")).to_contain_text("ProgressDeadlineExceeded")
    expect(page.locator(".map__tile[data-tone='backoff'], .map__tile[data-tone='failed']")).to_have_count(1)
    act(page, acts.get_by_role("button", name=re.compile("[Uu]ndo")).first)
    run_to(page, 130)
    expect(page.locator("#insp-object-conditions")).to_contain_text("NewReplicaSetAvailable")
    expect(page.locator(".map__tile:not([data-tone='ready'])")).to_have_count(0)


def test_deployment_is_scaled_and_its_lane_tells(page):
    acts = page.locator("#insp-object-acts")
    acts.locator("input[name=replicas]").fill("5")
    act(page, acts.get_by_role("button", name=re.compile("^Scale")).first)
    run_to(page, 45)
    expect(page.locator("#insp-object-head")).to_contain_text("5 of 5")
    expect(page.locator(f'.lane-label:has([data-lane="{DEPLOYMENT}"])')).to_contain_text("5/5")
