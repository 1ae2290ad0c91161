"""The output of ``manage.py bench soak``: the site's memory before, during and two minutes after its visitors, process by process.

Its bar is the memory of a site that only a single visitor has used, plus a fifth.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from time import monotonic, sleep
from typing import Any
from urllib.request import urlopen

from msgspec import Struct

from simulator.bench.memory import ProcessMemory, by_name, memory_of, total_mib
from simulator.bench.site import ROOT, MeasuredSite, measured_site

MINUTES = 15.0
RUNS = 20
IDLE_S = 15.0
"""How long after its one visitor a site counts as idle."""
AFTER_S = 120.0
OVER_PERCENT_MAX = 20
LEAST_LOAD_S = 30.0
LOOK_S = 5.0
"""How often memory is measured while there are visitors."""
SETTINGS = {"PODSCOPE_SOCKETS_PER_ADDRESS_MAX": "1000"}


class MemoryKept(Exception):
    """The site keeps more memory than allowed, or had no visitors to use any."""


class SoakMemory(Struct, frozen=True):
    """The memory of a site's processes: idle, at its peak, and two minutes after the last viewer."""

    idle: list[ProcessMemory]
    most: list[ProcessMemory]
    after: list[ProcessMemory]

    @property
    def bar_mib(self) -> int:
        """The memory allowed after the last viewer."""
        return total_mib(self.idle) * (100 + OVER_PERCENT_MAX) // 100

    @property
    def over_percent(self) -> int:
        """By how much the memory after the last viewer exceeds that before the first, in whole percent, rounded up."""
        return -(-(total_mib(self.after) - total_mib(self.idle)) * 100 // max(1, total_mib(self.idle)))

    def table(self) -> Iterator[str]:
        """A line for each kind of process, each process in MiB, and one for the total."""
        columns = [by_name(each) for each in (self.idle, self.most, self.after)]
        yield _row("MiB", ("idle", "at most", f"{AFTER_S / 60:g} min after"))
        for name in dict.fromkeys(name for column in columns for name in column):
            yield _row(name, [" + ".join(map(str, column.get(name, ()))) or "–" for column in columns])
        yield _row("together", [f"{total_mib(each):,}" for each in (self.idle, self.most, self.after)])

    def check(self) -> None:
        """Raise MemoryKept if the memory after the last viewer exceeds the bar."""
        taken_mib = total_mib(self.after)
        if taken_mib > self.bar_mib:
            raise MemoryKept(
                f"{AFTER_S / 60:g} minutes after its last viewer the site takes {taken_mib:,} MiB, {self.over_percent} % more than the "
                f"{total_mib(self.idle):,} MiB of one that nobody uses; at most {OVER_PERCENT_MAX} % more ({self.bar_mib:,} MiB) is right"
            )


def load_seconds(minutes: float) -> float:
    """How long there are visitors in a soak of this many minutes. Raises ValueError if that leaves no time."""
    seconds = minutes * 60 - IDLE_S - AFTER_S
    if seconds < LEAST_LOAD_S:
        raise ValueError(f"a soak takes at least {(LEAST_LOAD_S + IDLE_S + AFTER_S) / 60:g} minutes, not {minutes:g}")
    return seconds


def report(minutes: float = MINUTES) -> Iterator[str]:
    """The lines, as they become known. Raises MemoryKept after the last one, ValueError if there are too few minutes."""
    seconds = load_seconds(minutes)
    with measured_site(SETTINGS) as site:
        urlopen(site.address, timeout=IDLE_S).close()
        sleep(IDLE_S)
        idle = memory_of(site.process.pid)
        yield f"soak      a site that nobody uses: {total_mib(idle):,} MiB"
        figures, most = _used(site, seconds)
        yield load_line(figures, seconds)
        sleep(AFTER_S)
        found = SoakMemory(idle, most, memory_of(site.process.pid))
    yield from found.table()
    if not figures["records"]:
        raise MemoryKept("no visitor saw a record, so this soak says nothing")
    found.check()
    yield f"soak      {found.over_percent:+d} % two minutes after the last viewer; at most {OVER_PERCENT_MAX} % is right"


def load_line(figures: Mapping[str, Any], seconds: float) -> str:
    """What the visitors did, and the errors they met."""
    troubles = ", ".join(f"{text} × {count}" for text, count in sorted(figures["troubles"].items())) or "no trouble"
    return (
        f"soak      visitors for {seconds / 60:.1f} min in {figures['rounds']} rounds: {figures['runs']} runs at 60×, "
        f"{figures['records']:,} records, {figures['looks']:,} looks at moments and panels; {troubles}"
    )


def _used(site: MeasuredSite, seconds: float) -> tuple[dict[str, Any], list[ProcessMemory]]:
    """The visitors' figures, and the site's memory at its peak meanwhile."""
    command = [sys.executable, "-m", "simulator.bench.soak.scenes", str(site.port), str(RUNS), str(seconds)]
    most: list[ProcessMemory] = []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as visitors:
        look_s = monotonic()
        while visitors.poll() is None:
            sleep(max(0.0, look_s - monotonic()))
            look_s = monotonic() + LOOK_S
            most = max(most, memory_of(site.process.pid), key=total_mib)
        assert visitors.stdout is not None
        figures: dict[str, Any] = json.loads(visitors.stdout.read())
    if errors := site.errors():
        figures["troubles"]["error in the server's log"] = errors
    return figures, most


def _row(name: str, cells: "tuple[str, ...] | list[str]") -> str:
    return f"soak      {name:12}" + "".join(f"{cell:>28}" for cell in cells)
