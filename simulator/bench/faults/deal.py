"""Dealing a schedule of faults to a site, and judging it after each."""

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
"""Then everybody goes on with a new run, so that a judgement, which replays all of it, stays short."""
SETTLE_S = 180
BEFORE_S = (0.1, 1.2)
"""A fault comes so long after the acts began again."""


class Dealt(Struct, frozen=True, kw_only=True):
    """What became of one fault.

    ``settled_s`` is the time from its end until the site was healthy, every act was acknowledged and had its place, and every viewer held
    the log; ``taken_s`` that until another owner had the run, where the fault took the owner away. ``acts`` are all of the run that were
    acknowledged by then, ``records`` the log's, ``links`` those that were copied of the run by then, ``refused`` of ``tried`` stale
    appends were. ``wrong`` is empty where all is well.
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
    """Everybody who has to do with one run, and a class in which each pupil has one of their own."""

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
    """Deal so many faults to a running site, each after the one before is over and judged; none any more after ``seconds``."""
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
    """What can be dealt to this site."""
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
    """Ask for the whole log: what is torn of it is computed again for whoever asks."""
    after, page = 0, {"records": [[0]]}
    while page["records"]:
        after = page["records"][-1][0]
        page = json.loads(Visitor(plant.webs[0].port).get(f"/r/{run_id}/records/?after={after}"))


def _judged(name: str, plant: Plant, company: Company) -> Dealt:
    """Wait until all is as it was, then look at everything. Raises AssertionError where it does not come to rest."""
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
