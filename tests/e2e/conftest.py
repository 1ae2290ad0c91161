"""Fixtures of the browser tests: one server, one browser, visitors."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.e2e.helpers import wait_for_run
from tests.e2e.site import Server, launch_chromium
from tests.needs import without_browser
from tests.prepared import prepared_site

REFUSED = 422
EMPTY = "/healthz"
"""An address of the site without scripts."""
HAS_FAILED = pytest.StashKey[bool]()
EXPECTED_WITHIN_MS = 15_000
"""Time limit for what a page must show, generous enough for a busy machine; a shorter one would test the load."""
expect.set_options(timeout=EXPECTED_WITHIN_MS)
# Line positions depend on fonts: a machine with more of them must not give other results than a bare one.
BARE_FONTS = Path("/usr/share/fonts/truetype/dejavu")
FONTS = {"FONTCONFIG_FILE": str(Path(__file__).with_name("fonts.conf"))} if BARE_FONTS.is_dir() else {}

# Without a graphics card each frame behind a blurred dialog takes 50 ms of CPU. The other settings are Playwright's own, which these
# replace: a mouse that can hover.
SHARP = (
    "--blink-settings=prefersReducedTransparency=true,primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"
)


@pytest.fixture(scope="package")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that is ready to serve."""
    return prepared_site(tmp_path_factory, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="package")
def server(prepared: Path) -> Iterator[Server]:
    """The server that most tests share."""
    running = Server(prepared)
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The system's headless Chromium."""
    with sync_playwright() as playwright:
        chromium = launch_chromium(playwright, SHARP, environment=FONTS)
        yield chromium
        chromium.close()


SPOILING = {
    Page: ("on", "once", "add_init_script", "expose_function", "expose_binding", "emulate_media", "route_web_socket"),
    BrowserContext: ("on", "once", "add_init_script", "new_cdp_session", "set_offline", "route", "route_web_socket"),
}
"""Calls that cannot be undone: a browser after one of these serves no other test."""
WINDOW = {"width": 1440, "height": 900}


class Visit:
    """A person with a browser of their own, and all errors in it."""

    def __init__(self, context: BrowserContext, origin: str, **options: Any) -> None:
        self.context, self.origin, self.options = context, origin, options
        self.troubles: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        self.page.on("console", self._check_line)
        self.page.on("request", self._check_origin)
        self.page.on("response", self._check_answer)
        self._first, self._is_spoilt = self.page, False
        for kind, names in SPOILING.items():
            told = self.page if kind is Page else context
            for name in names:
                setattr(told, name, self._spoiling(getattr(told, name)))

    def _spoiling(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def spoil(*args: Any, **options: Any) -> Any:
            self._is_spoilt = True
            return method(*args, **options)

        return spoil

    def _check_line(self, line) -> None:
        if line.type == "error" and not line.text.startswith("Failed to load resource"):
            self.troubles.append(line.text)

    def _check_answer(self, response) -> None:
        if response.status >= 400 and response.status != REFUSED:
            self.troubles.append(f"{response.status} {response.url}")

    def _check_origin(self, request) -> None:
        if not request.url.startswith((self.origin, self.origin.replace("http", "ws"), "data:", "blob:", "about:")):
            self.troubles.append(f"foreign request: {request.url}")

    def open(self, path: str) -> Page:
        """Go to a path; on a run page wait until its first records are drawn."""
        self.page.goto(self.origin + path)
        return self.page

    def open_run(self, path: str) -> Page:
        """Go to a run page and wait for its records."""
        self.open(path)
        wait_for_run(self.page)
        return self.page

    def leave(self) -> None:
        """Abort pending requests: a held-up answer would fail in the next test."""
        for page in self.context.pages:
            page.unroute_all(behavior="ignoreErrors")

    def is_as_new(self) -> bool:
        """Reset the browser to an unused state; False if that is impossible.

        It keeps cached files and compiled code, which are most of the cost of a page.
        """
        page = self._first
        if self._is_spoilt or page.is_closed():
            return False
        for other in [each for each in self.context.pages if each is not page]:
            other.close()
        page.goto(self.origin + EMPTY)
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.mouse.move(-1, -1)
        page.set_viewport_size(WINDOW)  # type: ignore[arg-type]
        self.context.clear_cookies()
        self.page = page
        self.troubles.clear()
        return True


@pytest.fixture(scope="package")
def empty_chairs() -> list[Visit]:
    """Browsers that have been left and reset: opening one takes as long as many a test."""
    return []


def _opened(browser: Browser, server: Server, **options: Any) -> Visit:
    context = browser.new_context(**{"viewport": WINDOW, "reduced_motion": "reduce"} | options)
    context.set_default_timeout(15_000)
    return Visit(context, server.url, **options)


def _leave(people: list[Visit], empty_chairs: list[Visit], *, may_stay: bool) -> None:
    """Return browsers that can serve another test to the pool; close the others."""
    for person in people:
        person.leave()
    for person in people:
        if may_stay and not person.options and person.is_as_new():
            empty_chairs.append(person)
        else:
            person.context.close()


@pytest.fixture
def visit(server: Server, browser: Browser, empty_chairs: list[Visit], request: pytest.FixtureRequest) -> Iterator:
    """Creates visits: ``visit()`` is a clean browser, ``visit(java_script_enabled=False)`` one without scripts.

    Visitors prefer reduced motion: blinking carets and gliding views would paint 60 frames per second without a graphics card, which most
    tests do not need. ``visit(reduced_motion="no-preference")`` enables motion.
    """
    people: list[Visit] = []

    def make(**options) -> Visit:
        people.append(empty_chairs.pop() if empty_chairs and not options else _opened(browser, server, **options))
        return people[-1]

    yield make
    troubles = [trouble for person in people for trouble in person.troubles]
    _leave(people, empty_chairs, may_stay=not request.node.stash.get(HAS_FAILED, False) and not troubles)
    assert troubles == []


class Stage:
    """State shared by the tests of a module: something that ``make`` opened in browsers of its own."""

    def __init__(self, make: Callable[[Callable[..., Visit]], Any], chair: Callable[..., Visit]) -> None:
        self.people: list[Visit] = []
        self._make, self._chair = make, chair
        self.value: Any = None

    def open(self) -> Any:
        """Have ``make`` open it."""
        self.value = self._make(self._visit)
        return self.value

    def _visit(self, **options: Any) -> Visit:
        self.people.append(self._chair(**options))
        return self.people[-1]


@pytest.fixture(scope="module")
def stages(server: Server, browser: Browser, empty_chairs: list[Visit]) -> Iterator[dict[str, Stage]]:
    """The stages of a module, by the names of their makers."""
    standing: dict[str, Stage] = {}
    yield standing
    for stage in standing.values():
        _leave(stage.people, empty_chairs, may_stay=True)


@pytest.fixture
def shared(
    server: Server, browser: Browser, empty_chairs: list[Visit], stages: dict[str, Stage], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Any]]:
    """``shared(make)`` is the result of ``make(visit)`` for the first test of the module: opening a page costs more than most tests do.

    A test leaves a shared page so that the next one can start, or a module fixture resets it. A test that fails discards its stage: the
    next one, possibly its rerun, gets another.
    """
    used: dict[str, Stage] = {}

    def chair(**options: Any) -> Visit:
        return empty_chairs.pop() if empty_chairs and not options else _opened(browser, server, **options)

    def take(make: Callable[[Callable[..., Visit]], Any]) -> Any:
        name = make.__name__
        if name in stages:
            used[name] = stages[name]
            return stages[name].value
        used[name] = stages[name] = Stage(make, chair)
        return stages[name].open()

    yield take
    people = [person for stage in used.values() for person in stage.people]
    troubles = [trouble for person in people for trouble in person.troubles]
    if troubles or request.node.stash.get(HAS_FAILED, False):
        for name in used:
            del stages[name]
        _leave(people, empty_chairs, may_stay=False)
    else:
        for person in people:
            person.page.unroute_all(behavior="ignoreErrors")
    assert troubles == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator:
    """Browsers of a failed test serve no other: the rerun starts with new ones."""
    item.stash[HAS_FAILED] = item.stash.get(HAS_FAILED, False) or call.excinfo is not None
    return (yield)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A busy machine occasionally delays a browser: rerun once. Failing twice in a row is a defect.

    Without a browser the tests are skipped, and the last line says so.
    """
    left_out, here = without_browser(), f"{Path(__file__).parent}/"
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(left_out or pytest.mark.flaky(reruns=1))
