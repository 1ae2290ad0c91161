"""The visitors of the soak, all of them in one process: ``scenes.py PORT RUNS SECONDS`` prints their figures as JSON when they have left.

They come in rounds. In each, every visitor opens a run of their own, sets it to 60×, watches it, goes back and forth in it, opens one panel
after the other, and leaves. The next round has other visitors with other runs.
"""

import asyncio
import json
import re
import sys
from collections import Counter
from random import Random
from time import monotonic
from typing import Any

from simulator.bench.load.visitor import FollowedRun, LoadVisitor

STORIES = ("crash-loop-ladder", "liveness-death-spiral", "zero-downtime")
"""Stories that go on for as long as somebody watches."""
PANELS = ("events", "yaml", "why", "inspector", "describe", "logs", "machine", "scheduling")
TRACKS = ("events", "inspector", "machine")
RATE = 60_000
"""Permille of real time."""
ROUND_S = 120.0
COMES_S = 5.0
LOOKS_EVERY_S = (1.0, 4.0)
TRACK_MS = 60_000
CROWD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: crowd}
spec:
  replicas: 20
  selector: {matchLabels: {app: crowd}}
  template:
    metadata: {labels: {app: crowd}}
    spec:
      containers:
      - {name: app, image: busybox, command: [sh, -c, "sleep 20; exit 1"]}
"""
"""Twenty pods that crash: they soon produce many records."""


async def soak(port: int, runs: int, seconds: float) -> dict[str, Any]:
    """This many runs at a time for this long, in rounds; returns the visitors' figures and errors."""
    rounds = max(1, round(seconds / ROUND_S))
    visitors: list[LoadVisitor] = []
    watches: list[FollowedRun] = []
    over_s = monotonic() + seconds
    for number in range(rounds):
        until_s = over_s - seconds * (rounds - 1 - number) / rounds
        come = [LoadVisitor(number * runs + each, port) for each in range(runs)]
        visitors += come
        watches += filter(None, await asyncio.gather(*(_visit(each, Random(n), until_s) for n, each in enumerate(come))))
    return {
        "rounds": rounds,
        "runs": len(watches),
        "records": sum(watch.records for watch in watches),
        "looks": sum(len(each.took_ms) for each in visitors),
        "troubles": dict(Counter(kind_of(trouble) for each in visitors for trouble in each.troubles)),
    }


def kind_of(trouble: str) -> str:
    """An error without the run and the moment at which it occurred."""
    return re.sub(r"\?\S*", "", re.sub(r"/r/[0-9a-f-]+/", "/r/…/", re.sub(r"/at/\d+/", "/at/…/", trouble)))


async def _visit(visitor: LoadVisitor, rng: Random, until_s: float) -> FollowedRun | None:
    """Open a run, watch it and look around in it until it is time to leave."""
    await asyncio.sleep(rng.uniform(0, COMES_S))
    path = await (visitor.open_manifest(CROWD) if rng.random() < 0.3 else visitor.open_run(rng.choice(STORIES)))
    if not path:
        return None
    watch = FollowedRun(visitor, path)
    reading = asyncio.create_task(watch.read())
    await visitor.page(path)
    await visitor.control(path, do="rate", rate=str(RATE))
    while monotonic() < until_s:
        await asyncio.sleep(rng.uniform(*LOOKS_EVERY_S))
        await _look(visitor, rng, watch)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    return watch


async def _look(visitor: LoadVisitor, rng: Random, watch: FollowedRun) -> None:
    """Go to some past moment and read what is there."""
    seq, ms = rng.randint(0, watch.head_seq), rng.randint(0, watch.seen_ms)
    looks = (
        f"{watch.path}at/{seq}/panel/{rng.choice(PANELS)}/",
        f"{watch.path}?t={ms}&tab={rng.choice(PANELS)}",
        f"{watch.path}track/{rng.choice(TRACKS)}/?from_ms={ms}&to_ms={min(ms + TRACK_MS, watch.seen_ms)}",
        f"{watch.path}records/?after={seq}",
    )
    await visitor.page(rng.choice(looks))


def main() -> None:
    """Play the scene described by the arguments."""
    port, runs, seconds = sys.argv[1:]
    print(json.dumps(asyncio.run(soak(int(port), int(runs), float(seconds)))))  # noqa: T201 - the figures are what the driver reads


if __name__ == "__main__":
    main()
