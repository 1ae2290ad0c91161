"""A real server with its own data folder, and the system's Chromium: for browser tests and screenshots."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, Playwright

from simulator.bench.browser.report import chromium_path

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


class Server:
    """``manage.py serve`` as a separate process; it can be killed and started again on the same data."""

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
        """Kill it, like a power failure."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop it as an operator would."""
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
        return {"PODSCOPE_PROGRESS": "1", **os.environ, "PODSCOPE_DATA_DIR": str(self.folder), "PYTHONUNBUFFERED": "1"}


def free_port() -> int:
    """A TCP port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def launch_chromium(playwright: Playwright, *more: str, environment: dict[str, str] | None = None) -> Browser:
    """The system's headless Chromium."""
    path = chromium_path() or "chromium"
    return playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *more], env={**os.environ, **(environment or {})})
