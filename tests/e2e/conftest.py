"""A real server with its own data folder, and the system's Chromium."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.e2e.helpers import wait_for_run

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
START_S = 60
REFUSED = 422


class Server:
    """``manage.py serve`` as a process of its own; it can be killed and started again on the same data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """Migrate, load the stories, collect static files."""
        subprocess.run([sys.executable, "manage.py", "prepare"], cwd=ROOT, env=self._environment(), check=True, capture_output=True)

    def start(self) -> None:
        """Start and wait until everything is alive."""
        with (self.folder / "server.log").open("ab") as log:
            command = [sys.executable, "manage.py", "serve", "--port", str(self.port)]
            self.process = subprocess.Popen(command, cwd=ROOT, env=self._environment(), stdout=log, stderr=log)
        deadline = time.monotonic() + START_S
        while not self._is_alive():
            assert self.process.poll() is None, (self.folder / "server.log").read_text()
            assert time.monotonic() < deadline, "the server did not come up"
            time.sleep(0.1)

    def kill(self) -> None:
        """End it as a power failure would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it as an operator would."""
        self._end(signal.SIGTERM)

    def _end(self, number: int) -> None:
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(timeout=20)
            self.process = None

    def _is_alive(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "PODSCOPE_DATA_DIR": str(self.folder), "PYTHONUNBUFFERED": "1"}


def free_port() -> int:
    """A TCP port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="package")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that is ready to serve."""
    folder = tmp_path_factory.mktemp("site")
    Server(folder).prepare()
    return folder


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
        path = os.environ.get("PODSCOPE_CHROMIUM") or "/usr/bin/chromium"
        chromium = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield chromium
        chromium.close()


class Visit:
    """A person at a browser of their own, with everything that went wrong in it."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.context, self.origin = context, origin
        self.troubles: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        self.page.on("console", self._check_line)
        self.page.on("request", self._check_origin)
        self.page.on("response", self._check_answer)

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


@pytest.fixture
def visit(server: Server, browser: Browser) -> Iterator:
    """Makes visits: ``visit()`` is a clean browser, ``visit(java_script_enabled=False)`` one without scripts."""
    made: list[Visit] = []

    def make(**options) -> Visit:
        context = browser.new_context(viewport={"width": 1440, "height": 900}, **options)
        context.set_default_timeout(15_000)
        made.append(Visit(context, server.url))
        return made[-1]

    yield make
    troubles = [trouble for person in made for trouble in person.troubles]
    for person in made:
        person.context.close()
    assert troubles == []
