"""The load of a class on a site, in a process of its own: ``python -m simulator.bench.lesson.scene PORT PUPILS SECONDS`` prints JSON."""

import asyncio
import json
import re
import sys
from collections import Counter
from random import Random
from time import monotonic, process_time
from typing import Any

from simulator.bench.lesson.class_line import ClassLine, WallReader
from simulator.bench.load.scenes import spread
from simulator.bench.load.visitor import FollowedRun, LoadVisitor

LEVEL = "two-versions-never-meet"
ACT = "rollout restart deployment/ledger"
"""Acts that the level allows, and that do not pass it."""
JOINS_S = 10.0
FIRST_S_MAX = 60.0
ACTS_EVERY_S = (4.0, 10.0)
CHECKS_EVERY_S = (10.0, 30.0)
AGAIN_S = 3.0
"""If a busy site refuses a run, the page asks again after this delay (static/js/classroom/together.js)."""
SHOWN_S_MAX = 30.0
_CODE = re.compile(r"class=(\w{6})")


class LevelPupil:
    """A pupil with their waiting times: for the first frame of their own attempt, and for each check, with the time of its answer."""

    def __init__(self, number: int, port: int) -> None:
        self.name, self.rng = f"Pupil {number:03}", Random(number)
        self.person = LoadVisitor(number, port)
        self.own_ms = FIRST_S_MAX * 1000
        self.first_s = float("inf")
        self.checks_ms: list[float] = []
        self.checked_s: list[float] = []

    async def join(self, code: str) -> ClassLine:
        """Enter the code and a name; returns the class socket."""
        await self.person.page("/class/")
        await self.person.send("/class/", {"code": code, "name": self.name})
        return ClassLine(self.person, code)

    async def begin(self, code: str, line: ClassLine) -> FollowedRun:
        """Go to the run announced to everybody, or ask for it, open it and wait for the first frame."""
        person = self.person
        own = line.own or json.loads(await person.read_page(f"/class/{code}/me/") or "{}")
        await asyncio.sleep(own.get("wait_ms", 0) / 1000)
        asked_s = monotonic()
        path = own.get("url", "")
        while not path:
            path = json.loads(await person.send(f"/class/{code}/mine/", {}) or "{}").get("url", "")
            await asyncio.sleep(0 if path else AGAIN_S)
        await person.page(path)
        watch = FollowedRun(person, path)
        self.reading = asyncio.create_task(watch.read())
        try:
            await asyncio.wait_for(watch.has_come.wait(), FIRST_S_MAX)
        except TimeoutError:
            return watch
        assert watch.first_s is not None
        self.first_s, self.own_ms = watch.first_s, (watch.first_s - asked_s) * 1000
        return watch

    async def work(self, watch: FollowedRun, over_s: float) -> None:
        """Play, act and check until ``over_s``."""
        await self.person.control(watch.path, do="play")
        check_s = monotonic() + self.rng.uniform(0, CHECKS_EVERY_S[1])
        while monotonic() < over_s:
            await asyncio.sleep(self.rng.uniform(*ACTS_EVERY_S))
            await self.person.act(watch.path, ACT)
            if monotonic() > check_s:
                await self.check(watch.path)
                check_s = monotonic() + self.rng.uniform(*CHECKS_EVERY_S)

    async def check(self, path: str) -> None:
        """*Check now*."""
        began = monotonic()
        answer = await self.person.send(f"{path}level/check/", {})
        if answer and "passed" in json.loads(answer):
            self.checked_s.append(monotonic())
            self.checks_ms.append((self.checked_s[-1] - began) * 1000)


async def lesson(port: int, count: int, seconds: float, *, joins_s: float = JOINS_S) -> dict[str, Any]:
    """A class of ``count`` pupils who all start at the same instant, and then work for ``seconds``."""
    teacher = LoadVisitor(0, port)
    code = await _opened(teacher)
    pupils = [LevelPupil(number, port) for number in range(1, count + 1)]
    lines = [await _joined(pupil, code, joins_s / count) for pupil in pupils]
    tasks = [asyncio.create_task(line.read()) for line in lines]
    await asyncio.gather(*(line.beyond(-1) for line in lines))
    wall = WallReader(teacher, code)
    tasks.append(asyncio.create_task(wall.read()))
    works = [asyncio.create_task(_learn(pupil, line, code, seconds)) for pupil, line in zip(pupils, lines, strict=True)]
    began_s = monotonic()
    await teacher.send(f"/class/{code}/wall/start/", {"pick": LEVEL})
    started_s = monotonic()
    await asyncio.gather(*works)
    behind_ms = await _behind_ms(wall, pupils)
    for task in (*tasks, *(pupil.reading for pupil in pupils)):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    first_ms = [min(FIRST_S_MAX, pupil.first_s - began_s) * 1000 for pupil in pupils]
    return {"first_ms": spread(first_ms), "start_ms": (started_s - began_s) * 1000, **_figures(teacher, pupils, wall, behind_ms)}


async def _opened(teacher: LoadVisitor) -> str:
    await teacher.page("/class/")
    await teacher.send("/class/", {"path": ""})
    found = _CODE.search(await teacher.location("/class/"))
    assert found is not None, "no class was opened"
    return found[1]


async def _joined(pupil: LevelPupil, code: str, wait_s: float) -> ClassLine:
    await asyncio.sleep(wait_s)
    return await pupil.join(code)


async def _learn(pupil: LevelPupil, line: ClassLine, code: str, seconds: float) -> None:
    await line.beyond(line.news)
    watch = await pupil.begin(code, line)
    await pupil.work(watch, monotonic() + seconds)


async def _behind_ms(wall: WallReader, pupils: list[LevelPupil]) -> list[float]:
    """The delay between each check's answer and its appearance on the wall; SHOWN_S_MAX if it never appeared."""
    over_s = monotonic() + SHOWN_S_MAX
    while monotonic() < over_s and any(len(wall.failed.get(pupil.name, ())) < len(pupil.checked_s) for pupil in pupils):
        await asyncio.sleep(0.1)
    found = []
    for pupil in pupils:
        shown = wall.failed.get(pupil.name, [])
        found += [max(0.0, at - done) * 1000 for done, at in zip(pupil.checked_s, shown, strict=False)]
        found += [SHOWN_S_MAX * 1000] * (len(pupil.checked_s) - len(shown))
    return found


def _figures(teacher: LoadVisitor, pupils: list[LevelPupil], wall: WallReader, behind_ms: list[float]) -> dict[str, Any]:
    people = [teacher, *(pupil.person for pupil in pupils)]
    return {
        "own_ms": spread([pupil.own_ms for pupil in pupils]),
        "checks_ms": spread([ms for pupil in pupils for ms in pupil.checks_ms]),
        "checks": sum(len(pupil.checks_ms) for pupil in pupils),
        "acts_ms": spread([ms for pupil in pupils for ms in pupil.person.acts_ms]),
        "behind_ms": spread(behind_ms),
        "wall_ms": spread(wall.took_ms),
        "changes": wall.changes,
        "troubles": dict(Counter(trouble for person in people for trouble in person.troubles)),
    }


def main() -> None:
    """Play the class described by the arguments."""
    port, count, seconds = sys.argv[1:]
    began_s, began_cpu_s = monotonic(), process_time()
    figures = asyncio.run(lesson(int(port), int(count), float(seconds)))
    figures |= {"took_s": monotonic() - began_s, "cpu_s": process_time() - began_cpu_s}
    print(json.dumps(figures))  # noqa: T201 - the figures are what the driver reads


if __name__ == "__main__":
    main()
