"""Open watches of a run go on together: one walk along its log for all of them, and one answer for those that ask for the same.

Watches are woken in the same instant, by the hub of their run. What comes while a round is under way goes into the next one. A round is
charged to one of those who are in it.
"""

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from simulator.door.exchange import DoorRequest
from simulator.door.watching import Standing

COLLECT_S = 0.005
"""So long a round waits for others that were woken with the first."""
ROUND_MAX = 100
"""Different watches of one round."""
_OWN = frozenset(("watch", "resourceVersion", "timeoutSeconds", "timeout"))
"""What of a query tells one client's watch from another's, but changes nothing of what follows."""
_HEADERS = ("accept", "user-agent", "kubectl-command")
Told = tuple[Standing | None, bytes]
"""Where a watch stands, None where it is over, and what its client is told."""
Compute = Callable[..., Any]
"""``compute(visitor, run, watches)`` gives for each watch where it stands now and what it is told, or raises."""


class WaitingRound(Struct, eq=False):
    """A watch in a round, with everybody who waits for it."""

    visitor: str
    asked: DoorRequest
    standing: Standing
    told: "asyncio.Future[Told]"


def likeness(asked: DoorRequest) -> Hashable:
    """Equal for watches that are told the same."""
    query = tuple(sorted(pair for pair in asked.query if pair[0] not in _OWN))
    return asked.path, query, tuple(asked.headers.get(name, "") for name in _HEADERS)


class WatchRounds:
    """The rounds of all runs in this process. Used in one event loop."""

    def __init__(self, compute: Compute) -> None:
        self._compute = compute
        self._waiting: dict[UUID, dict[Hashable, WaitingRound]] = {}
        self._works: dict[UUID, asyncio.Task[None]] = {}

    async def go_on(self, visitor: str, run_id: UUID, asked: DoorRequest, standing: Standing) -> Told:
        """What a watch that stands there is told next, and where it stands then. Raises what the computing raises."""
        waiting = self._waiting.setdefault(run_id, {})
        key = (likeness(asked), standing.seq, standing.at_ms)
        place = waiting.get(key)
        if place is None:
            place = waiting[key] = WaitingRound(visitor, asked, standing, asyncio.get_running_loop().create_future())
        if run_id not in self._works:
            self._works[run_id] = asyncio.create_task(self._work(run_id))
        # One that goes away must not take the answer from others.
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
                place.told.exception()  # those who waited may have gone
            return
        for place, told in zip(round_, found, strict=True):
            place.told.set_result(told)


class SharedBeginnings:
    """Watches that ask for the same at the same time begin together: the first one's answer is that of all who come while it is made.

    Who comes later gets one that is a little old, and what follows it at once. Used in one event loop.
    """

    def __init__(self) -> None:
        self._made: dict[Hashable, asyncio.Task[Any]] = {}

    async def begun(self, key: Hashable, begin: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """What the first of them is given. Raises what that raises."""
        task = self._made.get(key)
        if task is None:
            task = self._made[key] = asyncio.create_task(begin())
            task.add_done_callback(lambda done: self._made.pop(key) and (done.cancelled() or done.exception()))
        return await asyncio.shield(task)
