"""The thread in which all runs of a process compute in turns: first among owners, then among the runs of each owner.

The next turn goes to the owner who has used the least of the thread's time. So under contention, an owner with ten runs or with long turns
gets no more than an owner with one quick run. Runs that are sent far ahead, rebuilt, or played very fast wait for those that keep pace with
their clock, but get every fourth turn, so that nobody waits for ever.

A single turn may still be long, because what a container computes within an instant is not interrupted. So while anybody has calm runs
here, the addresses that use much of the time get a thread of their own, which pauses after each turn: nobody else waits for those turns to
end, and the pauses leave the rest of the process some time.
"""

import os
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from threading import Condition, Thread, current_thread, get_native_id
from time import monotonic, thread_time
from typing import Any, ParamSpec, TypeVar

from msgspec import Struct

from simulator.runs.turns.constants import (
    ASIDE_RUN_NICE,
    EASE_TIMES,
    HERE_S,
    HURRY_TURN,
    OWNERS_KNOWN_MAX,
    RUN_EASE_S,
    RUN_HALF_S,
    RUN_LITTLE_S,
    RUN_MUCH_S,
    TURN_S_MIN,
)
from simulator.runs.turns.spending import Spending

P = ParamSpec("P")
R = TypeVar("R")


class Work(Struct, frozen=True):
    """A piece of work, for an address if known. ``counts``: the run's clock asks for it, and will keep doing so."""

    do: Callable[[], object]
    address: str = ""
    counts: bool = False


class _Queue:
    """Work of several owners: the one who has used least goes next, and among equals the one who has waited longer.

    An owner who arrives or returns starts just behind the one who has used least: nobody saves up turns by being idle, and a stream of
    newcomers cannot keep anybody waiting for ever. Whenever the queue is empty all owners become even, so that nobody pays for time that
    was not contended.
    """

    def __init__(self) -> None:
        self._works: dict[str, deque[Work]] = {}
        self._had_s: dict[str, float] = {}
        self._least_s = 0.0

    def __bool__(self) -> bool:
        return bool(self._works)

    def add(self, owner: str, work: Work) -> None:
        """Append to the owner's work."""
        works = self._works.get(owner)
        if works is None:
            works = self._works[owner] = deque()
            # Not from zero, or a newcomer would get all turns until it has used as much as those who have been
            # here for an hour.
            self._had_s[owner] = max(self._had_s.get(owner, 0.0), self._least_s + TURN_S_MIN)
        works.append(work)

    def take(self, may: Callable[[str], bool] = lambda _: True) -> tuple[str, Work] | None:
        """Remove and return the next piece of work and its owner, among the addresses for which ``may`` is true.

        O(n) in the owners with work.
        """
        able = [owner for owner, works in self._works.items() if may(works[0].address)]
        if not able:
            return None
        owner = min(able, key=self._had_s.__getitem__)
        self._least_s = self._had_s[owner]
        works = self._works.pop(owner)
        work = works.popleft()
        # Removed and put back at the end of the dictionary, whose order breaks ties.
        if works:
            self._works[owner] = works
        return owner, work

    def charge(self, owner: str, seconds: float) -> None:
        """Add the time of a turn to what the owner has used."""
        self._had_s[owner] = self._had_s.get(owner, self._least_s) + max(seconds, TURN_S_MIN)
        if not self._works:
            self._least_s = max(self._had_s.values())
            self._had_s.clear()
        elif len(self._had_s) > OWNERS_KNOWN_MAX:
            self._had_s = {known: had for known, had in self._had_s.items() if had > self._least_s or known in self._works}


class FairTurns:
    """The two threads and the queues of work for them."""

    def __init__(self, name: str = "engine", *, clock: Callable[[], float] = thread_time, now_s: Callable[[], float] = monotonic) -> None:
        self._keeping, self._hurrying = _Queue(), _Queue()
        self._clock, self._now_s = clock, now_s
        self._had, self._all, self._takers = Spending(half_s=RUN_HALF_S), Spending(half_s=RUN_HALF_S), frozenset[str]()
        self.known = frozenset[str]()
        self._seen_s: dict[str, float] = {}  # by address, in order of the last turn
        self._rests_s: dict[str, float] = {}  # by address: when the pause ends
        self._turn = 0
        self._begun_s: dict[bool, float] = {}  # of the turns in progress, by thread
        self._waiting = Condition()
        self._is_over = self._is_aside = False
        self._name = name
        self._thread = Thread(target=self._serve, name=name, daemon=True)
        self._other = Thread(target=self._serve, args=(True,), name=f"{name} of takers", daemon=True)

    def start(self) -> None:
        """Start the threads now: later there may be no memory left for them."""
        if not self._thread.is_alive():
            self._thread.start()
            self._other.start()

    def seat(self, owner: str, address: str = "") -> "Seat":
        """An executor for a run of that owner, who is at that address."""
        return Seat(self, owner, address)

    def takers(self) -> frozenset[str]:
        """The addresses whose clocks have recently used much of the thread. They stay in here for a while after their runs have moved."""
        with self._waiting:
            now_s = self._now_s()
            self._takers = self._had.at_least(RUN_MUCH_S, now_s) | (self._takers & self._had.at_least(RUN_LITTLE_S, now_s))
            return self._takers

    def longest_s(self) -> float:
        """The age of the oldest turn in progress, in wall-clock seconds; 0 if there is none."""
        with self._waiting:
            return max((self._now_s() - begun_s for begun_s in self._begun_s.values()), default=0.0)

    def set_takers(self, takers: frozenset[str]) -> None:
        """Set the addresses that use much computing time, in any runner, while others have active runs."""
        with self._waiting:
            self.known = takers

    def set_low_priority(self, is_aside: bool) -> None:
        """Compute at a low priority, or again at the process's. Only changes something on Linux, where each thread has a priority."""
        with self._waiting:
            if self._is_over or is_aside == self._is_aside:
                return
            self._is_aside = is_aside
            if is_aside or sys.platform != "linux":
                return
            # A thread may not raise its own priority again, but a new one starts with the priority of the
            # process. It first waits for the old thread to end, so that there is one turn at a time.
            before, self._thread = self._thread, Thread(target=self._follow, args=(self._thread,), name=self._name, daemon=True)
            try:
                self._thread.start()
            except RuntimeError:  # not enough memory now
                self._thread, self._is_aside = before, True
            self._waiting.notify_all()

    def shutdown(self) -> None:
        """Accept no more work, and stop after the current turn."""
        with self._waiting:
            self._is_over = True
            self._waiting.notify_all()

    def add(self, owner: str, work: Work, *, hurries: bool) -> None:
        """Queue a piece of work. Raises RuntimeError after ``shutdown``."""
        self.start()
        with self._waiting:
            if self._is_over:
                raise RuntimeError("no more turns")
            (self._hurrying if hurries else self._keeping).add(owner, work)
            self._waiting.notify_all()

    def _follow(self, before: Thread) -> None:
        before.join()
        self._serve()

    def _serve(self, of_takers: bool = False) -> None:
        is_low = False
        while (taken := self._wait(of_takers)) is not None:
            if self._is_aside and not (is_low or of_takers):
                is_low = True
                _lower()
            queue, owner, work = taken
            begun_s = self._clock()
            work.do()
            # CPU time of this thread. Waiting for the interpreter or a core does not count.
            took_s = self._clock() - begun_s
            with self._waiting:
                del self._begun_s[of_takers]
                queue.charge(owner, took_s)
                self._note(work, took_s, self._now_s())
                self._waiting.notify_all()

    def _wait(self, of_takers: bool) -> tuple[_Queue, str, Work] | None:
        """Wait for the next piece of work and take it; None if this thread should end."""
        with self._waiting:
            while True:
                if self._is_over or current_thread() not in (self._thread, self._other):
                    return None
                now_s = self._now_s()
                taken = self._take(now_s, of_takers)
                if taken is not None:
                    self._begun_s[of_takers] = now_s
                    return taken
                # Both threads use the same queues: an address that has calmed down is the other thread's again.
                if of_takers:
                    self._waiting.notify_all()
                until_s = min(self._rests_s.values(), default=now_s) if of_takers and (self._keeping or self._hurrying) else now_s
                self._waiting.wait(until_s - now_s if until_s > now_s else None)

    def _take(self, now_s: float, of_takers: bool) -> tuple[_Queue, str, Work] | None:
        self._rests_s = {address: until_s for address, until_s in self._rests_s.items() if until_s > now_s}

        is_shared = self._is_somebody_calm(now_s)

        def may(address: str) -> bool:
            return (is_shared and self._takes_much(address, now_s)) is of_takers and not (of_takers and address in self._rests_s)

        is_theirs = bool(self._hurrying) and (self._turn + 1) % HURRY_TURN == 0
        for queue in (self._hurrying, self._keeping) if is_theirs else (self._keeping, self._hurrying):
            taken = queue.take(may)
            if taken is not None:
                self._turn += 1
                return (queue, *taken)
        return None

    def _takes_much(self, address: str, now_s: float) -> bool:
        return bool(address) and (address in self.known or self._all.of(address, now_s) >= RUN_EASE_S)

    def _is_somebody_calm(self, now_s: float) -> bool:
        for address, seen_s in reversed(self._seen_s.items()):
            if now_s - seen_s > HERE_S:
                return False
            if not self._takes_much(address, now_s):
                return True
        return False

    def _note(self, work: Work, took_s: float, now_s: float) -> None:
        """Record the time of a turn for its address."""
        if not work.address:
            return
        self._all.add(work.address, took_s, now_s)
        if work.counts:
            self._had.add(work.address, took_s, now_s)
        self._seen_s.pop(work.address, None)
        self._seen_s[work.address] = now_s
        if len(self._seen_s) > OWNERS_KNOWN_MAX:
            del self._seen_s[next(iter(self._seen_s))]
        # Only if it delays others. An address that is alone may use the whole core.
        if work.counts and self._takes_much(work.address, now_s) and self._is_somebody_calm(now_s):
            self._rests_s[work.address] = now_s + EASE_TIMES * took_s


def _lower() -> None:
    """Lower the priority of this thread, on systems where threads have one."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), ASIDE_RUN_NICE)


class Seat(Executor):
    """The executor of one run. ``hurries``: its current work runs ahead of the clock. ``counts``: its current work comes from the clock and
    will keep coming, unlike rebuilding a run or sending it to a moment, which is over soon."""

    def __init__(self, turns: FairTurns, owner: str, address: str = "") -> None:
        self._turns, self._owner, self._address = turns, owner, address
        self.hurries, self.counts = False, True

    @property
    def takes_much(self) -> bool:
        """Whether this address uses much computing time while others have active runs."""
        return self._address in self._turns.known

    def submit(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> "Future[R]":
        """Queue ``work`` for this run's turn; return the future of its result."""
        future: Future[R] = Future()

        def do() -> None:
            if future.set_running_or_notify_cancel():
                _settle(future, work, args, kwargs)

        self._turns.add(self._owner, Work(do, self._address, self.counts), hurries=self.hurries)
        return future


def _settle(future: "Future[Any]", work: Callable[..., Any], args: Any, kwargs: Any) -> None:
    try:
        result = work(*args, **kwargs)
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
