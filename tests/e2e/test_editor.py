"""The editor: findings in the text, quick fixes, form and behaviour, and applying to a running pod."""

import re

import pytest
from playwright.sync_api import expect

from simulator.engine.versions.usual import OFFERED
from tests.e2e.helpers import another_run, run_to, start_story, wait_until

pytestmark = pytest.mark.e2e

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web  # what people call it
spec:
  # one container is enough
  containers:
  - name: app
    image: nginx:1.27
    lifecycle:
      preStop:
        sleep: {seconds: 5}
"""
PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
  document.querySelector(".cm-content").dispatchEvent(paste);
  return Number(document.querySelector("[data-bench]").dataset.checked || 0);
}"""
SIGNED = """([words, change]) => {
  const line = [...document.querySelectorAll(".cm-line")].find((each) => each.textContent.includes(words));
  const sign = [...document.querySelectorAll(".cm-changes [data-change]")].find((each) => {
    const [own, other] = [each.getBoundingClientRect(), line.getBoundingClientRect()];
    return own.top >= other.top - 2 && own.bottom <= other.bottom + 2;
  });
  return sign?.dataset.change === change && sign.title !== "";
}"""
CHECKED = "(n) => Number(document.querySelector('[data-bench]').dataset.checked || 0) >= n"


@pytest.fixture
def person(visit):
    return visit()


def write(page, text: str) -> int:
    """Replace the whole text, like pasting over everything. Returns how many texts had been checked before this one."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    return page.evaluate(PASTE, text)


def written(page) -> str:
    """The text that the form would send."""
    return page.locator("textarea[name=manifest]").first.input_value()


def form_of(person):
    """The page for new runs with its editor open."""
    page = person.open("/new/")
    page.locator("#id_manifest").focus()
    expect(page.locator(".cm-content")).to_be_focused()
    return page


def new_run(visit):
    return form_of(visit())


@pytest.fixture
def opened(shared):
    """Puts a text into the editor of the page for new runs, which many tests share, and waits until it has been checked."""

    def put(text: str = POD):
        page = shared(new_run)
        page.keyboard.press("Escape")  # a list or a menu that an earlier test has left open
        page.get_by_role("tab", name="YAML").click()
        page.locator("#id_kubernetes").select_option(OFFERED)
        wait_until(page, CHECKED, write(page, text) + 1)
        return page

    return put


def edited(person, slug: str = "hello-pod"):
    """The editor of a running pod."""
    start_story(person.page, person.origin, slug, stands_at_s=12)
    person.page.get_by_role("button", name="Edit YAML").click()
    expect(person.page.locator("#editor .cm-content")).to_be_focused()
    return person.page


def knob(page, name: str):
    return page.locator(f"[data-bench] [id^=knob-][id$='-{name}']")


PLACE = "(it) => [it.getBoundingClientRect().top + scrollY, it.getBoundingClientRect().left]"
"""Relative to the page, not to the window: a window may scroll to show the cursor."""


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_what_stands_below_the_editor_never_moves(person, size):
    page = person.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    person.open("/new/")
    button = page.locator("[data-after-editor]")
    page.locator(".bench__bar--waiting").wait_for()
    place = button.evaluate(PLACE)
    page.locator("#id_manifest").focus()
    page.locator("[data-bench]").wait_for()
    wait_until(page, CHECKED, 1)
    assert button.evaluate(PLACE) == place
    write(page, "kind: Pod\n" + "  wrong\n" * 30)
    wait_until(page, CHECKED, 2)
    assert page.locator(".problems-bar li").count() > 0
    assert button.evaluate(PLACE) == place


def test_field_without_the_editor_is_a_plain_one(person):
    page = person.open("/new/")
    expect(page.locator("#id_manifest")).to_be_visible()
    assert page.evaluate("performance.getEntriesByType('resource').every((entry) => !entry.name.includes('codemirror'))")


def test_broken_manifest_is_marked_where_it_is_broken(opened):
    page = opened(POD.replace("image:", "imaeg:"))
    expect(page.locator(".cm-lintRange-error", has_text="imaeg")).to_be_visible()
    expect(page.locator(".cm-signs [data-severity=error]").first).to_have_text("✕")
    expect(page.locator(".findings > li[data-severity=error]", has_text="unknown field")).to_contain_text("Line 9, column 5")


def test_finding_leads_to_its_place(opened):
    page = opened(POD.replace("image:", "imaeg:"))
    page.locator(".findings > li", has_text="unknown field").locator(".finding__go").click()
    expect(page.locator(".bench__foot")).to_contain_text("Line 9, column 5")
    expect(page.locator(".cm-content")).to_be_focused()


def test_quick_fix_repairs_the_line(opened):
    page = opened(POD.replace("image:", "imaeg:"))
    page.locator(".findings > li", has_text="unknown field").get_by_role("button", name="Rename to image").click()
    expect(page.locator(".count[data-severity=ok]")).to_be_visible()
    assert written(page) == POD


def test_quick_fix_is_reached_by_keys(opened):
    page = opened(POD.replace("image:", "imaeg:"))
    expect(page.locator(".cm-lintRange-error", has_text="imaeg")).to_be_visible()
    page.locator(".cm-line", has_text="imaeg").click()
    page.keyboard.press("Control+.")
    expect(page.get_by_role("menuitem", name="Rename to image")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".cm-content")).to_be_focused()
    assert written(page) == POD


def test_field_is_completed_from_the_schema(opened):
    page = opened(POD + "    termi")
    page.keyboard.press("Control+Space")
    page.locator(".cm-tooltip-autocomplete li", has_text="terminationMessagePath").click()
    assert written(page).endswith("    terminationMessagePath: ")


def test_description_of_a_field_is_next_to_the_list(opened):
    page = opened(POD + "    termi")
    page.keyboard.press("Control+Space")
    words = page.locator(".cm-completionInfo")
    expect(words).to_be_visible()
    box = words.bounding_box()
    corner = [box["x"] + box["width"] - 6, box["y"] + 6]
    assert page.evaluate("([x, y]) => document.elementFromPoint(x, y).closest('.cm-completionInfo') !== null", corner)


def test_escape_leaves_the_text(opened):
    page = opened()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Run manifests")).to_be_focused()


def test_form_keeps_comments(opened):
    page = opened()
    page.get_by_role("tab", name="Form").click()
    knob(page, "image").fill("nginx:1.28")
    knob(page, "terminationGracePeriodSeconds").fill("12")
    knob(page, "terminationGracePeriodSeconds").press("Tab")
    wait_until(page, "() => document.querySelector('#id_manifest').value.includes('terminationGracePeriodSeconds: 12')")
    assert written(page) == POD.replace("nginx:1.27", "nginx:1.28") + "  terminationGracePeriodSeconds: 12\n"


def test_form_follows_the_text(opened):
    page = opened()
    page.get_by_role("tab", name="Form").click()
    write(page, POD.replace("nginx:1.27", "busybox:1.36"))
    expect(knob(page, "image")).to_have_value("busybox:1.36")


def test_behaviour_is_written_as_an_annotation(opened):
    page = opened()
    before = int(page.locator("[data-bench]").get_attribute("data-checked"))
    page.get_by_role("tab", name="Behaviour").click()
    page.get_by_role("button", name="recover on attempt 3").click()
    expect(page.locator(".row", has_text="From attempt 3")).to_be_visible()
    wait_until(page, CHECKED, before + 1)
    expect(page.locator(".count[data-severity=ok]")).to_be_visible()
    assert "podscope.dev/behaviour: |\n      app:\n        exit:\n        - {after: 3s, code: 1}\n" in written(page)


def test_other_version_is_checked_again(opened):
    page = opened()
    expect(page.locator(".count[data-severity=ok]")).to_be_visible()
    page.locator("#id_kubernetes").select_option("1.20")
    expect(page.locator(".findings > li[data-severity=error]", has_text="sleep").first).to_be_visible()


def test_file_is_opened(person):
    page = form_of(person)
    page.set_input_files(
        "input[type=file]", [{"name": "pod.yaml", "mimeType": "text/yaml", "buffer": POD.replace("web", "filed").encode()}]
    )
    expect(page.locator(".cm-content")).to_contain_text("filed")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"/r/[0-9a-f-]{36}/"))


def test_image_of_a_running_pod_is_changed_and_the_container_restarts(person):
    page = edited(person)
    page.get_by_role("tab", name="Form").click()
    knob(page, "image").fill("nginx:1.28")
    page.get_by_role("button", name="Review changes").click()
    expect(page.locator(".preview[data-outcome=accepted]")).to_contain_text("pod/hello configured")
    expect(page.locator(".effects li", has_text="restarts container web")).to_be_visible()
    expect(page.locator(".preview .cm-merge-b .cm-changedLine")).to_contain_text("nginx:1.28")
    page.locator("[data-editor-send]").click()
    expect(page.locator("dialog#editor")).not_to_be_visible()
    run_to(page, 30)
    expect(page.locator("#insp-container-web .kv")).to_contain_text("nginx:1.28")
    expect(page.locator("#insp-container-web .kv")).to_contain_text("#1")


def test_fields_of_a_running_pod_say_whether_they_may_change(person):
    page = edited(person)
    wait_until(page, SIGNED, ["image:", "yes"])
    wait_until(page, SIGNED, ["imagePullPolicy:", "never"])
    page.get_by_text("What you can change").click()
    expect(page.locator(".bench__legend li", has_text="can only be reduced")).to_be_visible()


def test_field_that_may_not_change_gets_the_official_words(person):
    page = edited(person)
    page.get_by_role("tab", name="Form").click()
    knob(page, "restartPolicy").select_option("Never")
    page.locator("#run-tab-yaml").click()
    page.locator("#editor .cm-content").click()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".preview[data-outcome=rejected]")).to_contain_text(
        "pod updates may not change fields other than `spec.containers[*].image`"
    )
    expect(page.locator("[data-editor-send]")).to_be_disabled()


def test_changes_are_not_discarded_by_one_key(person):
    page = edited(person)
    write(page, POD)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator("[data-editor-note]")).to_contain_text("Not applied yet")
    page.locator("[data-editor-close]").click()
    expect(page.locator("dialog#editor")).not_to_be_visible()


def test_escape_closes_the_legend_before_the_editor(person):
    page = edited(person)
    page.get_by_text("What you can change").click()
    expect(page.get_by_text("can be changed in place")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("can be changed in place")).to_be_hidden()
    expect(page.locator("#editor")).to_be_visible()


def test_change_in_the_past_makes_a_branch(person):
    start_story(person.page, person.origin, "hello-pod", stands_at_s=20)
    page = person.page
    page.locator("#timeline").focus()
    page.keyboard.press("PageUp")
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "false")
    page.get_by_role("button", name="Edit YAML").click()
    expect(page.locator("[data-editor-note]")).to_contain_text("branch")
    page.get_by_role("tab", name="Form").click()
    knob(page, "labels").fill("app=hello\ntier=past")
    page.get_by_role("button", name="Review changes").click()
    with another_run(page):
        page.locator("[data-editor-send]").click()


def test_description_of_a_field_is_marked_as_english_in_another_language(visit):
    page = form_of(visit(locale="zh-Hans"))
    write(page, POD)
    page.locator(".cm-line", has_text="image: nginx").get_by_text("image").first.hover()
    card = page.locator(".field-doc")
    expect(card.locator("p[lang=en]")).to_contain_text("Container image name")
    expect(card.locator(".field-doc__head")).not_to_have_attribute("lang", "en")


def test_presumption_is_what_the_behaviour_begins_with(opened):
    unknown = POD.replace("nginx:1.27", "example/app:1").replace(
        "    lifecycle:", "    readinessProbe: {httpGet: {path: /ready, port: 8080}}\n    lifecycle:"
    )
    page = opened(unknown)
    page.get_by_role("tab", name="Behaviour").click()
    expect(page.locator("[data-presumed]")).to_contain_text("listen on 8080 and pass its probes")
    page.get_by_role("button", name="Start from this").click()
    expect(page.locator("[data-presumed]")).to_have_count(0)
    assert "/ready: 200" in written(page)
