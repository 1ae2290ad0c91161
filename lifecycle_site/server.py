"""Daphne with bounds: what one visitor sends costs the event loop, which all visitors share, no more than a fair part of its time.

Daphne spools a whole body before the site sees the first byte, lets Twisted decode it as a form on top, and queues whatever a
websocket sends. ``manage.py serve`` uses this server; ``daphne`` gets it by ``install``, which ``lifecycle_site.asgi`` calls.
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
from lifecycle_site.ending import leave
from lifecycle_site.spdy_upgrade import SpdyUpgrade, wants_spdy
from lifecycle_site.unread import TOLD_ON, UnreadBound
from simulator.runs.turns.constants import SWITCH_S

reactor: Any = installed_reactor  # chosen at run time, which its types cannot express
_Channel: Any = HTTPChannel  # its types are few, and say little of what it is connected to

ROOT_HEADER, PROTOCOL_HEADER = b"Daphne-Root-Path", b"Sec-WebSocket-Protocol"
DOOR = b"/k8s/"
"""In the addresses of runs' APIs, whose sockets alone have subprotocols."""
LINGER_S = 2.0
"""So long a refused body is still taken in and thrown away: a connection that is closed at once never shows the answer."""
FRAMES_AT_ONCE = 8
"""Frames of one socket that are looked at before it is others' turn; more than a page sends in that time."""
CLOSING_TURNS = 4
"""A socket that was told to close is looked at so often for the other side's answer, and then cut off if more and more comes instead."""
QUEUE_MAX = 32
"""Messages of one socket that wait for the application; a socket with so many is not read on."""
TURN_S = 0.05


class BoundedRequest(WebRequest):  # type: ignore[misc]  # daphne has no types
    """A request whose body is refused by its announced length, or as soon as more than the limit has come in."""

    is_too_large = False
    _is_received = False

    def __init__(self, channel: Any, queued: Any = None) -> None:
        # The application decodes forms itself, in its own threads; Twisted would do so here, where everybody waits for it.
        super().__init__(channel, queued, parsePOSTFormSubmission=False)
        self._unread = UnreadBound()

    def process(self) -> None:
        """Hand the request on, without headers that mean something to Daphne alone.

        By one of them a visitor would choose what every address of the page begins with; Daphne fails over letters beyond ASCII in both.
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
        """What the application says. A client that does not read what it is told on and on is cut off."""
        channel = None if self.finished else self.channel
        if message.get(TOLD_ON) and channel is not None and self._unread.is_met(channel.transport, len(message["body"])):
            channel.transport.abortConnection()
            return
        super().handle_reply(message)

    def gotLength(self, length: int | None) -> None:
        """The headers are here, and say how long the body is; None where it comes in pieces."""
        self._left = most = body_bytes_max(getattr(self.channel, "_path", b""))
        if length is not None and length > most:
            self._refuse()
            self.channel.length = 0  # the channel then takes the request as complete
            self.requestHeaders.removeHeader(b"Expect")
        else:
            super().gotLength(length)

    def handleContentChunk(self, data: bytes) -> None:
        """A part of the body."""
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
        """The request is complete, or is not going to be."""
        self._is_received = True
        super().requestReceived(command, path, version)

    def _refuse(self) -> None:
        """Answer without a body, as the last request of the connection."""
        self.is_too_large = True
        self.content = BytesIO()
        self.channel.persistent = False
        self.channel.loseConnection = self.channel.linger
        self.responseHeaders.setRawHeaders(b"Connection", [b"close"])

    def _end_body(self) -> None:
        if not self._is_received and getattr(self, "channel", None) is not None:
            self.channel.allContentReceived()


class BoundedChannel(_Channel):  # type: ignore[misc]
    """A connection whose malformed or too long requests get an answer of HTTP, with words, before it is closed.

    Twisted drops the connection of a line that is too long, and says 400 without a word of anything else it does not take. None of the
    words are translated: what a browser would rather read stands in headers that have not come in.
    """

    def lineReceived(self, line: bytes) -> None:
        """One line of a request, up to the end of its headers."""
        if self._receivedHeaderSize + len(line) > self.totalHeadersSize:
            self.lineLengthExceeded(line)
        else:
            super().lineReceived(line)

    def lineLengthExceeded(self, line: bytes) -> None:
        """The line, or what has come of the headers with it, is longer than is read."""
        if self._receivedHeaderSize:
            self._answer(431, b"Request Header Fields Too Large", b"The headers are too large: the site reads 16 kB of them.")
        else:
            self._answer(414, b"URI Too Long", b"The address is too long: the site reads 16 kB of it.")

    def headerReceived(self, line: bytes) -> bool:
        """One header; says whether the request goes on."""
        if self._receivedHeaderCount < self.maxHeaders:
            try:
                return bool(super().headerReceived(line))
            except ValueError:  # a Content-Length of more digits than Python makes a number of
                self._respondToBadRequestAndDisconnect()
                return False
        self._answer(431, b"Request Header Fields Too Large", b"There are too many headers: the site reads %d." % self.maxHeaders)
        return False

    def _respondToBadRequestAndDisconnect(self) -> None:
        self._answer(400, b"Bad Request", b"The request is not valid HTTP.")

    def _answer(self, status: int, reason: bytes, words: bytes) -> None:
        """Answer in the place of the application, as the last request of the connection."""
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
        """The answer is written: say that nothing follows, throw away what still comes, and close soon."""
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
    """Connections that make bounded requests. They speak HTTP/1.1 alone, also where packages for HTTP/2 are installed."""

    def protocol(self) -> BoundedChannel:
        """A new connection."""
        return BoundedChannel()

    def acceptableProtocols(self) -> list[bytes]:
        """What may be agreed on where TLS ends here."""
        return [b"http/1.1"]

    def buildProtocol(self, addr: Any) -> Any:
        """The protocol of a new connection."""
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = BoundedRequest
        return protocol


class Outlet:
    """Lets a connection be written to at once, as far as it takes it.

    Twisted asks the loop to be told when it may write, writes in a later turn, and asks to be told no more: a third of what it costs to
    send a frame (``make bench ARGS=load``, 1,000 viewers). What is left over, or fails, still goes that way.
    """

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._is_held = self._is_asked = self._is_left = False
        self._start, self._stop = transport.startWriting, transport.stopWriting
        transport.startWriting, transport.stopWriting = self._started, self._stopped

    def write(self, send: Callable[[], None]) -> None:
        """Call what writes to the connection, and let it out; where earlier words are left over, it comes after them."""
        self._is_held, self._is_asked = not self._is_left, False
        try:
            send()
        finally:
            self._is_held = False
            if self._is_asked:
                self._let_out()

    def close(self) -> None:
        """Leave the connection as it was."""
        del self._transport.startWriting, self._transport.stopWriting

    def _let_out(self) -> None:
        self._is_left = True  # until the connection says that nothing is
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
    """A websocket that is read a few frames at a time, and not at all while the application has not answered what it sent.

    What was received together is parsed together otherwise: 64 kB of pings keep the loop for a fifth of a second.
    """

    _is_resting = False
    _closing_turns = 0
    _outlet: Outlet | None = None
    _unread: UnreadBound

    def connectionMade(self) -> None:
        """The socket has its connection. One that is encrypted here is written to by its own rules."""
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
        """Look at what has come in, as far as it is this socket's turn."""
        if self.state == self.STATE_CLOSING:
            self._closing_turns += 1
            if self._closing_turns > CLOSING_TURNS:
                self.transport.abortConnection()
                return
        if self.state not in (self.STATE_OPEN, self.STATE_CLOSING):
            super().consumeData()
            return
        if self._is_resting:
            self.transport.pauseProducing()  # whatever made it read on
            return
        for _turn in range(FRAMES_AT_ONCE):
            if self._is_behind():
                break
            if not self.processData() or self.state == self.STATE_CLOSED:
                return
        if self.data or self._is_behind():
            self._rest()

    def serverSend(self, content: str | bytes, binary: bool = False) -> None:
        """Send what the application says. Whoever has closed the socket meanwhile misses it, which is nobody's failure.

        Who does not read is cut off.
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
        """Whether enough waits for the application already."""
        queue = getattr(self, "application_queue", None)
        return queue is not None and queue.qsize() >= QUEUE_MAX

    def _rest(self) -> None:
        """Stop reading until the next turn. The visitor's own computer then stops sending: its buffers are full."""
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
    """Daphne's server that makes bounded requests and sockets. It has no hook for that: ``run`` makes both factories itself."""

    failure: BaseException | None = None
    """Why it could not listen. Daphne itself would end as if all were well."""

    def __init__(self, *args: Any, on_run: Callable[[], None] | None = None, **kwargs: Any) -> None:
        """``on_run`` is called when the server begins to serve, before it takes requests."""
        kwargs.setdefault("request_buffer_size", 65_536)
        self._on_run = on_run
        super().__init__(*args, **kwargs)

    def run(self) -> None:
        """Serve until stopped. What has been loaded is there for good: the collector, which nobody can interrupt, need not look at it."""
        sys.setswitchinterval(SWITCH_S)
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
        """Makes what speaks HTTP."""
        return self._http_factory

    @http_factory.setter
    def http_factory(self, factory: HTTPFactory) -> None:
        self._http_factory = BoundedFactory(factory.server)

    @property
    def ws_factory(self) -> WebSocketFactory:
        """Makes what speaks websocket."""
        return self._ws_factory

    @ws_factory.setter
    def ws_factory(self, factory: WebSocketFactory) -> None:
        factory.protocol = BoundedSocket
        self._ws_factory = factory

    def create_application(self, protocol: Any, scope: dict[str, Any]) -> Any:
        """The queue of what the application is to receive. It is told where a body was refused."""
        if getattr(protocol, "is_too_large", False):
            scope[BODY_TOO_LARGE] = True
        return super().create_application(protocol, scope)


class CommandServer(BoundedServer):
    """The server of the command ``daphne``, which has nothing to do after it."""

    def run(self) -> None:
        """Serve until stopped; does not return."""
        super().run()
        leave(0)


def install(on_run: Callable[[], None]) -> None:
    """Let the command ``daphne``, where this process is one, serve with these bounds. It asks for its server after the application.

    Elsewhere nothing changes: an application that is only imported begins nothing.
    """
    cli = sys.modules.get("daphne.cli")
    if cli is not None:
        cli.CommandLineInterface.server_class = staticmethod(partial(CommandServer, on_run=on_run))
