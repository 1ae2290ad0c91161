"""A process that computes cells and replays runs: ``python -m simulator.headless.sweeps.work MIB``. Tasks and results are lines of JSON.

It exits as soon as its input ends, even in the middle of a cell, so it never outlives its parent, however the parent dies. It uses no
site, database or language, and at most MIB of memory.

A separate thread reads the input while a cell is played: the end of the input is the only sign that the parent is gone, and must be
noticed at once. Plans are kept from cell to cell, with the played past that cells share.
"""

import os
import queue
import resource
import signal
import sys
import threading
import traceback
from collections import OrderedDict

from django.conf import settings
from msgspec import json

from simulator.headless.priorities import stand_back
from simulator.headless.replays import ReplayTask, ReplayVerdict, verdict_of
from simulator.headless.sweeps.tasks import TASK

READY = b"ready\n"
MIB = 1 << 20
PLANS_MAX = 3
"""Plans that are kept: cells of this many sweeps can alternate without replaying anything."""
NICE = 10
"""Pages and live runs take precedence, even on systems without a scheduling class for idle time."""


def main(mib: int) -> None:
    """Work on tasks until the input ends. After a cell that took too much memory the process exits, because Python would not free it."""
    # Before the imports below, which use Django's translations.
    settings.configure(USE_I18N=False)
    from simulator.headless.sweeps.failures import failure
    from simulator.headless.sweeps.sweep import FAILED, SWEEP, TOO_LARGE, SweepCell, SweepPlan

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the whole process group; the parent decides
    stand_back(NICE)
    _limit_memory(mib)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # printed text must not be read as a result
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


def _listen(tasks: "queue.SimpleQueue[bytes]") -> None:
    """Queue incoming tasks; exit the process when the input ends or there is no memory left to read it."""
    try:
        for line in sys.stdin.buffer:
            tasks.put(line)
    finally:
        os._exit(0)


def _limit_memory(mib: int) -> None:
    """Limit the memory that the process may write to; a lower limit that it was started with stays."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bounds = [mib * MIB, *(bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY)]
    # DATA rather than AS, because address space that is only reserved costs nothing.
    resource.setrlimit(resource.RLIMIT_DATA, (min(bounds), hard))


if __name__ == "__main__":
    main(int(sys.argv[1]))
