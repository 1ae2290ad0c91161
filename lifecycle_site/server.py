"""Daphne with limits, so that no visitor takes more than a fair share of the event loop, which all visitors share.

Daphne spools a whole body before the site sees the first byte, has Twisted decode it as a form as well, and queues everything that a
websocket sends. ``manage.py serve`` uses this server; the ``daphne`` command gets it through ``install`` (see ``lifecycle_site.asgi``).
"""

import gc
import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.server import Server
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from twisted.internet import reactor as installed_reactor
from twisted.web.http import HTTPChannel

from lifecycle_site.bodies import BODY_TOO_LARGE, body_bytes_max
from lifecycle_site.connections import keep_connections
from lifecycle_site.ending import leave
from lifecycle_site.spdy_upgrade import SpdyUpgrade, wants_spdy
from lifecycle_site.unread import TOLD_ON, UnreadBound
from simulator.runs.turns.constants import SWITCH_S

reactor: Any = installed_reactor  # Twisted picks the class at run time, which types cannot express
_Channel: Any = HTTPChannel  # its annotations are too sparse to be useful

ROOT_HEADER, PROTOCOL_HEADER = b"Daphne-Root-Path", b"Sec-WebSocket-Protocol"
DOOR = b"/k8s/"
"""Part of the URL of a run's API; only sockets there use subprotocols."""
LINGER_S = 2.0
"""How long a refused body is still read and discarded: if the connection were closed at once, the client would never see the response."""
FRAMES_AT_ONCE = 8
"""Frames of one socket that are processed before others get a turn; more than a page sends in that time."""
CLOSING_TURNS = 4
"""How many turns a closing socket gets to receive the peer's close frame, before it is cut off for sending other data instead."""
QUEUE_MAX = 32
"""Messages of one socket that may wait for the application; a socket with this many is not read any further."""
TURN_S = 0.05


class BoundedRequest(WebRequest):  # type: ignore[misc]  # daphne has no types
    """A request whose body is refused if its Content-Length is too large, or as soon as more than the limit has arrived."""

    is_too_large = False
    _is_received = False

    def __init__(self, channel: Any, queued: Any = None) -> None:
        # The application decodes forms in its own threads; Twisted would do it here and block everybody.
        super().__init__(channel, queued, parsePOSTFormSubmission=False)
        self._unread = UnreadBound()

    def process(self) -> None:
        """Pass the request on, without the headers that only Daphne interprets.

        With one of them a visitor could choose the prefix of every URL on the page, and Daphne fails on non-ASCII characters in either.
        """
        self.requestHeaders.removeHeader(ROOT_HEADER)
        offered = self.requestHeaders.getRawHeaders(PROTOCOL_HEADER, [])
        if DOOR not in self.path or not all(value.isascii() for value in offered):
            self.requestHeaders.removeHeader(PROTOCOL_HEADER)
        if DOOR in self.path and self.path.isascii() and wants_spdy(self):
            SpdyUpgrade(self, reactor).take_over(self)
            return
        self.content.seek(0)
        super().process()

    def handle_reply(self, message: dict[str, Any]) -> None:
        """Send a message from the application. A client that does not read an endless response is disconnected."""
        channel = None if self.finished else self.channel
        if message.get(TOLD_ON) and channel is not None and self._unread.is_met(channel.transport, len(message["body"])):
            channel.transport.abortConnection()
            return
        super().handle_reply(message)

    def gotLength(self, length: int | None) -> None:
        """The headers have arrived with the length of the body; None if it is chunked."""
        self._left = most = body_bytes_max(getattr(self.channel, "_path", b""))
        if length is not None and length > most:
            self._refuse()
            self.channel.length = 0  # the channel then takes the request as complete
            self.requestHeaders.removeHeader(b"Expect")
        else:
            super().gotLength(length)

    def handleContentChunk(self, data: bytes) -> None:
        """A part of the body has arrived."""
        if self.is_too_large:
            return
        self._left -= len(data)
        if self._left >= 0:
            super().handleContentChunk(data)
            return
        self.content.close()
        self._refuse()
        reactor.callLater(0, self._end_body)

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        """The request is complete, or never will be."""
        self._is_received = True
        super().requestReceived(command, path, version)

    def _refuse(self) -> None:
        """Answer without reading the body, as the last request on the connection."""
        self.is_too_large = True
        self.content = BytesIO()
        self.channel.persistent = False
        self.channel.loseConnection = self.channel.linger
        self.responseHeaders.setRawHeaders(b"Connection", [b"close"])

    def _end_body(self) -> None:
        if not self._is_received and getattr(self, "channel", None) is not None:
            self.channel.allContentReceived()


class BoundedChannel(_Channel):  # type: ignore[misc]
    """A connection that answers malformed or oversized requests with an HTTP error and a message before it closes.

    Twisted drops the connection if a line is too long, and answers everything else it rejects with a bare 400. The messages are not
    translated, because the header with the browser's languages may not have arrived.
    """

    def lineReceived(self, line: bytes) -> None:
        """One line of a request, up to the end of its headers."""
        if self._receivedHeaderSize + len(line) > self.totalHeadersSize:
            self.lineLengthExceeded(line)
        else:
            super().lineReceived(line)

    def lineLengthExceeded(self, line: bytes) -> None:
        """The line, or the headers so far including it, exceeds the limit."""
        if self._receivedHeaderSize:
            self._answer(431, b"Request Header Fields Too Large", b"The headers are too large: the site reads 16 kB of them.")
        else:
            self._answer(414, b"URI Too Long", b"The address is too long: the site reads 16 kB of it.")

    def headerReceived(self, line: bytes) -> bool:
        """Take one header; return whether the request is still acceptable."""
        if self._receivedHeaderCount < self.maxHeaders:
            try:
                return bool(super().headerReceived(line))
            except ValueError:  # a Content-Length with more digits than Python converts
                self._respondToBadRequestAndDisconnect()
                return False
        self._answer(431, b"Request Header Fields Too Large", b"There are too many headers: the site reads %d." % self.maxHeaders)
        return False

    def _respondToBadRequestAndDisconnect(self) -> None:
        self._answer(400, b"Bad Request", b"The request is not valid HTTP.")

    def _answer(self, status: int, reason: bytes, words: bytes) -> None:
        """Answer in place of the application, as the last request on the connection."""
        lines = (
            b"HTTP/1.1 %d %s" % (status, reason),
            b"Content-Type: text/plain; charset=utf-8",
            b"Content-Length: %d" % (len(words) + 1),
            b"Cache-Control: no-store",
            b"X-Content-Type-Options: nosniff",
            b"Connection: close",
            b"",
            words + b"\n",
        )
        self.transport.write(b"\r\n".join(lines))
        self.setRawMode()
        self.clearLineBuffer()
        self.linger()

    def linger(self) -> None:
        """After the response is written: close our side, discard what still arrives, and disconnect soon."""
        transport = self.transport
        if not hasattr(transport, "loseWriteConnection"):
            transport.loseConnection()
            return
        self.rawDataReceived = lambda data: None
        transport.unregisterProducer()
        transport.resumeProducing()
        transport.loseWriteConnection()
        reactor.callLater(LINGER_S, transport.abortConnection)


class BoundedFactory(HTTPFactory):  # type: ignore[misc]  # daphne has no types
    """Makes connections with bounded requests. They speak only HTTP/1.1, even if packages for HTTP/2 are installed."""

    def protocol(self) -> BoundedChannel:
        """A new connection."""
        return BoundedChannel()

    def acceptableProtocols(self) -> list[bytes]:
        """The protocols offered through ALPN, if TLS terminates here."""
        return [b"http/1.1"]

    def buildProtocol(self, addr: Any) -> Any:
        """The protocol of a new connection."""
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = BoundedRequest
        return protocol


class Outlet:
    """Writes to a connection immediately, as far as the connection accepts it.

    Twisted registers for writability, writes in a later turn of the loop, and unregisters: a third of the cost of sending a frame
    (``make bench ARGS=load``, 1,000 viewers). Data that cannot be written immediately, or fails, still goes that way.
    """

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._is_held = self._is_asked = self._is_left = False
        self._start, self._stop = transport.startWriting, transport.stopWriting
        transport.startWriting, transport.stopWriting = self._started, self._stopped

    def write(self, send: Callable[[], None]) -> None:
        """Call ``send``, which writes to the connection, and flush; any data still pending goes out first."""
        self._is_held, self._is_asked = not self._is_left, False
        try:
            send()
        finally:
            self._is_held = False
            if self._is_asked:
                self._let_out()

    def close(self) -> None:
        """Restore the connection's own methods."""
        del self._transport.startWriting, self._transport.stopWriting

    def _let_out(self) -> None:
        self._is_left = True  # until the connection reports that nothing is
        if self._transport.doWrite() is not None or self._is_left:
            self._start()

    def _started(self) -> None:
        if self._is_held:
            self._is_asked = True
        else:
            self._is_left = True
            self._start()

    def _stopped(self) -> None:
        self._is_left = False
        self._stop()


class BoundedSocket(WebSocketProtocol):  # type: ignore[misc]  # daphne has no types
    """A websocket that is read a few frames at a time, and not at all while the application is behind.

    Otherwise everything that is received together is parsed together: 64 kB of pings block the loop for a fifth of a second.
    """

    _is_resting = False
    _closing_turns = 0
    _outlet: Outlet | None = None
    _unread: UnreadBound

    def connectionMade(self) -> None:
        """The socket has its connection. If TLS terminates here, the connection is written to in Twisted's own way."""
        super().connectionMade()
        self._unread = UnreadBound()
        if hasattr(self.transport, "doWrite"):
            self._outlet = Outlet(self.transport)

    def connectionLost(self, reason: Any) -> None:
        """The connection is gone."""
        if self._outlet is not None:
            self._outlet.close()
            self._outlet = None
        super().connectionLost(reason)

    def consumeData(self) -> None:
        """Process received data, for as long as it is this socket's turn."""
        if self.state == self.STATE_CLOSING:
            self._closing_turns += 1
            if self._closing_turns > CLOSING_TURNS:
                self.transport.abortConnection()
                return
        if self.state not in (self.STATE_OPEN, self.STATE_CLOSING):
            super().consumeData()
            return
        if self._is_resting:
            self.transport.pauseProducing()  # something resumed reading too early
            return
        for _turn in range(FRAMES_AT_ONCE):
            if self._is_behind():
                break
            if not self.processData() or self.state == self.STATE_CLOSED:
                return
        if self.data or self._is_behind():
            self._rest()

    def serverSend(self, content: str | bytes, binary: bool = False) -> None:
        """Send a message from the application. If the client has closed the socket meanwhile, the message is dropped without an error.

        A client that does not read is disconnected.
        """
        if self.state not in (self.STATE_CONNECTING, self.STATE_OPEN):
            return
        if self._unread.is_met(self.transport, len(content)):
            self.transport.abortConnection()
            return
        if self._outlet is None:
            super().serverSend(content, binary)
        else:
            self._outlet.write(partial(super().serverSend, content, binary))

    def _is_behind(self) -> bool:
        """Whether enough messages are already waiting for the application."""
        queue = getattr(self, "application_queue", None)
        return queue is not None and queue.qsize() >= QUEUE_MAX

    def _rest(self) -> None:
        """Stop reading until the next turn. TCP flow control then stops the client from sending."""
        self._is_resting = True
        self.transport.pauseProducing()
        reactor.callLater(TURN_S, self._go_on)

    def _go_on(self) -> None:
        self._is_resting = False
        if self.state == self.STATE_CLOSED or not self.transport.connected:
            return
        self.consumeData()
        if not self._is_resting:
            self.transport.resumeProducing()


class BoundedServer(Server):  # type: ignore[misc]  # daphne has no types
    """Daphne's server with bounded requests and sockets. Daphne has no hook for that: ``run`` makes both factories itself."""

    failure: BaseException | None = None
    """Why it could not listen. Daphne itself would exit as if all were well."""

    def __init__(self, *args: Any, on_run: Callable[[], None] | None = None, **kwargs: Any) -> None:
        """``on_run`` is called when the server starts, before it accepts requests."""
        kwargs.setdefault("request_buffer_size", 65_536)
        self._on_run = on_run
        super().__init__(*args, **kwargs)

    def run(self) -> None:
        """Serve until stopped. Everything loaded so far is permanent, so the garbage collector, which blocks the loop, need not scan it."""
        sys.setswitchinterval(SWITCH_S)
        keep_connections()
        gc.collect()
        gc.freeze()
        if self._on_run is not None:
            self._on_run()
        super().run()

    def listen_error(self, failure: Any) -> None:
        """Keep the reason, then stop as usual."""
        self.failure = failure.value
        super().listen_error(failure)

    @property
    def http_factory(self) -> BoundedFactory:
        """The factory of HTTP connections."""
        return self._http_factory

    @http_factory.setter
    def http_factory(self, factory: HTTPFactory) -> None:
        self._http_factory = BoundedFactory(factory.server)

    @property
    def ws_factory(self) -> WebSocketFactory:
        """The factory of websocket connections."""
        return self._ws_factory

    @ws_factory.setter
    def ws_factory(self, factory: WebSocketFactory) -> None:
        factory.protocol = BoundedSocket
        self._ws_factory = factory

    def create_application(self, protocol: Any, scope: dict[str, Any]) -> Any:
        """Return the queue of messages for the application; the scope says if a body was refused."""
        if getattr(protocol, "is_too_large", False):
            scope[BODY_TOO_LARGE] = True
        return super().create_application(protocol, scope)


class CommandServer(BoundedServer):
    """The server of the ``daphne`` command, which has nothing left to do when it stops."""

    def run(self) -> None:
        """Serve until stopped; does not return."""
        super().run()
        leave(0)


def install(on_run: Callable[[], None]) -> None:
    """If this process is the ``daphne`` command, make it serve with these limits. It looks up its server class after the application.

    Otherwise nothing changes: merely importing the application starts nothing.
    """
    cli = sys.modules.get("daphne.cli")
    if cli is not None:
        cli.CommandLineInterface.server_class = staticmethod(partial(CommandServer, on_run=on_run))
