"""How many requests may be worked on at once: a few slots with a short fair queue, for what computes and for everything else.

What computes has as many slots as cores and one more, and nobody gets that last one for himself: thirty requests of one visitor at once
are no sooner done than two at a time, but everybody else would wait behind all thirty. Who has had much and goes on while others ask for
something, too, has half of the slots, and processes that leave the cores to all others: a slot is no use without a core.

Whoever has had a second of computing time more than others of late waits a second longer, up to a bound; that counts for addresses and
for the browsers of each, so that in a class that shares one address, too, whoever asks for much waits for himself. Where the queue is
full it is the address with most in it that gives one back. Pages that only read do not wait behind those that compute.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, local
from time import monotonic

from django.conf import settings

from simulator.runs.turns import constants
from simulator.runs.turns.constants import (
    FAR_LESS,
    NAMES_KNOWN_MAX,
    PRESENT_S,
    SLOT_HALF_S,
    SLOT_LEAD_S_MAX,
    SLOT_LEAST_S,
    SLOT_MUCH_S,
    SLOT_PATIENCE_S,
)
from simulator.runs.turns.spending import Spending


class Busy(Exception):
    """There is no slot, and too many wait for one or have waited for too long. ``had_s``: computing time that the address had of late."""

    def __init__(self, address: str, had_s: float) -> None:
        super().__init__(address)
        self.had_s = had_s


def half_of(size: int) -> int:
    """What whoever gives way to others has of so many slots."""
    return max(1, size // 2)


class Askers:
    """Who has asked of late, the latest last. Used under a lock."""

    def __init__(self) -> None:
        self._seen_s: dict[str, float] = {}

    def note(self, name: str, now_s: float) -> None:
        """``name`` has asked for something."""
        self._seen_s.pop(name, None)
        self._seen_s[name] = now_s
        if len(self._seen_s) > NAMES_KNOWN_MAX:
            del self._seen_s[next(iter(self._seen_s))]

    def others(self, name: str, now_s: float) -> Iterator[str]:
        """Everybody but ``name`` who is still there."""
        for each, seen_s in reversed(self._seen_s.items()):
            if now_s - seen_s >= PRESENT_S:
                return
            if each != name:
                yield each


class _Turn:
    """Somebody who waits for a slot or has one, ``since_s``; ``browser`` is empty where it is not known."""

    __slots__ = ("address", "answered", "browser", "is_refused", "since_s")

    def __init__(self, address: str, browser: str, since_s: float) -> None:
        self.address, self.browser, self.since_s = address, f"{browser} at {address}" if browser else "", since_s
        self.answered, self.is_refused = Event(), False


class Slots:
    """Slots for threads. A thread that has one may ask for it again, as code that computes calls other code that does."""

    def __init__(
        self,
        *,
        size: int,
        waiting_max: int,
        each_max: int,
        browser_max: int = 0,
        aside_max: int = 0,
        clock_s: Callable[[], float] = monotonic,
    ) -> None:
        """``size`` run, ``waiting_max`` wait; ``each_max`` of those for one address, ``browser_max`` for one of its browsers (0: any).

        ``aside_max`` run of an address that gives way to others (0: half of them).
        """
        self._size, self._each_running_max, self._aside_max = size, max(1, size - 1), aside_max or half_of(size)
        self._waiting_max, self._each_max, self._browser_max = waiting_max, each_max, browser_max or each_max
        self._clock_s = clock_s
        self._running: list[_Turn] = []
        self._queue: list[_Turn] = []
        self._had, self._askers = Spending(half_s=SLOT_HALF_S), Askers()
        self._lock = Lock()
        self._mine = local()

    @contextmanager
    def taken(self, address: str, browser: str = "", *, patience_s: float = SLOT_PATIENCE_S) -> Iterator[None]:
        """Compute inside this, for a browser at ``address``. Waits for its turn; raises Busy where there is none."""
        # Otherwise code that computes inside code that computes would wait for itself, with all slots taken
        # that way.
        if getattr(self._mine, "has_one", False):
            yield
            return
        turn = _Turn(address, browser, self._clock_s())
        self._take(turn, patience_s)
        self._mine.has_one = True
        try:
            yield
        finally:
            self._mine.has_one = False
            self._give_back(turn)

    def waiting(self) -> int:
        """How many wait."""
        return len(self._queue)

    def gives_way(self, address: str) -> bool:
        """Whether that address has had so much more than others of late who are there that it has fewer slots than it may."""
        with self._lock:
            return self._gives_way(address, self._clock_s())

    def _take(self, turn: _Turn, patience_s: float) -> None:
        with self._lock:
            self._askers.note(turn.address, turn.since_s)
            if self._may_run(turn.address, turn.since_s):
                self._run(turn)
                return
            if self._has_its_share(turn) or not self._makes_room(turn):
                raise self._busy(turn)
            self._queue.append(turn)
        # Outside the lock, which those who give slots back need.
        turn.answered.wait(patience_s)
        with self._lock:
            # Asked again under the lock: a slot may have been given between the end of the wait and here, and
            # then it is taken.
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
        """Whether there is room in the queue; where there is none, an address with more in it than this one gives its last turn back."""
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
        return count < self._aside_max or (count < self._each_running_max and not self._gives_way(address, now_s))

    def _gives_way(self, address: str, now_s: float) -> bool:
        """An address gives way to those who have had far less, not to one that has had as much: else a reader who has been there for a
        while would stand aside for an attacker."""
        had_s = self._cost(address, now_s)
        if had_s < SLOT_MUCH_S:
            return False
        return any(self._cost(each, now_s) * FAR_LESS <= had_s for each in self._askers.others(address, now_s))

    def _run(self, turn: _Turn) -> None:
        turn.since_s = self._clock_s()
        self._running.append(turn)

    def _cost(self, name: str, now_s: float) -> float:
        """Computing time that an address or a browser had of late, what it is having included; none for a browser that is not known."""
        if not name:
            return 0.0
        return self._had.of(name, now_s) + sum(now_s - turn.since_s for turn in self._running if name in (turn.address, turn.browser))

    def _rank(self, turn: _Turn, now_s: float) -> float:
        """The lowest goes first, of equals whoever came first."""
        had_s = (self._cost(name, now_s) for name in (turn.address, turn.browser))
        return sum(min(SLOT_LEAD_S_MAX, each_s) for each_s in had_s) - (now_s - turn.since_s)

    def _give_back(self, turn: _Turn) -> None:
        """Hand what is free now to the first of those who may have one more."""
        with self._lock:
            # First: its running time counts in ``_cost`` until here, and from here on as what was had.
            self._running.remove(turn)
            now_s = self._clock_s()
            for name in filter(None, (turn.address, turn.browser)):
                self._had.add(name, max(SLOT_LEAST_S, now_s - turn.since_s), now_s)
            # More than one may go: who gives way to others may have kept a slot empty that nobody needs to
            # keep any more.
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
"""For whatever runs the engine, the checks or a parser."""
READING = Slots(
    size=constants.READING_SIZE,
    waiting_max=constants.READING_WAITING_MAX,
    each_max=constants.READING_EACH_MAX,
    aside_max=constants.READING_ASIDE_MAX,
)
"""For the other views, which all work in the web process: who gives way there has one thread of it."""
