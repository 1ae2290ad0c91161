"""A class that works together: names, own runs from the teacher's moment, the wall, votes, and the way back."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.helpers import start_story, wait_for_run

pytestmark = pytest.mark.e2e


@pytest.fixture
def lesson(visit):
    """A teacher at 0:30 of a paused story, and two pupils: Ada has joined by name, Bo has not yet."""
    teacher = visit()
    teacher.open("/class/")
    teacher.page.get_by_role("button", name="Start a class").click()
    code = teacher.page.locator(".class-code").inner_text().strip()
    start_story(teacher.page, teacher.origin, "hello-pod", stands_at_s=30)
    expect(teacher.page.locator('.classbar[data-state="leads"]')).to_be_visible()
    pupils = [joined(visit(), code, name) for name in ("Ada", "")]
    return teacher, pupils


def joined(person, code: str, name: str) -> Page:
    """The page of a pupil who has joined: by the form if a name is given, else by the link."""
    if name:
        person.open("/class/")
        person.page.get_by_label("Class code").fill(code)
        person.page.get_by_label("Your name").fill(name)
        person.page.get_by_role("button", name="Join").click()
    else:
        person.open(f"/class/{code.replace('-', '')}/")
    wait_for_run(person.page)
    expect(person.page.locator('.classbar[data-state="follows"]')).to_be_visible()
    return person.page


def wall_of(teacher) -> Page:
    with teacher.context.expect_page() as opened:
        teacher.page.locator(".classbar").get_by_role("link", name="Class wall").click()
    return opened.value


def test_class_works_in_runs_of_its_own_and_comes_back(lesson):
    teacher, (ada, bo) = lesson
    here = teacher.page.url.split("?")[0]
    bo.locator(".classbar").get_by_label("Your name").fill("Bo")
    bo.keyboard.press("Enter")
    wall = wall_of(teacher)
    expect(wall.locator(".tile")).to_have_count(2)
    ada.locator(".classbar").get_by_role("button", name="Raise hand").click()
    expect(wall.get_by_text("Hand raised: Ada")).to_be_visible()
    teacher.page.locator(".classbar").get_by_role("button", name="Start everyone here").click()
    for page in (ada, bo):
        page.wait_for_url(lambda url: "/r/" in url and not url.startswith(here))
        wait_for_run(page)
        expect(page.locator("main")).to_have_attribute("data-role", "owner")
    own = ada.url.split("?")[0]
    assert own != bo.url.split("?")[0]
    expect(wall.get_by_text("Everyone is in their own run.")).to_be_visible()
    expect(wall.locator(".tile svg.lanes")).to_have_count(2)
    wall.get_by_role("button", name="Bring everyone back").click()
    for page in (ada, bo):
        page.wait_for_url(lambda url: url.startswith(here))
        wait_for_run(page)
    ada.locator(".classbar").get_by_role("link", name="My run").click()
    ada.wait_for_url(lambda url: url.startswith(own))


def test_teacher_looks_at_a_pupils_run_and_forks_it_to_show(lesson):
    teacher, (ada, _bo) = lesson
    teacher.page.locator(".classbar").get_by_role("button", name="Start everyone here").click()
    ada.wait_for_url(lambda url: not url.startswith(teacher.page.url.split("?")[0]))
    wait_for_run(ada)
    own = ada.url.split("?")[0]
    wall = wall_of(teacher)
    with teacher.context.expect_page() as opened:
        wall.get_by_role("link", name="Ada").click()
    wait_for_run(opened.value)
    assert opened.value.url.startswith(own)
    expect(opened.value.locator(".classbar")).to_have_count(0)
    wall.get_by_role("button", name="Fork to show: Ada").click()
    wait_for_run(wall)
    expect(wall.locator('.classbar[data-state="leads"]')).to_be_visible()
    assert not wall.url.startswith(own)
    wall.locator(".classbar").get_by_role("button", name="Bring everyone back").click()
    ada.wait_for_url(lambda url: url.startswith(wall.url.split("?")[0]))


def test_class_votes_twice_and_sees_the_counts_only_when_closed(lesson):
    teacher, (ada, bo) = lesson
    wall = wall_of(teacher)
    wall.get_by_text("Ask all").click()
    wall.get_by_label("What will happen?").fill("Is it <b>ready</b>?")
    wall.get_by_label("Choices").fill("Yes\nNo")
    wall.get_by_role("button", name="Ask everyone").click()
    vote = ada.locator(".class-vote")
    expect(vote).to_contain_text("Is it <b>ready</b>?")
    expect(bo.locator(".class-vote")).to_contain_text("Join by name to vote.")
    expect(vote).to_contain_text("The counts are shown when voting closes.")
    vote.get_by_label("No", exact=True).focus()
    ada.keyboard.press("Space")
    ada.keyboard.press("Enter")
    expect(vote).to_contain_text("Your vote counts.")
    count = wall.locator(".wall__ask li", has_text="No").locator(".num")
    expect(count).to_have_text("1")
    expect(vote.locator("table")).to_have_count(0)
    wall.get_by_role("button", name="Close the vote").click()
    expect(vote.get_by_role("row", name=re.compile("No .your vote. 1"))).to_be_visible()
    wall.get_by_role("button", name="Vote again").click()
    expect(vote.get_by_role("radio")).to_have_count(2)
    expect(vote.get_by_role("radio", checked=True)).to_have_count(0)
    vote.get_by_label("Yes").check()
    vote.get_by_role("button", name="Vote").click()
    wall.get_by_role("button", name="Close the vote").click()
    expect(vote.get_by_role("columnheader", name="Vote 2")).to_be_visible()
    wall.get_by_role("button", name="Remove the question").click()
    expect(vote).to_have_count(0)
