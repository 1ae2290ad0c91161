"""Flags, exit codes, outlines of known ends and clusters of events: each can be selected, and explains itself."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import deaf_pod, press, record_rows, run_to, standing, start_story, view_at_rest, wait_for_run, wait_until

pytestmark = pytest.mark.e2e
CONTAINER = "container/default/deaf/app"


@pytest.fixture
def page(visit):
    """A container that ignores TERM, during its grace period."""
    return deaf_pod(visit, until_s=20)


def record(page, machine, target):
    """The first record of that change, from the log."""
    rows = record_rows(page)
    return next({"seq": row[0], "at_ms": row[1]} for row in rows if machine in row and target in row)


def point(page, lane, at_ms, down=12):
    """The position of a moment of a lane on the screen."""
    begin, end = view_at_rest(page)
    stage, label = page.locator(".timeline__stage").bounding_box(), page.locator(f'.lane-label:has([data-lane="{lane}"])').bounding_box()
    return stage["x"] + (at_ms - begin) / (end - begin) * stage["width"], label["y"] + down


def chosen(page, seq):
    wait_until(page, "(rec) => new URLSearchParams(location.search).get('rec') === rec", str(seq))


def test_flag_of_a_signal_is_chosen_by_its_word(page):
    term = record(page, "stop", "term")
    x, y = point(page, CONTAINER, term["at_ms"], down=8)
    page.mouse.move(x + 12, y)
    expect(page.locator(".hover-card")).to_contain_text("TERM")
    page.locator("[data-do=prev]").click()
    x, y = point(page, CONTAINER, term["at_ms"], down=8)
    page.mouse.click(x + 12, y)
    chosen(page, term["seq"])
    expect(page.locator("#drawer-body .why__step").first).to_contain_text("TERM")


def test_outline_of_the_kill_to_come_says_when_and_why(page):
    term = record(page, "stop", "term")
    x, y = point(page, CONTAINER, 25_000)
    page.mouse.move(x, y)
    expect(page.locator(".hover-card")).to_contain_text("KILL")
    page.mouse.click(x, y)
    expect(page.locator(f"#drawer-body #why-{term['seq']}")).to_be_visible()
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "true")


def test_next_attempt_of_a_probe_is_a_ring_that_says_when(visit):
    page = standing(visit(), "liveness-death-spiral", 20)
    last = [dict(row[10]) for row in record_rows(page) if row[2] == "attempt"][-1]
    x, y = point(page, "probe/default/liveness-exec/liveness/liveness", last["next_ms"])
    page.mouse.move(x, y)
    expect(page.locator(".hover-card")).to_contain_text(re.compile(r"liveness: next liveness probe in \d"))
    run_to(page, last["next_ms"] / 1000)
    assert record_rows(page)[-1][1] == last["next_ms"]


def test_deletion_for_a_taint_is_outlined_and_announced_beforehand(visit):
    person = visit()
    page = standing(person, "node-goes-dark", 20)
    page.locator("#insp-facts a").click()
    press(page, "Stop kubelet")
    run_to(page, 100)
    expect(page.locator("[data-next]")).to_contain_text(re.compile("web: deleted in .* because of a taint on its node"))
    page.locator("#timeline").focus()
    page.keyboard.press("0")
    x, y = point(page, "status:pod/default/web", 106_000)
    page.mouse.move(x, y)
    expect(page.locator(".hover-card")).to_contain_text("tolerates the NoExecute taint for 300 s")


def test_exit_code_on_a_bar_is_chosen_by_itself(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "liveness-death-spiral", stands_at_s=400)
    page.locator("[data-do=prev]").click()
    subject = page.locator('.lane-label[data-kind="container"] [data-lane]').first.get_attribute("data-lane")
    page.locator("#timeline").focus()
    page.locator(f'[data-lane="{subject}"]').first.click()
    ended = record(page, "container", "exited")
    page.locator("#timeline").focus()
    page.keyboard.press("Home")
    for _ in range(12):
        page.keyboard.press(".")
        if f"rec={ended['seq']}&" in page.url + "&":
            break
        page.wait_for_timeout(350)
    chosen(page, ended["seq"])


def test_cluster_of_events_opens_as_a_list(page):
    scheduled = record(page, "k8s_event", "Scheduled")
    page.mouse.click(*point(page, "events:pod/default/deaf", scheduled["at_ms"] + 500, down=13))
    card = page.locator(".hover-card[data-pinned]")
    expect(card.get_by_role("button")).not_to_have_count(1)
    card.get_by_role("button", name="Scheduled").click()
    chosen(page, scheduled["seq"])


def test_narrator_describes_what_an_act_triggers(page):
    expect(page.locator("#narrator")).not_to_contain_text("You ")
    expect(page.locator("#narrator")).to_contain_text("TERM")


def test_why_follows_the_narrator_until_something_is_chosen(page):
    told = page.locator("#narrator").get_attribute("data-seek-seq")
    expect(page.locator("#drawer-body .why__step").first).to_have_id(f"why-{told}")


def test_why_of_a_stopping_container_says_why_it_stops(page):
    stopping = record(page, "container", "stopping")
    page.locator(f'[data-lane="{CONTAINER}"]').first.click()
    expect(page.locator("#drawer-body .why__step").first).to_have_id(f"why-{stopping['seq']}")


def test_why_tells_what_the_narrator_tells_on_a_page_that_stands_still_from_the_first(visit):
    page = standing(visit(), "liveness-death-spiral", 70)
    for _ in range(4):  # it is a matter of luck whether the narrator has said something before the first frame
        page.reload()
        wait_for_run(page)
        expect(page.locator("#narrator")).to_contain_text("TERM")
        expect(page.locator("#drawer-body .why__step").first).to_contain_text("TERM")


def test_exit_code_and_the_signal_before_it_stand_side_by_side(visit):
    person = visit()
    page = person.page
    start_story(page, person.origin, "liveness-death-spiral", stands_at_s=300)
    page.locator("[data-do=prev]").click()
    lane = page.locator('.lane-label[data-kind="container"] [data-lane]').first.get_attribute("data-lane")
    killed, ended = record(page, "stop", "killed"), record(page, "container", "exited")
    x, y = point(page, lane, ended["at_ms"], down=16)
    page.mouse.click(x - 12, y)
    chosen(page, ended["seq"])
    page.mouse.move(x + 12, y - 8)
    expect(page.locator(".hold")).to_be_visible()  # the handle of the end is nearer than the label, and still the label is hit
    page.mouse.click(x + 12, y - 8)
    chosen(page, killed["seq"])
