"""SPDY streams over a connection that carries bytes: the tunnel of kubectl's port-forward, and the upgrade that older clients ask for.

The application sees either as a WebSocket (``lifecycle_site.spdy_upgrade`` turns an upgrade into one).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from lifecycle_site.addresses import Receive, Send
from simulator.door.channel_line import ConnectionClosed
from simulator.door.channels import CLOSE, ERROR, RESIZE, STDERR, STDIN, STDOUT
from simulator.door.portforward import REQUEST_MAX, PodPort
from simulator.door.spdy import BadSpdy, Spdy, SpdyEvent, StreamData, StreamOpened, StreamReset
from simulator.engine.kernel.bounded import whole_number

IDLE_S, FORWARD_S_MAX, OPENING_S = 900.0, 3600.0, 30.0
"""How long without data, how long in all, and how long until the streams of a command are open."""
CHANNELS = {"stdin": STDIN, "stdout": STDOUT, "stderr": STDERR, "error": ERROR, "resize": RESIZE}
DELAY_S_MAX = 10.0
"""The longest time to wait for a pod that answers late."""
AskPort = Callable[[int, bytes], Awaitable[PodPort]]


class SpdyPipe:
    """A connection whose messages are pieces of SPDY."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self.spdy = Spdy()
        self._receive, self._send = receive, send
        self.is_gone = False

    async def receive(self) -> list[SpdyEvent] | None:
        """The next events; None once the peer is gone or violates the protocol."""
        if self.is_gone or self.spdy.is_over:
            return None
        message = await self._receive()
        if message["type"] == "websocket.disconnect":
            self.is_gone = True
            return None
        try:
            events = self.spdy.receive(message.get("bytes") or b"")
        except BadSpdy:
            await self.close()
            return None
        await self.flush()
        return events

    async def flush(self) -> None:
        """Send what is pending."""
        data = self.spdy.taken()
        if data and not self.is_gone:
            await self._send({"type": "websocket.send", "bytes": data})

    async def close(self) -> None:
        """Close the connection cleanly."""
        if not self.is_gone:
            self.spdy.go_away()
            await self.flush()
            await self._send({"type": "websocket.close", "code": 1000})
            self.is_gone = True


class SpdyLine:
    """The channels of exec and attach as streams, each with a header that names its channel."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._pipe = SpdyPipe(receive, send)
        self._channels: dict[int, int] = {}
        self._streams: dict[int, int] = {}
        self._received: list[tuple[int, bytes]] = []

    async def opened(self, wanted: set[int]) -> bool:
        """Wait until the client has opened these channels; False if it goes away first."""
        with suppress(TimeoutError):
            async with asyncio.timeout(OPENING_S):
                while not wanted <= set(self._streams):
                    events = await self._pipe.receive()
                    if events is None:
                        return False
                    self._take(events)
                    await self._pipe.flush()
                return True
        await self._pipe.close()
        return False

    async def receive(self) -> tuple[int, bytes] | None:
        """The next piece from the client."""
        while not self._received:
            events = await self._pipe.receive()
            if events is None:
                return None
            self._take(events)
            await self._pipe.flush()
        return self._received.pop(0)

    async def send(self, channel: int, data: bytes) -> None:
        """Send a piece of data on a channel's stream, if it has one."""
        stream = self._streams.get(channel)
        if stream is not None:
            self._pipe.spdy.send(stream, data)
            await self._pipe.flush()

    async def close(self) -> None:
        """End every stream and the connection."""
        for stream in self._streams.values():
            self._pipe.spdy.send(stream, b"", is_end=True)
        await self._pipe.close()

    def _take(self, events: list[SpdyEvent]) -> None:
        for event in events:
            if isinstance(event, StreamOpened):
                self._pipe.spdy.reply(event.stream)
                channel = CHANNELS.get(event.headers.get("streamtype", ""))
                if channel is not None and channel not in self._streams:
                    self._streams[channel], self._channels[event.stream] = event.stream, channel
            elif isinstance(event, StreamData):
                channel = self._channels.get(event.stream)
                if channel is not None and event.data:
                    self._received.append((channel, event.data))
                if channel == STDIN and event.is_end:
                    self._received.append((CLOSE, b""))


class PortForward:
    """Pairs of streams, each pair a connection to a port of the pod: one for its data, one for the error if there is none."""

    def __init__(self, receive: Receive, send: Send, ask: AskPort) -> None:
        self._pipe, self._ask = SpdyPipe(receive, send), ask
        self._requests: dict[int, bytes] = {}
        self._data: dict[int, tuple[int, str]] = {}
        self._errors: dict[str, int] = {}
        self._answering: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Answer until the client goes, or asks nothing for a quarter of an hour."""
        with suppress(TimeoutError, OSError, ConnectionClosed):
            async with asyncio.timeout(FORWARD_S_MAX):
                await self._serve()
        for task in self._answering.values():
            task.cancel()
        with suppress(OSError):
            await self._pipe.close()

    async def _serve(self) -> None:
        while True:
            async with asyncio.timeout(IDLE_S):
                events = await self._pipe.receive()
            if events is None:
                return
            for event in events:
                self._take(event)
            await self._pipe.flush()

    def _take(self, event: SpdyEvent) -> None:
        if isinstance(event, StreamOpened):
            self._pipe.spdy.reply(event.stream)
            self._opened(event.stream, event.headers)
        elif isinstance(event, StreamData) and event.stream in self._data:
            if event.data:
                self._requests[event.stream] = (self._requests[event.stream] + event.data)[: REQUEST_MAX + 1]
                # One answer at a time for each connection: data that arrives meanwhile is handled afterwards.
                if event.stream not in self._answering:
                    self._answering[event.stream] = asyncio.create_task(self._answered(event.stream))
            elif event.is_end and not self._requests[event.stream]:
                self._end(event.stream, b"")
        elif isinstance(event, StreamReset):
            self._forget(event.stream)

    def _forget(self, stream: int) -> None:
        """Drop everything about a stream that the client has reset: it may open the next one at once."""
        self._data.pop(stream, None)
        self._requests.pop(stream, None)
        if (task := self._answering.get(stream)) is not None:
            task.cancel()
        for pair in [pair for pair, error in self._errors.items() if error == stream]:
            del self._errors[pair]

    def _opened(self, stream: int, headers: Mapping[str, str]) -> None:
        pair = f"{headers.get('port')}/{headers.get('requestid')}"
        if headers.get("streamtype") == "error":
            self._errors[pair] = stream
        elif headers.get("streamtype") == "data":
            self._data[stream], self._requests[stream] = (whole_number(headers.get("port", ""), most=65_535) or 0, pair), b""

    async def _answered(self, stream: int) -> None:
        """Try to answer a request until it is complete or no more data has arrived."""
        seen = -1
        try:
            while stream in self._data and len(self._requests[stream]) != seen:
                seen = len(self._requests[stream])
                await self._answer(stream)
        finally:
            del self._answering[stream]

    async def _answer(self, stream: int) -> None:
        port, pair = self._data[stream]
        try:
            said = await self._ask(port, self._requests[stream])
        except ConnectionClosed:
            await self._pipe.close()
            return
        if stream not in self._data or not (said.answer or said.error):
            return
        await asyncio.sleep(min(said.delay_ms / 1000, DELAY_S_MAX))
        error = self._errors.get(pair)
        if said.error and error is not None:
            self._pipe.spdy.send(error, said.error.encode())
        self._end(stream, said.answer)
        await self._pipe.flush()

    def _end(self, stream: int, data: bytes) -> None:
        if stream not in self._data:
            return
        _, pair = self._data.pop(stream)
        self._requests.pop(stream, None)
        self._pipe.spdy.send(stream, data, is_end=True)
        error = self._errors.pop(pair, None)
        if error is not None:
            self._pipe.spdy.send(error, b"", is_end=True)
            self._pipe.spdy.close(error)
        self._pipe.spdy.close(stream)
