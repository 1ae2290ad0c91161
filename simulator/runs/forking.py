"""Where worker processes come from: a process that has the site imported and has never served anybody forks them."""

import multiprocessing
import os
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from typing import Any

from django.conf import settings

from lifecycle_site.memory import LEAST_MIB

PRELOADED = ["simulator.runs.preload"]
"""What the fork server imports before it forks anything."""


def start_fork_server() -> Any:
    """The context that workers come from. Its process starts in the background and imports the site once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    paths = [str(Path(settings.BASE_DIR)), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    ensure_running()
    return context


def memory_share(processes: int) -> int:
    """What one of so many workers may write to, in MiB: together they have what one process of the site may; 0 for no bound."""
    return max(LEAST_MIB, settings.MEMORY_MB // processes) if settings.MEMORY_MB else 0
