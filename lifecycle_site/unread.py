"""Disconnect clients of endless responses and sockets that do not read what they are sent.

Nothing waits for such a client, so its unread data piles up in memory. A client that is disconnected reconnects and resumes where it was;
one that reads slowly is left alone as long as it stays under the limit.
"""

from time import monotonic
from typing import Any

UNREAD_MAX = 4_194_304
"""Unread bytes that a client may have when more is about to be sent."""
STALLED_S = 60.0
"""How long a client may read nothing of its pending data. Checked whenever more is sent; a watch sends something every 25 seconds."""
TOLD_ON = "podscope.told_on"
"""Key in the messages of a response that continues until its client leaves; like ``more_body``, which a merely long response has."""


class UnreadBound:
    """Tracks whether one client is too far behind."""

    def __init__(self) -> None:
        self._written = self._taken = 0
        self._since_s = monotonic()

    def is_met(self, transport: Any, size: int) -> bool:
        """Whether to disconnect the client rather than send ``size`` more bytes, which count as written if not."""
        unread, now_s = unread_of(transport), monotonic()
        if not unread or self._written - unread > self._taken:
            self._taken, self._since_s = self._written - unread, now_s
        self._written += size
        return unread > UNREAD_MAX or now_s - self._since_s > STALLED_S


def unread_of(transport: Any) -> int:
    """Bytes that Twisted is buffering for a connection, below any TLS layer."""
    while not hasattr(transport, "_tempDataLen") and hasattr(transport, "transport"):
        transport = transport.transport
    held = getattr(transport, "dataBuffer", b"")
    return len(held) - getattr(transport, "offset", 0) + getattr(transport, "_tempDataLen", 0)
