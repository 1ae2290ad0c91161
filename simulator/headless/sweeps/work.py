"""A process that works cells out, and replays runs: ``python -m simulator.headless.sweeps.work MIB``. Tasks come as lines of JSON, and
what comes of them goes back so.

It ends as soon as its input ends, in the middle of a cell, too: its parent cannot leave it behind, however that dies. It knows no
site, no database and no language, and may take MIB of memory.

Reading goes on in a thread of its own while a cell is played: the end of the input is the only sign that the parent
is gone, and it must be seen at once. Plans are kept from cell to cell, with what cells have played of a past that others share.
"""

import os
import queue
import resource
import signal
import sys
import threading
import traceback
from collections import OrderedDict
from contextlib import suppress

from django.conf import settings
from msgspec import json

from simulator.headless.replays import ReplayTask, ReplayVerdict, verdict_of
from simulator.headless.sweeps.tasks import TASK

READY = b"ready\n"
MIB = 1 << 20
PLANS_MAX = 3
"""Cells of so many sweeps may take turns without forgetting anything."""
NICE = 10
"""Pages and live runs go before, where the system has no class of processes that only compute while nobody else does."""


def main(mib: int) -> None:
    """Answer tasks until the input ends. After a cell that took too much memory the process ends, for it would not get it back."""
    # Before the imports below: they ask Django for texts.
    settings.configure(USE_I18N=False)
    from simulator.headless.sweeps.failures import failure
    from simulator.headless.sweeps.sweep import FAILED, SWEEP, TOO_LARGE, SweepCell, SweepPlan

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    _stand_back()
    _limit_memory(mib)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever prints must not be taken for an answer
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(tasks,), daemon=True).start()
    answers.write(READY)
    plans: OrderedDict[str, SweepPlan] = OrderedDict()
    while True:
        task = TASK.from_json(tasks.get())
        is_spent = False
        said: SweepCell | ReplayVerdict
        try:
            if isinstance(task, ReplayTask):
                said = verdict_of(task)
            else:
                if task.sweep not in plans:
                    plans[task.sweep] = SweepPlan(SWEEP.from_json(task.sweep))
                plans.move_to_end(task.sweep)
                while len(plans) > PLANS_MAX:
                    plans.popitem(last=False)
                said = plans[task.sweep].play(task.value, task.seed)
        except MemoryError:
            said, is_spent = failure(task, TOO_LARGE), True
        except Exception as error:
            traceback.print_exc()
            said = failure(task, FAILED, error)
        answers.write(json.encode(said) + b"\n")
        if is_spent:
            os._exit(0)


def _stand_back() -> None:
    """Leave the cores to everybody else. Of Linux' idle class nobody notices more than memory that is shared: whoever wakes up takes the
    core at once, where ``nice`` alone makes them wait for the end of a slice, at each of the processes that an act passes through."""
    os.nice(NICE)
    if sys.platform == "linux":
        with suppress(OSError):  # some sandboxes know no classes
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _listen(tasks: "queue.SimpleQueue[bytes]") -> None:
    """Take tasks, and end the process when nobody can send any more, or there is no memory left to listen with."""
    try:
        for line in sys.stdin.buffer:
            tasks.put(line)
    finally:
        os._exit(0)


def _limit_memory(mib: int) -> None:
    """Bound what the process may write to; a lower bound that it was started with stays."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bounds = [mib * MIB, *(bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY)]
    # DATA and not AS: address space that is only reserved costs nothing.
    resource.setrlimit(resource.RLIMIT_DATA, (min(bounds), hard))


if __name__ == "__main__":
    main(int(sys.argv[1]))
