"""Connections that older Kubernetes clients upgrade to SPDY, which Daphne does not support, passed to the application as sockets.

The application sees a WebSocket whose subprotocol is ``SPDY/3.1``, with each received chunk as a message. It may refuse the connection
with an HTTP response (the ASGI extension "websocket.http.response"), since clients show its text to their users.
"""

from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from twisted.internet.protocol import Protocol as TwistedProtocol
from twisted.protocols.policies import ProtocolWrapper

from lifecycle_site.unread import UnreadBound

SPDY = "SPDY/3.1"
QUEUE_MAX = 64
"""Messages that may wait for the application; reading pauses for a connection with this many."""
TURN_S = 0.05


def wants_spdy(request: Any) -> bool:
    """Whether a request asks for SPDY and has no body: any bytes that follow are SPDY already."""
    upgrade = (request.requestHeaders.getRawHeaders(b"Upgrade") or [b""])[0]
    return bool(upgrade.lower() == SPDY.lower().encode()) and not request.content.read(1)


_Protocol: Any = TwistedProtocol  # its annotations are too sparse to be useful


class SpdyUpgrade(_Protocol):  # type: ignore[misc]
    """The protocol that takes over the connection of a request for SPDY."""

    application_type = "websocket"

    def __init__(self, request: Any, reactor: Any) -> None:
        self._server, self._reactor = request.server, reactor
        self._headers = [
            (name.lower(), value) for name, values in request.requestHeaders.getAllRawHeaders() for value in values if b"_" not in name
        ]
        self._path, self._query = request.path, request.uri.partition(b"?")[2]
        host, peer = request.getHost(), request.client
        self._client, self._here = [str(peer.host), peer.port], [str(host.host), host.port]
        self._queue: Any = None
        self._is_accepted = self._is_closed = False
        self._early: list[bytes] = []
        self._unread = UnreadBound()

    def take_over(self, request: Any) -> None:
        """Become the protocol of the request's connection, and open the application's socket."""
        transport, request.transport = request.transport, None
        if isinstance(transport, ProtocolWrapper):
            transport.wrappedProtocol = self
        else:
            transport.protocol = self
        self.makeConnection(transport)
        self._server.protocol_connected(self)
        scope = {
            "type": "websocket",
            "path": unquote(self._path.decode("ascii")),
            "raw_path": self._path,
            "root_path": "",
            "headers": self._headers,
            "query_string": self._query,
            "client": self._client,
            "server": self._here,
            "subprotocols": [SPDY],
            "extensions": {"websocket.http.response": {}},
        }
        self._queue = self._server.create_application(self, scope)
        self._queue.put_nowait({"type": "websocket.connect"})
        self._server.protocol_disconnected(request)
        request.channel._networkProducer.resumeProducing()

    def dataReceived(self, data: bytes) -> None:
        """A chunk has arrived."""
        self._queue.put_nowait({"type": "websocket.receive", "bytes": data})
        if self._queue.qsize() >= QUEUE_MAX:
            self.transport.pauseProducing()
            self._reactor.callLater(TURN_S, self._go_on)

    def _go_on(self) -> None:
        if self._is_closed:
            return
        if self._queue.qsize() >= QUEUE_MAX:
            self._reactor.callLater(TURN_S, self._go_on)
        else:
            self.transport.resumeProducing()

    def connectionLost(self, reason: Any = None) -> None:
        """The connection is gone."""
        if not self._is_closed:
            self._is_closed = True
            self._server.protocol_disconnected(self)
        if self._queue is not None:
            self._queue.put_nowait({"type": "websocket.disconnect", "code": 1006})

    def handle_reply(self, message: Any) -> None:
        """Carry out a message from the application."""
        kind = message["type"]
        if kind == "websocket.accept":
            self._is_accepted = True
            lines = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", f"Upgrade: {SPDY}"]
            lines += [f"{name.decode('latin-1')}: {value.decode('latin-1')}" for name, value in message.get("headers", [])]
            self._write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        elif kind == "websocket.send":
            self._write(message["bytes"])
        elif kind == "websocket.http.response.start":
            reason = HTTPStatus(message["status"]).phrase
            lines = [f"HTTP/1.1 {message['status']} {reason}", "Connection: close"]
            lines += [f"{name.decode('latin-1')}: {value.decode('latin-1')}" for name, value in message["headers"]]
            self._write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        elif kind == "websocket.http.response.body":
            self._write(message["body"])
            self._end()
        elif kind == "websocket.close":
            if not self._is_accepted:
                self._write(b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            self._end()

    def handle_exception(self, exception: Exception) -> None:
        """The application has failed."""
        if not self._is_accepted:
            self._write(b"HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        self._end()

    def check_timeouts(self) -> None:
        """Do nothing: the application ends stalled connections."""

    def _write(self, data: bytes) -> None:
        if self._is_closed:
            return
        if self._unread.is_met(self.transport, len(data)):
            self.transport.abortConnection()
        else:
            self.transport.write(data)

    def _end(self) -> None:
        if not self._is_closed:
            self.transport.loseConnection()

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other
