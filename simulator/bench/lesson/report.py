"""What ``manage.py bench class`` prints: how long pupils wait for their own attempts and checks, and how far the wall is behind."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from simulator.bench.load.report import spread_text, troubles_text
from simulator.bench.memory import memory_of, total_mib
from simulator.bench.site import ROOT, measured_site

PUPILS = 50
SECONDS = 90.0
BARS_MS = {"own_ms": 1000, "checks_ms": 2000, "behind_ms": 1000}
"""What at most every twentieth pupil, check or change of the wall may exceed, on two cores."""


def report(pupils: int = PUPILS, seconds: float = SECONDS) -> Iterator[str]:
    """The lines. A figure beyond its bar is marked; that is no failure, since the machine may have other work."""
    with measured_site() as site:
        command = [sys.executable, "-m", "simulator.bench.lesson.scene", str(site.port), str(pupils), str(seconds)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        figures = json.loads(done.stdout)
        if errors := site.errors():
            figures["troubles"]["error in the server's log"] = errors
        memory_mib = total_mib(memory_of(site.process.pid))
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    yield (
        f"class     {pupils} pupils with an attempt each for {seconds:.0f} s: first frame {judged(figures, 'own_ms')} after a page's turn, "
        f"{spread_text(figures['first_ms'])} after the teacher's start"
    )
    yield f"class     {figures['checks']} checks {judged(figures, 'checks_ms')}, acts {spread_text(figures['acts_ms'])}"
    yield (
        f"class     the wall is behind by {judged(figures, 'behind_ms')}; it answers within {spread_text(figures['wall_ms'])}, "
        f"{figures['changes']} changes"
    )
    yield f"class     {troubles_text(figures)}; {memory_mib:,} MiB; load {load} on {os.cpu_count()} processors"


def judged(figures: dict[str, Any], name: str) -> str:
    """A figure in words, with its bar where that is exceeded."""
    told, bar = spread_text(figures[name]), BARS_MS[name]
    return told if figures[name][1] <= bar else f"{told} (p95 is over {bar:,} ms)"
