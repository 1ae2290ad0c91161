"""Every page of the site, for the tests of all pages and the screenshots."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

from tests.e2e.helpers import another_run, control, press, run_to, start_level, start_manifests, start_story, wait_for_run

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - {name: app, image: 'nginx:1.27'}\n"
SIZES = {2560: 1440, 1440: 900, 1366: 768, 1024: 768, 768: 1024, 390: 844}
"""Widths of windows with matching heights, px."""


@dataclass(frozen=True)
class SitePage:
    """A page: its name, its view, and how to find its path (by opening what it needs with the owner's page)."""

    name: str
    view: str
    path: Callable[[Page, str], str]


def fixed(path: str) -> Callable[[Page, str], str]:
    """A page that always exists."""
    return lambda page, origin: path


def story(slug: str, seconds: float, suffix: str = "") -> Callable[[Page, str], str]:
    """The run of a story paused at that second."""

    def open_it(page: Page, origin: str) -> str:
        start_story(page, origin, slug, stands_at_s=seconds)
        return page.url.removeprefix(origin) + suffix

    return open_it


def own_run(page: Page, origin: str) -> str:
    """A run of the visitor's own manifests."""
    start_manifests(page, origin, POD, 30)
    return page.url.removeprefix(origin)


def branch(page: Page, origin: str) -> str:
    """A branch of a story's run in which somebody acted differently, so that it has a long name."""
    start_story(page, origin, "liveness-death-spiral", stands_at_s=70)
    here = page.url.partition("?")[0]
    page.goto(f"{here}?t=40")
    wait_for_run(page)
    with another_run(page):
        press(page, "Delete pod")
    return _stand(page, origin, 60)


def link(page: Page, origin: str) -> str:
    """A link to a moment of a run, without the language of its author."""
    story("hello-pod", 20)(page, origin)
    with page.expect_response(re.compile("/share/")) as answer:
        page.locator("header [data-do=share]").click()
    return re.sub(r"\blang=[^&#]*&?", "", str(answer.value.json()["url"])).removeprefix(origin)


def sweep(page: Page, origin: str) -> str:
    """A completed sweep."""
    page.goto(f"{origin}/sweeps/?example=ready&last=11&step=10&seeds=2&seconds=31")
    page.locator(".sweep-form [data-after-editor]").click()
    page.locator(".sweep-cell").first.wait_for(timeout=60_000)
    return page.url.removeprefix(origin)


def versions_beside_each_other(page: Page, origin: str) -> str:
    """A story as played by two versions."""
    page.goto(f"{origin}/scenarios/third-time-lucky/lens/?versions=1.20&versions=1.33")
    page.get_by_role("button", name="Play both").click()
    page.wait_for_url(re.compile("/compare/"))
    return page.url.removeprefix(origin)


def _stand(page: Page, origin: str, seconds: float) -> str:
    control(page, "pause")
    run_to(page, seconds)
    return page.url.removeprefix(origin).split("?")[0]


def waiting_class(page: Page, origin: str) -> str:
    """A class whose teacher has not opened a run yet."""
    page.goto(f"{origin}/class/")
    page.get_by_role("button", name="Start a class").click()
    return "/class/" + page.locator(".class-code").inner_text().strip().replace("-", "") + "/"


def level(page: Page, origin: str) -> str:
    """An attempt at a level, at its beginning."""
    start_level(page, origin, "let-it-finish")
    return page.url.removeprefix(origin)


def own_level(page: Page, origin: str) -> str:
    """A level written by this visitor."""
    page.goto(f"{origin}/levels/new/")
    page.get_by_role("button", name="Edit as text").click()
    check = "[[check]]\nid = 'a'\nnever = { machine = 'stop' }\n"
    text = f"title = 'A level'\nhorizon = '20s'\nstory = 'hello-pod'\n{check}"
    page.locator("#text").evaluate("(field, text) => { field.value = text; }", text)
    page.get_by_role("button", name="Save as a link").click()
    page.get_by_role("button", name="Save it anyway").click()  # doing nothing passes it
    page.wait_for_url(re.compile("/l/"))
    return page.url.removeprefix(origin)


def course(page: Page, origin: str) -> str:
    """A course with a level and a story."""
    level = own_level(page, origin)
    page.goto(f"{origin}/courses/new/")
    page.get_by_label("The course").fill(f"# A course\n\nA text.\n\n{level}\n\n[A story](/scenarios/hello-pod/)")
    page.get_by_role("button", name="Save as a link").click()
    page.wait_for_url(re.compile("/c/"))
    return page.url.removeprefix(origin)


PAGES = (
    SitePage("landing", "landing", fixed("/")),
    SitePage("scenarios", "scenarios", fixed("/scenarios/")),
    SitePage("scenario", "scenario", fixed("/scenarios/liveness-death-spiral/")),
    SitePage("scenario-lens", "scenario-lens", fixed("/scenarios/third-time-lucky/lens/")),
    SitePage("scenario-sweep", "scenario-sweep", fixed("/scenarios/hello-pod/sweep/")),
    SitePage("levels", "levels", fixed("/levels/")),
    SitePage("level", "level", fixed("/levels/let-it-finish/")),
    SitePage("level-track", "level-track", fixed("/levels/track/probes/")),
    SitePage("level-alone", "level", fixed("/levels/let-it-finish/?alone=1")),
    SitePage("level-exam", "level-exam", fixed("/levels/exam/")),
    SitePage("practice", "practice", fixed("/practice/")),
    SitePage("daily", "daily", fixed("/daily/")),
    SitePage("exam", "exam", fixed("/exam/")),
    SitePage("run-level", "run", level),
    SitePage("new", "new", fixed("/new/")),
    SitePage("import", "import", fixed("/new/import/")),
    SitePage("sweeps", "sweeps", fixed("/sweeps/")),
    SitePage("sweep", "sweep", sweep),
    SitePage("classes", "classes", fixed("/class/")),
    SitePage("class", "class", waiting_class),
    SitePage("fidelity", "fidelity", fixed("/fidelity/")),
    SitePage("reasons", "reasons", fixed("/reasons/")),
    SitePage("run", "run", story("liveness-death-spiral", 70)),
    SitePage("run-own", "run", own_run),
    SitePage("run-workload", "run", story("rollout-stuck-on-an-image", 60)),
    SitePage("run-branch", "run", branch),
    SitePage("run-door", "run-door", story("hello-pod", 5, "door/")),
    SitePage("run-lens", "run-lens", story("hello-pod", 5, "lens/?versions=1.20,1.30")),
    SitePage("run-sweep", "run-sweep", story("hello-pod", 5, "sweep/")),
    SitePage("compare", "run-compare", versions_beside_each_other),
    SitePage("share", "share", link),
    SitePage("embed", "embed", lambda page, origin: link(page, origin).replace("/s/", "/embed/").split("?")[0]),
    SitePage("share-ways", "share-ways", lambda page, origin: link(page, origin).split("?")[0] + "ways/"),
    SitePage("open", "open", fixed("/x/")),
    SitePage("level-new", "level-new", fixed("/levels/new/")),
    SitePage("run-level-new", "run-level-new", story("liveness-death-spiral", 70, "level/new/")),
    SitePage("level-edit", "own-level-edit", lambda page, origin: own_level(page, origin) + "edit/"),
    SitePage("course-new", "course-new", fixed("/courses/new/")),
    SitePage("course", "course", course),
    SitePage("not-found", "", fixed("/nothing/")),
)
NO_PAGES = {
    "class-me",
    "class-mine",
    "class-vote",
    "class-wall",
    "class-start",
    "class-back",
    "class-ask",
    "class-show",
    "class-results-csv",
    "class-results-json",
    "daily-run",
    "exam-run",
    "level-again",
    "level-ask",
    "level-cause",
    "level-check",
    "level-hint",
    "level-used",
    "level-pick",
    "level-run",
    "level-solution",
    "lti-keys",
    "lti-launch",
    "lti-login",
    "lti-start",
    "own-level",
    "own-level-run",
    "practice-run",
    "progress-open",
    "progress-sync",
    "healthz",
    "class-end",
    "class-qr",
    "manifest-check",
    "own-level-file",
    "manifest-index",
    "manifest-schema",
    "oembed",
    "rule-texts",
    "run-branch",
    "run-card",
    "run-commands",
    "run-compare-diff",
    "run-compare-with",
    "run-control",
    "run-file",
    "run-kubectl",
    "run-lens-play",
    "run-move",
    "run-take-along",
    "run-object",
    "run-outlook",
    "run-panel",
    "run-pods",
    "run-predict",
    "run-preview",
    "run-printed",
    "run-records",
    "run-share",
    "run-track",
    "run-typed",
    "scenario-card",
    "scenario-debrief",
    "scenario-hint",
    "scenario-lens-play",
    "scenario-run",
    "share-card",
    "share-door",
    "share-file",
    "share-qr",
    "share-run",
    "sweep-cell",
    "sweep-control",
}
"""Views that return something other than a page."""


def wait_for_page(page: Page) -> None:
    """Wait until a page's scripts have finished their initial work."""
    page.locator("html[data-ready]").wait_for()
    if page.locator("main[data-run]").count():
        wait_for_run(page)
