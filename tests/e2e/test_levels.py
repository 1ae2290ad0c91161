"""Levels in a browser: attempts that fail and pass, solutions, predictions, practice, and what the browser stores."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.helpers import control, kubectl_act, recorded, run_to, start_level, start_story, wait_for_run, wait_until

pytestmark = pytest.mark.e2e


@pytest.fixture
def person(visit):
    """A person with a browser, with a long timeout for what is played ahead."""
    return visit()


def begin(person, slug="let-it-finish") -> Page:
    page = person.page
    start_level(page, person.origin, slug)
    expect(page.locator("#level")).to_be_visible()
    return page


def led_to(page: Page, seconds: float) -> None:
    """Advance the run to a second, past the prediction on the way, which gets any answer."""
    control(page, "run_to", to_ms=int(seconds * 1000))
    page.get_by_role("button", name="It will not happen").click()
    expect(page.locator("#ask")).to_have_attribute("data-end", "wrong")
    page.locator("#ask button", has_text="Close").click()
    run_to(page, seconds)


def checked(page: Page) -> None:
    page.locator("[data-level-do=check]").click()
    expect(page.locator(".level__result, .level__verdict p").first).to_be_visible()
    expect(page.locator("[data-level-verdict]")).not_to_contain_text("Playing your attempt")


def delete(page: Page, options: str = "") -> None:
    """Delete the second shop on the page's command line."""
    kubectl_act(page, f"delete pod shop-2 {options}")
    wait_until(page, "() => document.querySelector('#timeline').innerText.includes('Terminating')")


def test_level_begins_paused_with_its_brief_and_what_must_hold(person):
    page = begin(person)
    expect(page.locator("[data-run]")).to_have_attribute("data-playhead", "0")
    expect(page.locator("#level details[open]").first).to_contain_text("Brief")
    expect(page.locator(".level__check[data-verdict=open]")).not_to_have_count(0)


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_check_now_is_in_view_however_long_the_card_is(person, width, height):
    person.page.set_viewport_size({"width": width, "height": height})
    page = begin(person, "thirty-seconds-of-battery")
    bar = page.locator("[data-level-bar]").bounding_box()
    rail = page.locator("#rail").bounding_box()
    assert bar["y"] + bar["height"] <= rail["y"] + rail["height"] + 1
    assert bar["height"] < rail["height"] / 3
    page.locator("[data-level-do=check]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-level-verdict]")).to_contain_text("Not yet.")


def test_brief_makes_room_once_the_run_plays_and_comes_back_when_asked_for(person):
    page = begin(person)
    control(page, "play")
    expect(page.locator("[data-level-brief]:not([open])")).to_be_visible()
    page.locator("[data-level-brief] summary").click()
    control(page, "pause")
    control(page, "play")
    expect(page.locator("[data-level-brief][open]")).to_be_visible()


def test_acts_and_hints_are_counted_against_the_fewest_known(person):
    page = begin(person)
    used = page.locator("[data-level-used]")
    expect(used).to_have_text("Actions: 0 (fewest known: 1) · hints: 0")
    page.locator("[data-level-do=hint]").click()
    expect(used).to_have_text("Actions: 0 (fewest known: 1) · hints: 1")
    led_to(page, 70)
    delete(page)
    expect(used).to_have_text("Actions: 1 (fewest known: 1) · hints: 1")


def test_level_of_a_deployment_opens_with_its_first_pods(person):
    page = begin(person, "eight-on-two")
    wait_until(page, "() => document.querySelector('[data-run]').dataset.playhead === '20'")
    expect(page.locator(".timeline__empty")).to_be_hidden()
    expect(page.locator("#inspector")).to_contain_text("Pending")


def test_level_without_a_pod_opens_with_words_that_say_how_it_goes_on(person):
    page = begin(person, "all-went-well")
    expect(page.locator(".timeline__empty")).to_have_text("Paused at 0:00.0. Press Play (Space).")


def test_wrong_attempt_says_when_and_why_and_the_instant_can_be_looked_at(person):
    page = begin(person)
    led_to(page, 70)
    delete(page)
    run_to(page, 150)
    broken = page.locator(".level__check[data-verdict=broken], .level__check[data-verdict=lost]").first
    expect(broken).to_be_visible()
    expect(page.locator(".level-mark--failed").first).to_be_attached()
    checked(page)
    expect(page.locator("[data-level-verdict]")).to_contain_text("Not yet.")
    link = page.locator(".level__missed a[data-seek-seq]").first
    link.click()
    expect(page.locator("#tab-why")).to_have_attribute("aria-selected", "true")
    expect(page.locator("[data-level-verdict]")).to_have_attribute("data-passed", "false")


def test_another_attempt_passes_and_the_failed_one_can_be_compared(person):
    page = begin(person)
    led_to(page, 70)
    delete(page)
    run_to(page, 75)
    with page.expect_navigation():
        page.get_by_role("button", name="Try again").click()
    wait_for_run(page)
    expect(page.locator("#branches .branches li")).to_have_count(2)
    run_to(page, 70)
    delete(page, "--grace-period=70")
    run_to(page, 75)
    checked(page)
    expect(page.locator("[data-level-verdict]")).to_contain_text("Passed.")
    page.locator("#branches summary").click()
    expect(page.locator(".branches__compare")).to_have_count(1)


def test_list_shows_what_a_passed_check_found_until_the_run_goes_on(person):
    page = begin(person)
    led_to(page, 70)
    delete(page, "--grace-period=70")
    run_to(page, 75)
    expect(page.locator(".level__check[data-verdict=open]")).not_to_have_count(0)
    checked(page)
    expect(page.locator("[data-level-verdict]")).to_contain_text("Passed.")
    expect(page.locator(".level__check:not([data-verdict=kept])")).to_have_count(0)
    expect(page.locator(".level__told", has_text="when played to the end").first).to_have_text(re.compile(r"\d:\d\d\.\d when played"))
    expect(page.locator(".level__told", has_text="open until")).to_have_count(0)
    run_to(page, 76)
    expect(page.locator(".level__check[data-verdict=open]")).not_to_have_count(0)
    expect(page.locator(".level__told", has_text="when played to the end")).to_have_count(0)


def test_level_is_checked_from_the_list_of_commands(person):
    page = begin(person)
    page.keyboard.press("Control+k")
    page.locator("dialog.commands input").fill("check now")
    expect(page.locator(".commands__line").first).to_contain_text("Check now")
    page.keyboard.press("Enter")
    expect(page.locator("[data-level-verdict]")).to_contain_text("Not yet.")


def test_hints_come_one_at_a_time_and_stay(person):
    page = begin(person)
    page.locator("[data-level-do=hint]").click()
    expect(page.locator("[data-level-hints] li")).to_have_count(1)
    page.reload()
    wait_for_run(page)
    expect(page.locator("[data-level-hints] li")).to_have_count(1)


def test_solution_is_shown_with_its_acts_explained(person):
    page = begin(person)
    page.on("dialog", lambda dialog: dialog.accept())
    with page.expect_navigation():
        page.get_by_role("button", name="Show solution").click()
    wait_for_run(page)
    expect(page.locator(".level__solution li")).not_to_have_count(0)
    checked(page)
    expect(page.locator("[data-level-verdict]")).to_contain_text("Passed.")


def test_prediction_stops_the_run_hides_its_future_and_is_judged_by_the_run(person):
    page = begin(person, "a-release-without-errors")
    page.locator("[data-do=play]").first.click()
    expect(page.locator("#ask")).to_be_visible(timeout=30_000)
    wait_until(page, "() => document.querySelector('[data-run]').dataset.playhead === '19000'")
    expect(page.locator(".level-mark--veil")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.locator("#ask input").last.check()
    page.keyboard.press("Enter")
    expect(page.locator("#ask")).to_have_attribute("data-end", "right")
    expect(page.locator(".level-mark--veil")).to_have_count(0)
    page.get_by_role("button", name="Continue").click()
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) > 21000")


def test_prediction_that_was_answered_is_not_asked_again_in_another_attempt(person):
    page = begin(person)
    led_to(page, 12)
    with page.expect_navigation():
        page.get_by_role("button", name="Try again").click()
    wait_for_run(page)
    run_to(page, 12)
    expect(page.locator("#ask")).to_be_hidden()
    expect(page.locator(".level-mark--veil")).to_have_count(0)


def closed_unanswered(page: Page) -> None:
    expect(page.locator("#ask")).to_be_visible(timeout=30_000)
    page.locator("#ask button", has_text="Close").click()
    expect(page.locator("#ask")).to_be_hidden()
    expect(page.locator(".level-mark--veil")).to_have_count(0)
    expect(page.get_by_text("You left this question open.")).to_be_visible()


def test_prediction_closed_unanswered_leads_back_to_where_the_run_was_led(person):
    page = begin(person)
    control(page, "run_to", to_ms=20_000)
    closed_unanswered(page)
    wait_until(page, "() => document.querySelector('[data-run]').dataset.playhead === '20000'")
    expect(page.locator("[data-do=live]")).to_have_attribute("aria-pressed", "true")


def test_prediction_of_a_run_that_plays_closed_unanswered_lets_it_play_on(person):
    page = begin(person)
    page.locator("[data-do=play]").first.click()
    closed_unanswered(page)
    wait_until(page, "() => document.querySelector('[data-run]').dataset.playhead === '9000'")
    expect(page.locator("[data-do=live]")).to_have_attribute("aria-pressed", "true")
    page.locator("[data-do=play]").first.click()
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) > 10000")
    expect(page.locator("#ask")).to_be_hidden()


def test_story_that_is_played_stops_for_its_prediction(visit):
    host = visit()
    page = host.page
    start_story(page, host.origin, "exit-0-exit-1", stands_at_s=5)
    page.locator("[data-do=play]").first.click()
    expect(page.locator("#ask legend")).to_contain_text("What happens to broken?")
    wait_until(page, "() => document.querySelector('[data-run]').dataset.playhead === '8000'")
    expect(page.locator(".level-mark--veil")).to_be_visible()
    page.locator("#ask label", has_text="Its container is started again.").locator("input").check()
    page.locator("#ask").get_by_role("button", name="Submit answer").click()
    expect(page.locator("#ask")).to_have_attribute("data-end", "wrong")
    expect(page.locator("#ask [data-is=truth]")).to_contain_text("Its phase becomes Failed.")
    expect(page.locator("#ask .predict__told")).to_contain_text("Never means never")
    page.get_by_role("button", name="Continue").click()
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) > 11500")
    expect(page.locator("#ask")).to_be_hidden()


def test_story_that_is_led_past_its_prediction_does_not_ask(visit):
    host = visit()
    page = host.page
    start_story(page, host.origin, "exit-0-exit-1", stands_at_s=5)
    run_to(page, 10)
    page.locator("[data-do=play]").first.click()
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) > 11500")
    expect(page.locator("#ask")).to_be_hidden()


def test_progress_stays_in_the_browser_and_goes_out_and_in_as_a_file(person, tmp_path):
    page = begin(person)
    led_to(page, 70)
    delete(page, "--grace-period=70")
    run_to(page, 75)
    checked(page)
    page = person.open("/levels/")
    row = page.locator("[data-level-key=let-it-finish]")
    expect(row).to_contain_text("passed with 1 action")
    expect(page.locator("[data-shelf-goon] a").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    kept = tmp_path / "progress.json"
    download.value.save_as(kept)
    assert json.loads(kept.read_text())["levels"]["let-it-finish"]["acts"] == 1
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Clear progress").click()
    expect(row).not_to_contain_text("passed")
    page.locator("[data-shelf-file]").set_input_files(kept)
    expect(row).to_contain_text("passed with 1 action")


def test_fault_is_named_by_its_record(person):
    page = person.open("/practice/")
    page.get_by_label("Number of the task").fill("3")
    page.get_by_role("button", name="Start").click()
    wait_for_run(page)
    page.get_by_role("button", name="This record shows the fault").click()
    expect(page.locator("#toasts .toast")).to_have_count(1)


def test_fault_that_was_found_stays_in_the_list_with_its_record(person):
    page = person.open("/practice/")
    page.get_by_label("Number of the task").fill("4")
    page.get_by_role("button", name="Start").click()
    wait_for_run(page)
    run_to(page, 5)
    shown = recorded(page, "/PodScheduled")
    page.goto(page.url.split("?")[0] + f"?rec={shown[0]}&sel={shown[3]}")
    wait_for_run(page)
    found = page.locator("[data-level-found]")
    expect(found).to_be_hidden()
    page.get_by_role("button", name="This record shows the fault").click()
    expect(found.locator("li")).to_have_count(1)
    expect(found).to_contain_text("1 of 1")
    expect(found.locator(f"li a[data-seek-seq='{shown[0]}']")).to_be_visible()
    page.reload()
    wait_for_run(page)
    expect(found.locator("li a")).to_be_visible()
    with page.expect_navigation():
        page.get_by_role("button", name="Try again").click()
    wait_for_run(page)
    expect(found.locator("li")).to_have_count(1)


def test_daily_task_shows_a_result_that_gives_nothing_away(person):
    page = person.open("/daily/")
    page.get_by_role("button", name="Start").click()
    wait_for_run(page)
    checked(page)
    page = person.open("/daily/")
    expect(page.locator("[data-daily-signs]")).to_contain_text(re.compile(r"^Podscope \d{4}-\d\d-\d\d ✕"))
    expect(page.locator(".calendar__day[data-is=tried]")).to_have_count(1)


def test_exam_gives_no_hints_and_reports_at_its_end(person):
    page = person.open("/exam/")
    page.get_by_role("button", name="Start the exam").click()
    expect(page.locator("[data-exam-tasks] li")).to_have_count(5)
    expect(page.locator("#exam-tasks")).to_have_text(re.compile(r"^Tasks \d\d:\d\d left$"))
    first = page.locator("[data-exam-tasks] li").first
    expect(first.get_by_role("button", name="Open " + first.locator("strong").inner_text())).to_be_visible()
    page.locator("[data-exam-open]").first.click()
    wait_for_run(page)
    expect(page.locator("[data-level-do=hint], [data-level-do=solution]")).to_have_count(0)
    expect(page.locator("#level [data-exam-clock]")).to_have_text(re.compile(r"^2\d:\d\d$"))
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("[data-level-verdict]")).to_contain_text("Submitted.")
    page = person.open("/exam/")
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.get_by_role("button", name="End the exam").click()
    expect(page.locator("[data-exam-tasks]")).to_be_visible()
    assert "Tasks without a submission: 4." in asked[0]
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="End the exam").click()
    expect(page.locator("[data-exam-score]")).to_have_text("Tasks passed: 0 of 5")
    expect(page.locator("[data-exam-rows] li li a").first).to_be_visible()
    expect(page.locator("[data-exam-rows] > li > a").first).to_have_attribute("href", re.compile(r"^/levels/[\w-]+/$"))
    page.get_by_role("button", name="New exam").click()
    expect(page.get_by_role("button", name="Start the exam")).to_be_visible()
    expect(page.locator("[data-exam-earlier] summary")).to_contain_text("Tasks passed: 0 of 5")


def test_exam_shows_no_verdict_before_its_end(person):
    page = person.open("/exam/")
    page.evaluate(
        """() => localStorage.setItem("podscope.exam", JSON.stringify(
          { begun: Date.now(), minutes: 9, ended: 0, tasks: [{ key: "let-it-finish", title: "Let it finish" }] }))"""
    )
    page.reload()
    page.locator("[data-exam-open]").first.click()
    wait_for_run(page)
    run_to(page, 70)
    expect(page.locator("#ask")).to_have_count(0)
    delete(page)
    run_to(page, 150)
    expect(page.locator(".level__check")).not_to_have_count(0)
    expect(page.locator(".level__check:not([data-verdict=open]), .level__told *, .level-mark")).to_have_count(0)
    expect(page.locator("[data-level-count]")).to_be_empty()
    page.evaluate(
        """() => localStorage.setItem("podscope.exam", JSON.stringify(
          { ...JSON.parse(localStorage.getItem("podscope.exam")), ended: Date.now() }))"""
    )
    expect(page.locator(".level__check[data-verdict=broken], .level__check[data-verdict=lost]")).not_to_have_count(0)
    expect(page.locator("[data-level-count]")).not_to_be_empty()


def test_quiet_run_decides_its_checks_and_a_failed_one_leads_to_its_record(person):
    page = begin(person, "count-from-zero")
    control(page, "run_to", to_ms=15_000)
    page.locator("#ask input").first.check()
    page.keyboard.press("Enter")
    expect(page.locator("#ask")).to_have_attribute("data-end", "wrong")
    page.keyboard.press("Escape")
    checked(page)
    page.locator(".level__missed button").click()
    wait_until(page, "() => location.search.includes('rec=') && location.search.includes('tab=why')")
    page.locator("[data-do=live]").click()
    control(page, "run_to", to_ms=181_000)
    expect(page.locator(".level__check[data-verdict=open]")).to_have_count(0)
    expect(page.locator(".level__check[data-verdict=broken]")).to_have_count(1)
