"""Gives the process that imports it a wall clock that can be shifted: a process of the site, and the one its workers are forked from.

The file named by ``PODSCOPE_BENCH_WALL`` contains the offset of the clock in milliseconds; nothing else of the product is changed.
"""

import mmap
import os
import time
from pathlib import Path

from simulator.bench.faults.launch import OFFSET
from simulator.runs.log import wall


class TurnedClock:
    """Replaces the module ``time`` in ``simulator.runs.log.wall``."""

    def __init__(self, path: str) -> None:
        with Path(path).open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), OFFSET.size)

    def time_ns(self) -> int:
        """The wall clock as seen by this process."""
        return time.time_ns() + int(OFFSET.unpack_from(self._memory)[0]) * 1_000_000


setattr(wall, "time", TurnedClock(os.environ["PODSCOPE_BENCH_WALL"]))  # noqa: B010 - a module of the product is changed on purpose
