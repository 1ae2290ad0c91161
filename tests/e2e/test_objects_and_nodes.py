"""Acts on the object, its containers, its namespace and its node, and the version lens."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import as_it_stood, expect_status, go_to, press, run_to, standing, wait_for_run, wait_until

pytestmark = pytest.mark.e2e


@pytest.fixture
def person(visit):
    return visit()


def opened(person, slug="hello-pod", seconds=12):
    """The page of a paused run: the effects of an act are in its records; the run is advanced to later ones."""
    return standing(person, slug, seconds)


def hello(visit):
    return opened(visit())


def steady(visit):
    return opened(visit(), "oom-in-one-container", 4)


@pytest.fixture
def pod(shared):
    """A pod at 0:12 for acts that only change a field, a different one each; the run is paused."""
    page = as_it_stood(shared(hello))
    page.locator('.lane-label[data-kind="status"] [data-lane]').first.click()
    expect(page.locator("#insp-group-change")).to_be_visible()
    return page


def node(page):
    page.locator("#insp-facts a").click()
    expect(page.locator("#insp-node-head")).to_be_visible()


def yaml_of(page):
    page.locator("#tab-yaml").click()
    return page.locator("#drawer-body pre")


def test_image_is_changed_and_the_container_restarts(person):
    page = opened(person)
    page.locator("#insp-more-web > summary").click()
    page.locator("#insp-more-web input[name=image][type=text]").fill("nginx:1.28")
    expect(page.locator("#insp-more-web code.kubectl", has_text="set image")).to_have_text("kubectl set image pod/hello web=nginx:1.28")
    press(page, "Change image")
    run_to(page, 25)
    expect(page.locator("#insp-container-web .kv")).to_contain_text("nginx:1.28")
    expect(page.locator("#insp-container-web .kv")).to_contain_text("#1")


def test_label_is_set(pod):
    page = pod
    press(page, "Set label")
    expect(yaml_of(page)).to_contain_text("tier: debug")


def test_finalizer_keeps_a_deleted_pod(person):
    page = opened(person)
    press(page, "Set finalizers")
    expect(page.locator("#insp-facts")).to_contain_text("example.com/hold")
    press(page, "Delete pod with a 1 s grace period")
    expect(page.locator("#insp-head .callout")).to_be_visible()
    run_to(page, 40)
    expect(page.locator("#insp-container-web .kv")).to_contain_text("exited")
    expect(page.locator("#insp-facts")).to_contain_text("example.com/hold")


def test_deadline_is_set(pod):
    page = pod
    press(page, "Set deadline")
    expect(yaml_of(page)).to_contain_text("activeDeadlineSeconds: 60")


def test_condition_is_set(pod):
    page = pod
    press(page, "Set condition")
    expect(page.locator("#insp-conditions")).to_contain_text("example.com/ready")


def test_command_runs_in_a_container(person):
    page = opened(person)
    press(page, "Run command")
    expect(page.locator("#narrator")).to_contain_text("exited with code 0", timeout=10_000)


def test_container_is_resized(person):
    page = opened(person, "oom-in-one-container", 4)
    card, acts = page.locator("#insp-container-steady"), page.locator("#insp-acts-steady")
    acts.locator("summary", has_text="Run a command").click()
    acts.locator("input[name=memory_limit]").fill("300Mi")
    acts.get_by_role("button", name="Resize container").click()
    expect(card.locator(".kv")).to_contain_text("300Mi", timeout=10_000)


def test_debug_container_joins_the_pod(person):
    page = opened(person)
    press(page, "Add debug container")
    run_to(page, 20)
    expect(page.locator("#insp-container-debugger-1")).to_contain_text("ephemeral")


def test_sandbox_is_killed(person):
    page = opened(person)
    press(page, "Kill sandbox")
    run_to(page, 30)
    expect(page.locator("#insp-container-web .kv")).to_contain_text("#1")


def test_everything_in_the_namespace_goes(person):
    page = opened(person)
    press(page, "Delete all pods")
    run_to(page, 22)
    expect_status(page, "Gone")


def test_kubelet_stops_and_comes_back(person):
    page = opened(person)
    node(page)
    press(page, "Stop kubelet")
    expect(page.locator("#insp-node-facts")).to_contain_text("stopped")
    press(page, "Start kubelet")
    run_to(page, 120)
    expect(page.locator("#insp-node-facts")).to_contain_text("running", timeout=15_000)


def test_runtime_and_network_go_away(person):
    page = opened(person)
    node(page)
    press(page, "Stop runtime")
    expect(page.locator("#insp-node-facts")).to_contain_text("down")
    press(page, "Start runtime")
    press(page, "Remove network plugin")
    expect(page.locator("#insp-node-facts")).to_contain_text("missing")
    expect(page.get_by_role("button", name="Restore network plugin")).to_be_visible()


def test_node_is_cordoned_and_uncordoned(pod):
    page = pod
    node(page)
    press(page, "Cordon")
    expect(page.locator("#insp-node-head .tone")).to_have_text("Ready,SchedulingDisabled")
    press(page, "Uncordon")
    expect(page.locator("#insp-node-head .tone")).to_have_text("Ready")


def test_node_is_drained(person):
    page = opened(person)
    node(page)
    press(page, "Drain")
    run_to(page, 60)
    page.locator("#insp-pods .chip").first.click()
    expect(page.locator("#insp-head .tone")).to_have_text("Gone")


def test_taint_evicts_the_pod(person):
    page = opened(person)
    node(page)
    press(page, "Set taint")
    expect(page.locator("#insp-node-facts")).to_contain_text("maintenance=soon:NoExecute")


def test_node_gets_a_label(pod):
    page = pod
    node(page)
    page.locator("#insp-more-node > summary").click()
    page.locator("#insp-more-node").get_by_role("button", name="Set label").click()
    expect(page.locator("#toasts")).to_contain_text("Label node-1")


def test_node_comes_under_pressure_and_is_relieved(person):
    page = opened(person)
    node(page)
    press(page, "Limit to")
    expect(page.get_by_role("button", name="Restore memory.available")).to_have_count(1)  # carried out, before time goes on
    run_to(page, 40)
    expect(page.locator("#insp-node-conditions tr", has_text="MemoryPressure")).to_contain_text("True")
    press(page, "Restore memory.available")
    expect(page.get_by_role("button", name="Restore memory.available")).to_have_count(0)


def test_node_shuts_down(person):
    page = opened(person)
    node(page)
    press(page, "Shut down")
    expect(page.locator("#insp-node-head")).to_contain_text("shutting down")


def test_node_object_is_deleted(person):
    page = opened(person)
    node(page)
    press(page, "Delete node object")
    expect(page.locator("#insp-node-head .tone")).to_have_text("Gone")


def test_static_pod_is_placed_and_taken_away(person):
    page = opened(person)
    node(page)
    page.locator("#insp-static > summary").click()
    page.locator("#insp-static textarea").fill("""apiVersion: v1
kind: Pod
metadata: {name: still}
spec:
  containers:
  - {name: app, image: "busybox:1.36", command: [sleep, "3600"]}
""")
    page.get_by_role("button", name="Place static pod").click()
    expect(page.locator("#insp-pods")).to_contain_text("still-node-1", timeout=15_000)
    press(page, "Remove still")
    expect(page.get_by_role("button", name="Remove still")).to_have_count(0)


def test_ledger_shows_what_used_up_the_grace_period(person):
    page = opened(person, "pid-1-is-deaf", 10)
    press(page, "Delete pod")
    expect_status(page, "Terminating")
    run_to(page, 60)
    ledger = page.locator("#insp-ledger-app")
    expect(ledger).to_contain_text("30 s grace period")
    expect(ledger.locator("li")).to_contain_text(["time after the stop signal", "after KILL", "137"])


def test_lens_compares_versions(person):
    page = person.open("/scenarios/pid-1-is-deaf/")
    page.get_by_role("link", name="Compare versions").click()
    expect(page.locator("table.lens").first).to_contain_text("1.20")
    page.get_by_label("1.30").check()
    page.get_by_label("1.3 (phase only)").check()
    page.get_by_role("button", name="Compare versions").click()
    expect(page.locator("table.lens th", has_text="1.30").first).to_be_visible()
    page.get_by_role("link", name="Everything").click()
    expect(page.locator("table.lens").first).to_contain_text("Terminating")


def test_run_leads_to_its_lens(person):
    page = opened(person)
    wait_until(page, "() => document.querySelector('#rail')")
    page.locator("#rail summary", has_text="This run").click()
    page.locator("#rail a", has_text="Compare versions").click()
    expect(page.locator("h1")).to_have_text("Version lens")


def test_kubectl_line_is_copied_by_keyboard(visit):
    guest = visit(permissions=["clipboard-read", "clipboard-write"])
    page = opened(guest)
    page.locator("#insp-acts code.kubectl").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#toasts")).to_contain_text("Copied")


def test_evicted_pod_goes(person):
    page = opened(person)
    press(page, "Evict pod")
    run_to(page, 50)
    expect_status(page, "Gone")


def test_refusal_is_reported_with_the_servers_message(person):
    page = opened(person)
    page.locator("#insp-group-change > summary").click()
    page.locator("#act-defaulthello-label input[name=value]").fill("not ok!")
    expect(page.locator("#act-defaulthello-label code.kubectl")).to_have_text("kubectl label pod hello --overwrite tier='not ok!'")
    press(page, "Set label")
    expect(page.locator("#toasts .toast[data-tone=bad]")).to_contain_text("a valid label must be an empty string")
    expect(page.locator("#toasts .toast[data-tone=ok]")).to_have_count(0)


def test_refusal_of_an_act_on_the_past_is_reported_in_the_branch(person):
    page = opened(person)
    go_to(page, "0:04")
    page.locator("#insp-group-change > summary").click()
    page.locator("#act-defaulthello-label input[name=value]").fill("not ok!")
    origin = page.url.partition("?")[0]
    press(page, "Set label")
    page.wait_for_url(lambda url: not url.startswith(origin))
    expect(page.locator("#toasts .toast[data-tone=bad]")).to_contain_text("a valid label must be an empty string")


def test_annotation_is_set(pod):
    page = pod
    press(page, "Set annotation")
    expect(yaml_of(page)).to_contain_text("example.com/note: seen")


def test_resources_are_reckoned(shared):
    page = shared(steady)
    page.locator("#tab-resources").click()
    expect(page.locator("#res-qos")).to_contain_text("Burstable")
    expect(page.locator("#res-sums")).to_contain_text("memory")


def test_sentences_about_resources_wrap_on_a_phone(shared):
    page = shared(steady)
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#sheet-why").click()
    page.locator("#tab-resources").click()
    sentence = page.locator("#res-qos > p")
    expect(sentence).to_be_visible()
    box = sentence.bounding_box()
    assert box["x"] + box["width"] <= 390


SHOP = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec: {containers: [{name: web, image: 'nginx:1.27'}]}\n"


def test_deleted_namespace_takes_its_pods_along(person):
    page = person.open("/new/")
    page.locator("#id_manifest").evaluate("(field, text) => { field.value = text; field.form.requestSubmit(); }", SHOP)
    page.wait_for_url(re.compile(r"/r/[0-9a-f-]{36}/"))
    wait_for_run(page)
    run_to(page, 12)
    press(page, "Delete namespace")
    run_to(page, 60)
    expect_status(page, "Gone")


def test_map_shows_the_cluster_and_its_tiles_are_reached_by_arrow_keys(pod):
    page = pod
    page.locator("#timeline").focus()
    page.keyboard.press("c")
    tile = page.locator(".map__tile").first
    expect(tile).to_have_attribute("data-tone", "ready")
    stops = page.locator(".map a[tabindex='0']")
    expect(stops).to_have_count(1)
    stops.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(page.locator("#insp-node-head")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator(".map a:focus")).to_have_count(1)
    tile.click()
    expect(page.locator("#insp-head")).to_be_visible()
    expect(tile).to_have_attribute("aria-current", "true")
