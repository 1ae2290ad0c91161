"""Inject a schedule of faults into a site, and check it after each."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from random import Random
from time import monotonic, sleep

from msgspec import Struct

from simulator.bench.faults.lesson import FaultyClass
from simulator.bench.faults.people import ActingVisitor, CopyingVisitor, WatchingVisitor
from simulator.bench.faults.plant import Alone, Plant
from simulator.bench.faults.schedule import ALONE, APART, Fault, FaultScene, order
from simulator.bench.faults.servers import wait_until
from simulator.bench.faults.visitor import Visitor

VIEWERS = 3
FAULTS_A_RUN = 8
"""After this many, everybody goes on with a new run, so that a check, which replays all of it, stays short."""
SETTLE_S = 180
BEFORE_S = (0.1, 1.2)
"""Delay of a fault after acting has resumed."""


class Dealt(Struct, frozen=True, kw_only=True):
    """The outcome of one fault.

    ``settled_s`` is the time from its end until the site was healthy, every act was acknowledged and recorded, and every viewer had the
    log; ``taken_s`` that until another process owned the run, if the fault removed the owner. ``acts`` is the number of the run's acts
    acknowledged by then, ``records`` that of its log, ``links`` that of its links copied by then; ``refused`` of ``tried`` stale appends
    were refused. ``wrong`` is empty if all is well.
    """

    name: str
    settled_s: float = 0.0
    taken_s: float | None = None
    acts: int = 0
    records: int = 0
    links: int = 0
    tried: int = 0
    refused: int = 0
    wrong: tuple[str, ...] = ()


class Company(Struct, frozen=True, kw_only=True):
    """Everybody involved in one run, and a class in which each pupil has one of their own."""

    actor: ActingVisitor
    copier: CopyingVisitor
    viewers: list[WatchingVisitor]
    lesson: FaultyClass


@contextmanager
def _company(plant: Plant, rng: Random, number: int) -> Iterator[Company]:
    actor = ActingVisitor(plant, Random(rng.random()), f"act-{number:03}")
    viewers = [WatchingVisitor(plant, Random(rng.random()), actor.run_id) for _ in range(VIEWERS)]
    copier = CopyingVisitor(plant, Random(rng.random()), actor)
    lesson = FaultyClass(plant, Random(rng.random()))
    everybody: list[ActingVisitor | CopyingVisitor | WatchingVisitor | FaultyClass] = [actor, copier, *viewers, lesson]
    for somebody in everybody:
        somebody.start()
    try:
        wait_until(lambda: len(actor.acknowledged) > 0 and all(viewer.records for viewer in viewers), "the run goes on", seconds=SETTLE_S)
        yield Company(actor=actor, copier=copier, viewers=viewers, lesson=lesson)
    finally:
        for somebody in everybody:
            somebody.stop()


def deal(plant: Plant, number: int, *, seed: int, names: list[str] | None = None, seconds: float = inf) -> Iterator[Dealt]:
    """Inject this many faults into a running site, each after the one before is over and checked; no more after ``seconds``."""
    end = monotonic() + seconds
    rng = Random(f"{seed} {plant.kind}")
    faults = faults_of(plant)
    drawn = order(names or list(faults), number, rng)
    for first in range(0, number, FAULTS_A_RUN):
        if monotonic() > end:
            return
        with _company(plant, rng, first) as company:
            for name in drawn[first : first + FAULTS_A_RUN]:
                if monotonic() > end:
                    return
                yield _dealt(name, faults[name], FaultScene(plant=plant, run_id=company.actor.run_id, rng=rng), company)


def faults_of(plant: Plant) -> dict[str, Fault]:
    """The faults that are possible on this site."""
    if not isinstance(plant, Alone):
        return APART
    return {name: fault for name, fault in ALONE.items() if plant.has_disk or name != "disk full"}


def _dealt(name: str, fault: Fault, scene: FaultScene, company: Company) -> Dealt:
    company.actor.go_on()
    company.lesson.go_on()
    sleep(scene.rng.uniform(*BEFORE_S))
    try:
        taken_s = fault(scene)
        began = monotonic()
        dealt = _judged(name, scene.plant, company)
    except AssertionError as error:
        return Dealt(name=name, wrong=(str(error),))
    return Dealt(**{field: getattr(dealt, field) for field in dealt.__struct_fields__} | {"taken_s": taken_s, "settled_s": _since(began)})


def _since(began: float) -> float:
    return round(monotonic() - began, 2)


def _read_all(plant: Plant, run_id: str) -> None:
    """Fetch the whole log: damaged parts are recomputed for whoever reads them."""
    after, page = 0, {"records": [[0]]}
    while page["records"]:
        after = page["records"][-1][0]
        page = json.loads(Visitor(plant.webs[0].port).get(f"/r/{run_id}/records/?after={after}"))


def _judged(name: str, plant: Plant, company: Company) -> Dealt:
    """Wait until everything has recovered, then check everything. Raises AssertionError if it does not settle."""
    actor, copier, viewers = company.actor, company.copier, company.viewers
    plant.wait_healthy()
    assert actor.rest(seconds=SETTLE_S), "an act was never acknowledged"
    assert company.lesson.rest(seconds=SETTLE_S), "what a pupil did was never acknowledged"
    _read_all(plant, actor.run_id)
    wait_until(lambda: plant.judge.ask("waiting", actor.run_id)["acts"] == 0, "every act takes its place", seconds=SETTLE_S)
    verdict = plant.judge.ask("verdict", actor.run_id, actor.acknowledged)
    records = verdict["records"]
    wait_until(lambda: all(len(viewer.records) >= len(records) for viewer in viewers), "every viewer holds the log", seconds=SETTLE_S)
    wrong = [*verdict["wrong"], *actor.wrong, *(words for viewer in viewers for words in viewer.wrong)]
    wrong += ["a viewer holds other records than the log" for viewer in viewers if viewer.records[: len(records)] != records]
    links = list(copier.links)
    wrong += [*copier.wrong, *plant.judge.ask("links", actor.run_id, links, copier.judged)["wrong"]]
    copier.judged = len(links)
    wrong += company.lesson.judged()
    wrong += ["a stale append was taken"] * (verdict["tried"] != verdict["refused"])
    return Dealt(
        name=name,
        acts=len(actor.acknowledged),
        records=len(records),
        links=len(links),
        tried=verdict["tried"],
        refused=verdict["refused"],
        wrong=tuple(wrong),
    )
