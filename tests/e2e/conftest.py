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
"""An address of the site with no scripts."""
HAS_FAILED = pytest.StashKey[bool]()
EXPECTED_WITHIN_MS = 15_000
"""What a page shall show comes within this, however busy the machine is; whoever waits for less would find out the load."""
expect.set_options(timeout=EXPECTED_WITHIN_MS)
# Where a line stands is a matter of the fonts: a machine with more of them finds out nothing else than a bare one.
BARE_FONTS = Path("/usr/share/fonts/truetype/dejavu")
FONTS = {"FONTCONFIG_FILE": str(Path(__file__).with_name("fonts.conf"))} if BARE_FONTS.is_dir() else {}

# Without a graphics card each picture behind a blurred sheet takes 50 ms of a core. The other settings are Playwright's own, which these
# take the place of: a mouse that can hover.
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
    """Headless Chromium of the system."""
    with sync_playwright() as playwright:
        chromium = launch_chromium(playwright, SHARP, environment=FONTS)
        yield chromium
        chromium.close()


SPOILING = {
    Page: ("on", "once", "add_init_script", "expose_function", "expose_binding", "emulate_media", "route_web_socket"),
    BrowserContext: ("on", "once", "add_init_script", "new_cdp_session", "set_offline", "route", "route_web_socket"),
}
"""What cannot be taken back: a browser that was told so serves no other test."""
WINDOW = {"width": 1440, "height": 900}


class Visit:
    """A person at a browser of their own, with everything that went wrong in it."""

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
        """End what is under way: an answer that is still held up would fail in the next test."""
        for page in self.context.pages:
            page.unroute_all(behavior="ignoreErrors")

    def is_as_new(self) -> bool:
        """Make the browser one that has been nowhere; False where that cannot be done.

        What it keeps are files, and what it has compiled of them: that is most of what a page costs.
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
    """Browsers that have been left and are as new: to open one takes as long as many a test."""
    return []


def _opened(browser: Browser, server: Server, **options: Any) -> Visit:
    context = browser.new_context(**{"viewport": WINDOW, "reduced_motion": "reduce"} | options)
    context.set_default_timeout(15_000)
    return Visit(context, server.url, **options)


def _leave(people: list[Visit], empty_chairs: list[Visit], *, may_stay: bool) -> None:
    """Those whose browsers may serve another test give them back; the others close theirs."""
    for person in people:
        person.leave()
    for person in people:
        if may_stay and not person.options and person.is_as_new():
            empty_chairs.append(person)
        else:
            person.context.close()


@pytest.fixture
def visit(server: Server, browser: Browser, empty_chairs: list[Visit], request: pytest.FixtureRequest) -> Iterator:
    """Makes visits: ``visit()`` is a clean browser, ``visit(java_script_enabled=False)`` one without scripts.

    Visitors ask for less motion: carets that blink and views that glide would paint 60 pictures a second without a graphics card,
    behind what most tests are about. ``visit(reduced_motion="no-preference")`` moves.
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
    """What the tests of a module share: something that its maker opened in browsers of its own."""

    def __init__(self, make: Callable[[Callable[..., Visit]], Any], chair: Callable[..., Visit]) -> None:
        self.people: list[Visit] = []
        self._make, self._chair = make, chair
        self.value: Any = None

    def open(self) -> Any:
        """Let the maker open it."""
        self.value = self._make(self._visit)
        return self.value

    def _visit(self, **options: Any) -> Visit:
        self.people.append(self._chair(**options))
        return self.people[-1]


@pytest.fixture(scope="module")
def stages(server: Server, browser: Browser, empty_chairs: list[Visit]) -> Iterator[dict[str, Stage]]:
    """The stages that stand in a module, by the names of their makers."""
    standing: dict[str, Stage] = {}
    yield standing
    for stage in standing.values():
        _leave(stage.people, empty_chairs, may_stay=True)


@pytest.fixture
def shared(
    server: Server, browser: Browser, empty_chairs: list[Visit], stages: dict[str, Stage], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Any]]:
    """``shared(make)`` is what ``make(visit)`` opened for the first test of the module: to open a page costs more than most tests do on it.

    Who shares a page leaves it so that the next can begin, or the module's own fixture puts it right. A test that fails takes its stage
    along: the next one, which may be its second try, gets another.
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
    """Browsers of a test that failed serve no other: the second try begins with its own."""
    item.stash[HAS_FAILED] = item.stash.get(HAS_FAILED, False) or call.excinfo is not None
    return (yield)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A busy machine now and then keeps a browser waiting: once more, then. Twice in a row is a defect.

    Where there is no browser the tests are left out, and the last line says so.
    """
    left_out = without_browser()
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(left_out or pytest.mark.flaky(reruns=1))
