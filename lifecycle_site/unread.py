"""What clients are told for as long as they listen, and do not read: a connection whose client is too far behind is cut.

Nothing waits for such a client, so what it has not read is kept for it in memory, and more comes. Who is cut comes back and goes on where
it was; who reads slowly, but reads, is left alone up to the bound.
"""

from time import monotonic
from typing import Any

UNREAD_MAX = 4_194_304
"""Bytes that may wait for a client when there is more to tell it."""
STALLED_S = 60.0
"""So long a client may take nothing of what waits for it. It is looked at when there is more to tell: of a watch every 25 seconds."""
TOLD_ON = "podscope.told_on"
"""In a piece of an answer that goes on until its client leaves, as ``more_body`` in one that is only long."""


class UnreadBound:
    """Whether one client is too far behind."""

    def __init__(self) -> None:
        self._written = self._taken = 0
        self._since_s = monotonic()

    def is_met(self, transport: Any, size: int) -> bool:
        """Whether the client is cut instead of being told ``size`` bytes more; where it is not, they count as written."""
        unread, now_s = unread_of(transport), monotonic()
        if not unread or self._written - unread > self._taken:
            self._taken, self._since_s = self._written - unread, now_s
        self._written += size
        return unread > UNREAD_MAX or now_s - self._since_s > STALLED_S


def unread_of(transport: Any) -> int:
    """Bytes that Twisted keeps for a connection, below whatever encrypts it."""
    while not hasattr(transport, "_tempDataLen") and hasattr(transport, "transport"):
        transport = transport.transport
    held = getattr(transport, "dataBuffer", b"")
    return len(held) - getattr(transport, "offset", 0) + getattr(transport, "_tempDataLen", 0)
