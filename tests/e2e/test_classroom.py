"""A class: a code that is typed, pages that follow the teacher's, and leaving and returning."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.helpers import act, another_run, go_to, start_story, wait_for_run, wait_until

pytestmark = pytest.mark.e2e
FOLLOWS = '.classbar[data-state="follows"]'
ALONE = '.classbar[data-state="alone"]'


def opened(person) -> str:
    """Open a class; returns its code from the wall."""
    person.open("/class/")
    person.page.get_by_role("button", name="Start a class").click()
    return person.page.locator(".class-code").inner_text().strip()


def join(person, code: str) -> Page:
    person.open("/class/")
    person.page.get_by_label("Class code").fill(code.upper())
    person.page.get_by_role("button", name="Join").click()
    return person.page


def teach(person, slug: str, at_s: float) -> Page:
    """The teacher's page of a paused story."""
    start_story(person.page, person.origin, slug, stands_at_s=at_s)
    expect(person.page.locator('.classbar[data-state="leads"]')).to_be_visible()
    return person.page


def following(page: Page) -> Page:
    """The page of a pupil who has reached the teacher's run."""
    page.wait_for_url(re.compile("/r/"))
    wait_for_run(page)
    expect(page.locator(FOLLOWS)).to_be_visible()
    return page


@pytest.fixture
def lesson(visit):
    """A teacher at 0:30 of a paused story, and a pupil who came by the link and follows."""
    teacher, pupil = visit(), visit()
    code = opened(teacher)
    front = teach(teacher, "hello-pod", 30)
    return front, following(pupil.open(f"/class/{code.replace('-', '')}/"))


def stands_at(page: Page, ms: int) -> None:
    wait_until(page, f"() => Number(document.querySelector('main').dataset.playhead) === {ms}")


def test_pupil_who_waits_goes_to_the_run_and_sees_the_teachers_moment_choice_and_tab(visit):
    teacher, pupil = visit(), visit()
    page = join(pupil, opened(teacher))
    expect(page.get_by_text("You are in.")).to_be_visible()
    front = teach(teacher, "hello-pod", 30)
    following(page)
    assert page.url.split("?")[0] == front.url.split("?")[0]
    go_to(front, "0:10")
    front.get_by_role("tab", name="describe").click()
    stands_at(page, 10_000)
    expect(page.get_by_role("tab", name="describe")).to_have_attribute("aria-selected", "true")
    expect(page.locator("main")).to_have_attribute("data-role", "viewer")
    front.locator("main").focus()
    front.keyboard.press("End")
    wait_until(page, "() => document.querySelector('main').dataset.live === 'true'")


def test_pupil_who_touches_the_run_looks_around_alone_and_comes_back(lesson):
    front, page = lesson
    page.get_by_role("tab", name="Events").click()
    expect(page.locator(ALONE)).to_be_visible()
    go_to(front, "0:05")
    page.wait_for_timeout(1200)
    assert page.locator("main").get_attribute("data-live") == "true"
    page.locator(".classbar").get_by_role("button", name="Follow").click()
    stands_at(page, 5000)
    expect(page.locator(FOLLOWS)).to_be_visible()


def test_call_brings_back_who_has_gone_to_a_branch_of_his_own(lesson):
    front, page = lesson
    here = page.url.split("?")[0]
    with another_run(page):
        act(page, page.get_by_role("button", name="Fork to act"))
    expect(page.locator(ALONE)).to_be_visible()
    front.locator(".classbar").get_by_role("button", name="Bring everyone back").click()
    page.wait_for_url(lambda url: url.startswith(here))
    expect(page.locator(FOLLOWS)).to_be_visible()


def test_class_goes_along_to_another_run_and_may_be_let_go(lesson):
    front, page = lesson
    with another_run(page):
        start_story(front, page.url.split("/r/")[0], "liveness-death-spiral", stands_at_s=20)
    front.locator(".classbar").get_by_role("button", name="Let everyone explore").click()
    expect(page.locator(".classbar")).to_contain_text("is letting everyone explore")
    go_to(front, "0:05")
    page.wait_for_timeout(1200)
    assert page.locator("main").get_attribute("data-playhead") != "5000"


def test_class_that_is_ended_frees_its_pages(lesson):
    front, page = lesson
    front.locator(".classbar__code").click()
    front.get_by_role("button", name="End the class").click()
    expect(page.locator("#toasts")).to_contain_text("The class has ended.")
    expect(page.locator(".classbar")).to_have_count(0)
    page.reload()
    wait_for_run(page)
    expect(page.locator(".classbar")).to_have_count(0)


def test_bar_of_a_class_moves_nothing_when_it_comes(lesson):
    _front, page = lesson
    page.add_init_script(
        "window.shifts = 0; new PerformanceObserver((list) => { for (const e of list.getEntries()) window.shifts += e.value; })"
        ".observe({ type: 'layout-shift', buffered: true });"
    )
    page.reload()
    wait_for_run(page)
    expect(page.locator(FOLLOWS)).to_be_visible()
    top = page.locator(".transport").bounding_box()["y"]
    bar = page.locator(".classbar").bounding_box()
    assert abs(bar["y"] + bar["height"] - top) < 1
    assert page.evaluate("window.shifts") < 0.01


def test_class_fits_a_phone(visit):
    """For the teacher and for pupils, with the widest code possible."""
    teacher = visit()
    code = opened(teacher)
    teach(teacher, "hello-pod", 10)
    pupil = visit()
    for visitor in (teacher, pupil):
        visitor.page.set_viewport_size({"width": 390, "height": 844})
    page = join(pupil, code)
    wait_for_run(page)
    expect(page.locator(FOLLOWS)).to_be_visible()
    for front, names in (
        (page, ("Explore on your own", "Leave the class")),
        (teacher.page, ("Let everyone explore", "Bring everyone back")),
    ):
        assert front.evaluate("document.documentElement.scrollWidth") <= 390
        front.evaluate("(text) => { document.querySelector('.classbar__short').textContent = text; }", "wmm-mww")
        for name in names:
            expect(front.locator(".classbar").get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
