"""The output of ``manage.py bench load``: a class, many runs, many viewers, and more runners. Takes about ten minutes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from time import sleep
from typing import Any
from urllib.request import urlopen

from simulator.bench import fanout
from simulator.bench.memory import memory_of, total_mib
from simulator.bench.site import ROOT, MeasuredSite, measured_site

IDLE_S = 15.0
PEOPLE = 50
VIEWERS = (100, 300, 1_000)
RUNS = ((100, 1_000), (500, 1_000), (100, 60_000))
"""How many runs at once, and their rate in permille of real time."""
RUNNERS = (2, 4)
PLACES_BEYOND = 25
"""Slots that are left for newcomers."""


def report(*, class_s: float = 300.0) -> Iterator[str]:
    """A line for each measurement."""
    yield _idle_line()
    yield _class_line(class_s)
    for count, rate in RUNS:
        yield _runs_line(count, rate, {})
    for runners in RUNNERS:
        yield _runs_line(100, 60_000, {"PODSCOPE_WORKERS": str(runners)})
    for viewers in VIEWERS:
        seen = fanout.measure("podscope", viewers=viewers)
        yield (
            f"load      {viewers:,} viewers of one run at 10 frames/s: {seen.delivered:.1%} delivered, p50 {seen.p50_ms} ms, "
            f"p99 {seen.p99_ms} ms"
        )


def _idle_line() -> str:
    with measured_site() as site:
        urlopen(f"http://127.0.0.1:{site.port}/", timeout=IDLE_S).close()  # one visitor has come and gone
        sleep(IDLE_S)
        return f"load      a site that nobody uses, with {os.cpu_count()} runners: {_memory_mib(site):,} MiB"


def _class_line(seconds: float) -> str:
    figures, memory_mib = _played({}, "classroom", str(PEOPLE), str(seconds))
    return (
        f"load      a class of {PEOPLE} for {seconds:.0f} s: {figures['runs']} runs, first record {spread_text(figures['first_ms'])}, "
        f"pages {spread_text(figures['pages_ms'])}, acts {spread_text(figures['acts_ms'])}; {troubles_text(figures)}; {memory_mib:,} MiB"
    )


def _runs_line(count: int, rate: int, settings: Mapping[str, str]) -> str:
    runners = int(settings.get("PODSCOPE_WORKERS", os.cpu_count() or 1))
    places = str(-(-count // runners) + PLACES_BEYOND)
    figures, memory_mib = _played({"PODSCOPE_RUNS_PER_PROCESS": places, **settings}, "runs", str(count), str(rate))
    return (
        f"load      {figures['live']} runs at {rate / 1000:g}× on {runners} runners: {figures['moving']} moving, the slowest twentieth at "
        f"{figures['kept']:.0%} of it, {figures['records_s']:,} records/s; a newcomer's first record {spread_text(figures['first_ms'])}; "
        f"{troubles_text(figures)}; {memory_mib:,} MiB"
    )


def _played(settings: Mapping[str, str], scene: str, *words: str) -> tuple[dict[str, Any], int]:
    """The figures of a scene on a site of its own, and the memory of its processes at the end. Errors in its log count as troubles."""
    with measured_site({"PODSCOPE_SOCKETS_PER_ADDRESS_MAX": "1000", **settings}) as site:
        command = [sys.executable, "-m", "simulator.bench.load.scenes", scene, str(site.port), *words]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        figures = json.loads(done.stdout)
        if errors := site.errors():
            figures["troubles"]["error in the server's log"] = errors
        return figures, _memory_mib(site)


def _memory_mib(site: MeasuredSite) -> int:
    """The memory of the site's processes; shared memory counts once (proportional set size)."""
    return total_mib(memory_of(site.process.pid))


def spread_text(spread_ms: list[int]) -> str:
    """p50, p95 and p99 as text."""
    return "p50 {:,} ms, p95 {:,} ms, p99 {:,} ms".format(*spread_ms)


def troubles_text(figures: dict[str, Any]) -> str:
    """The errors that people met, with their counts."""
    found = figures["troubles"]
    return ", ".join(f"{text} × {count}" for text, count in sorted(found.items())) if found else "no trouble"
