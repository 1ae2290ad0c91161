"""The thread in which all runs of a process compute, by turns: first among owners, then among the runs of each.

Whoever has ten runs, or runs whose turns take long, gets no more of it than whoever has one that is quick, where both want all of it: the
next turn is that of the owner who has had least of the thread's time. Runs that are sent far ahead, rebuilt, or played very fast wait for
those that keep pace with their clock, but every fourth turn is theirs: nobody waits for ever.

A single turn may be long all the same: what a container computes within an instant is not interrupted. So, while somebody has calm runs
here, those addresses that take much of the time have a thread of their own, which rests after each turn: nobody else waits for its end,
and a process that always computes serves nobody well.
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
    """Something to do, for an address where that is known; ``counts``: its clock wants it, for as long as it goes."""

    do: Callable[[], object]
    address: str = ""
    counts: bool = False


class _Queue:
    """Work of several owners: whoever has had least goes next, and of two who have had the same whoever waits longer.

    An owner who comes, or comes back, begins just behind the one who has had least of those that were there: nobody saves up turns by
    wanting none, and a stream of newcomers keeps nobody waiting for ever. Once nobody wants anything all are even, so that nobody pays
    for a time when there was room for all.
    """

    def __init__(self) -> None:
        self._works: dict[str, deque[Work]] = {}
        self._had_s: dict[str, float] = {}
        self._least_s = 0.0

    def __bool__(self) -> bool:
        return bool(self._works)

    def add(self, owner: str, work: Work) -> None:
        """Let that owner want this as well."""
        works = self._works.get(owner)
        if works is None:
            works = self._works[owner] = deque()
            # Not from zero: a newcomer would have all turns until it has had as much as those who have been
            # here for an hour.
            self._had_s[owner] = max(self._had_s.get(owner, 0.0), self._least_s + TURN_S_MIN)
        works.append(work)

    def take(self, may: Callable[[str], bool] = lambda _: True) -> tuple[str, Work] | None:
        """Whose turn it is, and what they want, of the addresses that may have one.

        Takes time in proportion to the owners who want something.
        """
        able = [owner for owner, works in self._works.items() if may(works[0].address)]
        if not able:
            return None
        owner = min(able, key=self._had_s.__getitem__)
        self._least_s = self._had_s[owner]
        works = self._works.pop(owner)
        work = works.popleft()
        # Popped and put back: the order of the dictionary breaks ties, and so the owner goes to its end.
        if works:
            self._works[owner] = works  # behind whoever has had the same
        return owner, work

    def charge(self, owner: str, seconds: float) -> None:
        """Note what the owner's turn took."""
        self._had_s[owner] = self._had_s.get(owner, self._least_s) + max(seconds, TURN_S_MIN)
        if not self._works:
            self._least_s = max(self._had_s.values())
            self._had_s.clear()
        elif len(self._had_s) > OWNERS_KNOWN_MAX:
            self._had_s = {known: had for known, had in self._had_s.items() if had > self._least_s or known in self._works}


class FairTurns:
    """The threads and who waits for them."""

    def __init__(self, name: str = "engine", *, clock: Callable[[], float] = thread_time, now_s: Callable[[], float] = monotonic) -> None:
        self._keeping, self._hurrying = _Queue(), _Queue()
        self._clock, self._now_s = clock, now_s
        self._had, self._all, self._takers = Spending(half_s=RUN_HALF_S), Spending(half_s=RUN_HALF_S), frozenset[str]()
        self.known = frozenset[str]()
        self._seen_s: dict[str, float] = {}  # by address; who was seen last is at the end
        self._rests_s: dict[str, float] = {}  # by address, until when
        self._turn = 0
        self._begun_s: dict[bool, float] = {}  # of the turns that are under way, by thread
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
        """Where a run of that owner, who is at that address, submits its work."""
        return Seat(self, owner, address)

    def takers(self) -> frozenset[str]:
        """The addresses whose clocks have taken much of the thread of late; those whose runs have gone elsewhere count a while longer."""
        with self._waiting:
            now_s = self._now_s()
            self._takers = self._had.at_least(RUN_MUCH_S, now_s) | (self._takers & self._had.at_least(RUN_LITTLE_S, now_s))
            return self._takers

    def longest_s(self) -> float:
        """How long the turn has been going, by the wall, that began first of those under way; 0 where none is."""
        with self._waiting:
            return max((self._now_s() - begun_s for begun_s in self._begun_s.values()), default=0.0)

    def set_takers(self, takers: frozenset[str]) -> None:
        """These are addresses that take much, here or elsewhere, while others want something."""
        with self._waiting:
            self.known = takers

    def set_low_priority(self, is_aside: bool) -> None:
        """Compute at a low priority, or again at that of the process. Linux knows one for each thread, elsewhere nothing changes."""
        with self._waiting:
            if self._is_over or is_aside == self._is_aside:
                return
            self._is_aside = is_aside
            if is_aside or sys.platform != "linux":
                return
            # A thread may not take its priority back. One that the process starts has the priority of the
            # process.
            # The new thread first waits for the end of the old one: there is one turn at a time.
            before, self._thread = self._thread, Thread(target=self._follow, args=(self._thread,), name=self._name, daemon=True)
            try:
                self._thread.start()
            except RuntimeError:  # no memory for one now
                self._thread, self._is_aside = before, True
            self._waiting.notify_all()

    def shutdown(self) -> None:
        """Take nothing more, and end after the turn that is under way."""
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
            # The thread's own time. What it waited for the interpreter or a core is not what this owner has
            # had.
            took_s = self._clock() - begun_s
            with self._waiting:
                del self._begun_s[of_takers]
                queue.charge(owner, took_s)
                self._note(work, took_s, self._now_s())
                self._waiting.notify_all()

    def _wait(self, of_takers: bool) -> tuple[_Queue, str, Work] | None:
        """Whose turn it is, as soon as it is somebody's; None where this thread is to end."""
        with self._waiting:
            while True:
                if self._is_over or current_thread() not in (self._thread, self._other):
                    return None
                now_s = self._now_s()
                taken = self._take(now_s, of_takers)
                if taken is not None:
                    self._begun_s[of_takers] = now_s
                    return taken
                # Both threads look at the same queues; whoever is calm again is the other one's to serve.
                if of_takers:  # who took much until now may not do so any more
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
        """What a turn took, by address."""
        if not work.address:
            return
        self._all.add(work.address, took_s, now_s)
        if work.counts:
            self._had.add(work.address, took_s, now_s)
        self._seen_s.pop(work.address, None)
        self._seen_s[work.address] = now_s
        if len(self._seen_s) > OWNERS_KNOWN_MAX:
            del self._seen_s[next(iter(self._seen_s))]
        # Only where others are held up by it. Alone, an address may have all of the core.
        if work.counts and self._takes_much(work.address, now_s) and self._is_somebody_calm(now_s):
            self._rests_s[work.address] = now_s + EASE_TIMES * took_s


def _lower() -> None:
    """Give this thread a low priority, where threads have one."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), ASIDE_RUN_NICE)


class Seat(Executor):
    """One run's place in the turns. ``hurries``: what it submits now is sent ahead of its clock. ``counts``: its clock wants it, for as
    long as it goes; rebuilding a run, or sending it to a moment, is over soon."""

    def __init__(self, turns: FairTurns, owner: str, address: str = "") -> None:
        self._turns, self._owner, self._address = turns, owner, address
        self.hurries, self.counts = False, True

    @property
    def takes_much(self) -> bool:
        """Whether whoever is at that address takes much while others want something."""
        return self._address in self._turns.known

    def submit(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> "Future[R]":
        """The result of ``work`` to come, when it was this run's turn."""
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
