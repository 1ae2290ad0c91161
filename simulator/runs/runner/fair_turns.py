"""One thread in which all runs of a process compute, by turns: first among owners, then among the runs of each.

Whoever has ten runs, or runs whose turns take long, gets no more of it than whoever has one that is quick, where both want all of it: the
next turn is that of the owner who has had least of the thread's time. Runs that are sent far ahead, or rebuilt, wait for those that keep
pace with their clock, but every fourth turn is theirs: nobody waits for ever.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Condition, Thread
from time import monotonic, thread_time
from typing import Any, ParamSpec, TypeVar

from simulator.runs.runner.sides import HALF_S, LITTLE_S, MUCH_S
from simulator.runs.spending import Spending

HURRY_TURN = 4
"""Every so many turns one of those that hurry goes first."""
TURN_S_MIN = 0.001
"""What a turn counts as at least, so that turns too short to be measured are taken by turns as well."""
KNOWN_MAX = 1_000
"""Of so many owners it is known what they have had; beyond that, whoever wants nothing and is behind all who do is forgotten."""

P = ParamSpec("P")
R = TypeVar("R")
Work = Callable[[], str]
"""Does something, and returns the address that it counts for; empty where it counts for none."""


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
            self._had_s[owner] = max(self._had_s.get(owner, 0.0), self._least_s + TURN_S_MIN)
        works.append(work)

    def take(self) -> tuple[str, Work]:
        """Whose turn it is, and what they want. Takes time in proportion to the owners who want something."""
        owner = min(self._works, key=self._had_s.__getitem__)
        self._least_s = self._had_s[owner]
        works = self._works.pop(owner)
        work = works.popleft()
        if works:
            self._works[owner] = works  # behind whoever has had the same
        return owner, work

    def charge(self, owner: str, seconds: float) -> None:
        """Note what the owner's turn took."""
        self._had_s[owner] = self._had_s.get(owner, self._least_s) + max(seconds, TURN_S_MIN)
        if not self._works:
            self._least_s = max(self._had_s.values())
            self._had_s.clear()
        elif len(self._had_s) > KNOWN_MAX:
            self._had_s = {known: had for known, had in self._had_s.items() if had > self._least_s or known in self._works}


class FairTurns:
    """The thread and who waits for it."""

    def __init__(self, name: str = "engine", *, clock: Callable[[], float] = thread_time, now_s: Callable[[], float] = monotonic) -> None:
        self._keeping, self._hurrying = _Queue(), _Queue()
        self._clock, self._now_s = clock, now_s
        self._had, self._takers = Spending(half_s=HALF_S), frozenset[str]()
        self._turn = 0
        self._waiting = Condition()
        self._is_over = False
        self._thread = Thread(target=self._serve, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread now: later there may be no memory left for one."""
        if not self._thread.is_alive():
            self._thread.start()

    def seat(self, owner: str, address: str = "") -> "Seat":
        """Where a run of that owner, who is at that address, submits its work."""
        return Seat(self, owner, address)

    def takers(self) -> frozenset[str]:
        """The addresses whose clocks have taken much of the thread of late; those whose runs have gone elsewhere count a while longer."""
        with self._waiting:
            now_s = self._now_s()
            self._takers = self._had.at_least(MUCH_S, now_s) | (self._takers & self._had.at_least(LITTLE_S, now_s))
            return self._takers

    def shutdown(self) -> None:
        """Take nothing more, and end after the turn that is under way."""
        with self._waiting:
            self._is_over = True
            self._waiting.notify()

    def add(self, owner: str, work: Work, *, hurries: bool) -> None:
        """Queue a piece of work. Raises RuntimeError after ``shutdown``."""
        self.start()
        with self._waiting:
            if self._is_over:
                raise RuntimeError("no more turns")
            (self._hurrying if hurries else self._keeping).add(owner, work)
            self._waiting.notify()

    def _serve(self) -> None:
        while True:
            with self._waiting:
                self._waiting.wait_for(lambda: self._is_over or self._keeping or self._hurrying)
                if self._is_over:
                    return
                self._turn += 1
                is_theirs = not self._keeping or (bool(self._hurrying) and self._turn % HURRY_TURN == 0)
                queue = self._hurrying if is_theirs else self._keeping
                owner, work = queue.take()
            begun_s = self._clock()
            address = work()
            took_s = self._clock() - begun_s
            with self._waiting:
                queue.charge(owner, took_s)
                if address:
                    self._had.add(address, took_s, self._now_s())


class Seat(Executor):
    """One run's place in the turns. ``hurries``: what it submits now is sent ahead of its clock. ``counts``: its clock wants it, for as
    long as it goes; rebuilding a run, or sending it to a moment, is over soon."""

    def __init__(self, turns: FairTurns, owner: str, address: str = "") -> None:
        self._turns, self._owner, self._address = turns, owner, address
        self.hurries, self.counts = False, True

    def submit(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> "Future[R]":
        """The result of ``work`` to come, when it was this run's turn."""
        future: Future[R] = Future()

        def turn() -> str:
            if future.set_running_or_notify_cancel():
                _settle(future, work, args, kwargs)
            return self._address if self.counts else ""

        self._turns.add(self._owner, turn, hurries=self.hurries)
        return future


def _settle(future: "Future[Any]", work: Callable[..., Any], args: Any, kwargs: Any) -> None:
    try:
        result = work(*args, **kwargs)
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
