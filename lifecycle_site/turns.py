"""Limit how many requests have a thread at once, and delay the refusal of those that are too many for one visitor.

Each request that waits for a slot or a lock has a thread, and its stack counts as memory.
If memory runs out just as a thread starts, the thread dies before it reports that it is running, and its starter, here the event loop,
waits for that report forever. So the number of threads is limited in advance.
"""

from asyncio import Semaphore, sleep
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import nullcontext
from time import monotonic
from typing import Any
from weakref import WeakValueDictionary

from lifecycle_site.addresses import Application, Receive, Scope, Send
from lifecycle_site.visitors import visitor_at
from simulator.runs.turns.constants import ADDRESSES_MAX, LATE_EVERY_S, LATE_S, LATE_S_MAX, THREADS_MAX


class VisitorTurns:
    """The turns of each visitor, at most ``each`` at the same time; forgotten once none of their requests has one or waits for one."""

    def __init__(self, each: int) -> None:
        self._each = each
        self._turns: WeakValueDictionary[str, Semaphore] = WeakValueDictionary()

    def of(self, visitor: str) -> Semaphore:
        """The visitor's turns, to be held with ``async with``."""
        turns = self._turns.get(visitor)
        if turns is None:
            turns = self._turns[visitor] = Semaphore(self._each)
        return turns


class InTurn:
    """An ASGI application that handles at most ``at_once`` HTTP requests; others wait without a thread, in order of arrival.

    One visitor gets at most three quarters of them: their requests may wait for a slot for seconds, and nobody else would even get into
    the queue there, nor ``/healthz`` be answered. Whoever is unknown (a Unix socket) may be anybody, and gets all.
    """

    def __init__(self, application: Any, *, at_once: int = THREADS_MAX) -> None:  # Django's is declared more narrowly
        self._application, self._turns = application, Semaphore(at_once)
        self._shares = VisitorTurns(at_once - at_once // 4)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request when it is its turn. A request that is cancelled while it waits is never started."""
        visitor = _visitor(scope)
        async with self._shares.of(visitor) if visitor else nullcontext(), self._turns:
            await self._application(scope, receive, send)


def _visitor(scope: Scope) -> str:
    return visitor_at(str((scope.get("client") or [""])[0]))


TOO_MANY = 429


class LateRefusals:
    """An ASGI application that delays 429 responses by ``LATE_S`` or more, which slows down clients that flood the site.

    A visitor gets one every ``LATE_EVERY_S``: clients that were all answered at once would all ask again at once, and whoever else asks in
    that moment waits behind them. If that is later than ``LATE_S_MAX``, another round begins halfway there. It belongs outside ``InTurn``,
    so that a delayed response occupies only its connection, not a turn or a thread.
    """

    def __init__(
        self, application: Application, *, wait: Callable[[float], Awaitable[None]] = sleep, clock_s: Callable[[], float] = monotonic
    ) -> None:
        self._application, self._wait, self._clock_s = application, wait, clock_s
        self._next_s: dict[str, float] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, delaying a 429."""
        held: list[MutableMapping[str, Any]] = []

        async def hold(message: MutableMapping[str, Any]) -> None:
            if held or message.get("status") == TOO_MANY:
                held.append(message)
            else:
                await send(message)

        await self._application(scope, receive, hold)
        if held:
            await self._wait(self._late_s(_visitor(scope)))
        for message in held:
            await send(message)

    def _late_s(self, visitor: str) -> float:
        """How long to delay the next refusal of a visitor."""
        now_s = self._clock_s()
        if len(self._next_s) >= ADDRESSES_MAX:
            self._next_s = {each: next_s for each, next_s in self._next_s.items() if next_s > now_s}
        at_s = max(now_s + LATE_S, self._next_s.get(visitor, 0.0))
        if at_s > now_s + LATE_S_MAX:
            at_s = now_s + LATE_S_MAX / 2  # more than fit: between the others, since all at the very end would be one wave
        self._next_s[visitor] = at_s + LATE_EVERY_S
        return at_s - now_s
