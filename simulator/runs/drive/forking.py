"""Where worker processes come from: a process that has the site imported and has never served anybody forks them."""

import gc
import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing import resource_tracker, util
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.db import connections

from lifecycle_site.memory import LEAST_MIB

PRELOADED = ["simulator.runs.drive.preload"]
"""What the fork server imports before it forks anything."""
FIRST_FD = 3
"""The first file descriptor that is not a standard stream."""


def start_fork_server() -> Any:
    """The context that workers come from. Its process starts in the background and imports the site once.

    A process that has done nothing yet forks it, and so shares what it has imported itself: nothing is imported twice, and a site takes
    less memory (``manage.py bench load`` prints it first). Whoever serves already has the fork server begin anew.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    paths = [str(Path(settings.BASE_DIR)), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    resource_tracker.ensure_running()  # which is started in the same way, and has nothing to share
    with _shared() if _may_fork() else nullcontext():
        ensure_running()
    return context


@contextmanager
def _shared() -> Iterator[None]:
    """Meanwhile what multiprocessing spawns is forked."""
    spawn = util.spawnv_passfds
    util.spawnv_passfds = cast(Any, _fork)
    try:
        yield
    finally:
        util.spawnv_passfds = spawn


def _may_fork() -> bool:
    """Whether a copy of this process is a sound one: neither threads nor connections to a database outlive a fork."""
    return threading.active_count() == 1 and all(each.connection is None for each in connections.all(initialized_only=True))


def _fork(_path: bytes, args: Sequence[Any], kept: Sequence[int]) -> int:
    """Start what multiprocessing would start with a new interpreter, ``python -c TEXT``, in a copy of this process. Its process id."""
    gc.collect()
    gc.freeze()  # a collection would write to every object, and so unshare it
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        first = FIRST_FD
        for fd in [*sorted(kept), os.sysconf("SC_OPEN_MAX")]:
            os.closerange(first, max(first, fd))
            first = fd + 1
        exec(args[-1], {})  # the standard library's own call of its fork server
    except SystemExit:
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def name_process(name: str) -> None:
    """Have the system's tools call this process so, in at most 15 characters: a fork goes by the name of what forked it (Linux)."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name)


def memory_share(processes: int) -> int:
    """What one of so many workers may write to, in MiB: together they have what one process of the site may; 0 for no bound."""
    return max(LEAST_MIB, settings.MEMORY_MB // processes) if settings.MEMORY_MB else 0
