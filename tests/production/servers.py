"""Private servers for tests: PostgreSQL and Redis of the system's packages, on free ports, with nothing kept."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

START_S = 20
REQUIRED = "PODSCOPE_TEST_SERVERS"
"""Set to ``required`` where a missing server fails the tests instead of skipping them: in continuous integration."""


def program(name: str, package: str) -> str:
    """The path of a server's program. Skips the test, or fails it where servers are required."""
    places = [os.environ.get("PATH", ""), *sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True), "/usr/sbin"]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        _go_without(f"{name} is not installed (Debian: apt-get install --yes {package})")
    return str(found)


def driver() -> Any:
    """The module psycopg, which needs the system's libpq."""
    try:
        import psycopg
    except ImportError as error:
        _go_without(f"psycopg cannot be used (Debian: apt-get install --yes libpq5): {error}")
    return psycopg


def _go_without(what: str) -> None:
    """Skip the test, or fail it where servers are required."""
    if os.environ.get(REQUIRED) == "required":
        pytest.fail(what)
    pytest.skip(what)


def free_port() -> int:
    """A TCP port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(is_true: Callable[[], bool], what: str, *, seconds: float = START_S) -> None:
    """Ask again and again; fails the test where it does not come true."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, f"it did not happen in {seconds} s: {what}"
        time.sleep(0.05)


def answers(port: int) -> bool:
    """Whether somebody listens on the port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def postgresql() -> Iterator[str]:
    """A new cluster; gives the address of its (only) superuser's database without a name: ``postgresql://podscope@127.0.0.1:1234/``."""
    initdb, postgres, _ = program("initdb", "postgresql"), program("postgres", "postgresql"), driver()
    folder = Path(tempfile.mkdtemp(prefix="podscope-pg-"))
    as_user = _as_unprivileged(folder)
    try:
        setup = [initdb, "-D", str(folder / "data"), "-U", "podscope", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"]
        subprocess.run(setup, check=True, capture_output=True, cwd=folder, **as_user)
        port = free_port()
        flags = ["-h", "127.0.0.1", "-p", str(port), "-k", str(folder), "-F", "-c", "full_page_writes=off"]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen([postgres, "-D", str(folder / "data"), *flags], stdout=log, stderr=log, cwd=folder, **as_user)
        try:
            wait_until(lambda: _is_ready(port), "PostgreSQL starts")
            yield f"postgresql://podscope@127.0.0.1:{port}/"
        finally:
            server.send_signal(2)  # fast shutdown: clients are disconnected
            server.wait(timeout=START_S)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _as_unprivileged(folder: Path) -> dict[str, object]:
    """Arguments of Popen: PostgreSQL refuses to run as root, so root lends the folder to another user."""
    if os.geteuid() != 0:
        return {}
    names = {user.pw_name for user in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _is_ready(port: int) -> bool:
    psycopg = driver()
    try:
        psycopg.connect(f"postgresql://podscope@127.0.0.1:{port}/postgres").close()
    except psycopg.OperationalError:
        return False
    return True


class RedisServer:
    """A Redis that can go away and come back on the same port."""

    def __init__(self) -> None:
        self._program = program("redis-server", "redis-server")
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it listens."""
        flags = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", tempfile.gettempdir()]
        self._process = subprocess.Popen([self._program, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: answers(self.port), "Redis starts")

    def kill(self) -> None:
        """End it at once, with all connections."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=START_S)
            self._process = None
