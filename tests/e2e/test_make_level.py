"""A level made from a run by pointing at its records, tried, shared, and solved by another visitor."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import run_to, start_story, wait_for_run

pytestmark = pytest.mark.e2e


def delete_pod(page, grace: str) -> None:
    """Delete the pod with the inspector's form."""
    answer = page.evaluate(
        """async (fields) => {
          const run = document.querySelector("[data-run]");
          const headers = { "X-CSRFToken": document.body.dataset.csrf, "HX-Request": "true" };
          const url = run.dataset.controlUrl.replace("control/", "commands/");
          return (await fetch(url, { method: "POST", body: new URLSearchParams(fields), headers })).status;
        }""",
        {"do": "delete_pod", "target": "default/shop", "client_key": "a-key-of-a-test", "grace_s": grace},
    )
    assert answer < 300


def point(page, text: str, button: str) -> None:
    page.locator("#records li").filter(has_text=text).first.get_by_role("button", name=button).click()


def test_level_is_made_from_a_run_and_solved_by_another_visitor(visit):
    author = visit()
    page = author.page
    start_story(page, author.origin, "sixty-fifty-five-ten", stands_at_s=10)
    delete_pod(page, "70")
    run_to(page, 100)
    page.locator("#branches > summary").click()
    page.get_by_role("link", name="Make a level from this run").click()
    expect(page.get_by_role("heading", name="Make a level")).to_be_visible()
    page.get_by_label("Find records").fill("exited with code 0")
    page.get_by_role("button", name="Find", exact=True).click()
    point(page, "The process of app exited with code 0", "must happen")
    expect(page.get_by_role("status").filter(has_text="Added:")).to_contain_text("Container app exits with code 0.")
    page.get_by_label("Title").fill("Let it finish")
    page.get_by_role("button", name="Try it").click()
    expect(page.locator("#trial")).to_contain_text("The level works")
    expect(page.get_by_label("Title")).to_have_value("Let it finish")
    page.get_by_role("button", name="Save as a link").click()
    page.wait_for_url(re.compile(r"/l/\w+/$"))

    learner = visit()
    opened = learner.open(page.url.removeprefix(author.origin))
    expect(opened.locator("body")).not_to_contain_text("As in the run")
    opened.get_by_role("button", name="Start").click()
    wait_for_run(opened)
    run_to(opened, 10)
    delete_pod(opened, "70")
    run_to(opened, 100)
    opened.get_by_role("button", name="Check now").click()
    expect(opened.locator("[data-level-verdict]")).to_have_attribute("data-passed", "true")


BROKEN = """title = "Broken"
story = "hello-pod"
horizon = "60s"

[[check]]
id = "A!"
never = { machine = "stop" }
"""


def test_text_of_a_level_has_an_editor_that_marks_the_line_of_a_problem(visit):
    person = visit()
    page = person.open("/levels/new/")
    page.locator("#upload").set_input_files({"name": "level.toml", "mimeType": "text/plain", "buffer": BROKEN.encode()})
    page.get_by_role("button", name="Open file").click()
    editor = page.locator(".cm-content")
    expect(page.locator(".cm-line .toml-head")).to_have_text("[[check]]")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert")).to_contain_text("check[0].id")
    expect(page.locator(".cm-lintRange-error")).to_have_text('id = "A!"')
    page.get_by_role("link", name="line 6").click()
    expect(editor).to_be_focused()
    expect(page.locator(".cm-activeLine")).to_have_text('id = "A!"')
    page.keyboard.press("End")
    for _ in range(3):
        page.keyboard.press("Backspace")
    page.keyboard.type('a"')
    page.get_by_role("button", name="Edit as a form").click()
    expect(page.locator("#check-0-id")).to_have_value("a")
