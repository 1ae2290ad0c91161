"""How many requests are handled at once: a few slots with a short fair queue, one set for requests that compute and one for the others.

Computing requests have one slot more than there are cores, and no single visitor gets all of them: thirty requests of one visitor would not
finish sooner all at once than two at a time, but everybody else would wait behind all thirty. Beside others who have asked just now a
visitor gets half of the slots: with more, each core would have something of theirs, and every step of what others do would wait for the end
of a time slice. One who has used a lot, and continues while others are present, also has processes of a low priority.

A visitor who has recently used a second more computing time than others waits a second longer, up to a limit. This applies to addresses and
to the browsers at each, so that in a class behind one address, too, heavy users only delay themselves. If the queue is full, the address
with the most requests in it loses one. Pages that only read do not wait behind those that compute.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, local
from time import monotonic

from django.conf import settings

from simulator.runs.turns import constants
from simulator.runs.turns.constants import (
    BESIDE_S,
    FAR_LESS,
    NAMES_KNOWN_MAX,
    ORDERED_S_MAX,
    PRESENT_S,
    SLOT_HALF_S,
    SLOT_LEAD_S_MAX,
    SLOT_LEAST_S,
    SLOT_MUCH_S,
    SLOT_PATIENCE_S,
)
from simulator.runs.turns.spending import Spending


class Busy(Exception):
    """No slot is free, and too many are waiting or this one has waited too long. ``had_s``: the address's recent computing time."""

    def __init__(self, address: str, had_s: float) -> None:
        super().__init__(address)
        self.had_s = had_s


def half_of(size: int) -> int:
    """How many of ``size`` slots a visitor gets who must yield to others."""
    return max(1, size // 2)


class Askers:
    """Recent visitors, the latest last. Used under a lock."""

    def __init__(self) -> None:
        self._seen_s: dict[str, float] = {}

    def note(self, name: str, now_s: float) -> None:
        """Record a request of ``name``."""
        self._seen_s.pop(name, None)
        self._seen_s[name] = now_s
        if len(self._seen_s) > NAMES_KNOWN_MAX:
            del self._seen_s[next(iter(self._seen_s))]

    def others(self, name: str, now_s: float, within_s: float = PRESENT_S) -> Iterator[str]:
        """All other visitors that are still present: they have asked within so many seconds."""
        for each, seen_s in reversed(self._seen_s.items()):
            if now_s - seen_s >= within_s:
                return
            if each != name:
                yield each


def _browser_at(browser: str, address: str) -> str:
    return f"{browser} at {address}" if browser else ""


class _Turn:
    """A request that is waiting for a slot or has one, ``since_s``; ``browser`` is empty if unknown."""

    __slots__ = ("address", "answered", "browser", "is_refused", "since_s")

    def __init__(self, address: str, browser: str, since_s: float) -> None:
        self.address, self.browser, self.since_s = address, _browser_at(browser, address), since_s
        self.answered, self.is_refused = Event(), False


class Slots:
    """Slots for threads. Reentrant, because code that computes calls other code that does."""

    def __init__(
        self,
        *,
        size: int,
        waiting_max: int,
        each_max: int,
        browser_max: int = 0,
        aside_max: int = 0,
        beside_max: int = 0,
        clock_s: Callable[[], float] = monotonic,
    ) -> None:
        """``size`` requests run and ``waiting_max`` wait; ``each_max`` of those per address, ``browser_max`` per browser (0: any number).

        ``beside_max`` run for an address beside others who have asked just now, and ``aside_max`` if it yields to them (0 for either: half
        of ``size``).
        """
        self._size, self._each_running_max, self._aside_max = size, max(1, size - 1), aside_max or half_of(size)
        self._beside_max = beside_max or half_of(size)
        self._waiting_max, self._each_max, self._browser_max = waiting_max, each_max, browser_max or each_max
        self._clock_s = clock_s
        self._running: list[_Turn] = []
        self._queue: list[_Turn] = []
        self._had, self._askers = Spending(half_s=SLOT_HALF_S), Askers()
        self._lock = Lock()
        self._mine = local()

    @contextmanager
    def taken(self, address: str, browser: str = "", *, patience_s: float = SLOT_PATIENCE_S) -> Iterator[None]:
        """Hold a slot inside the ``with`` block, for a browser at ``address``. Waits for its turn; raises Busy if it gets none."""
        # Reentrant: otherwise nested uses could take all slots and wait for themselves.
        if getattr(self._mine, "has_one", False):
            yield
            return
        turn = _Turn(address, browser, self._clock_s())
        self._take(turn, patience_s)
        self._mine.has_one, self._mine.address = True, address
        try:
            yield
        finally:
            self._mine.has_one = False
            self._give_back(turn)

    def waiting(self) -> int:
        """How many requests are waiting."""
        return len(self._queue)

    def gives_way(self, address: str) -> bool:
        """Whether the address yields now, because it has recently used far more than others that are present."""
        with self._lock:
            return self._gives_way(address, self._clock_s())

    def holder_gives_way(self) -> bool:
        """``gives_way`` for the address that this thread holds a slot for; False if it holds none."""
        return getattr(self._mine, "has_one", False) and self.gives_way(self._mine.address)

    def charge(self, address: str, browser: str, seconds: float) -> None:
        """Count so much computing time for a browser at this address, which others do for it: at most until they have had ORDERED_S_MAX.

        Otherwise a class that asks for a sweep each would have to yield for minutes, and for cells that are computed only once.
        """
        with self._lock:
            now_s = self._clock_s()
            for name in filter(None, (address, _browser_at(browser, address))):
                self._had.add(name, max(0.0, min(seconds, ORDERED_S_MAX - self._had.of(name, now_s))), now_s)

    def _take(self, turn: _Turn, patience_s: float) -> None:
        with self._lock:
            if turn.address:  # nobody yields to a call of the site's own, which may even be for themselves
                self._askers.note(turn.address, turn.since_s)
            if self._may_run(turn.address, turn.since_s):
                self._run(turn)
                return
            if self._has_its_share(turn) or not self._makes_room(turn):
                raise self._busy(turn)
            self._queue.append(turn)
        # Outside the lock, which is needed to give slots back.
        turn.answered.wait(patience_s)
        with self._lock:
            # Checked again under the lock: if a slot was assigned since the wait ended, it is used.
            if not turn.answered.is_set():
                self._queue.remove(turn)
                turn.is_refused = True
            if turn.is_refused:
                raise self._busy(turn)

    def _has_its_share(self, turn: _Turn) -> bool:
        of_address = [waiting for waiting in self._queue if waiting.address == turn.address]
        of_browser = sum(bool(turn.browser) and waiting.browser == turn.browser for waiting in of_address)
        return len(of_address) >= self._each_max or of_browser >= self._browser_max

    def _makes_room(self, turn: _Turn) -> bool:
        """Whether there is room in the queue. If it is full, the last turn of an address with more in it than this one is refused."""
        if len(self._queue) < self._waiting_max:
            return True
        each = Counter(waiting.address for waiting in self._queue)
        most, count = each.most_common(1)[0]
        if count <= each[turn.address] + 1:
            return False
        now_s = self._clock_s()
        last = max((waiting for waiting in self._queue if waiting.address == most), key=lambda waiting: self._rank(waiting, now_s))
        self._queue.remove(last)
        last.is_refused = True
        last.answered.set()
        return True

    def _busy(self, turn: _Turn) -> Busy:
        return Busy(turn.address, self._cost(turn.address, self._clock_s()))

    def _may_run(self, address: str, now_s: float) -> bool:
        if len(self._running) >= self._size:
            return False
        count = sum(turn.address == address for turn in self._running)
        if count < self._aside_max or count >= self._each_running_max:
            return count < self._aside_max
        most = self._beside_max if any(self._askers.others(address, now_s, BESIDE_S)) else self._each_running_max
        return count < most and not self._gives_way(address, now_s)

    def _gives_way(self, address: str, now_s: float) -> bool:
        """An address yields to those that have used far less, not to one that has used as much. Otherwise a reader who has been there for
        a while would yield to an attacker."""
        had_s = self._cost(address, now_s)
        if had_s < SLOT_MUCH_S:
            return False
        return any(self._cost(each, now_s) * FAR_LESS <= had_s for each in self._askers.others(address, now_s))

    def _run(self, turn: _Turn) -> None:
        turn.since_s = self._clock_s()
        self._running.append(turn)

    def _cost(self, name: str, now_s: float) -> float:
        """Recent computing time of an address or a browser, including requests in progress; 0 for an unknown browser."""
        if not name:
            return 0.0
        return self._had.of(name, now_s) + sum(now_s - turn.since_s for turn in self._running if name in (turn.address, turn.browser))

    def _rank(self, turn: _Turn, now_s: float) -> float:
        """Sort key of the queue: the lowest goes first, and of equals the first to arrive."""
        had_s = (self._cost(name, now_s) for name in (turn.address, turn.browser))
        return sum(min(SLOT_LEAD_S_MAX, each_s) for each_s in had_s) - (now_s - turn.since_s)

    def _give_back(self, turn: _Turn) -> None:
        """Release the slot, and let those go that may run now."""
        with self._lock:
            # First, because ``_cost`` counts the time of running turns, and from here on it counts in ``_had``.
            self._running.remove(turn)
            now_s = self._clock_s()
            for name in filter(None, (turn.address, turn.browser)):
                self._had.add(name, max(SLOT_LEAST_S, now_s - turn.since_s), now_s)
            # More than one may go: a slot may have been kept empty because of an address that yields to others,
            # and that may no longer be necessary.
            while able := [waiting for waiting in self._queue if self._may_run(waiting.address, now_s)]:
                following = min(able, key=lambda each: self._rank(each, now_s))
                self._queue.remove(following)
                self._run(following)
                following.answered.set()


COMPUTING = Slots(
    size=settings.SIM_WORKERS + 1,
    waiting_max=constants.COMPUTING_WAITING_MAX,
    each_max=constants.COMPUTING_EACH_MAX,
    browser_max=constants.COMPUTING_BROWSER_MAX,
)
"""For everything that runs the engine, the checks or a parser."""
READING = Slots(
    size=constants.READING_SIZE,
    waiting_max=constants.READING_WAITING_MAX,
    each_max=constants.READING_EACH_MAX,
    aside_max=constants.READING_ASIDE_MAX,
    beside_max=constants.READING_SIZE - 1,
)
"""For the other views, which all run in the web process, where an address that yields to others gets one thread."""
