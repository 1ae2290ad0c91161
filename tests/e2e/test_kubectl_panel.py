"""The command line of the drawer, by keyboard and by button."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import run_to, start_story

pytestmark = pytest.mark.e2e


def test_kubectl_is_asked_by_keyboard_and_by_button(visit):
    person = visit()
    start_story(person.page, person.origin, "crash-loop-ladder")
    page = person.page
    run_to(page, 60)
    page.locator("#timeline").focus()
    page.keyboard.press("k")
    line, answer = page.locator("#kubectl-line"), page.locator("#kubectl-answer")
    expect(line).to_be_focused()
    line.fill("get pods -o name")
    line.press("Enter")
    expect(answer).to_contain_text("pod/")
    page.locator("#kubectl-form button[name=k]", has_text="describe pod").click()
    expect(answer).to_contain_text("QoS Class:")
    line.press("ArrowUp")
    line.press("ArrowUp")
    expect(line).to_have_value("get pods -o name")
    line.fill("get nothing")
    line.press("Enter")
    expect(answer).to_contain_text("the server doesn't have a resource type")
    assert person.troubles == []


def test_object_leads_to_its_description(visit):
    person = visit()
    start_story(person.page, person.origin, "hello-pod")
    page = person.page
    run_to(page, 5)
    page.locator("#insp-apply > summary").click()
    page.locator("#apply-form textarea").fill("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: words}\ndata: {a: b}\n")
    page.get_by_role("button", name="Create objects").click()
    page.locator("#insp-objects > summary").click()
    page.locator("#insp-objects a[data-ask]").first.click()
    expect(page.locator("#kubectl-answer")).to_contain_text("BinaryData")
    assert person.troubles == []
