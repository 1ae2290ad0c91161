"""A connection with channels, as exec and attach use it: over a WebSocket, or (``spdy_channels``) over streams of SPDY."""

import asyncio
from typing import Protocol

from lifecycle_site.addresses import Receive, Send
from simulator.door.channels import CLOSE, STDIN


class LineOver(Exception):
    """What was open ends here, as its key opens nothing any more or nobody can answer."""


class ChannelLine(Protocol):
    """Both ways of a connection with channels."""

    async def hear(self) -> tuple[int, bytes] | None:
        """The next piece that the client sends: channel (CLOSE: nothing follows on stdin) and data; None once it is gone."""

    async def say(self, channel: int, data: bytes) -> None:
        """Send a piece."""

    async def close(self) -> None:
        """End the connection in good order."""


class WebSocketLine:
    """Channels over a WebSocket: a byte in front of each frame says which."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._is_gone = False

    async def hear(self) -> tuple[int, bytes] | None:
        """The next piece that the client sends."""
        while not self._is_gone:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                self._is_gone = True
            elif message["type"] == "websocket.receive":
                data = message.get("bytes") or (message.get("text") or "").encode()
                if data:
                    return (CLOSE, b"") if data[0] == CLOSE and data[1:2] == bytes((STDIN,)) else (data[0], data[1:])
        return None

    async def say(self, channel: int, data: bytes) -> None:
        """Send a piece, if there is still somebody."""
        if not self._is_gone:
            await self._send({"type": "websocket.send", "bytes": bytes((channel,)) + data})

    async def close(self) -> None:
        """Close as after a whole answer."""
        if not self._is_gone:
            await self._send({"type": "websocket.close", "code": 1000})


class Heard:
    """What a client sends, gathered by a task of its own: pieces of input until they are asked for, and whether it is gone."""

    def __init__(self, line: ChannelLine, most: int) -> None:
        self._line, self._most = line, most
        self._input, self._taken = bytearray(), 0
        self.is_ended = self.is_gone = self.is_too_much = False
        self.news = asyncio.Event()
        self._task = asyncio.create_task(self._gather())

    def take(self) -> bytes:
        """The input that has come since."""
        data = bytes(self._input)
        self._input.clear()
        return data

    def stop(self) -> None:
        """Listen no more."""
        self._task.cancel()

    async def _gather(self) -> None:
        try:
            while (piece := await self._line.hear()) is not None:
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
