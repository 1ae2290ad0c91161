"""Gallery, editor, languages, themes, and pages without scripts."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import go_to, start_story, wait_for_run, wait_until

pytestmark = pytest.mark.e2e

POD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: "nginx:1.27"}]}\n'


def test_gallery_leads_to_a_story_and_its_run(visit):
    page = visit().open("/scenarios/")
    page.get_by_role("link", name="PID 1 is deaf").click()
    expect(page.get_by_role("heading", name="What to try")).to_be_visible()
    page.get_by_role("button", name="Open run").click()
    expect(page).to_have_url(re.compile(r"/r/"))


def test_gallery_is_filtered_by_tag(visit):
    page = visit().open("/scenarios/")
    page.get_by_text("More tags").click()
    page.get_by_role("navigation", name="Tags").get_by_role("link", name="grpc").click()
    expect(page.locator("#tracks .story")).to_have_count(1)


def test_problem_of_a_sent_form_leads_to_its_line(visit):
    page = visit().open("/new/")
    page.locator("#id_manifest").fill("# a comment\n" * 60 + POD.replace("image:", "imagePullpolicy: Always, image:"))
    page.get_by_role("button", name="Run manifests").click()
    page.locator("#problems [data-line]").first.click()
    expect(page.locator(".cm-activeLine")).to_contain_text("imagePullpolicy")
    expect(page.locator(".cm-activeLine")).to_be_in_viewport()


def test_plain_field_shows_the_line_and_runs_once_mended_where_the_editor_does_not_come(visit):
    page = visit().open("/new/")
    page.route(re.compile(r"/(open|editor)\.[0-9a-f.]*js$"), lambda route: route.abort())
    area = page.locator("#id_manifest")
    area.fill(POD.replace("image:", "imagePullpolicy: Always, image:"))
    page.get_by_role("button", name="Run manifests").click()
    expect(page.locator("#problems")).to_contain_text("Line 4")
    area.fill(POD)
    page.get_by_role("button", name="Run manifests").click()
    expect(page).to_have_url(re.compile(r"/r/"))


@pytest.mark.parametrize("editor_comes", [True, False])
def test_whoever_writes_before_the_scripts_are_there_goes_on_writing(visit, editor_comes):
    person, held = visit(), []
    page = person.page
    page.route(re.compile(r"/pages\.[0-9a-f.]*js$"), lambda route: held.append(route))
    if not editor_comes:
        page.route(re.compile(r"/(open|editor)\.[0-9a-f.]*js$"), lambda route: route.abort())
    page.goto(person.origin + "/new/", wait_until="commit")
    page.locator("#id_manifest").select_text()
    page.keyboard.type("apiVersion: v1")
    held.pop().continue_()
    expect(page.locator(".cm-content" if editor_comes else ".editor__gutter")).to_be_visible()
    if editor_comes:
        expect(page.locator(".bench__foot .num")).to_have_text("Line 1, column 15")
    page.keyboard.type("\nkind: Pod")
    expect(page.locator("#id_manifest")).to_have_value("apiVersion: v1\nkind: Pod")


def test_fields_of_a_new_run_stand_in_columns_of_one_width(visit):
    page = visit().open("/new/")
    for width, columns in {1440: 4, 1024: 3, 390: 1}.items():
        page.set_viewport_size({"width": width, "height": 900})
        boxes = page.evaluate("() => [...document.querySelectorAll('.fields > .field')].map((it) => it.getBoundingClientRect())")
        assert len({round(box["width"]) for box in boxes}) == 1
        assert len({round(box["x"]) for box in boxes}) == columns


def test_way_to_begin_that_is_open_is_in_sight_on_a_phone(visit):
    person = visit()
    person.page.set_viewport_size({"width": 390, "height": 844})
    tabs = person.open("/x/").locator(".tabs .tab")
    expect(tabs).to_have_count(3)
    for tab in tabs.all():
        expect(tab).to_be_in_viewport(ratio=0.99)


def test_language_is_switched(visit):
    page = visit().open("/scenarios/")
    page.locator("#language-menu summary").click()
    page.get_by_role("button", name="简体中文").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("场景")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")


def test_another_language_shows_the_moment_that_was_looked_at(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "hello-pod", stands_at_s=30)
    go_to(page, "0:12")
    page.locator("#tab-events").click()
    wait_until(page, "() => location.search.includes('t=12') && location.search.includes('tab=events')")
    view = page.locator("[data-run]").get_attribute("data-view")
    page.locator("#language-menu summary").click()
    page.get_by_role("button", name="繁體中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-hant")
    wait_for_run(page)
    expect(page.locator("[data-run]")).to_have_attribute("data-playhead", "12000")
    expect(page.locator("[data-run]")).to_have_attribute("data-view", view)
    expect(page.locator("#tab-events")).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("address", ["/new/", "/new/import/", "/x/"])
def test_what_is_missing_in_a_form_is_said_where_one_looks_first(visit, address):
    page = visit().open(address)
    form = page.locator("main form[method=post]").first
    form.evaluate("(form) => { for (const area of form.querySelectorAll('textarea')) area.value = ''; form.submit(); }")
    alert = page.locator("main [role=alert]")
    expect(alert).to_contain_text("1 problem found. Nothing was saved or started.")
    expect(alert).to_be_in_viewport(ratio=1)


def test_theme_is_switched_and_kept(visit):
    page = visit().open("/scenarios/")
    page.locator("[data-do=theme]").click()
    theme = page.locator("html").get_attribute("data-theme")
    assert theme in ("light", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", theme)


def test_story_is_played_and_acted_in_without_scripts(visit):
    page = visit(java_script_enabled=False).open("/scenarios/pid-1-is-deaf/")
    page.get_by_role("button", name="Open run").click()
    expect(page.locator("#insp-head .tone")).to_be_visible()
    page.locator("#insp-more-delete > summary").click()
    page.get_by_role("button", name="Force delete pod").click()
    expect(page).to_have_url(re.compile(r"/r/"))


def test_page_without_scripts_has_only_what_works(visit):
    page = visit(java_script_enabled=False).open("/scenarios/pid-1-is-deaf/")
    page.get_by_role("button", name="Open run").click()
    expect(page.get_by_role("link", name="Go to now")).to_be_visible()
    for dead in ("#scrubber", "[data-speed]", "[data-do=next]", "[data-do=theme]"):
        expect(page.locator(dead)).to_be_hidden()


def test_shared_moment_is_complete_without_scripts(visit):
    host = visit()
    start_story(host.page, host.origin, "hello-pod", stands_at_s=5)
    with host.page.expect_response(re.compile("/share/")) as shared:
        host.page.locator("header [data-do=share]").click()
    guest = visit(java_script_enabled=False)
    page = guest.open(shared.value.json()["url"].removeprefix(guest.origin))
    expect(page.locator("#insp-head .tone")).to_have_text(re.compile("Running|ContainerCreating"))
    expect(page.get_by_role("button", name="Play from here")).to_be_visible()


def test_unknown_page_says_so(visit):
    guest = visit()
    page = guest.open("/nothing/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
    assert guest.troubles == [f"404 {page.url}"]
    guest.troubles.clear()


@pytest.mark.parametrize(
    ("address", "language", "words"),
    [
        ("/new/import/", "en", "Choose a fileNo file chosen"),
        ("/x/", "zh-hans", "选择文件未选择文件"),
        ("/x/", "zh-hant", "選擇檔案未選擇檔案"),
    ],
)
def test_field_for_a_file_is_in_the_language_of_the_page_and_says_what_was_chosen(visit, address, language, words):
    page = visit().open(f"{address}?lang={language}")
    field = page.locator(".file")
    expect(field).to_have_text(words)
    with page.expect_file_chooser() as chooser:
        field.click()
    chooser.value.set_files([{"name": "mine.json", "mimeType": "application/json", "buffer": b"{}"}])
    expect(page.locator(".file__name")).to_have_text("mine.json")
    page.locator("input[type=file]").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    assert page.locator(".file .button").evaluate("(words) => getComputedStyle(words).outlineStyle") == "solid"
