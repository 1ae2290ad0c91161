"""How many requests may have a thread at once, and when those that are too many for one visitor are answered.

Each request that waits for a slot or a lock has a thread, and its stack counts as memory.
Where memory ends just as a thread starts, the thread dies before it says that it runs, and whoever started it, here the event loop,
waits for that for good. So threads are bounded, not tried.
"""

from asyncio import Semaphore, sleep
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from lifecycle_site.addresses import Application, Receive, Scope, Send
from simulator.runs.turns.constants import LATE_S, THREADS_MAX


class InTurn:
    """An ASGI application that works on at most ``at_once`` HTTP requests; the others wait without a thread, in the order they came."""

    def __init__(self, application: Any, *, at_once: int = THREADS_MAX) -> None:  # Django's is declared more narrowly
        self._application = application
        self._turns = Semaphore(at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request when it is its turn. One that is given up while it waits is never begun."""
        async with self._turns:
            await self._application(scope, receive, send)


TOO_MANY = 429


class LateRefusals:
    """An ASGI application that keeps answers of 429 back for ``LATE_S``: those who flood the site wait for each, and ask no faster.

    It belongs outside ``InTurn``, so that an answer that waits keeps neither a turn nor a thread, only its connection.
    """

    def __init__(self, application: Application, *, wait: Callable[[float], Awaitable[None]] = sleep) -> None:
        self._application, self._wait = application, wait

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, late where it is one too many."""
        held: list[MutableMapping[str, Any]] = []

        async def hold(message: MutableMapping[str, Any]) -> None:
            if held or message.get("status") == TOO_MANY:
                held.append(message)
            else:
                await send(message)

        await self._application(scope, receive, hold)
        if held:
            await self._wait(LATE_S)
        for message in held:
            await send(message)
