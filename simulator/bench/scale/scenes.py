"""What visitors do to a site on several machines, in a process of its own on the coordinator's network:
``python -m simulator.bench.scale.scenes`` reads the machines' addresses from standard input and prints JSON.

Every machine has the same share of each kind of work. Visitors come to the machines' web processes in turn, as a proxy would send them.
"""

import asyncio
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from itertools import cycle
from pathlib import Path
from secrets import randbelow
from time import monotonic, process_time, thread_time

import msgspec
from msgspec import Struct

from simulator.bench.engine import liveness_pod, make_header
from simulator.bench.load.scenes import FIRST_S_MAX, OPENED_A_SECOND
from simulator.bench.load.visitor import FollowedRun, LoadVisitor
from simulator.bench.scale.machines import ScaledSite
from simulator.bench.scale.network import BenchNetwork
from simulator.bench.soak.scenes import CROWD
from simulator.engine import replay
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import HOUR

STORIES = ("crash-loop-ladder", "liveness-death-spiral")
"""The stories that are played: both go on for as long as somebody watches."""
PAGES = ("/scenarios/", "/scenarios/hello-pod/", "/scenarios/crash-loop-ladder/")
SWEPT = """apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: app, image: "busybox:1.36", command: [sh, -c, "sleep 20; exit 1"]}
"""
SEEDS = 1000
WATCHED = CROWD.replace("replicas: 20", "replicas: 5")
WATCHED_RATE, WATCHED_RUNS = 60_000, 4
"""Runs with many viewers. None is heavy enough to be moved to another runner (turns/separation.py)."""
FIXED_EVERY_S = 1.0


class ScaleShare(Struct, frozen=True, kw_only=True):
    """The load of each machine, and how long it is measured: runs at ``rate`` (permille), viewers, pages per second, sweeps.

    It is a fraction of what a core can do, as four machines and everything else share two: when runs are late, each turn does more at once,
    and a unit costs less.
    """

    runs: int = 40
    rate: int = 10_000
    viewers: int = 60
    pages_s: int = 3
    sweeps: int = 2
    settle_s: float = 5.0
    seconds: float = 20.0


class ScaleSight(Struct, frozen=True, kw_only=True):
    """The work done in a window of this many seconds, and the CPU time that it took each part of each machine.

    ``fixed_ms`` is the average CPU time of the fixed piece of work meanwhile.
    """

    units: float
    seconds: float
    fixed_ms: float
    cpu_s: dict[str, dict[str, float]]


class ScaleTrial(Struct, frozen=True, kw_only=True):
    """All measurements of a number of machines. ``idle`` has no units; ``owned`` is how many runs each drove."""

    idle: ScaleSight
    runs: ScaleSight
    viewers: ScaleSight
    pages: ScaleSight
    sweeps: ScaleSight
    owned: list[int]
    memory_mib: list[int]
    generator_s: float
    troubles: dict[str, int]


SCALE_TRIAL: Typed[ScaleTrial] = Typed(ScaleTrial)
_ASKED: Typed[tuple[BenchNetwork, ScaleShare]] = Typed(tuple[BenchNetwork, ScaleShare])


class ScaleScene:
    """A site and the visitors who have come to it so far, each with an address of their own."""

    def __init__(self, site: ScaledSite, share: ScaleShare) -> None:
        self._site, self._share = site, share
        self._turns = cycle(site.machines)
        self.people: list[LoadVisitor] = []

    @property
    def size(self) -> int:
        """The number of machines."""
        return len(self._site.machines)

    def person(self) -> LoadVisitor:
        """A new visitor, at the next web process."""
        machine = next(self._turns)
        person = LoadVisitor(len(self.people), machine.port, host=machine.host, network=self._site.visitors)
        self.people.append(person)
        return person

    async def sight(self, units: Callable[[], float], seconds: float) -> ScaleSight:
        """Wait, and return the work done meanwhile."""
        began_s, units_before, before = monotonic(), units(), self._site.cpu_s()
        fixed_ms = [fixed_work_ms()]
        while (left_s := began_s + seconds - monotonic()) > 0:
            await asyncio.sleep(min(left_s, FIXED_EVERY_S))
            fixed_ms.append(fixed_work_ms())
        done, after = units() - units_before, self._site.cpu_s()
        cpu_s = {name: {part: after[name][part] - parts[part] for part in parts} for name, parts in before.items()}
        return ScaleSight(units=done, seconds=monotonic() - began_s, fixed_ms=sum(fixed_ms) / len(fixed_ms), cpu_s=cpu_s)

    async def followed(self, lines: AsyncExitStack, person: LoadVisitor, path: str) -> FollowedRun:
        """A run that the person reads from now on, until ``lines`` is closed."""
        watch = FollowedRun(person, path)
        reading = asyncio.create_task(watch.read())
        lines.push_async_callback(_ended, reading)
        return watch

    async def opened(self, lines: AsyncExitStack, slug: str) -> FollowedRun | None:
        """A new run of a new visitor, at the rate of the share; None if it was refused. Without a story's name, a crowd at 60×."""
        person = self.person()
        path = await (person.open_run(slug) if slug else person.open_manifest(WATCHED))
        if not path:
            return None
        watch = await self.followed(lines, person, path)
        await person.control(path, do="rate", rate=str(self._share.rate if slug else WATCHED_RATE))
        return watch

    async def runs(self) -> tuple[ScaleSight, list[int]]:
        """Runs that are played, each with its own viewer. A unit is a run for a second at the full rate."""
        began_s, watches = monotonic(), list[FollowedRun]()
        async with AsyncExitStack() as lines:
            for number in range(self._share.runs * self.size):
                await asyncio.sleep(max(0.0, began_s + number / OPENED_A_SECOND - monotonic()))
                if (watch := await self.opened(lines, STORIES[number % len(STORIES)])) is not None:
                    watches.append(watch)
            await asyncio.gather(*(_first(watch) for watch in watches))
            await asyncio.sleep(self._share.settle_s)
            sight = await self.sight(lambda: sum(watch.seen_ms for watch in watches) / self._share.rate, self._share.seconds)
            return sight, self._site.owned()

    async def viewers(self) -> ScaleSight:
        """A few runs, and viewers of each at every web process. A unit is a frame received by a viewer."""
        watches: list[FollowedRun] = []
        async with AsyncExitStack() as lines:
            owned = [await self.opened(lines, "") for _ in range(WATCHED_RUNS)]
            paths = [watch.path for watch in owned if watch is not None]
            for number in range(self._share.viewers * self.size if paths else 0):
                path = paths[number // self.size % len(paths)]
                watches.append(await self.followed(lines, self.person(), path))
            await asyncio.gather(*(_first(watch) for watch in watches))
            await asyncio.sleep(self._share.settle_s)
            return await self.sight(lambda: sum(watch.frames for watch in watches), self._share.seconds)

    async def pages(self) -> ScaleSight:
        """Pages at a steady pace. A unit is a page."""
        async with AsyncExitStack() as lines:
            readers = [self.person() for _ in range(self._share.pages_s * self.size)]
            for number, reader in enumerate(readers):
                lines.push_async_callback(_ended, asyncio.create_task(_read(reader, number / len(readers))))
            await asyncio.sleep(self._share.settle_s)
            return await self.sight(lambda: sum(len(reader.took_ms) for reader in readers), self._share.seconds)

    async def sweeps(self) -> ScaleSight:
        """Sweeps that keep all machines busy for longer than the measurement. A unit is a cell."""
        for _ in range(self._share.sweeps * self.size):
            person = self.person()
            await person.page("/sweeps/")
            fields = {"manifest": SWEPT, "kubernetes": "1.33", "field": "spec.terminationGracePeriodSeconds", "outcome": "restarts"}
            fields |= {"first": str(randbelow(100_000)), "seeds": str(SEEDS), "seconds": "3600"}
            await person.send("/sweeps/", fields)
        begun_s = monotonic()
        while not self._site.cells() and monotonic() - begun_s < FIRST_S_MAX:  # their processes have to start first
            await asyncio.sleep(self._share.settle_s / 5)
        await asyncio.sleep(self._share.settle_s)
        return await self.sight(self._site.cells, self._share.seconds)


def fixed_work_ms() -> float:
    """Play an hour of a pod that never comes to rest; returns the CPU time of this thread."""
    began_s = thread_time()
    replay(make_header([liveness_pod("web")]), (), until_ms=HOUR)
    return (thread_time() - began_s) * 1000


async def _first(watch: FollowedRun) -> None:
    await asyncio.wait([asyncio.create_task(watch.has_come.wait())], timeout=FIRST_S_MAX)


async def _ended(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _read(reader: LoadVisitor, waits_s: float) -> None:
    await asyncio.sleep(waits_s)
    for path in cycle(PAGES):
        began_s = monotonic()
        await reader.page(path)
        await asyncio.sleep(max(0.0, began_s + 1 - monotonic()))


async def trial(site: ScaledSite, share: ScaleShare) -> ScaleTrial:
    """Everything once, one kind of work after the other."""
    scene = ScaleScene(site, share)
    await asyncio.sleep(share.settle_s)
    idle = await scene.sight(lambda: 0.0, share.seconds / 3)
    runs, owned = await scene.runs()
    memory_mib = [machine.memory_mib() for machine in site.machines]
    viewers, pages, sweeps = await scene.viewers(), await scene.pages(), await scene.sweeps()
    troubles = Counter(trouble for person in scene.people for trouble in person.troubles)
    if errors := sum(machine.errors() for machine in site.machines):
        troubles["error in a log"] = errors
    return ScaleTrial(
        idle=idle,
        runs=runs,
        viewers=viewers,
        pages=pages,
        sweeps=sweeps,
        owned=owned,
        memory_mib=memory_mib,
        generator_s=process_time(),
        troubles=dict(troubles),
    )


def main() -> None:
    """Start the site that standard input describes and put it under load. SIGTERM ends it with everything it has started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    network, share = _ASKED.from_json(sys.stdin.buffer.read())
    with tempfile.TemporaryDirectory(prefix="podscope-scale-") as folder, ScaledSite(network, Path(folder), runs=share.runs) as site:
        seen = asyncio.run(trial(site, share))
    sys.stdout.buffer.write(msgspec.json.encode(seen))


if __name__ == "__main__":
    main()
