"""Generated tasks, the task of the day and the tasks of an exam."""

import datetime
import re

import pytest
from django.urls import reverse

from simulator.levels import practice
from simulator.levels.level import Solution
from simulator.levels.playing import play_level
from simulator.models import Run
from simulator.web.base.levels import builtin_levels
from tests.web.helpers import play, sign_in_as_owner
from tests.web.levels.test_level_attempts import asked

NOTHING = Solution(name="nothing", expect="fail")


@pytest.mark.parametrize("fault", practice.FAULTS, ids=lambda fault: fault.id)
def test_fault_breaks_the_application_shows_itself_and_can_be_mended(fault):
    level = practice._level(practice.Draw(fault.id), [fault], 7)
    broken, mended = (play_level(level, solution.steps(), seed=8) for solution in (NOTHING, level.solutions[0]))
    shown = any(pattern.matches(record) for pattern in fault.evidence for record in broken.records)
    assert (broken.passed, mended.passed, shown) == (False, True, True)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_task_of_a_seed_has_so_many_faults_and_each_of_them_matters(count):
    task = practice.practice_of(4711, count)
    verdicts = [play_level(task.level, each.steps(), seed=task.level.seeds[0]).passed for each in task.level.solutions]
    assert (len(task.faults), verdicts) == (count, [True, *[False] * (count if count > 1 else 0)])


def test_seed_gives_the_same_task_again():
    practice.practice_of.cache_clear()
    one = practice.practice_of(12, 2)
    practice.practice_of.cache_clear()
    assert one.level == practice.practice_of(12, 2).level


def test_days_have_tasks_of_their_own():
    monday = datetime.date(2026, 11, 30)
    days = [practice.practice_of_day(monday + datetime.timedelta(days=n)) for n in range(7)]
    assert ([len(day.faults) for day in days], len({day.level.manifests for day in days})) == ([1, 1, 2, 2, 2, 3, 3], 7)


@pytest.mark.parametrize("key", ["!0-1", "!4-1", "!1-", "!d2026-13-01", "!1-9999999999", "hello"])
def test_key_that_names_no_task(key):
    assert practice.practice_of_key(key) is None


@pytest.fixture
def begun(client, db):
    sign_in_as_owner(client)
    return _run(client.post(reverse("sim:practice-run"), {"count": "1", "seed": "3"}))


def _run(answer):
    return Run.objects.get(id=answer["location"].split("/")[2])


@pytest.mark.django_db(transaction=True)
def test_record_that_shows_the_fault_is_told_from_others(client, begun):
    play(begun, 60_000)
    task = practice.practice_of_key(begun.level)
    records = play_level(task.level, (), seed=begun.header().seed).records
    shows = next(record.seq for record in records if practice.cause_shown(task, record))
    assert (asked(client, begun, "cause", seq=str(shows))["right"], asked(client, begun, "cause", seq="1")["right"]) == (True, False)


@pytest.mark.django_db(transaction=True)
def test_page_of_a_task_does_not_name_its_fault(client, begun):
    told = practice.practice_of_key(begun.level).faults[0].told
    assert told not in client.get(reverse("sim:run", args=[begun.id])).content.decode()


@pytest.mark.django_db(transaction=True)
def test_daily_task_is_that_of_the_day(client):
    sign_in_as_owner(client)
    assert _run(client.post(reverse("sim:daily-run"))).level == f"!d{datetime.datetime.now(datetime.UTC).date().isoformat()}"


@pytest.mark.django_db
def test_calendar_marks_today_and_no_other_day(client):
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    marked = re.findall(
        r'<li class="calendar__day" data-day="([^"]+)" aria-current="date">', client.get(reverse("sim:daily")).content.decode()
    )
    assert marked == [today]


@pytest.mark.django_db(transaction=True)
def test_number_that_is_none_is_refused(client):
    assert client.post(reverse("sim:practice-run"), {"count": "1", "seed": "x"}).status_code == 422


@pytest.mark.django_db(transaction=True)
def test_task_of_an_exam_has_no_hints_no_solution_and_no_verdict(client):
    slug = next(iter(builtin_levels()))
    sign_in_as_owner(client)
    run = play(_run(client.post(reverse("sim:exam-run"), {"key": slug})), 1_000)
    told = asked(client, run, "check")
    assert ("nothing" in asked(client, run, "hint"), "nothing" in asked(client, run, "solution"), sorted(told)) == (
        True,
        True,
        ["acts", "passed", "report", "submitted"],
    )


def test_some_tasks_have_a_budget_that_blocks_a_drain():
    drawn = [practice._drawn(practice.Draw("practice", seed, 1, 0), 1)[0].id for seed in range(60)]
    assert 0 < drawn.count("budget") < 20
    level = practice._level(practice.Draw("budget"), [fault for fault in practice.FAULTS if fault.id == "budget"], 7)
    assert (level.checks[-1].id, len(level.brief)) == ("drained", 2)


@pytest.mark.parametrize("fault", practice.FAULTS, ids=lambda fault: fault.id)
def test_task_with_a_drain_says_so_and_no_other_does(fault):
    level = practice._level(practice.Draw(fault.id), [fault], 7)
    is_drained = fault.id == "budget"
    assert (len(level.brief), '"drain"' in level.script) == (2 if is_drained else 1, is_drained)
    assert bool(level.script) is (fault.id in ("budget", "node"))
    assert len(level.checks) == len(practice._level(practice.Draw("image"), [practice.FAULTS[0]], 7).checks) + is_drained
    assert level.title == practice.TITLE_ONE and len(level.solutions) == 1 and level.minutes == 5
