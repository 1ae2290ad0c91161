"""How many requests may be worked on at once: a few slots with a short fair queue, for what computes and for everything else.

There are as many processes for what computes as cores, so thirty requests at once are no sooner done than one after another, but
everybody else would wait behind all thirty. One address has at most all slots but one, and the addresses that wait
take turns: whoever asks for much waits for himself. Pages that only read do not wait behind those that compute.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, local

from django.conf import settings

PATIENCE_S = 8.0
"""A reader has given up after so long, and a page that asks by itself asks again."""
RETRY_AFTER_S = 5


class Busy(Exception):
    """There is no slot, and too many wait for one or have waited for too long."""


class _Waiter:
    __slots__ = ("granted",)

    def __init__(self) -> None:
        self.granted = Event()


class Slots:
    """Slots for threads. A thread that has one may ask for it again, as code that computes calls other code that does."""

    def __init__(self, *, size: int, waiting_max: int, each_max: int) -> None:
        """``size`` run, ``waiting_max`` wait; ``each_max`` of those for one address."""
        self._free, self._each_running_max = size, max(1, size - 1)
        self._waiting_max, self._each_max = waiting_max, each_max
        self._running: Counter[str] = Counter()
        self._queues: OrderedDict[str, deque[_Waiter]] = OrderedDict()
        self._lock = Lock()
        self._mine = local()

    @contextmanager
    def taken(self, address: str, *, patience_s: float = PATIENCE_S) -> Iterator[None]:
        """Compute inside this, for ``address``. Waits for its turn; raises Busy where there is none."""
        if getattr(self._mine, "has_one", False):
            yield
            return
        self._take(address, patience_s)
        self._mine.has_one = True
        try:
            yield
        finally:
            self._mine.has_one = False
            self._give_back(address)

    def waiting(self) -> int:
        """How many wait."""
        return sum(len(queue) for queue in self._queues.values())

    def _take(self, address: str, patience_s: float) -> None:
        with self._lock:
            if self._may_run(address):
                self._run(address)
                return
            if self.waiting() >= self._waiting_max or len(self._queues.get(address, ())) >= self._each_max:
                raise Busy(address)
            waiter = _Waiter()
            self._queues.setdefault(address, deque()).append(waiter)
        if waiter.granted.wait(patience_s):
            return
        with self._lock:
            if not waiter.granted.is_set():
                self._forget(address, waiter)
                raise Busy(address)

    def _may_run(self, address: str) -> bool:
        return self._free > 0 and self._running[address] < self._each_running_max

    def _run(self, address: str) -> None:
        self._free -= 1
        self._running[address] += 1

    def _forget(self, address: str, waiter: _Waiter) -> None:
        queue = self._queues[address]
        queue.remove(waiter)
        if not queue:
            del self._queues[address]

    def _give_back(self, address: str) -> None:
        """Hand the slot to the next address in turn that may have one more."""
        with self._lock:
            self._free += 1
            self._running[address] -= 1
            self._running = +self._running
            following = next((name for name in self._queues if self._may_run(name)), None)
            if following is None:
                return
            waiter = self._queues[following][0]
            self._forget(following, waiter)
            if following in self._queues:
                self._queues.move_to_end(following)
            self._run(following)
            waiter.granted.set()


COMPUTING = Slots(size=max(2, settings.SIM_WORKERS), waiting_max=40, each_max=20)
"""For whatever runs the engine, the checks or a parser."""
READING = Slots(size=4, waiting_max=80, each_max=40)
"""For the other views."""
