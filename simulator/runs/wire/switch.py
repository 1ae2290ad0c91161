"""A channel layer for one machine: the groups of one process, connected by sockets to those of the processes that it started.

A site on one machine needs no broker. Its web process has a ``SwitchLayer``, and each worker that it starts an ``UplinkLayer``: anything
a worker sends to a group arrives in the web process, and the web process passes messages for the workers' groups to all of them. As with
every layer, messages may be lost, here if a worker has died or does not read.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Any

import msgspec
from channels.layers import InMemoryChannelLayer

HEAD_BYTES = 4
FRAME_BYTES_MAX = 1 << 20
WAITING_BYTES_MAX = 4 << 20
"""A worker with more unread bytes than this gets no further messages until it has caught up: hints may be lost."""

CLEAN_S = 1.0

Heard = Callable[[str, Any], Awaitable[None]]


class Link:
    """One end of a socket between two processes on this machine. It carries messages, a word and an encodable content each, in order."""

    def __init__(self, sock: socket.socket, heard: Heard) -> None:
        self._sock, self._heard = sock, heard
        self._writer: asyncio.StreamWriter | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._early: list[bytes] = []

    async def serve(self) -> None:
        """Receive messages until the other end is gone. Each one is handled before the next is read."""
        try:
            reader, self._writer = await asyncio.open_connection(sock=self._sock)
        except BaseException:
            self._sock.close()
            raise
        self._loop = asyncio.get_running_loop()
        # Messages sent before there was a loop, for instance a stop while the process is starting.
        for frame in self._early:
            self._write(frame)
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(HEAD_BYTES))
                # Nothing here sends such a frame: the stream is out of sync and cannot be recovered.
                if size > FRAME_BYTES_MAX:
                    return
                word, content = msgspec.msgpack.decode(await reader.readexactly(size))
                await self._heard(word, content)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            # Cleared first, so that nothing is written to a link that is being closed.
            writer, self._writer = self._writer, None
            writer.transport.abort()  # a peer that does not read would keep it open
            with suppress(ConnectionError):
                await writer.wait_closed()

    def close(self) -> None:
        """Close a link that is not being served."""
        self._sock.close()

    def send(self, word: str, content: Any = None) -> None:
        """Send a message, from any thread. It is dropped if the other end is gone, or has too much unread data."""
        body = msgspec.msgpack.encode((word, content))
        frame = len(body).to_bytes(HEAD_BYTES) + body
        if self._loop is None:
            self._early.append(frame)
        elif not self._loop.is_closed():
            # Always through the loop, even from the loop itself, so that frames stay in order.
            self._loop.call_soon_threadsafe(self._write, frame)

    def _write(self, frame: bytes) -> None:
        writer = self._writer
        # Dropped rather than kept for a process that does not read, since all messages are only hints.
        if writer is not None and writer.transport.get_write_buffer_size() < WAITING_BYTES_MAX:
            writer.write(frame)


class _CalmLayer(InMemoryChannelLayer):  # type: ignore[misc]  # channels has no types
    """Expires old messages once a second. Channels' own layer does so on every message, for all channels."""

    _cleaned_s = float("-inf")

    def _clean_expired(self) -> None:
        now_s = monotonic()
        if now_s - self._cleaned_s >= CLEAN_S:
            self._cleaned_s = now_s
            super()._clean_expired()


class SwitchLayer(_CalmLayer):
    """The channel layer of the process that started the others."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._links: dict[Link, frozenset[str]] = {}

    def attach(self, link: Link, groups: frozenset[str]) -> None:
        """Pass messages to these groups on to the link's worker from now on."""
        self._links[link] = groups

    def detach(self, link: Link) -> None:
        """The worker is gone."""
        self._links.pop(link, None)

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Send to the whole group, here and in workers."""
        await super().group_send(group, message)
        # A copy: a worker may be lost while this is sent.
        for link, groups in list(self._links.items()):
            if group in groups:
                link.send("group", (group, message))


class UplinkLayer(_CalmLayer):
    """The channel layer of a worker: it sends through the web process, and delivers what comes from there."""

    def __init__(self, link: Link, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._link = link

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Send to the whole group; messages for this worker come back."""
        # Not to its own members directly: the web process sends it back, so everybody gets messages in the same order.
        self._link.send("group", (group, message))

    async def heard(self, group: str, message: dict[str, Any]) -> None:
        """Deliver a message passed on by the web process."""
        await super().group_send(group, message)
