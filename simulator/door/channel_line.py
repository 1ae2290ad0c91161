"""A connection with channels, as exec and attach use it: over a WebSocket, or over SPDY streams (``spdy_line``)."""

import asyncio
from typing import Protocol

from lifecycle_site.addresses import Receive, Send
from simulator.door.channels import CLOSE, STDIN


class ConnectionClosed(Exception):
    """The connection has to end: its key was revoked, or no worker can answer."""


class ChannelLine(Protocol):
    """Both directions of a connection with channels."""

    async def receive(self) -> tuple[int, bytes] | None:
        """The next piece from the client: its channel (CLOSE means stdin has ended) and data; None once the client is gone."""

    async def send(self, channel: int, data: bytes) -> None:
        """Send a piece of data on a channel."""

    async def close(self) -> None:
        """Close the connection cleanly."""


class WebSocketLine:
    """Channels over a WebSocket: the first byte of each frame is the channel."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._is_gone = False

    async def receive(self) -> tuple[int, bytes] | None:
        """The next piece from the client."""
        while not self._is_gone:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                self._is_gone = True
            elif message["type"] == "websocket.receive":
                data = message.get("bytes") or (message.get("text") or "").encode()
                if data:
                    return (CLOSE, b"") if data[0] == CLOSE and data[1:2] == bytes((STDIN,)) else (data[0], data[1:])
        return None

    async def send(self, channel: int, data: bytes) -> None:
        """Send a piece of data, unless the client is gone."""
        if not self._is_gone:
            await self._send({"type": "websocket.send", "bytes": bytes((channel,)) + data})

    async def close(self) -> None:
        """Close with code 1000, as after a complete answer."""
        if not self._is_gone:
            await self._send({"type": "websocket.close", "code": 1000})


class ClientInput:
    """What a client sends, collected by a task of its own: input until it is taken, and whether the client is gone."""

    def __init__(self, line: ChannelLine, most: int) -> None:
        self._line, self._most = line, most
        self._input, self._taken = bytearray(), 0
        self.is_ended = self.is_gone = self.is_too_much = False
        self.news = asyncio.Event()
        self._task = asyncio.create_task(self._gather())

    def take(self) -> bytes:
        """The input received since the last call."""
        data = bytes(self._input)
        self._input.clear()
        return data

    def stop(self) -> None:
        """Stop receiving."""
        self._task.cancel()

    async def _gather(self) -> None:
        try:
            while (piece := await self._line.receive()) is not None:
                channel, data = piece
                if channel == STDIN and not self.is_ended:
                    self._taken += len(data)
                    self.is_too_much = self.is_too_much or self._taken > self._most
                    if not self.is_too_much:
                        self._input += data
                elif channel == CLOSE:
                    self.is_ended = True
                else:
                    continue
                self.news.set()
        finally:
            self.is_gone = True
            self.news.set()
