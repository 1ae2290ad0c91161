"""A process of the site with a wall clock that can be shifted: ``launch.py manage.py serve …``, ``… daphne …``, or the judge.

This includes the processes that it starts: the process they are forked from imports the same module (``turned``).
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from struct import Struct

import django

from simulator.runs.drive import forking

OFFSET = Struct("<q")


def turn(path: Path, offset_ms: int) -> None:
    """Set the clock of the processes that were launched with ``path``."""
    path.touch()
    with path.open("r+b") as file:  # in place: it is mapped into the memory of other processes
        file.write(OFFSET.pack(offset_ms))


def main() -> None:
    """Become the command in the arguments."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lifecycle_site.settings")
    name, *words = sys.argv[1:]
    if name == "judge":
        django.setup()
        from simulator.bench.faults import judge

        judge.main()
        return
    turned = "simulator.bench.faults.turned"
    import_module(turned)
    forking.PRELOADED.append(turned)
    if name == "daphne":
        from daphne.cli import CommandLineInterface

        CommandLineInterface().run(words)
    else:
        from django.core.management import execute_from_command_line

        execute_from_command_line([name, *words])


if __name__ == "__main__":
    main()
