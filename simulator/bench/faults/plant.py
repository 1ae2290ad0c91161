"""The processes of a site, started as documented: a single process that starts the others, with SQLite; or separate web processes and
runners, with PostgreSQL and Redis."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from simulator.bench.faults import launch
from simulator.bench.faults.servers import PostgresServer, RedisServer, free_port, wait_until
from simulator.bench.faults.visitor import LOST, Visitor
from simulator.bench.processes import family_of

ROOT = Path(__file__).resolve().parents[3]
LEASE_MS = 2000
START_S = 180
"""Time limit for a busy machine."""
STOP_S = 60
DISK_MB = 192


class SitePart:
    """A process of the site with a log and a wall clock of its own; it can be killed, frozen and started again."""

    def __init__(self, name: str, words: list[str], site: dict[str, str], folder: Path, *, port: int = 0) -> None:
        self.name, self.port, self.log = name, port, folder / f"{name}.log"
        self._wall = folder / f"{name}.wall"
        launch.turn(self._wall, 0)
        self._command = [sys.executable, "-m", "simulator.bench.faults.launch", *words]
        self._site = site | {"PODSCOPE_BENCH_WALL": str(self._wall)}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Its process id, or 0."""
        return self._process.pid if self._process is not None else 0

    def start(self) -> None:
        """Start it, without waiting until it serves."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._command, env=self._site, cwd=ROOT, stdout=log, stderr=log)

    def end(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal that ends it, and wait until it has ended."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(timeout=STOP_S)
            self._process = None

    def again(self) -> None:
        """Kill and restart it."""
        self.end()
        self.start()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Freeze it meanwhile (SIGSTOP)."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def workers(self) -> list[int]:
        """Its child processes, whatever their purpose."""
        return list(family_of(self.pid))[1:]

    def turn_clock(self, offset_ms: int) -> None:
        """Shift its wall clock by this much from now on."""
        launch.turn(self._wall, offset_ms)


class Plant:
    """A site that runs in a folder of its own. ``webs`` serve pages, ``runners`` own runs; the first may be the second."""

    kind = ""

    def __init__(self, folder: Path, *, static: Path | None = None) -> None:
        self.folder, self.webs, self.runners = folder, list[SitePart](), list[SitePart]()
        self._static = static
        self._judge: Judge | None = None
        self.site = os.environ | {
            "PODSCOPE_DATA_DIR": str(folder / "site"),
            "PODSCOPE_SECRET_KEY": "of the bench alone",
            "PODSCOPE_DATABASE_URL": "",
            "PODSCOPE_REDIS_URL": "",
            "PODSCOPE_LEASE_MS": str(LEASE_MS),
            "PODSCOPE_POSTS_PER_SECOND_MAX": "0",
            "PODSCOPE_RUNS_PER_ADDRESS_MAX": "0",
            "PODSCOPE_RUNS_PER_OWNER_MAX": "0",
        }
        (folder / "site").mkdir()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if self._judge is not None:
            self._judge.stop()
        for part in self.parts:
            with suppress(subprocess.TimeoutExpired):
                part.end(signal.SIGTERM)
            part.end()

    @property
    def judge(self) -> "Judge":
        """Access to the site's database; available once the site has started."""
        assert self._judge is not None
        return self._judge

    @property
    def parts(self) -> list[SitePart]:
        """Every process once."""
        return list({part.name: part for part in (*self.webs, *self.runners)}.values())

    def start(self) -> None:
        """Prepare, start everything, and wait until it is healthy."""
        steps = ["prepare"]
        if self._static is not None:  # already collected by somebody else: it takes longer than anything else here
            (self.folder / "site" / "static").symlink_to(self._static)
            steps = ["compile_messages", "migrate"]
        for step in steps:
            subprocess.run([sys.executable, "manage.py", step, "-v", "0"], env=self.site, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        for part in self.parts:
            part.start()
        self._judge = Judge(self.site)
        self.wait_healthy()

    def wait_healthy(self) -> float:
        """Wait until every web process reports that it is healthy; returns the seconds it took."""
        began = time.monotonic()
        for web in self.webs:
            wait_until(lambda web=web: _is_healthy(web.port), f"{web.name} is healthy", seconds=START_S)  # type: ignore[misc]
        return time.monotonic() - began

    def owner_of(self, run_id: str) -> SitePart:
        """The process that owns the run; the first runner if none does."""
        owner = self.judge.ask("owner", run_id)["owner"]
        pid = int(owner.split(":")[1]) if owner else 0
        return next((part for part in self.runners if part.pid == pid), self.runners[0])

    def log_lines_with(self, words: str) -> int:
        """How many lines of the logs contain this text."""
        logs = (part.log.read_text(errors="replace") for part in self.parts if part.log.exists())
        return sum(words in line for log in logs for line in log.splitlines())


def _is_healthy(port: int) -> bool:
    try:
        Visitor(port).get("/healthz")
    except LOST:
        return False
    return True


class Alone(Plant):
    """``make run``: a process that starts the others, with SQLite, on a disk of its own if this user may mount one."""

    kind = "make run, SQLite"

    def __init__(self, folder: Path, *, static: Path | None = None) -> None:
        super().__init__(folder, static=static)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=0700", "tmpfs", str(folder / "site")]
        self.has_disk = os.geteuid() == 0 and subprocess.run(mount, check=False, capture_output=True).returncode == 0
        port = free_port()
        self.webs = self.runners = [SitePart("serve", ["manage.py", "serve", "--port", str(port)], self.site, folder, port=port)]

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        if self.has_disk:
            subprocess.run(["umount", "--lazy", str(self.folder / "site")], check=False)

    @contextmanager
    def full(self) -> Iterator[None]:
        """No byte is free on the disk meanwhile."""
        filler = self.folder / "site" / "filler"
        handle = os.open(filler, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            for size in (1_048_576, 4096, 1):
                with suppress(OSError):
                    while True:
                        os.write(handle, bytes(size))
            yield
        finally:
            os.close(handle)
            filler.unlink()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Another process locks the database meanwhile."""
        other = sqlite3.connect(self.folder / "site" / "podscope.sqlite3", isolation_level=None, timeout=20)
        other.execute("BEGIN EXCLUSIVE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")
            other.close()


class Apart(Plant):
    """Two web processes and two runners on PostgreSQL and Redis. Raises NotInstalled."""

    kind = "2 web, 2 runners, PostgreSQL, Redis"

    def __init__(self, folder: Path, *, static: Path | None = None) -> None:
        super().__init__(folder, static=static)
        self.postgres, self.redis = PostgresServer(), RedisServer()
        self.postgres.start()
        self.redis.start()
        self.site |= {"PODSCOPE_DATABASE_URL": self.postgres.create("podscope"), "PODSCOPE_REDIS_URL": self.redis.url}
        for number in (1, 2):
            port = free_port()
            web = ["daphne", "--bind", "127.0.0.1", "--port", str(port), "lifecycle_site.asgi:application"]
            self.webs.append(SitePart(f"web{number}", web, self.site, folder, port=port))
            self.runners.append(SitePart(f"runner{number}", ["manage.py", "runner"], self.site, folder))

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        self.redis.kill()
        self.postgres.remove()

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """PostgreSQL accepts no changes meanwhile, not even on existing connections."""
        self.postgres.tell("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
        try:
            yield
        finally:
            self.postgres.tell("SET default_transaction_read_only = off", "ALTER SYSTEM RESET ALL", "SELECT pg_reload_conf()")

    def sever(self) -> None:
        """Cut every connection to PostgreSQL."""
        self.postgres.tell("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'podscope'")


class Judge:
    """Client of the judge, a process next to the site that can access its database."""

    def __init__(self, site: dict[str, str]) -> None:
        command = [sys.executable, "-m", "simulator.bench.faults.launch", "judge"]
        self._process = subprocess.Popen(command, env=site, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, question: str, *words: Any) -> dict[str, Any]:
        """The answer. Raises AssertionError with the error of a request that failed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([question, *words]) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert "error" not in answer, f"{question}: {answer['error']}"
        return answer

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()
