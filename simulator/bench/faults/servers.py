"""Private servers: PostgreSQL, PgBouncer and Redis from the system's packages, on free ports, with temporary data."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from simulator.bench.processes import family_of

START_S = 60


class NotInstalled(Exception):
    """A server's program is missing; the message says how to install it."""


def program(name: str, package: str) -> str:
    """The path of a server's program. Raises NotInstalled."""
    places = [os.environ.get("PATH", ""), *sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True), "/usr/sbin"]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        raise NotInstalled(f"{name} is not installed (Debian: apt-get install --yes {package})")
    return found


def driver() -> Any:
    """The module psycopg, which needs the system's libpq. Raises NotInstalled."""
    try:
        return import_module("psycopg")
    except ImportError as error:
        raise NotInstalled(f"psycopg cannot be used (Debian: apt-get install --yes libpq5): {error}") from error


def free_port() -> int:
    """A TCP port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(is_true: Callable[[], bool], what: str, *, seconds: float = START_S) -> None:
    """Poll a condition. Raises AssertionError if it does not become true in time."""
    deadline = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > deadline:
            raise AssertionError(f"it did not happen in {seconds} s: {what}")
        time.sleep(0.05)


def answers(port: int) -> bool:
    """Whether something listens on the port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def frozen(process: subprocess.Popen[bytes] | None) -> Iterator[None]:
    """Freeze a process and its children meanwhile: their connections stay open, and nothing is answered."""
    assert process is not None
    family = list(family_of(process.pid))
    for pid in family:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in family:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


class PostgresServer:
    """A new cluster with one superuser, which can be stopped and restarted on the same port. Call ``remove`` at the end.

    With an ``address`` of this machine it also listens there, to everybody in ``network``.
    """

    def __init__(self, *, address: str = "", network: str = "") -> None:
        initdb, self._program = program("initdb", "postgresql"), program("postgres", "postgresql")
        driver()
        self._folder = Path(tempfile.mkdtemp(prefix="podscope-pg-"))
        self._as_user = _as_unprivileged(self._folder)
        self.port = free_port()
        self._listens = f"127.0.0.1,{address}" if address else "127.0.0.1"
        self.url = f"postgresql://podscope@{address or '127.0.0.1'}:{self.port}/"
        """The address of its databases, without the name."""
        self._process: subprocess.Popen[bytes] | None = None
        setup = [initdb, "-D", str(self._folder / "data"), "-U", "podscope", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"]
        subprocess.run(setup, check=True, capture_output=True, cwd=self._folder, **self._as_user)
        if network:
            with (self._folder / "data" / "pg_hba.conf").open("a") as rules:
                rules.write(f"host all podscope {network} trust\n")

    @property
    def pid(self) -> int:
        """Its main process; 0 if it is not running."""
        return self._process.pid if self._process is not None else 0

    def start(self) -> None:
        """Start, and wait until it accepts connections. After a crash that may take several tries."""
        wait_until(self._starts, "PostgreSQL starts", seconds=3 * START_S)

    def kill(self) -> None:
        """Kill it, like a power failure."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Shut it down; clients are disconnected."""
        self._end(signal.SIGINT)

    def frozen(self) -> AbstractContextManager[None]:
        """It answers nothing meanwhile."""
        return frozen(self._process)

    def remove(self) -> None:
        """Stop it and delete its data."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def create(self, name: str) -> str:
        """Create an empty database; returns its address."""
        self.tell(f"CREATE DATABASE {name}")
        return self.url + name

    def tell(self, *statements: str) -> None:
        """Execute statements as the superuser."""
        with driver().connect(f"{self.url}postgres", autocommit=True) as admin:
            for statement in statements:
                admin.execute(statement)

    def _starts(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            flags = ["-h", self._listens, "-p", str(self.port), "-k", str(self._folder), "-F", "-c", "full_page_writes=off"]
            command = [self._program, "-D", str(self._folder / "data"), *flags]
            with (self._folder / "log").open("ab") as log:
                self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder, **self._as_user)
        psycopg = driver()
        try:
            psycopg.connect(f"{self.url}postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(timeout=START_S)
            self._process = None


def _as_unprivileged(folder: Path) -> dict[str, Any]:
    """Arguments for Popen: PostgreSQL and PgBouncer refuse to run as root, so root gives the folder to another user."""
    if os.geteuid() != 0:
        return {}
    names = {user.pw_name for user in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


POOLER = """\
[databases]
* = host=127.0.0.1 port={server} user=podscope
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 500
server_lifetime = 0
"""


class PgBouncer:
    """A pooler in front of all databases of a PostgreSQL: at most two transactions of a database are under way at a time.

    After each of them the session is reset, so code that relies on a longer session always fails. Call ``remove`` at the end.
    """

    def __init__(self, server: PostgresServer) -> None:
        self._program = program("pgbouncer", "pgbouncer")
        self._folder = Path(tempfile.mkdtemp(prefix="podscope-pooler-"))
        self._as_user = _as_unprivileged(self._folder)
        self._server, self.port = server, free_port()
        (self._folder / "ini").write_text(POOLER.format(server=server.port, port=self.port))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it listens."""
        with (self._folder / "log").open("ab") as log:
            command = [self._program, str(self._folder / "ini")]
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder, **self._as_user)
        wait_until(lambda: answers(self.port), "PgBouncer starts")

    def before(self, address: str) -> str:
        """The address of the same database through the pooler."""
        return address.replace(f":{self._server.port}/", f":{self.port}/")

    def remove(self) -> None:
        """Stop it, with all connections."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=START_S)
            self._process = None
        shutil.rmtree(self._folder, ignore_errors=True)


class RedisServer:
    """A Redis that can be stopped and restarted on the same port. With an ``address`` of this machine it also listens there."""

    def __init__(self, *, address: str = "") -> None:
        self._program = program("redis-server", "redis-server")
        self.port = free_port()
        self._listens = ["--bind", "127.0.0.1", *([address, "--protected-mode", "no"] if address else [])]
        self.url = f"redis://{address or '127.0.0.1'}:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Its process id; 0 if it is not running."""
        return self._process.pid if self._process is not None else 0

    def start(self) -> None:
        """Start, and wait until it listens."""
        flags = ["--port", str(self.port), *self._listens, "--save", "", "--appendonly", "no", "--dir", tempfile.gettempdir()]
        self._process = subprocess.Popen([self._program, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: answers(self.port), "Redis starts")

    def kill(self) -> None:
        """Kill it, with all connections."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=START_S)
            self._process = None

    def frozen(self) -> AbstractContextManager[None]:
        """It answers nothing meanwhile."""
        return frozen(self._process)
