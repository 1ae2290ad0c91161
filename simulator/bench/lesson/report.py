"""The output of ``manage.py bench class``: how long pupils wait for their own attempts and checks, and the delay of the wall."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from simulator.bench.cpu import cpu_s_of
from simulator.bench.load.report import spread_text, troubles_text
from simulator.bench.memory import memory_of, total_mib
from simulator.bench.site import ROOT, measured_site

PUPILS = 50
SECONDS = 90.0
BARS_MS = {"first_ms": 1000, "checks_ms": 2000, "behind_ms": 1000}
"""Bars on two cores, which at most one in twenty pupils, checks or changes of the wall may exceed."""


def report(pupils: int = PUPILS, seconds: float = SECONDS) -> Iterator[str]:
    """The lines. A figure beyond its bar is marked; this is not a failure, since the machine may be busy otherwise."""
    with measured_site() as site:
        command = [sys.executable, "-m", "simulator.bench.lesson.scene", str(site.port), str(pupils), str(seconds)]
        before = cpu_s_of(site.process.pid)
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        figures = json.loads(done.stdout)
        if errors := site.errors():
            figures["troubles"]["error in the server's log"] = errors
        spent = {name: cpu_s - before.get(name, 0.0) for name, cpu_s in cpu_s_of(site.process.pid).items()}
        memory_mib = total_mib(memory_of(site.process.pid))
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    yield (
        f"class     {pupils} pupils with an attempt each for {seconds:.0f} s: first frame {judged(figures, 'first_ms')} after the "
        f"teacher's start, which is answered in {figures['start_ms']:.0f} ms, {spread_text(figures['own_ms'])} after a page's turn"
    )
    yield f"class     {figures['checks']} checks {judged(figures, 'checks_ms')}, acts {spread_text(figures['acts_ms'])}"
    yield (
        f"class     the wall is behind by {judged(figures, 'behind_ms')}; it answers within {spread_text(figures['wall_ms'])}, "
        f"{figures['changes']} changes"
    )
    yield f"class     {spent_text(figures, spent)}"
    yield f"class     {troubles_text(figures)}; {memory_mib:,} MiB; load {load} on {os.cpu_count()} processors"


def spent_text(figures: dict[str, Any], spent: Mapping[str, float]) -> str:
    """The CPU time of each process since the first pupil joined; that of the load generator is not part of the site."""
    whole_s, own_s = figures["took_s"], figures["cpu_s"]
    of_site = ", ".join(f"{name} {cpu_s:.1f}" for name, cpu_s in sorted(spent.items(), key=lambda item: -item[1]) if cpu_s >= 0.1)
    share = 100 * sum(spent.values()) / (whole_s * (os.cpu_count() or 1))
    return (
        f"computing time in {whole_s:.0f} s: the site {sum(spent.values()):.1f} s ({of_site}), {share:.0f} % of all processors; "
        f"the load generator {own_s:.1f} s"
    )


def judged(figures: dict[str, Any], name: str) -> str:
    """A figure as text, with its bar if that is exceeded."""
    spread, bar = spread_text(figures[name]), BARS_MS[name]
    return spread if figures[name][1] <= bar else f"{spread} (p95 is over {bar:,} ms)"
