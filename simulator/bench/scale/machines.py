"""A site on several machines, as in docs/deployment.md: a web process and a runner on each, PostgreSQL and Redis on a coordinator."""

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

from simulator.bench.cpu import cpu_s_of
from simulator.bench.faults.servers import PostgresServer, RedisServer, driver, free_port, wait_until
from simulator.bench.memory import memory_of, total_mib
from simulator.bench.scale.network import BenchNetwork, MachinePlace
from simulator.bench.site import ERRORS, ROOT, is_healthy

START_S, STOP_S = 180.0, 30.0
PLACES_BEYOND = 10
"""Slots for runs that a machine has beyond its share of them."""
COORDINATOR = "coordinator"


class SiteMachine:
    """One machine: ``web`` and ``runner`` are its processes, each with its children."""

    def __init__(self, place: MachinePlace, folder: Path, site: dict[str, str]) -> None:
        self.name, self.host, self.port = place.name, place.host, place.port or free_port()
        self._words, self.folder = list(place.words), folder
        self._site = site | {"PODSCOPE_DATA_DIR": str(folder)}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def prepare(self) -> None:
        """Tables, scenarios, translations and static files. Raises CalledProcessError."""
        command = [*self._words, sys.executable, "manage.py", "prepare"]
        subprocess.run(command, env=self._site, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)

    def start(self) -> None:
        """Start it, without waiting until it serves."""
        daphne = ["-m", "daphne", "--bind", self.host, "--port", str(self.port), "lifecycle_site.asgi:application"]
        for part, words in (("web", daphne), ("runner", ["manage.py", "runner"])):
            with (self.folder / f"{part}.log").open("wb") as log:
                command = [*self._words, sys.executable, *words]
                self._processes[part] = subprocess.Popen(command, env=self._site, cwd=ROOT, stdout=log, stderr=log)

    def is_healthy(self) -> bool:
        """Whether its web process reports that it is healthy. Raises AssertionError if one of its processes has ended."""
        for part, process in self._processes.items():
            assert process.poll() is None, f"{part} of {self.name} ended: {self._log(part)[-2000:]}"
        return is_healthy(self.host, self.port)

    def cpu_s(self) -> dict[str, float]:
        """CPU seconds of each of its two processes so far, including children."""
        return {part: sum(cpu_s_of(process.pid).values()) for part, process in self._processes.items()}

    def memory_mib(self) -> int:
        """The memory of all its processes; shared memory counts once."""
        return sum(total_mib(memory_of(process.pid)) for process in self._processes.values())

    def errors(self) -> int:
        """How many lines of its logs report an error."""
        lines = [line for part in self._processes for line in self._log(part).splitlines()]
        return sum(any(word in line for word in ERRORS) for line in lines)

    def _log(self, part: str) -> str:
        return (self.folder / f"{part}.log").read_text(errors="replace")

    def stop(self) -> None:
        """End its processes."""
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=STOP_S)
            process.kill()
            process.wait()


class ScaledSite:
    """The machines and their coordinator, ready to serve. Raises NotInstalled.

    ``runs`` is how many runs each machine is to drive; it has a few slots more than that.
    """

    def __init__(self, network: BenchNetwork, folder: Path, *, runs: int) -> None:
        self._rest = ExitStack()
        self.visitors = network.visitors
        self.postgres = PostgresServer(address=network.address, network=network.network)
        self._rest.callback(self.postgres.remove)
        self.redis = RedisServer(address=network.address)
        self._rest.callback(self.redis.kill)
        site = os.environ | {
            "PODSCOPE_SECRET_KEY": "of the bench alone",
            "PODSCOPE_ALLOWED_HOSTS": ",".join({place.host for place in network.machines}),
            "PODSCOPE_REDIS_URL": self.redis.url,
            "PODSCOPE_WORKERS": "1",
            "PODSCOPE_SWEEP_WORKERS": "1",
            "PODSCOPE_RUNS_PER_PROCESS": str(runs + PLACES_BEYOND),
            "PODSCOPE_SOCKETS_PER_ADDRESS_MAX": "1000",
            "PODSCOPE_POSTS_PER_SECOND_MAX": "0",
        }
        self.machines = [self._made(place, folder, site) for place in network.machines]

    def _made(self, place: MachinePlace, folder: Path, site: dict[str, str]) -> SiteMachine:
        own = folder / place.name
        own.mkdir()
        machine = SiteMachine(place, own, site | {"PODSCOPE_DATABASE_URL": f"{self.postgres.url}podscope"})
        self._rest.callback(machine.stop)
        return machine

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._rest.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._rest.close()

    def _start(self) -> None:
        self.postgres.start()
        self.redis.start()
        self.postgres.create("podscope")
        first, *others = self.machines
        first.prepare()
        for other in others:  # the tables exist, and the files are the same
            shutil.copytree(first.folder / "static", other.folder / "static", copy_function=os.link)
        for machine in self.machines:
            machine.start()
        for machine in self.machines:
            wait_until(machine.is_healthy, f"{machine.name} is healthy", seconds=START_S)

    def cpu_s(self) -> dict[str, dict[str, float]]:
        """CPU seconds of each part of each machine and of the coordinator so far."""
        coordinator = {"postgres": self.postgres.pid, "redis": self.redis.pid}
        parts = {machine.name: machine.cpu_s() for machine in self.machines}
        return parts | {COORDINATOR: {name: sum(cpu_s_of(pid).values()) for name, pid in coordinator.items()}}

    def cells(self) -> float:
        """How many cells of sweeps are done."""
        return float(self._rows("SELECT coalesce(sum(done), 0) FROM simulator_storedsweep")[0])

    def owned(self) -> list[int]:
        """How many runs each runner drives, by its own account."""
        return self._rows("SELECT runs FROM simulator_runner ORDER BY name")

    def _rows(self, query: str) -> list[int]:
        with driver().connect(f"{self.postgres.url}podscope", autocommit=True) as connection:
            return [int(row[0]) for row in connection.execute(query).fetchall()]
