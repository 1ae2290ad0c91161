"""Every act by click, and the transport bar."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import act_now, as_it_stood, expect_status, go_to, press, run_to, standing, start_story, wait_for_run, wait_until

pytestmark = pytest.mark.e2e


@pytest.fixture
def person(visit):
    return visit()


def opened(person, slug, seconds):
    """The page of a run paused at that second, so that nothing ends by itself before the test acts."""
    standing(person, slug, seconds)
    expect(person.page.locator("[data-run]")).to_have_attribute("data-live", "true")
    return person.page


def hello(visit):
    return opened(visit(), "hello-pod", 30)


@pytest.fixture
def still(shared):
    """A paused pod at 0:30, for read-only tests, and for acts whose outcome no other test looks at."""
    page = as_it_stood(shared(hello))
    page.locator('.lane-label[data-kind="status"] [data-lane]').first.click()
    expect(page.locator("#insp-group-change")).to_be_visible()
    return page


def instance(page, container):
    return page.locator(f"#insp-container-{container}")


def acts_of(page, container):
    """The acts on a container, in the block that keeps its place."""
    return page.locator(f"#insp-acts-{container}")


def test_pod_is_deleted_with_one_second(person):
    page = opened(person, "pid-1-is-deaf", 10)
    press(page, "Delete pod with a 1 s grace period")
    expect_status(page, "Terminating")
    expect(page.locator("#insp-head [data-countdown]")).to_be_visible()


def test_pod_is_deleted_with_a_grace_of_choice(person):
    page = opened(person, "pid-1-is-deaf", 10)
    page.locator("#insp-more-delete > summary").click()
    page.locator("#inspector input[name=grace_s][type=number]").fill("7")
    press(page, "Delete pod with grace period")
    expect(page.locator("#insp-head .callout")).to_contain_text("7 s")


def test_pod_is_deleted_by_force(person):
    page = opened(person, "force-delete-ghost", 10)
    press(page, "Force delete pod")
    expect(page.locator("#inspector")).to_contain_text(["No pods at this moment", "gone from the API"][1], timeout=10_000)


def test_container_exits_with_a_code(person):
    page = opened(person, "two-containers", 5)
    card, acts = instance(page, "early"), acts_of(page, "early")
    acts.locator("input[name=exit_code]").fill("42")
    act_now(page, acts.get_by_role("button", name="Exit container with code"))
    run_to(page, 9)
    expect(card).to_contain_text("42")


def test_container_is_killed_by_a_signal(person):
    page = opened(person, "ready-is-not-alive", 5)
    card = instance(page, "app")
    act_now(page, acts_of(page, "app").get_by_role("button", name="Kill container with signal"))
    run_to(page, 20)
    expect(card).to_contain_text("137")


def test_container_runs_out_of_memory(person):
    page = opened(person, "oom-in-one-container", 5)
    card = instance(page, "steady")
    act_now(page, acts_of(page, "steady").get_by_role("button", name="Run out of memory"))
    run_to(page, 20)
    expect(card).to_contain_text("OOMKilled")


def test_process_hangs_and_wakes(still):
    page = still
    card = acts_of(page, "web")
    card.get_by_role("button", name="Hang process").click()
    expect(card.get_by_role("button", name="Wake process")).to_be_visible()
    card.get_by_role("button", name="Wake process").click()
    expect(card.get_by_role("button", name="Hang process")).to_be_visible()


def test_probe_fails_and_heals(person):
    page = opened(person, "hello-pod", 12)
    probe, acts = page.locator("#insp-probe-web-readiness"), page.locator("#insp-probe-acts-web-readiness")
    acts.get_by_role("button", name="Fail readiness").click()
    expect(probe.locator(".badge")).to_contain_text("failure")
    run_to(page, 40)
    expect(page.locator("#insp-condition-ready .condition")).to_have_text("False")
    acts.get_by_role("button", name="Heal readiness").click()
    expect(probe.locator(".badge")).to_have_count(0)
    run_to(page, 55)
    expect(page.locator("#insp-condition-ready .condition")).to_have_text("True")


CHOICES = [("Time out readiness", "timeout"), ("Break readiness", "error"), ("Pass readiness", "success")]


@pytest.mark.parametrize(("label", "outcome"), CHOICES)
def test_probe_sees_what_was_chosen(still, label, outcome):
    page = still
    probe, acts = page.locator("#insp-probe-web-readiness"), page.locator("#insp-probe-acts-web-readiness")
    acts.get_by_role("button", name=label).click()
    expect(probe.locator(".badge")).to_contain_text(outcome)


def test_image_becomes_available(person):
    page = opened(person, "image-typo", 30)
    press(page, "Make image available")
    expect(page.locator("#insp-images").get_by_role("button", name="Make image unavailable")).to_be_visible()
    run_to(page, 300)
    expect_status(page, "Running")


def test_another_pod_is_created_from_yaml(person):
    page = opened(person, "hello-pod", 5)
    page.locator("#insp-apply summary").click()
    area = page.locator("#apply-form textarea")
    area.fill(area.input_value().replace("name: hello", "name: second"))
    page.get_by_role("button", name="Create objects").click()
    expect(page.locator("#insp-pods")).to_contain_text("second")


def test_broken_yaml_keeps_what_was_typed(still):
    page = still
    page.locator("#insp-apply summary").click()
    page.locator("#apply-form textarea").fill("kind: Pod\nkind: Pod\n")
    page.get_by_role("button", name="Create objects").click()
    expect(page.locator("#problems")).to_contain_text("Line 2")
    expect(page.locator("#apply-form textarea")).to_have_value("kind: Pod\nkind: Pod\n")


def test_tabs_show_the_moment(still):
    page = still
    page.locator("#tab-yaml").click()
    expect(page.locator("#drawer-body")).to_contain_text("phase: Running")
    page.locator("#tab-describe").click()
    expect(page.locator("#drawer-body")).to_contain_text("Name:")
    page.locator("#tab-events").click()
    expect(page.locator("#drawer-body")).to_contain_text("Scheduled")
    page.locator("#tab-yaml").click()
    go_to(page, "0:00.0")
    expect(page.locator("#drawer-body")).not_to_contain_text("phase: Running")


def test_transport_pauses_and_plays(person):
    page = person.page
    start_story(page, person.origin, "hello-pod")
    page.locator("[data-do=play]").click()
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "false")
    page.reload()
    wait_for_run(page)
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "false")
    page.locator("[data-do=play]").click()
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "true")


def test_transport_steps_from_event_to_event(still):
    page = still
    page.locator("[data-do=first]").click()
    expect(page.locator("[data-run]")).to_have_attribute("data-playhead", "0")
    page.locator("[data-do=next]").click()
    page.locator("[data-do=next]").click()
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) > 0")
    page.get_by_role("button", name="Go to now").click()
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "true")


def test_keys_move_the_playhead(still):
    page = still
    page.locator("#timeline").focus()
    page.keyboard.press("Home")
    expect(page.locator("[data-run]")).to_have_attribute("data-playhead", "0")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("[data-run]")).to_have_attribute("data-playhead", "1000")
    page.keyboard.press("PageDown")
    expect(page.locator("[data-run]")).to_have_attribute("data-playhead", "11000")
    page.keyboard.press("End")
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "true")


def test_speed_is_shared(person, visit):
    page = opened(person, "hello-pod", 5)
    page.locator("[data-speed]").select_option("16000")
    guest = visit()
    guest.open_run(re.sub(r"https?://[^/]+", "", page.url.split("?")[0]))
    expect(guest.page.locator("[data-speed]")).to_have_value("16000")


def test_viewer_sees_the_owners_acts_live_and_forks_to_act(person, visit):
    page = opened(person, "pid-1-is-deaf", 10)
    guest = visit()
    watched = guest.open_run(re.sub(r"https?://[^/]+", "", page.url.split("?")[0]))
    expect(watched.get_by_role("button", name="Fork to act")).to_be_visible()
    press(page, "Delete pod")
    expect_status(watched, "Terminating")
    watched.get_by_role("button", name="Fork to act").click()
    watched.wait_for_url(lambda url: url.split("?")[0] != page.url.split("?")[0])
    expect(watched.locator("#insp-acts button").first).to_be_visible()
