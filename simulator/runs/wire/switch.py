"""The channel layer of one machine: groups of one process, joined by sockets with those of the processes that it started.

The embedded site needs no broker. Its web process has a ``SwitchLayer``, and each worker that it starts an ``UplinkLayer``: whatever
a worker sends to a group arrives in the web process, and what the web process hears for the workers' groups goes to all of them. As
with every layer a message may be lost, here where a worker has died or does not read.
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
"""A worker that leaves more than this unread hears nothing further until it has read on: hints may be lost."""

CLEAN_S = 1.0

Heard = Callable[[str, Any], Awaitable[None]]


class Link:
    """One end of a socket between two processes of this machine: words with something encodable each, in order."""

    def __init__(self, sock: socket.socket, heard: Heard) -> None:
        self._sock, self._heard = sock, heard
        self._writer: asyncio.StreamWriter | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._early: list[bytes] = []

    async def serve(self) -> None:
        """Hear until the other end is gone. Each word is awaited before the next is read."""
        try:
            reader, self._writer = await asyncio.open_connection(sock=self._sock)
        except BaseException:
            self._sock.close()
            raise
        self._loop = asyncio.get_running_loop()
        # Said before there was a loop to send it from, for instance a stop that comes while the process
        # starts.
        for frame in self._early:
            self._write(frame)
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(HEAD_BYTES))
                # Nothing here sends such a frame: the stream is out of step, and cannot be put right.
                if size > FRAME_BYTES_MAX:
                    return
                word, content = msgspec.msgpack.decode(await reader.readexactly(size))
                await self._heard(word, content)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            # Taken first, so that nothing is written to a link that is being closed.
            writer, self._writer = self._writer, None
            writer.transport.abort()  # whoever does not read would keep it open
            with suppress(ConnectionError):
                await writer.wait_closed()

    def close(self) -> None:
        """Give up a link that is not served, or no longer."""
        self._sock.close()

    def send(self, word: str, content: Any = None) -> None:
        """Send a word, from any thread. Nothing is sent where nobody is there, or where too much waits to be read."""
        body = msgspec.msgpack.encode((word, content))
        frame = len(body).to_bytes(HEAD_BYTES) + body
        if self._loop is None:
            self._early.append(frame)
        elif not self._loop.is_closed():
            # Always by the loop, also from the loop itself: frames keep the order in which they were sent.
            self._loop.call_soon_threadsafe(self._write, frame)

    def _write(self, frame: bytes) -> None:
        writer = self._writer
        # Dropped rather than kept for a process that does not read: all that is sent here are hints.
        if writer is not None and writer.transport.get_write_buffer_size() < WAITING_BYTES_MAX:
            writer.write(frame)


class _CalmLayer(InMemoryChannelLayer):  # type: ignore[misc]  # channels has no types
    """Looks for what is too old once a second. Channels' own layer does at every message, and through all channels."""

    _cleaned_s = float("-inf")

    def _clean_expired(self) -> None:
        now_s = monotonic()
        if now_s - self._cleaned_s >= CLEAN_S:
            self._cleaned_s = now_s
            super()._clean_expired()


class SwitchLayer(_CalmLayer):
    """The layer of the process that started the others."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._links: dict[Link, frozenset[str]] = {}

    def attach(self, link: Link, groups: frozenset[str]) -> None:
        """From now on the link's worker hears what is sent to these groups."""
        self._links[link] = groups

    def detach(self, link: Link) -> None:
        """The worker is gone."""
        self._links.pop(link, None)

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Send to everybody of the group, here and in workers."""
        await super().group_send(group, message)
        # A copy: a worker may be lost while this is sent.
        for link, groups in list(self._links.items()):
            if group in groups:
                link.send("group", (group, message))


class UplinkLayer(_CalmLayer):
    """The layer of a worker: what it sends goes up, what comes down is its own."""

    def __init__(self, link: Link, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._link = link

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Send to everybody of the group; what is for this worker too comes back."""
        # Not to its own members directly: the web process sends it back, so everyone hears messages in one
        # order.
        self._link.send("group", (group, message))

    async def heard(self, group: str, message: dict[str, Any]) -> None:
        """The web process passes something on."""
        await super().group_send(group, message)
