"""The faults, by name, and the seeded order in which they are injected."""

import os
import signal
from collections.abc import Callable
from random import Random
from time import monotonic, sleep

from msgspec import Struct

from simulator.bench.faults.plant import LEASE_MS, Alone, Apart, Plant
from simulator.bench.faults.servers import wait_until
from simulator.runs.wire.announce import SEND_S

HOLD_S = (0.3, 2.5)
"""How long a disk stays full, or a database locked or down."""
JUMPS_MS = (-3_600_000, -5000, 5000, 3_600_000)
TAKEN_S = 120


class FaultScene(Struct, frozen=True, kw_only=True):
    """Where a fault is injected: the site, the run that everybody watches, and the schedule's random numbers."""

    plant: Plant
    run_id: str
    rng: Random

    def hold(self) -> None:
        """Let it last for a randomly drawn time."""
        sleep(self.rng.uniform(*HOLD_S))


Fault = Callable[[FaultScene], float | None]
"""Injects the fault and returns when it is over: the seconds until another process owned the run, if it removes the owner."""


def _kill_all(scene: FaultScene) -> None:
    scene.plant.webs[0].again()


def _kill_worker(scene: FaultScene) -> None:
    """One of the site's worker processes; the site starts another."""
    workers = scene.plant.webs[0].workers()
    os.kill(scene.rng.choice(workers), signal.SIGKILL)


def _freeze_all(scene: FaultScene) -> None:
    with scene.plant.webs[0].frozen():
        sleep(LEASE_MS / 1000 + scene.rng.uniform(0.5, 1.5))


def _full(scene: FaultScene) -> None:
    assert isinstance(scene.plant, Alone)
    with scene.plant.full():
        scene.hold()


def _locked(scene: FaultScene) -> None:
    assert isinstance(scene.plant, Alone)
    with scene.plant.locked():
        scene.hold()


def _tear(scene: FaultScene) -> None:
    scene.plant.judge.ask("tear", scene.run_id, scene.rng.randrange(1000))


def _drop(scene: FaultScene) -> None:
    scene.plant.judge.ask("drop", scene.run_id, scene.rng.randrange(1000))


def _turn_clock(scene: FaultScene) -> None:
    owner = scene.plant.owner_of(scene.run_id)
    owner.turn_clock(scene.rng.choice(JUMPS_MS))
    scene.hold()
    owner.turn_clock(0)


def _kill_web(scene: FaultScene) -> None:
    scene.rng.choice(scene.plant.webs).again()


def _freeze_web(scene: FaultScene) -> None:
    with scene.rng.choice(scene.plant.webs).frozen():
        scene.hold()


def _kill_owner(scene: FaultScene) -> float:
    owner, before = scene.plant.owner_of(scene.run_id), _epoch(scene)
    owner.end()
    took = _taken_over(scene, before)
    owner.start()
    return took


def _freeze_owner(scene: FaultScene) -> float:
    """Runs move between runners by themselves: if the frozen process no longer owned it, resume it and look up the owner again."""
    while True:
        owner, before = scene.plant.owner_of(scene.run_id), _epoch(scene)
        with owner.frozen():
            if _epoch(scene) == before and scene.plant.owner_of(scene.run_id) is owner:
                return _taken_over(scene, before)


def _epoch(scene: FaultScene) -> int:
    return int(scene.plant.judge.ask("owner", scene.run_id)["epoch"])


def _taken_over(scene: FaultScene, before: int) -> float:
    began = monotonic()
    wait_until(lambda: _epoch(scene) > before, "another process owns the run", seconds=TAKEN_S)
    return monotonic() - began


def _apart(scene: FaultScene) -> Apart:
    assert isinstance(scene.plant, Apart)
    return scene.plant


def _kill_postgres(scene: FaultScene) -> None:
    _apart(scene).postgres.kill()
    scene.hold()
    _apart(scene).postgres.start()


def _stop_postgres(scene: FaultScene) -> None:
    _apart(scene).postgres.stop()
    scene.hold()
    _apart(scene).postgres.start()


def _read_only(scene: FaultScene) -> None:
    with _apart(scene).read_only():
        scene.hold()


def _sever(scene: FaultScene) -> None:
    _apart(scene).sever()


def _kill_redis(scene: FaultScene) -> None:
    _apart(scene).redis.kill()
    scene.hold()
    _apart(scene).redis.start()


def _freeze_postgres(scene: FaultScene) -> None:
    with _apart(scene).postgres.frozen():
        scene.hold()


def _freeze_redis(scene: FaultScene) -> None:
    """Longer than a hint is waited for."""
    with _apart(scene).redis.frozen():
        sleep(SEND_S)
        scene.hold()


ALONE: dict[str, Fault] = {
    "kill -9 of the process": _kill_all,
    "kill -9 of a worker process": _kill_worker,
    "the process frozen past its lease": _freeze_all,
    "disk full": _full,
    "database locked": _locked,
    "chunk torn": _tear,
    "chunk lost": _drop,
    "clock jumps": _turn_clock,
}
APART: dict[str, Fault] = {
    "kill -9 of the owner": _kill_owner,
    "owner frozen past its lease": _freeze_owner,
    "kill -9 of a web process": _kill_web,
    "web process frozen": _freeze_web,
    "kill -9 of PostgreSQL": _kill_postgres,
    "PostgreSQL stopped": _stop_postgres,
    "PostgreSQL read-only": _read_only,
    "connections cut": _sever,
    "kill -9 of Redis": _kill_redis,
    "PostgreSQL frozen": _freeze_postgres,
    "Redis frozen": _freeze_redis,
    "chunk torn": _tear,
    "clock jumps": _turn_clock,
}


def order(names: list[str], number: int, rng: Random) -> list[str]:
    """``number`` faults in random order, each as often as the others."""
    drawn: list[str] = []
    while len(drawn) < number:
        drawn += rng.sample(names, len(names))
    return drawn[:number]
