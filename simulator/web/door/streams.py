"""Streaming responses: a watch stays open until its client leaves, its time is up or the run is gone, and shows regularly that it is alive.

The content is computed elsewhere (``watches``); this module waits for the run's log to grow, as the sockets of its page do. An open watch
counts as a viewer of the run.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic

from lifecycle_site.addresses import Receive, Send
from lifecycle_site.unread import TOLD_ON
from simulator.door.channel_line import ConnectionClosed
from simulator.door.exchange import JSON, DoorRequest
from simulator.door.watching import Standing
from simulator.engine.kernel.bounded import whole_number
from simulator.runs.live.hub import HUBS
from simulator.runs.live.presence import PRESENCE
from simulator.runs.log.db import AWAY
from simulator.web.door.moments import AskedOf
from simulator.web.door.paces import DoorPace
from simulator.web.door.waiters import WaitingCommand

BOOKMARK_S = 25.0
"""Seconds between bookmarks: proxies close connections that are silent for a minute, and a bookmark may have to wait for its turn."""
WATCH_S_MAX = 3600
REST_S = 0.1
"""Seconds between two looks at a growing log."""
_SECONDS_MAX = 86_400
Go = Callable[[Standing], Awaitable[tuple[Standing | None, bytes]]]
"""Returns the new standing, None if the watch is over, and what has happened since the given one."""
Mark = Callable[[Standing], Awaitable[bytes]]


class WatchOver(ConnectionClosed):
    """An open watch ends; its client reconnects with its position, and is then told the reason."""


class DoorListener:
    """Listens to a run's hub: there may be more records, or there will be no more."""

    def __init__(self, *, hears_clock: bool = False) -> None:
        self.awake = asyncio.Event()
        self.is_over = False
        self._hears_clock = hears_clock

    def wake(self) -> None:
        """There may be more records."""
        self.awake.set()

    def notify(self, frame: str) -> None:
        """A frame for pages; it may mean that the clock was moved."""
        if self._hears_clock and '"clock"' in frame[:20]:
            self.awake.set()

    def beat(self) -> None:
        """A heartbeat has passed."""
        self.awake.set()

    def drop(self, code: int) -> None:
        """The run is gone."""
        self.is_over = True
        self.awake.set()


UNBUFFERED = (b"x-accel-buffering", b"no")
"""Has nginx pass on everything at once. Otherwise it keeps the headers until there is a body, and a client that waits for what is the case
already (``kubectl wait``) waits for the watch's first sign of life."""


class WatchStream:
    """One open watch. It counts against ``address``."""

    content_type = JSON

    def __init__(
        self, of: AskedOf, asked: DoorRequest, address: str, *, receive: Receive, send: Send, pace: DoorPace | None = None
    ) -> None:
        self._of, self._asked, self._address = of, asked, address
        self._receive, self._send = receive, send
        self._pace = pace or DoorPace()
        # Go clients skip white space between events; others may take a line for an event.
        self._sign = b"\n" if "kubernetes/" in asked.agent else b""
        self._waiting = WaitingCommand(of, asked)
        seconds = whole_number(asked.value("timeoutSeconds"), most=_SECONDS_MAX) or WATCH_S_MAX
        self._end_s = monotonic() + min(seconds, WATCH_S_MAX)

    async def run(self, standing: Standing, first: bytes, go_on: Go, mark: Mark, headers: list[tuple[bytes, bytes]]) -> None:
        """Send everything until the watch is over."""
        await self._send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-type", self.content_type.encode()), UNBUFFERED, *headers]}
        )
        # The server sends the headers with the first chunk, and clients wait for them, so an empty chunk is sent too.
        await self._send({"type": "http.response.body", "body": first, "more_body": True, TOLD_ON: True})
        gone = asyncio.create_task(self._until_gone())
        try:
            with suppress(WatchOver):
                if self._of.at_ms is None:
                    await self._live(standing, go_on, mark, gone)
                else:
                    await self._still(standing, mark, gone)
        finally:
            gone.cancel()
        with suppress(OSError):
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _live(self, standing: Standing, go_on: Go, mark: Mark, gone: asyncio.Task[None]) -> None:
        listener = DoorListener(hears_clock=self._waiting.counts)
        PRESENCE.enter(self._of.run_id, self._address)
        try:
            hub = await HUBS.join(self._of.run_id, listener)
            try:
                with suppress(*AWAY):
                    await hub.attend()
                row = await HUBS.row(self._of.run_id)
                hub.saw_head(row.head_seq if row is not None else 0)
                listener.awake.set()
                marked_s = monotonic()
                while not gone.done() and not listener.is_over and monotonic() < self._end_s:
                    await self._wait(listener.awake, gone, min(self._end_s, marked_s + BOOKMARK_S, self._pace.due_s))
                    listener.awake.clear()
                    await self._waiting.look()
                    if hub.head > standing.seq:
                        further, text = await go_on(standing)
                        await self._send_text(text)
                        if further is None:
                            break
                        standing = further
                        await asyncio.sleep(REST_S)
                        if text:
                            self._pace.told()
                    last = b"" if gone.done() else await self._pace.go_on(standing)
                    await self._send_text(last)
                    if last or self._pace.is_over:
                        break
                    if monotonic() >= marked_s + BOOKMARK_S:
                        await self._send_text(await mark(standing) or self._sign)
                        marked_s = monotonic()
            finally:
                await self._waiting.end()
                with suppress(*AWAY):
                    PRESENCE.leave(self._of.run_id, self._address)
                    self._address = ""
                    await hub.viewer_left()
                await HUBS.leave(hub, listener)
        finally:
            if self._address:
                PRESENCE.leave(self._of.run_id, self._address)

    async def _still(self, standing: Standing, mark: Mark, gone: asyncio.Task[None]) -> None:
        """Serve a moment of the past: nothing happens, but the client is shown that the watch is alive."""
        never = asyncio.Event()
        while not gone.done() and monotonic() < self._end_s:
            await self._wait(never, gone, min(self._end_s, monotonic() + BOOKMARK_S))
            if monotonic() < self._end_s:
                await self._send_text(await mark(standing) or self._sign)

    async def _wait(self, awake: asyncio.Event, gone: asyncio.Task[None], until_s: float) -> None:
        waking = asyncio.create_task(awake.wait())
        try:
            await asyncio.wait({waking, gone}, timeout=max(0.0, until_s - monotonic()), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waking.cancel()

    async def _until_gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _send_text(self, text: bytes) -> None:
        if text:
            await self._send({"type": "http.response.body", "body": text, "more_body": True, TOLD_ON: True})
