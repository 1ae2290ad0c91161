"""The list of commands: everything that the page can do, by Ctrl+K and a few letters."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import another_run, as_it_stood, control, played, standing, wait_for_run, wait_until
from tests.e2e.test_every_page import AXE, THEME, axe

pytestmark = pytest.mark.e2e
TWO = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx:1.16.1}]
---
apiVersion: v1
kind: Pod
metadata: {name: sick}
spec:
  containers: [{name: main, image: busybox:1.28, command: [sh, -c, sleep 2; exit 3]}]
"""


def spiral(visit):
    return standing(visit(), "liveness-death-spiral", 20)


def deployment_and_pod(visit):
    return played(visit(), TWO, 15)


@pytest.fixture
def page(visit):
    """A paused story with its pod selected, for tests that change the run, or what the browser stores."""
    return spiral(visit)


@pytest.fixture
def seen(shared):
    """The same for tests that change neither."""
    return as_it_stood(shared(spiral))


@pytest.fixture
def two(shared):
    """A Deployment and a pod that fails."""
    return as_it_stood(shared(deployment_and_pod))


def opened(page):
    page.keyboard.press("Control+k")
    expect(page.locator("dialog.commands .commands__line").first).to_be_visible()
    return page.locator(".commands__input")


def lines(page):
    return page.locator(".commands__line")


def marked(page):
    return page.locator(".commands__line[aria-selected=true]")


def test_it_opens_by_keys_and_escape_gives_the_focus_back(seen):
    seen.locator("#timeline").focus()
    field = opened(seen)
    expect(field).to_be_focused()
    seen.keyboard.press("Escape")
    expect(seen.locator("dialog.commands")).to_be_hidden()
    expect(seen.locator("#timeline")).to_be_focused()


def test_it_opens_and_closes_by_the_same_keys_even_from_a_field(seen):
    seen.locator(".find__input").focus()
    opened(seen)
    seen.keyboard.press("Control+k")
    expect(seen.locator("dialog.commands")).to_be_hidden()
    expect(seen.locator(".find__input")).to_be_focused()


def test_it_opens_by_its_buttons(seen):
    for button in ("header [data-do=commands]", ".statusbar [data-do=commands]", "#help [data-do=commands]"):
        if "help" in button:
            seen.locator("#timeline").focus()
            seen.keyboard.press("?")
        seen.locator(button).click()
        expect(seen.locator(".commands__input")).to_be_focused()
        expect(seen.locator("dialog[open]")).to_have_count(1)
        seen.keyboard.press("Escape")
        expect(seen.locator("dialog[open]")).to_have_count(0)


def test_acts_of_the_selection_have_their_line_of_kubectl(seen):
    opened(seen)
    expect(seen.locator(".commands__group").first).to_have_text("Actions on liveness-exec")
    expect(lines(seen).first).to_contain_text("kubectl delete pod liveness-exec")


def test_typing_narrows_and_arrows_mark(seen):
    opened(seen).type("del pod")
    expect(marked(seen).locator(".commands__label")).to_have_text("Delete pod")
    seen.keyboard.press("ArrowDown")
    expect(marked(seen)).to_contain_text("kubectl delete pod liveness-exec --grace-period=")
    expect(seen.locator(".commands__input")).to_have_attribute("aria-activedescendant", marked(seen).get_attribute("id"))
    seen.keyboard.press("ArrowUp")
    seen.keyboard.press("ArrowUp")
    expect(marked(seen)).to_contain_text("Search for “del pod”")


def test_act_is_done_by_keys(page):
    opened(page).type("force delete")
    expect(marked(page)).to_contain_text("--force")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("Force delete")
    control(page, "play")
    wait_until(page, "() => document.querySelector('#insp-head')?.textContent.includes('Gone')")


def test_act_with_fields_opens_the_menu_at_them(page):
    opened(page).type("exit container")
    expect(marked(page)).to_contain_text("Exit container with code")
    page.keyboard.press("Enter")
    expect(page.locator(".fault-menu")).to_be_visible()
    expect(page.locator(".fault-menu input[name=exit_code]")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("7")


def test_act_of_the_past_makes_a_branch(page):
    page.locator("#timeline").focus()
    page.keyboard.press("Shift+ArrowLeft")
    opened(page).type("out of memory")
    expect(marked(page)).to_contain_text("Run out of memory")
    with another_run(page):
        page.keyboard.press("Enter")


def test_it_goes_to_a_pod(two):
    opened(two).type("sick")
    expect(marked(two)).to_contain_text("Pod")
    two.keyboard.press("Enter")
    expect(two.locator("[data-run]")).to_have_attribute("data-current-sel", "pod/default/sick")
    expect(two.locator("#timeline")).to_be_focused()


def test_it_goes_to_a_workload_a_node_and_a_container(two):
    for typed, subject in (
        ("web deployment", "deployment/default/web"),
        ("node-2", "node/node-2"),
        ("sick main", "container/default/sick/main"),
    ):
        opened(two).type(typed)
        expect(marked(two)).not_to_contain_text("Search for")
        two.keyboard.press("Enter")
        expect(two.locator("[data-run]")).to_have_attribute("data-current-sel", subject)


def test_it_goes_to_a_moment_that_is_typed(seen):
    opened(seen).type("0:07")
    expect(marked(seen)).to_contain_text("Go to t+0:07")
    seen.keyboard.press("Enter")
    expect(seen.locator("[data-run]")).to_have_attribute("data-playhead", "7000")


def test_moments_are_those_that_the_search_finds(two):
    opened(two).type("exit 3")
    line = lines(two).filter(has_text="sick main").first
    expect(line).to_be_visible()
    line.click()
    expect(two.locator("[data-run]")).to_have_attribute("data-live", "false")
    expect(two.locator("[data-run]")).to_have_attribute("data-current-sel", "container/default/sick/main")


def test_what_nothing_is_called_is_looked_for_in_the_lanes(seen):
    opened(seen).type("zzqq")
    expect(lines(seen)).to_have_count(1)
    seen.keyboard.press("Enter")
    expect(seen.locator(".find__input")).to_be_focused()
    expect(seen.locator(".find__input")).to_have_value("zzqq")


def test_views_speeds_themes_and_pages_are_there(page):
    for typed, check in (
        ("yaml", "() => document.querySelector('#tab-yaml').ariaSelected === 'true'"),
        ("speed 16", "() => document.querySelector('[data-speed]').value === '16000'"),
        ("light theme", "() => document.documentElement.dataset.theme === 'light'"),
    ):
        opened(page).type(typed)
        page.keyboard.press("Enter")
        wait_until(page, check)
    opened(page).type("sweeps")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sweeps/")


def test_what_happens_is_spoken_or_not_as_the_reader_likes(page):
    opened(page).type("announc")
    expect(marked(page)).to_contain_text("Stop announcing")
    page.keyboard.press("Enter")
    expect(page.locator("#narrator")).to_have_attribute("aria-live", "off")
    page.reload()
    wait_for_run(page)
    expect(page.locator("#narrator")).to_have_attribute("aria-live", "off")
    opened(page).type("announc")
    expect(marked(page)).not_to_contain_text("Stop announcing")
    page.keyboard.press("Enter")
    expect(page.locator("#narrator")).to_have_attribute("aria-live", "polite")


def test_language_is_chosen_in_its_own_words(page):
    opened(page).type("繁體")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hant")
    opened(page).type("刪除")
    expect(marked(page)).to_contain_text("kubectl delete")


@pytest.mark.parametrize(
    ("keys", "opened", "other"), [(["?", "Control+k"], "#help", ".commands"), (["Control+k", "?"], ".commands", "#help")]
)
def test_of_two_dialogs_that_are_still_loaded_the_first_opens(page, keys, opened, other):
    held = []
    page.route(re.compile(r"/later\."), lambda route: held.append(route))
    page.reload()
    wait_for_run(page)
    page.locator("#timeline").focus()
    with page.expect_request(re.compile(r"/later\.")):
        for key in keys:
            page.keyboard.press(key)
    while not held:  # the request event precedes its route
        page.wait_for_timeout(10)
    for route in held:
        route.continue_()
    expect(page.locator(f"dialog{opened}[open]")).to_have_count(1)
    expect(page.locator(f"dialog{other}[open]")).to_have_count(0)


def test_it_does_not_open_over_another_dialog(seen):
    seen.locator("#timeline").focus()
    seen.keyboard.press("?")
    seen.keyboard.press("Control+k")
    expect(seen.locator("dialog.commands[open]")).to_have_count(0)


def test_axe_finds_nothing_in_it(page):
    page.evaluate(AXE)
    opened(page)
    expect(page.locator(".commands__group").first).to_have_text("Actions on liveness-exec")
    found = in_both_themes(page)
    page.locator(".commands__input").fill("delete")
    expect(marked(page)).to_contain_text("Delete pod")
    assert found + in_both_themes(page) == []


def in_both_themes(page):
    """axe's findings in each."""
    found = []
    for theme in ("light", "dark"):
        page.evaluate(THEME, theme)
        found += axe(page)
    return found


def test_words_that_people_try_first_find_something(seen):
    field = opened(seen)
    for typed, first in (
        ("restart", "Exit container with code"),
        ("my runs", "Your runs"),
        ("undo", "Undo"),
        ("help", "Keyboard shortcuts"),
    ):
        field.fill(typed)
        expect(marked(seen)).to_contain_text(first)


def test_acts_of_an_object_that_is_not_selected_are_found_and_done(page):
    opened(page).fill("cordon")
    expect(marked(page)).to_contain_text("node-1")
    with page.expect_response(lambda response: response.url.endswith("/commands/")):
        page.keyboard.press("Enter")
    expect(page.locator("[data-run]")).to_have_attribute("data-current-sel", "node/node-1")
    expect(page.locator("#inspector")).to_contain_text("Uncordon")


def test_act_with_fields_of_another_object_opens_at_them(visit):
    two = deployment_and_pod(visit)
    opened(two).fill("scale")
    expect(marked(two)).to_contain_text("kubectl scale deployment/web")
    two.keyboard.press("Enter")
    expect(two.locator(".fault-menu input:focus")).to_be_visible()
    expect(two.locator("[data-run]")).to_have_attribute("data-current-sel", "deployment/default/web")


def test_enter_before_the_acts_have_come_waits_for_them(page):
    held = []
    page.route("**/panel/faults/**", lambda route: held.append(route))
    opened(page).fill("Delete pod")
    page.keyboard.press("Enter")
    expect(page.locator(".commands__note")).to_contain_text("Loading")
    with page.expect_response(lambda response: response.url.endswith("/commands/")):
        for route in held:
            route.continue_()
    expect(page.locator("dialog.commands")).to_be_hidden()


def test_undo_goes_to_just_before_the_last_act(page):
    with page.expect_response(lambda response: response.url.endswith("/commands/")):
        opened(page).fill("Delete pod")
        page.keyboard.press("Enter")
    wait_until(page, "() => document.querySelector('[data-run]').dataset.live === 'true'")
    control(page, "run_to", to_ms=25_000)
    expect(page.locator("#insp-head .tone")).to_have_text("Terminating")
    opened(page).fill("undo")
    page.keyboard.press("Enter")
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) < 20_010")
    expect(page.locator("#insp-head .tone")).not_to_have_text("Terminating")


def test_a_line_of_kubectl_is_carried_out_in_its_tab(page):
    opened(page).fill("k get pods -o name")
    expect(marked(page)).to_contain_text("kubectl get pods -o name")
    page.keyboard.press("Enter")
    expect(page.locator("#kubectl-answer")).to_contain_text("pod/")


def test_a_shell_in_the_kubectl_tab_takes_what_is_typed_next(two):
    opened(two).fill("kubectl exec -it deploy/web -- sh")
    two.keyboard.press("Enter")
    expect(two.locator("#kubectl-answer")).to_contain_text("# ")
    for typed, told in (("cd /tmp && it='s'", "cd /tmp"), ("echo $it $PWD", "s /tmp")):
        two.locator("#kubectl-line").fill(typed)
        two.keyboard.press("Enter")
        expect(two.locator("#kubectl-answer")).to_contain_text(told)
    two.locator("#kubectl-line").fill("exit 3")
    two.keyboard.press("Enter")
    expect(two.locator("#kubectl-answer")).to_contain_text("exit code 3")
    expect(two.locator("[data-session]")).to_have_count(0)
