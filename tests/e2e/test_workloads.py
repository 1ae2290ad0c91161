"""Workloads by click: a bad image rolled out and undone, scaling, a budget that refuses a drain and shows its arithmetic."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import act_now, press, run_to, standing

pytestmark = pytest.mark.e2e
DEPLOYMENT = "deployment/default/web"


def opened(visit, story):
    """The map of a story with three pods of one Deployment at 0:30, which is selected."""
    person = visit()
    standing(person, story, 30)
    person.page.locator("#tab-map").click()
    choose(person.page, DEPLOYMENT)
    expect(person.page.locator("#insp-object-head")).to_contain_text("3 of 3")
    return person.page


def choose(page, subject):
    page.locator(f"#drawer-body a[data-select='{subject}']").first.click()


@pytest.fixture
def page(visit):
    return opened(visit, "rollout-stuck-on-an-image")


def test_bad_image_is_rolled_out_and_undone(page):
    acts = page.locator("#insp-object-acts")
    acts.locator("input[name=image]").first.fill("nginx:typo")
    act_now(page, acts.get_by_role("button", name=re.compile("^(Set|Change) image")).first)
    run_to(page, 100)
    expect(page.locator("#insp-object-conditions")).to_contain_text("ProgressDeadlineExceeded")
    expect(page.locator(".map__tile[data-tone='backoff'], .map__tile[data-tone='failed']")).to_have_count(1)
    act_now(page, acts.get_by_role("button", name=re.compile("[Uu]ndo")).first)
    run_to(page, 130)
    expect(page.locator("#insp-object-conditions")).to_contain_text("NewReplicaSetAvailable")
    expect(page.locator(".map__tile:not([data-tone='ready'])")).to_have_count(0)


def test_deployment_is_scaled_and_its_lane_tells(page):
    acts = page.locator("#insp-object-acts")
    acts.locator("input[name=replicas]").fill("5")
    act_now(page, acts.get_by_role("button", name=re.compile("^Scale")).first)
    run_to(page, 45)
    expect(page.locator("#insp-object-head")).to_contain_text("5 of 5")
    expect(page.locator(f'.lane-label:has([data-lane="{DEPLOYMENT}"])')).to_contain_text("5/5")


def test_deployment_is_autoscaled_and_the_button_then_says_that_it_is(page):
    acts = page.locator("#insp-object-acts")
    form = acts.locator("form", has=page.get_by_role("button", name="Autoscale", exact=True))
    form.locator("input[name=min_replicas]").fill("5")
    form.locator("input[name=max_replicas]").fill("8")
    expect(form.locator("code.kubectl")).to_have_text("kubectl autoscale deployment/web --min=5 --max=8 --cpu=80%")
    act_now(page, form.get_by_role("button", name="Autoscale", exact=True))
    run_to(page, 70)
    expect(page.locator("#insp-object-head")).to_contain_text("5 of 5")
    expect(form.get_by_role("button", name="Autoscale", exact=True)).to_have_attribute("aria-disabled", "true")


def test_budget_refuses_a_drain_with_its_arithmetic_until_there_is_one_pod_more(visit):
    page = opened(visit, "drain-and-a-budget")
    choose(page, "node/node-1")
    expect(page.locator("#insp-node-head")).to_be_visible()
    press(page, "Drain")
    run_to(page, 38)
    drain = page.locator("#insp-node-drain")
    expect(drain).to_contain_text("3 healthy − 3 required = 0 may be evicted")
    expect(drain.locator("[data-countdown]")).to_have_text("2 s")
    drain.get_by_role("link", name="Budget web").click()
    expect(page.locator("#insp-object-head")).to_contain_text("0 may be evicted")
    budget = page.locator("#insp-object-budget")
    expect(budget).to_contain_text("minAvailable: 3")
    expect(budget).to_contain_text("is refused: 3 healthy − 3 required = 0 may be evicted")
    expect(budget.locator(".condition[data-status=True]")).to_have_count(3)
    choose(page, DEPLOYMENT)
    page.locator("#insp-object-acts input[name=replicas]").fill("4")
    act_now(page, page.locator("#insp-object-acts").get_by_role("button", name=re.compile("^Scale")).first)
    run_to(page, 70)
    choose(page, "node/node-1")
    expect(page.locator("#insp-node-head .tone")).to_have_text("Ready,SchedulingDisabled")
    expect(drain).to_have_count(0)
    expect(page.locator("#map-node-node-1 .map__tile")).to_have_count(0)


def test_node_loses_its_power_and_gets_it_back(page):
    choose(page, "node/node-1")
    expect(page.locator("#insp-node-head .tone")).to_have_text("Ready")
    press(page, "Cut power")
    expect(page.locator("#insp-node-head")).to_contain_text("The machine is off.")
    run_to(page, 90)
    expect(page.locator("#insp-node-head .tone")).to_have_text("NotReady")
    expect(page.locator("#map-node-node-1")).to_contain_text("NotReady")
    press(page, "Power on")
    run_to(page, 130)
    expect(page.locator("#insp-node-head .tone")).to_have_text("Ready")
    expect(page.locator("#map-node-node-1 .map__tile[data-tone=ready]")).to_have_count(1)
