"""The options for a link, and a scenario that travels in one."""

import re

import pytest
from playwright.sync_api import expect

from simulator.scenarios.links import packed, unpacked
from tests.e2e.helpers import press, run_to, standing, start_story, wait_for_run

pytestmark = pytest.mark.e2e
TEXTS = ["", "{}", "边车 ✓ 🙂", "x" * 50_000, '{"a": [1, 2, 3]}' * 300]
PACK = """async (texts) => {
  const { packed } = await import("/static/js/shares/scenario-link.js");
  return Promise.all(texts.map(packed));
}"""
UNPACK = """async (links) => {
  const { unpacked } = await import("/static/js/shares/scenario-link.js");
  return Promise.all(links.map((link) => unpacked(link).catch((error) => error.message)));
}"""


def test_browser_and_server_read_each_others_links(visit):
    page = visit().open("/x/")
    assert [unpacked(link) for link in page.evaluate(PACK, TEXTS)] == TEXTS
    assert page.evaluate(UNPACK, [packed(text) for text in TEXTS]) == TEXTS


def test_browser_says_what_is_wrong_with_a_link(visit):
    page = visit().open("/x/")
    links = ["hello", "v1d:a b", packed("{}")[:-2], "v1d:" + "A" * 70_000, packed("x" * 2_000_001)]
    assert page.evaluate(UNPACK, links) == ["carry.none", "carry.damaged", "carry.damaged", "carry.large", "carry.large"]


def test_scenario_travels_in_a_link_and_goes_on_where_it_was(visit):
    host = visit(permissions=["clipboard-read", "clipboard-write"])
    page = host.page
    start_story(page, host.origin, "pid-1-is-deaf", stands_at_s=10)
    press(page, "Delete pod")
    run_to(page, 20)
    page.get_by_role("button", name="More ways to share").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("img", name="QR code for the link")).to_be_visible()
    dialog.get_by_label("Controls").select_option("min")
    dialog.get_by_label("Size").select_option("480x300")
    expect(dialog.locator("[data-embed-code]")).to_have_value(re.compile(r'/embed/\w+/\?.*controls=min" width="480" height="300"'))
    dialog.get_by_role("button", name="Copy self-contained link").click()
    expect(dialog.locator("[data-carry-told]")).to_contain_text("Copied")
    link = page.evaluate("() => navigator.clipboard.readText()")

    guest = visit()
    opened = guest.open(link.removeprefix(guest.origin))
    expect(opened.locator("[data-carried-what]")).to_contain_text("PID 1 is deaf · Kubernetes 1.33 · actions: 1")
    opened.get_by_role("button", name="Open scenario").click()
    opened.wait_for_url(re.compile(r"/r/[0-9a-f-]+/$"))
    wait_for_run(opened)
    expect(opened.locator("#insp-head .tone")).to_have_text("Terminating")


def test_more_ways_to_share_carry_the_view_and_the_notes(visit):
    page = standing(visit(), "hello-pod", 20)
    page.locator("#timeline").focus()
    page.keyboard.press("m")
    page.keyboard.type("look here")
    page.keyboard.press("Enter")
    expect(page.locator(".note")).to_have_count(1)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="More ways to share").click()
    dialog = page.get_by_role("dialog")
    for field in ("[data-ways-link]", "[data-embed-code]"):
        expect(dialog.locator(field)).to_have_value(re.compile(r"[?&]v=-?\d+_\d+.*&notes=\d+_look\+here"))
    expect(dialog.get_by_role("img", name="QR code for the link")).to_have_attribute("src", re.compile("notes="))


def test_damaged_link_says_so(visit):
    page = visit().open("/x/#v1d:abc")
    expect(page.locator("[data-carried]")).to_contain_text("This link is damaged")
