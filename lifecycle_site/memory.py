"""Limit how much memory a process may use, so that Python raises MemoryError in one place before the machine runs out; and return unused
memory to the system.

The limit applies to private writable pages (RLIMIT_DATA): the heap, thread stacks, libraries' data. Address space that is merely reserved
(glibc's arenas) and mapped files (SQLite, libraries) do not count.
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
IDLE_MIB = 100
"""What a process takes that serves nobody, about."""
STACK_BYTES = 1 << 20
"""Stack size of every new thread. The whole stack counts, and each waiting request has a thread: the usual 8 MiB would use up the limit."""
THREAD_MIB = 3
"""What a request's thread may need: its stack, its connection to the database with its cache, and the objects of one page."""
ARENAS = 2
"""The number of glibc heaps. By default nearly every thread of a web process would get its own, up to eight per core, and free memory in
one is of no use to the others. Threads that wait for the GIL seldom contend for a heap's lock."""
M_ARENA_MAX = -8
NEW_OBJECTS = 50_000
"""New objects before the garbage collector runs. A world's rows have no cycles; the default of 700 costs a tenth of a run's time."""
CGROUP = Path("/sys/fs/cgroup/memory.max")


def half_of_memory_mib(cgroup: Path = CGROUP) -> int:
    """Half the memory of this machine, or of the container around the process; at least LEAST_MIB."""
    has = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # no container, or one without a limit: "max"
        has = min(has, int(cgroup.read_text(encoding="ascii")))
    return max(has // 2 // MIB, LEAST_MIB)


def threads_within(mib: int, most: int) -> int:
    """How many requests may have a thread in a process with this limit (0: none): at most ``most``.

    Half of what is left beside an idle process is for the threads; the rest is for the heap that their work shares.
    """
    return most if mib == 0 else max(1, min(most, (mib - IDLE_MIB) // 2 // THREAD_MIB))


def limit_memory(mib: int) -> None:
    """Limit the memory of this process and its future children; 0 sets no limit. Raises ImproperlyConfigured for less than LEAST_MIB.

    A lower hard limit set by the system stays in force.
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
    """Run the cyclic garbage collector only after many new objects, in this process and in those it forks."""
    gc.set_threshold(NEW_OBJECTS, 20, 20)


def give_back() -> None:
    """Collect the garbage that ``collect_rarely`` has left, and ``trim``. For an idle process.

    Takes 5 to 20 ms if the process called ``gc.freeze`` once everything was imported, and more if it holds many objects. A page that holds
    anything at all stays, so a process that has been working never gets as small as a fresh one.
    """
    gc.collect()
    trim()


def trim() -> None:
    """Return glibc's free pages to the system, which takes a few milliseconds. For a process that has just freed a lot of memory."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
