"""A pod of a real cluster is pasted and played on."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from simulator.kubectl.yaml import to_yaml
from tests.e2e.helpers import go_to, run_to, wait_for_run

pytestmark = pytest.mark.e2e
MOMENTS = json.loads((Path(__file__).parents[1] / "imports" / "data" / "moments.json").read_text(encoding="utf-8"))


def test_a_real_pod_is_pasted_looked_at_and_played_on(visit):
    person = visit()
    page = person.open("/new/")
    page.get_by_role("link", name="Bring your own pod").click()
    moment = MOMENTS[0]
    page.get_by_label("Output of kubectl").fill(to_yaml({"apiVersion": "v1", "kind": "List", "items": moment["objects"]}))
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#import-found")).to_contain_text("p, Kubernetes 1.2")
    page.get_by_role("button", name="Continue playing").click()
    page.wait_for_url(re.compile(r"/r/[0-9a-f-]{36}/"))
    wait_for_run(page)
    expect(page.locator(".timeline__legend")).to_be_visible()
    expect(page.locator("#rail")).to_contain_text("Imported")
    expect(page.locator("#inspector")).to_contain_text("CrashLoopBackOff")
    box = page.locator(".timeline__stage").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 24)
    expect(page.locator(".hover-card__because")).to_contain_text("Inferred")
    expect(page.locator(".hover-card__because")).not_to_contain_text("{")
    run_to(page, 112)
    expect(page.locator("#inspector")).to_contain_text("4")
    go_to(page, "0:47.5")
    expect(page.locator("#inspector")).to_contain_text("Running")
    page.locator("#tab-why").click()
    expect(page.locator("#drawer-body")).to_contain_text(re.compile("Recorded|Inferred"))
    assert person.troubles == []


def test_the_import_works_without_scripts(visit):
    person = visit(java_script_enabled=False)
    page = person.open("/new/import/")
    page.get_by_label("Output of kubectl").fill(json.dumps({"kind": "List", "apiVersion": "v1", "items": MOMENTS[2]["objects"]}))
    page.get_by_role("button", name="Continue playing").click()
    page.wait_for_url(re.compile(r"/r/[0-9a-f-]{36}/"))
    expect(page.locator("body")).to_contain_text("Imported")


def test_a_described_pod_is_explained_by_keyboard_alone(visit):
    person = visit()
    page = person.open("/new/import/")
    text = "Name:  web\nContainers:\n  app:\n    State:  Waiting\n      Reason:  CreateContainerConfigError\nEvents:\n"
    page.get_by_label("Output of kubectl").fill(text + '  Warning  Failed  2m (x9 over 4m)  kubelet  Error: secret "db" not found\n')
    page.get_by_role("button", name="What is wrong with my pod?").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#troubles")).to_contain_text("A Secret that an environment variable refers to does not exist")
    expect(page.locator("#troubles")).to_contain_text("Line 7")
    page.get_by_role("link", name="All causes of CreateContainerConfigError").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#help-CreateContainerConfigError")).to_be_visible()
    assert person.troubles == []
