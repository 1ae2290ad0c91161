"""Start worker processes by forking a process that has imported the site but has never served a request."""

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
"""Modules that the fork server imports before it forks anything."""
FIRST_FD = 3
"""The first file descriptor that is not a standard stream."""


def start_fork_server() -> Any:
    """Start the fork server, which imports the site once in the background, and return its multiprocessing context.

    If this process has done nothing yet, it forks the fork server and so shares its own imports with it: nothing is imported twice, and
    the site takes less memory (``manage.py bench load`` prints it first). A process that is already serving starts a fresh interpreter.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    paths = [str(Path(settings.BASE_DIR)), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    resource_tracker.ensure_running()  # it is started in the same way, but has nothing to share
    with _shared() if _may_fork() else nullcontext():
        ensure_running()
    return context


@contextmanager
def _shared() -> Iterator[None]:
    """Make multiprocessing fork what it would otherwise spawn."""
    spawn = util.spawnv_passfds
    util.spawnv_passfds = cast(Any, _fork)
    try:
        yield
    finally:
        util.spawnv_passfds = spawn


def _may_fork() -> bool:
    """Whether this process can be forked safely: neither threads nor database connections survive a fork."""
    return threading.active_count() == 1 and all(each.connection is None for each in connections.all(initialized_only=True))


def _fork(_path: bytes, args: Sequence[Any], kept: Sequence[int]) -> int:
    """Run in a copy of this process what multiprocessing would run in a new interpreter (``python -c TEXT``). Returns the process id."""
    gc.collect()
    gc.freeze()  # a collection writes to every object, which would unshare its page
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        first = FIRST_FD
        for fd in [*sorted(kept), os.sysconf("SC_OPEN_MAX")]:
            os.closerange(first, max(first, fd))
            first = fd + 1
        exec(args[-1], {})  # the standard library's own code to run its fork server
    except SystemExit:
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def name_process(name: str) -> None:
    """Set the process name that system tools show, of at most 15 characters: a fork inherits the name of its parent (Linux)."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name)


def memory_share(processes: int) -> int:
    """The memory limit of each of ``processes`` workers, in MiB: together they may use as much as one process of the site. 0: no limit."""
    return max(LEAST_MIB, settings.MEMORY_MB // processes) if settings.MEMORY_MB else 0
