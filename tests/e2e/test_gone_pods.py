"""Pods that are gone fold away below the others; the search finds them."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import control, go_to, played, run_to, wait_for_run

pytestmark = pytest.mark.e2e
POD = "{apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: {containers: [{name: app, image: registry.k8s.io/pause:3.9}]}}"
DELETE = """async ([name, key]) => {
  const fields = { do: "delete_pod", target: `default/${name}`, force: "false", sel: "", client_key: key };
  const headers = { "X-CSRFToken": document.body.dataset.csrf, "HX-Request": "true" };
  return (await fetch(`${location.pathname}commands/`, { method: "POST", body: new URLSearchParams(fields), headers })).status;
}"""


@pytest.fixture
def page(visit):
    """A run at 60 s of three pods, of which two were deleted at 10 s."""
    page = played(visit(), "\n---\n".join(POD % name for name in ("anna", "berta", "carla")), 10)
    for name in ("anna", "carla"):
        assert page.evaluate(DELETE, [name, f"0123456789abcdef0123-{name}"]) < 300
    run_to(page, 60)
    page.goto(page.url.split("?")[0] + "?sel=pod/default/berta")
    wait_for_run(page)
    return page


def fold(page):
    return page.locator(".lane-gone")


def pods(page):
    return page.locator('.lane-label[data-kind="status"] .lane-label__name')


def test_gone_pods_fold_below_the_living_and_the_fold_is_remembered(page):
    expect(fold(page)).to_have_text("2 pods gone")
    expect(pods(page)).to_have_text(["berta"])
    fold(page).press("Enter")
    expect(pods(page)).to_have_text(["berta", "anna", "carla"])
    expect(fold(page)).to_be_focused()
    expect(fold(page)).to_have_attribute("aria-expanded", "true")
    page.reload()
    expect(pods(page)).to_have_text(["berta", "anna", "carla"])


def test_moment_at_which_they_were_there_shows_them_where_they_stood(page):
    go_to(page, "0:05")
    expect(pods(page)).to_have_text(["anna", "berta", "carla"])
    expect(fold(page)).to_have_count(0)
    go_to(page, "0:55")
    expect(pods(page)).to_have_text(["berta"])


def test_link_to_a_gone_pod_opens_the_fold_and_it_can_be_closed_again(page):
    page.goto(page.url.split("?")[0] + "?sel=pod/default/carla")
    wait_for_run(page)
    expect(pods(page)).to_have_text(["berta", "anna", "carla"])
    expect(page.locator('.lane-label[data-focus="true"]')).to_contain_text("carla")
    fold(page).click()
    expect(pods(page)).to_have_text(["berta"])


def test_gone_pod_is_found_by_the_commands_and_shown(page):
    page.keyboard.press("Control+k")
    page.locator(".commands__input").fill("anna")
    page.locator(".commands__line").filter(has_text=re.compile("^anna.*Pod")).first.click()
    expect(pods(page)).to_have_text(["berta", "anna", "carla"])
    expect(page.locator('.lane-label[data-focus="true"]')).to_contain_text("anna")


def test_story_whose_only_pod_is_gone_still_shows_it(page):
    assert page.evaluate(DELETE, ["berta", "0123456789abcdef0123-berta"]) < 300
    control(page, "run_to", to_ms=120_000)
    expect(pods(page)).to_have_text(["anna", "berta", "carla"])
    expect(fold(page)).to_have_count(0)
