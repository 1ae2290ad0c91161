"""The CPU time of each process of a site, from Linux's /proc."""

import os
from contextlib import suppress
from pathlib import Path

from simulator.bench.memory import WEB
from simulator.bench.processes import family_of

_TICKS_S = os.sysconf("SC_CLK_TCK")


def cpu_s_of(pid: int) -> dict[str, float]:
    """CPU seconds by process name, including children that have ended; ``web`` is the process that was started."""
    found: dict[str, float] = {}
    for each in family_of(pid):
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            name = WEB if each == pid else Path(f"/proc/{each}/comm").read_text().strip()
            # After the name, which may contain spaces: user and system time, and both for children that were waited for.
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            found[name] = found.get(name, 0.0) + sum(map(int, fields[11:15])) / _TICKS_S
    return found
