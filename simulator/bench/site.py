"""A site of its own for measuring: real processes on a temporary folder."""

import http.client
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

ROOT = Path(__file__).resolve().parents[2]
START_S = 60.0
STOP_S = 20
ERRORS = (" ERROR ", " CRITICAL ", "Traceback (most recent call last)")


class MeasuredSite:
    """A server on a data folder, which it prepares; ``settings`` are environment variables in addition to those of this process.

    Returns when it is alive, after some ten seconds if the folder is empty. Raises RuntimeError if it does not start.
    """

    def __init__(self, folder: str, settings: Mapping[str, str] | None = None) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        environment = {**os.environ, "PODSCOPE_DATA_DIR": folder, "PODSCOPE_DATABASE_URL": "", "PODSCOPE_REDIS_URL": ""}
        command = [sys.executable, "manage.py", "serve", "--prepare", "--port", str(self.port)]
        self._log = Path(folder) / "server.log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment | dict(settings or {}), stdout=log, stderr=log)
        deadline = monotonic() + START_S
        while not self._is_alive():
            if self.process.poll() is not None or monotonic() > deadline:
                self.process.kill()
                raise RuntimeError("the site to be measured did not start")
            sleep(0.2)

    @property
    def address(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def errors(self) -> int:
        """How many lines of its log so far are errors: of that level or worse, or the head of a traceback."""
        lines = self._log.read_text(errors="replace").splitlines()
        return sum(any(word in line for word in ERRORS) for line in lines)

    def log_from(self, start: int) -> tuple[str, int]:
        """The content of its log from that byte on, and the next byte's position."""
        with self._log.open("rb") as log:
            log.seek(start)
            found = log.read()
        return found.decode(errors="replace"), start + len(found)

    def _is_alive(self) -> bool:
        return is_healthy("127.0.0.1", self.port)


def is_healthy(host: str, port: int) -> bool:
    """Whether a web process there reports that it is healthy; False if nobody answers."""
    line = http.client.HTTPConnection(host, port, timeout=5)
    try:
        line.request("GET", "/healthz")
        return line.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        line.close()


@contextmanager
def data_folder() -> Iterator[str]:
    """An empty folder that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        yield folder


@contextmanager
def measured_site(settings: Mapping[str, str] | None = None) -> Iterator[MeasuredSite]:
    """A site that is stopped afterwards."""
    with data_folder() as folder:
        site = MeasuredSite(folder, settings)
        try:
            yield site
        finally:
            site.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                site.process.wait(timeout=STOP_S)
            site.process.kill()
            site.process.wait()
