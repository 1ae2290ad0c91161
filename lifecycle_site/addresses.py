"""Find the visitor's address behind proxies: the only module that reads X-Forwarded-For, for pages and sockets alike.

Each proxy appends the address it was called from, so only the rightmost entries can be trusted, one for each proxy of ours.
Anything further left is whatever the visitor chose to send.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from ipaddress import IPv6Address, ip_address
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_WITH_PORT = re.compile(r"(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?")
"""``[2001:db8::1]:4711``, ``[2001:db8::1]``, ``192.0.2.1:4711`` or ``192.0.2.1``; a bare IPv6 address has too many colons to match."""


class BehindProxies:
    """An ASGI application that takes the visitor's address from the ``count`` proxies in front of it; with 0 it trusts no header.

    If the header has fewer entries, or the relevant one is not an address, the connection's own peer address is kept.
    """

    def __init__(self, application: Application, *, count: int) -> None:
        self._application = application
        self._count = count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the connection on with ``client`` corrected. Everything that limits by address reads it from there."""
        if self._count and scope["type"] in {"http", "websocket"}:
            address = forwarded_for(scope["headers"], count=self._count)
            if address:
                scope = {**scope, "client": [address, 0]}
        await self._application(scope, receive, send)


def forwarded_for(headers: Iterable[tuple[bytes, bytes]], *, count: int) -> str:
    """The ``count``-th entry of X-Forwarded-For from the right as a plain address; empty if it is missing or not an address."""
    lines = [value.decode("latin-1") for name, value in headers if name.lower() == b"x-forwarded-for"]
    entries = ",".join(lines).split(",")
    return _address(entries[-count]) if len(entries) >= count else ""


def _address(entry: str) -> str:
    """The address in an entry without port, brackets and quotation marks, in canonical form; empty if it is not an address."""
    text = entry.strip().strip('"')
    parts = _WITH_PORT.fullmatch(text)
    if parts is not None:
        text = parts[1] or parts[2] or ""
    try:
        address = ip_address(text)
    except ValueError:
        return ""
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return str(address)
