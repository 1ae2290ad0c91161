"""How much memory a process may take: past it Python raises MemoryError in one place, and the machine does not run out of it. And how it
gives back what it needs no more.

What is bounded are the process's private writable pages (RLIMIT_DATA): the heap, the stacks of threads, what libraries write.
Address space that is only set aside (glibc's arenas) and files that are mapped (SQLite, libraries) do not count.
"""

import ctypes
import gc
import os
import resource
import threading
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

MIB = 1 << 20
LEAST_MIB = 256
"""A process that serves nobody takes about 100 MiB."""
STACK_BYTES = 1 << 20
"""Of each thread to come. The whole stack counts, and a request that waits has a thread; the usual 8 MiB each would be most of it."""
ARENAS = 2
"""Heaps of glibc. It would give nearly each of a web process's threads one, eight for each core, and what is free in one is of no use to
the others. Threads that wait for Python's lock seldom wait for that of a heap."""
M_ARENA_MAX = -8
NEW_OBJECTS = 50_000
"""So many new objects until the collector looks. A world's rows have no cycles: looking at every 700 costs a tenth of a run."""
CGROUP = Path("/sys/fs/cgroup/memory.max")


def half_of_memory_mib(cgroup: Path = CGROUP) -> int:
    """Half of what this machine, or the container around the process, has; at least LEAST_MIB."""
    has = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # no container, or one without a bound: "max"
        has = min(has, int(cgroup.read_text(encoding="ascii")))
    return max(has // 2 // MIB, LEAST_MIB)


def limit_memory(mib: int) -> None:
    """Bound this process and its children to come; 0 leaves it as it is. Raises ImproperlyConfigured for less than LEAST_MIB.

    A lower bound that the system has set stays.
    """
    threading.stack_size(STACK_BYTES)
    _use_few_arenas()
    if mib == 0:
        return
    if mib < LEAST_MIB:
        raise ImproperlyConfigured(f"PODSCOPE_MEMORY_MB must be 0 (no bound) or at least {LEAST_MIB}, not {mib}")
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = mib * MIB if hard == resource.RLIM_INFINITY else min(mib * MIB, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _use_few_arenas() -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)


def collect_rarely() -> None:
    """From now on, also in what this process forks, look for garbage in cycles when there are many new objects."""
    gc.set_threshold(NEW_OBJECTS, 20, 20)


def give_back() -> None:
    """Collect the garbage that ``collect_rarely`` has let lie, and ``trim``. For a process that has nothing to do.

    Costs 5 to 20 ms where the process was frozen (``gc.freeze``) once it had everything imported, and more where it holds much. Pages that
    hold anything at all stay: a process that has been at work never gets as small as a fresh one.
    """
    gc.collect()
    trim()


def trim() -> None:
    """Give the system the free pages that glibc keeps to itself, some milliseconds of work. For a process that has just let go of much."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
