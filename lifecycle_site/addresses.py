"""Whose request it is, where proxies stand between: the one place that reads X-Forwarded-For, for pages and sockets alike.

Each proxy appends the address it was called from, so only the entries from the right can be believed, one for each proxy of ours.
What stands further left is whatever the visitor chose to write.
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
"""``[2001:db8::1]:4711``, ``[2001:db8::1]``, ``192.0.2.1:4711`` or ``192.0.2.1``; a bare IPv6 address has too many colons for it."""


class BehindProxies:
    """An ASGI application that is told the visitor's address by the ``count`` proxies in front of it; 0 believes no header.

    Where the header has fewer entries, or the one that counts is no address, the peer of the connection stays who it is.
    """

    def __init__(self, application: Application, *, count: int) -> None:
        self._application = application
        self._count = count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on the connection with ``client`` corrected. Everything that limits by address reads it from there."""
        if self._count and scope["type"] in {"http", "websocket"}:
            address = forwarded_for(scope["headers"], count=self._count)
            if address:
                scope = {**scope, "client": [address, 0]}
        await self._application(scope, receive, send)


def forwarded_for(headers: Iterable[tuple[bytes, bytes]], *, count: int) -> str:
    """The ``count``-th entry of X-Forwarded-For from the right as a plain address; empty where there is none or it is no address."""
    lines = [value.decode("latin-1") for name, value in headers if name.lower() == b"x-forwarded-for"]
    entries = ",".join(lines).split(",")
    return _address(entries[-count]) if len(entries) >= count else ""


def _address(entry: str) -> str:
    """The address of an entry without port, brackets and quotation marks, in its canonical form; empty where it is none."""
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
