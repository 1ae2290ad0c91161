"""Let the open watches of a run continue together: one walk along its log for all of them, and one answer for identical ones.

Watches are woken at the same instant by their run's hub. Those that arrive while a round is under way go into the next one. A round is
charged to one of the visitors in it.
"""

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from simulator.door.exchange import DoorRequest
from simulator.door.watching import Standing

COLLECT_S = 0.005
"""How long a round waits for others that were woken together with the first."""
ROUND_MAX = 100
"""The most different watches in one round."""
_OWN = frozenset(("watch", "resourceVersion", "timeoutSeconds", "timeout"))
"""Query parameters that differ between clients' watches, but do not change what follows."""
_HEADERS = ("accept", "user-agent", "kubectl-command")
Told = tuple[Standing | None, bytes]
"""A watch's standing, None if it is over, and the data for its client."""
Compute = Callable[..., Any]
"""``compute(visitor, run, watches)`` returns a Told for each watch, or raises."""


class WaitingRound(Struct, eq=False):
    """A watch in a round, with the future that everybody waiting for it shares."""

    visitor: str
    asked: DoorRequest
    standing: Standing
    told: "asyncio.Future[Told]"


def likeness(asked: DoorRequest) -> Hashable:
    """A key that is equal for watches that receive the same data."""
    query = tuple(sorted(pair for pair in asked.query if pair[0] not in _OWN))
    return asked.path, query, tuple(asked.headers.get(name, "") for name in _HEADERS)


class WatchRounds:
    """The rounds of all runs in this process. Used in one event loop."""

    def __init__(self, compute: Compute) -> None:
        self._compute = compute
        self._waiting: dict[UUID, dict[Hashable, WaitingRound]] = {}
        self._works: dict[UUID, asyncio.Task[None]] = {}

    async def go_on(self, visitor: str, run_id: UUID, asked: DoorRequest, standing: Standing) -> Told:
        """Continue a watch from its standing. Raises whatever the computation raises."""
        waiting = self._waiting.setdefault(run_id, {})
        key = (likeness(asked), standing.seq, standing.at_ms)
        place = waiting.get(key)
        if place is None:
            place = waiting[key] = WaitingRound(visitor, asked, standing, asyncio.get_running_loop().create_future())
        if run_id not in self._works:
            self._works[run_id] = asyncio.create_task(self._work(run_id))
        # A client that leaves must not cancel the answer for others.
        return await asyncio.shield(place.told)

    async def _work(self, run_id: UUID) -> None:
        try:
            while self._waiting.get(run_id):
                await asyncio.sleep(COLLECT_S)
                waiting = self._waiting[run_id]
                round_ = [waiting.pop(key) for key in list(waiting)[:ROUND_MAX]]
                await self._answer(run_id, round_)
        finally:
            self._works.pop(run_id, None)
            if not self._waiting.get(run_id):
                self._waiting.pop(run_id, None)

    async def _answer(self, run_id: UUID, round_: Sequence[WaitingRound]) -> None:
        try:
            watches = [(place.asked, place.standing) for place in round_]
            found: Sequence[Told] = await self._compute(round_[0].visitor, run_id, watches)
        except Exception as error:
            for place in round_:
                place.told.set_exception(error)
                place.told.exception()  # everybody waiting may have gone
            return
        for place, told in zip(round_, found, strict=True):
            place.told.set_result(told)


class SharedBeginnings:
    """Lets identical watches that start at the same time share one answer: the first one's, for all that arrive while it is being made.

    Late arrivals get an answer that is slightly old, and immediately what follows it. Used in one event loop.
    """

    def __init__(self) -> None:
        self._made: dict[Hashable, asyncio.Task[Any]] = {}

    async def begun(self, key: Hashable, begin: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """The answer of the first of them. Raises whatever that raises."""
        task = self._made.get(key)
        if task is None:
            task = self._made[key] = asyncio.create_task(begin())
            task.add_done_callback(lambda done: self._made.pop(key) and (done.cancelled() or done.exception()))
        return await asyncio.shield(task)
