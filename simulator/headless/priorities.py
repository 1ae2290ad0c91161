"""Priorities of worker processes that leave the cores to everybody else."""

import os
import sys
from contextlib import suppress


def step_aside(nice: int) -> None:
    """Have this process computed with this niceness and, on Linux, in its batch class: it interrupts nobody when it wakes up.

    For work that somebody waits for: unlike with ``stand_back`` it gets its share of a core that others want all of, however small.
    """
    os.nice(nice)
    if sys.platform == "linux":
        with suppress(OSError):  # some sandboxes do not allow it
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def stand_back(nice: int) -> None:
    """Have this process computed only while nobody else wants the core; with this niceness where the system has no such class.

    With Linux's idle class, others only notice the memory bandwidth that is shared: they get the core as soon as they wake up. With
    ``nice`` alone they wait for the end of a time slice, in every process that an act passes through. There is no way back: without
    privileges a process cannot leave the class. Not for work that somebody waits for, or that holds a lock of the database: beside a single
    process of niceness 5, it gets a hundredth of the core.
    """
    os.nice(nice)
    if sys.platform == "linux":
        with suppress(OSError):  # some sandboxes do not allow it
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
