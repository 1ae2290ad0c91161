"""Let nobody have all the threads in which requests to the API of runs wait for a computing slot.

These threads are few, and a request that waits for its visitor's slot keeps one. Without shares, a burst of one visitor's requests would be
computed to its end before another visitor's first.
"""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lifecycle_site.turns import VisitorTurns
from simulator.runs.turns.slots import Busy


class Shares:
    """At most ``each`` calls of a visitor at the same time; ``waiting_max`` more wait without a thread, in order of arrival."""

    def __init__(self, *, each: int, waiting_max: int) -> None:
        self._turns, self._most = VisitorTurns(each), each + waiting_max
        self._calls: Counter[str] = Counter()

    @asynccontextmanager
    async def taken(self, visitor: str) -> AsyncIterator[None]:
        """Hold a share within the ``async with`` block. Raises Busy if too many calls of the visitor wait already."""
        if self._calls[visitor] >= self._most:
            raise Busy(visitor, 0.0)
        self._calls[visitor] += 1
        try:
            async with self._turns.of(visitor):
                yield
        finally:
            self._calls[visitor] -= 1
            if not self._calls[visitor]:
                del self._calls[visitor]
