"""A process of the site with a wall clock that can be turned: ``launch.py manage.py serve …``, ``… daphne …``, or the judge beside them.

The file that ``PODSCOPE_BENCH_WALL`` names holds by how many milliseconds the clock is wrong; nothing else of the product is changed.
"""

import mmap
import os
import sys
import time
from pathlib import Path
from struct import Struct

import django

from simulator.runs import wall

OFFSET = Struct("<q")


class TurnedClock:
    """Stands for the module ``time`` in ``simulator.runs.wall``."""

    def __init__(self, path: str) -> None:
        with Path(path).open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), OFFSET.size)

    def time_ns(self) -> int:
        """The wall clock as this process is to see it."""
        return time.time_ns() + int(OFFSET.unpack_from(self._memory)[0]) * 1_000_000


def turn(path: Path, offset_ms: int) -> None:
    """Set the clock of the processes that were launched with ``path``."""
    path.touch()
    with path.open("r+b") as file:  # in place: the memory of those who look at it must not lose its file
        file.write(OFFSET.pack(offset_ms))


def main() -> None:
    """Become the command that the arguments name."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lifecycle_site.settings")
    name, *words = sys.argv[1:]
    if name == "judge":
        django.setup()
        from simulator.bench.faults import judge

        judge.main()
        return
    setattr(wall, "time", TurnedClock(os.environ["PODSCOPE_BENCH_WALL"]))  # noqa: B010 - a module of the product is changed on purpose
    if name == "daphne":
        from daphne.cli import CommandLineInterface

        CommandLineInterface().run(words)
    else:
        from django.core.management import execute_from_command_line

        execute_from_command_line([name, *words])


if __name__ == "__main__":
    main()
