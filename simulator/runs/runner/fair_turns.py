"""One thread in which all runs of a process compute, by turns: first among owners, then among the runs of each.

Whoever has ten runs gets no more of it than whoever has one, where both want all of it. Runs that are sent far ahead, or rebuilt, wait for
those that keep pace with their clock, but every fourth turn is theirs: nobody waits for ever.
"""

from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Condition, Thread
from typing import Any, ParamSpec, TypeVar

HURRY_TURN = 4
"""Every so many turns one of those that hurry goes first."""

P = ParamSpec("P")
R = TypeVar("R")


class _Queue:
    """Work of several owners, who take turns."""

    def __init__(self) -> None:
        self._owners: OrderedDict[str, deque[Callable[[], None]]] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._owners)

    def add(self, owner: str, work: Callable[[], None]) -> None:
        self._owners.setdefault(owner, deque()).append(work)

    def take(self) -> Callable[[], None]:
        owner, works = next(iter(self._owners.items()))
        work = works.popleft()
        if works:
            self._owners.move_to_end(owner)
        else:
            del self._owners[owner]
        return work


class FairTurns:
    """The thread and who waits for it."""

    def __init__(self, name: str = "engine") -> None:
        self._keeping, self._hurrying = _Queue(), _Queue()
        self._turn = 0
        self._waiting = Condition()
        self._is_over = False
        self._thread = Thread(target=self._serve, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread now: later there may be no memory left for one."""
        if not self._thread.is_alive():
            self._thread.start()

    def seat(self, owner: str) -> "Seat":
        """Where a run of that owner submits its work."""
        return Seat(self, owner)

    def shutdown(self) -> None:
        """Take nothing more, and end after the turn that is under way."""
        with self._waiting:
            self._is_over = True
            self._waiting.notify()

    def add(self, owner: str, work: Callable[[], None], *, hurries: bool) -> None:
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
                work = (self._hurrying if is_theirs else self._keeping).take()
            work()


class Seat(Executor):
    """One run's place in the turns. ``hurries``: what it submits now is sent ahead of its clock."""

    def __init__(self, turns: FairTurns, owner: str) -> None:
        self._turns, self._owner = turns, owner
        self.hurries = False

    def submit(self, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> "Future[R]":
        """The result of ``work`` to come, when it was this run's turn."""
        future: Future[R] = Future()

        def turn() -> None:
            if future.set_running_or_notify_cancel():
                _settle(future, work, args, kwargs)

        self._turns.add(self._owner, turn, hurries=self.hurries)
        return future


def _settle(future: "Future[Any]", work: Callable[..., Any], args: Any, kwargs: Any) -> None:
    try:
        result = work(*args, **kwargs)
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
