"""Let nobody have all the threads in which requests to the API of runs wait for a computing slot.

These threads are few, and a request that waits for its visitor's slot keeps one. Without shares, a burst of one visitor's requests would be
computed to its end before another visitor's first.
"""

from asyncio import Semaphore
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from simulator.runs.turns.slots import Busy


class Shares:
    """At most ``each`` calls of a visitor at the same time; ``waiting_max`` more wait without a thread, in order of arrival."""

    def __init__(self, *, each: int, waiting_max: int) -> None:
        self._each, self._most = each, each + waiting_max
        self._visitors: dict[str, _Share] = {}

    @asynccontextmanager
    async def taken(self, visitor: str) -> AsyncIterator[None]:
        """Hold a share within the ``async with`` block. Raises Busy if too many calls of the visitor wait already."""
        share = self._visitors.setdefault(visitor, _Share(self._each))
        if share.calls >= self._most:
            raise Busy(visitor, 0.0)
        share.calls += 1
        try:
            async with share.turns:
                yield
        finally:
            share.calls -= 1
            if not share.calls:
                self._visitors.pop(visitor, None)


class _Share:
    """A visitor's turns, and how many of their calls are here."""

    def __init__(self, each: int) -> None:
        self.turns, self.calls = Semaphore(each), 0
