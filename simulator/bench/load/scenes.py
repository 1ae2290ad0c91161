"""The scenes of a load test, in a process of their own: ``python -m simulator.bench.load.scenes SCENE PORT …`` prints JSON."""

import asyncio
import json
import sys
from collections import Counter
from random import Random
from time import monotonic
from typing import Any

from simulator.bench.load.visitor import FollowedRun, LoadVisitor

STORIES = ("crash-loop-ladder", "liveness-death-spiral", "hello-pod", "two-containers", "zero-downtime", "pid-1-is-deaf")
"""What a class opens: most of these go on for as long as somebody watches."""
PANELS = ("events", "yaml", "why", "inspector")
COMES_S = 10.0
STAYS_S = (20.0, 60.0)
ACTS_EVERY_S = (4.0, 10.0)
OPENED_A_SECOND = 10
NEWCOMERS = 20
WATCHED_S = 20.0
FIRST_S_MAX = 60.0
GUEST_EVERY_S = 0.05


async def classroom(port: int, people: int, seconds: float, *, comes_s: float = COMES_S) -> dict[str, Any]:
    """People who all arrive within ``comes_s``, open one story after the other, act in it and look at its panels."""
    pupils = [LoadVisitor(number, port) for number in range(people)]
    firsts_ms: list[float] = []
    over_s = monotonic() + seconds
    await asyncio.gather(*(_learn(pupil, Random(number), (comes_s, over_s), firsts_ms) for number, pupil in enumerate(pupils)))
    return {
        "runs": len(firsts_ms),
        "first_ms": spread(firsts_ms),
        "pages_ms": spread([ms for pupil in pupils for ms in pupil.took_ms]),
        "acts_ms": spread([ms for pupil in pupils for ms in pupil.acts_ms]),
        "troubles": dict(Counter(trouble for pupil in pupils for trouble in pupil.troubles)),
    }


async def _learn(pupil: LoadVisitor, rng: Random, stay: tuple[float, float], firsts_ms: list[float]) -> None:
    comes_s, over_s = stay
    await asyncio.sleep(rng.uniform(0, comes_s))
    await pupil.page("/")
    while monotonic() < over_s:
        await pupil.page("/scenarios/")
        slug = rng.choice(STORIES)
        await pupil.page(f"/scenarios/{slug}/")
        began = monotonic()
        path = await pupil.open_run(slug)
        if not path:
            await asyncio.sleep(5)
            continue
        await pupil.page(path)
        watch = FollowedRun(pupil, path)
        reading = asyncio.create_task(watch.read())
        firsts_ms.append(await _first_ms(watch, began))
        await _play_about(pupil, rng, watch, min(over_s, monotonic() + rng.uniform(*STAYS_S)))
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


async def _play_about(pupil: LoadVisitor, rng: Random, watch: FollowedRun, until_s: float) -> None:
    """Act on a node and look at panels, now and then."""
    number = 0
    while monotonic() < until_s:
        await asyncio.sleep(rng.uniform(*ACTS_EVERY_S))
        number += 1
        await pupil.act(watch.path, f"{'cordon' if number % 2 else 'uncordon'} node-1")
        await pupil.page(f"{watch.path}at/{watch.head_seq}/panel/{rng.choice(PANELS)}/")


async def _first_ms(watch: FollowedRun, began: float) -> float:
    """Milliseconds from pressing the button to the first record; FIRST_S_MAX if none arrived."""
    try:
        await asyncio.wait_for(watch.has_come.wait(), FIRST_S_MAX)
    except TimeoutError:
        return FIRST_S_MAX * 1000
    assert watch.first_s is not None
    return (watch.first_s - began) * 1000


async def runs(port: int, count: int, rate: int) -> dict[str, Any]:
    """This many watched runs at a rate (permille), and then a newcomer, twenty times over.

    ``kept``: the share of the rate that busy runs achieved, at the slowest twentieth of them (1.0: all of it).
    """
    rng = Random(count)
    owners = [LoadVisitor(number, port) for number in range(count)]
    began = monotonic()
    watches: list[tuple[FollowedRun, asyncio.Task[None]]] = []
    for number, owner in enumerate(owners):
        await asyncio.sleep(max(0.0, began + number / OPENED_A_SECOND - monotonic()))
        path = await owner.open_run("crash-loop-ladder" if number % 2 else "liveness-death-spiral")
        if path:
            watch = FollowedRun(owner, path)
            watches.append((watch, asyncio.create_task(watch.read())))
            await owner.control(path, do="rate", rate=str(rate))
    await asyncio.gather(*(_first_ms(watch, began) for watch, _ in watches))
    before = [(watch.seen_ms, watch.seen_s) for watch, _ in watches]
    await asyncio.sleep(WATCHED_S)
    kept = sorted(_rate(watch, *then) / rate for (watch, _), then in zip(watches, before, strict=True) if watch.seen_ms > then[0])
    newcomers = [LoadVisitor(count + number, port) for number in range(NEWCOMERS)]
    firsts_ms = [await _arrive(newcomer, rng) for newcomer in newcomers]
    for _, reading in watches:
        reading.cancel()
    await asyncio.gather(*(reading for _, reading in watches), return_exceptions=True)
    return {
        "live": len(watches),
        "moving": len(kept),
        "kept": round(kept[len(kept) // 20], 2) if kept else 0.0,
        "first_ms": spread(firsts_ms),
        "pages_ms": spread([ms for newcomer in newcomers for ms in newcomer.took_ms]),
        "records_s": round(sum(watch.records for watch, _ in watches) / (monotonic() - began)),
        "troubles": dict(Counter(trouble for person in (*owners, *newcomers) for trouble in person.troubles)),
    }


async def guest(port: int, seconds: float) -> dict[str, Any]:
    """A visitor who has a quiet run open, and over and over reads its page, acts, sees the act live, and lists its pods."""
    person = LoadVisitor(0, port)
    path = await person.open_run("hello-pod")
    watch = FollowedRun(person, path or "///")
    reading = asyncio.create_task(watch.read())
    await _first_ms(watch, monotonic())
    api = await person.api_of(path)
    person.took_ms.clear()
    live_ms: list[float] = []
    over_s = monotonic() + seconds
    while monotonic() < over_s:
        await person.page(path)
        seen, began = watch.head_seq, monotonic()
        await person.act(path, f"{'uncordon' if len(live_ms) % 2 else 'cordon'} node-1")
        try:
            await asyncio.wait_for(watch.beyond(seen), FIRST_S_MAX)
        except TimeoutError:
            person.troubles.append("nothing came of an act")
        live_ms.append((monotonic() - began) * 1000)
        await person.list_pods(api)
        await asyncio.sleep(GUEST_EVERY_S)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    return {
        "pages_ms": spread(person.took_ms),
        "acts_ms": spread(person.acts_ms),
        "live_ms": spread(live_ms),
        "lists_ms": spread(person.lists_ms),
        "asked": len(live_ms),
        "troubles": dict(Counter(person.troubles)),
    }


def _rate(watch: FollowedRun, then_ms: int, then_s: float) -> float:
    """Simulated milliseconds per second, permille of real time."""
    return (watch.seen_ms - then_ms) / max(0.001, watch.seen_s - then_s)


async def _arrive(newcomer: LoadVisitor, rng: Random) -> float:
    """Open a story, see its first record, leave."""
    await newcomer.page("/scenarios/hello-pod/")
    await asyncio.sleep(rng.uniform(0, 0.5))
    began = monotonic()
    path = await newcomer.open_run("hello-pod")
    watch = FollowedRun(newcomer, path or "///")
    reading = asyncio.create_task(watch.read())
    first_ms = await _first_ms(watch, began)
    await newcomer.control(path, do="pause")
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    return first_ms


def spread(took_ms: list[float]) -> list[int]:
    """p50, p95 and p99 in whole milliseconds."""
    ordered = sorted(took_ms) or [0.0]
    return [round(ordered[min(len(ordered) - 1, len(ordered) * share // 100)]) for share in (50, 95, 99)]


def main() -> None:
    """Play the scene that the arguments name."""
    name, port, *rest = sys.argv[1:]
    if name == "classroom":
        scene = classroom(int(port), int(rest[0]), float(rest[1]))
    elif name == "guest":
        scene = guest(int(port), float(rest[0]))
    else:
        scene = runs(int(port), int(rest[0]), int(rest[1]))
    print(json.dumps(asyncio.run(scene)))  # noqa: T201 - the figures are what the driver reads


if __name__ == "__main__":
    main()
