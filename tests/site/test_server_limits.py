"""The server's limits one by one, on connections that are stand-ins: the same without a server and its clients as in test_bounds.py."""

from io import BytesIO
from types import SimpleNamespace

import pytest
from twisted.protocols.policies import ProtocolWrapper
from twisted.web.http import HTTPChannel
from twisted.web.http_headers import Headers

from lifecycle_site import server, spdy_upgrade
from lifecycle_site.bodies import BODY_BYTES_MAX, BODY_TOO_LARGE
from lifecycle_site.server import CLOSING_TURNS, FRAMES_AT_ONCE, QUEUE_MAX, BoundedChannel, BoundedRequest, BoundedServer, BoundedSocket
from lifecycle_site.spdy_upgrade import SpdyUpgrade, wants_spdy
from lifecycle_site.unread import TOLD_ON


class Told(list):
    """Calls, written down by name."""

    def __call__(self, name, *answer):
        return lambda *_args, **_kwargs: self.append(name) or (answer[0] if answer else None)


@pytest.fixture
def told():
    return Told()


@pytest.fixture
def timers(monkeypatch):
    """What is to be called later, with its seconds."""
    later = []
    reactor = SimpleNamespace(callLater=lambda seconds, call: later.append((seconds, call)))
    monkeypatch.setattr(server, "reactor", reactor)
    return later


def made(kind, **fields):
    one = kind.__new__(kind)
    one.__dict__.update(fields)
    return one


# ---- requests ---------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("length", "is_refused"), [(None, False), (0, False), (BODY_BYTES_MAX, False), (BODY_BYTES_MAX + 1, True)])
def test_body_is_refused_by_its_length_before_it_is_read(monkeypatch, told, length, is_refused):
    monkeypatch.setattr(server.WebRequest, "gotLength", told("read"))
    channel = SimpleNamespace(_path=b"/new/", linger=None)
    request = made(BoundedRequest, channel=channel, requestHeaders=Headers({b"Expect": [b"x"]}), responseHeaders=Headers())
    request.gotLength(length)
    assert (request.is_too_large, told) == (is_refused, [] if is_refused else ["read"])
    assert request.requestHeaders.hasHeader(b"Expect") is not is_refused
    assert getattr(channel, "length", None) == (0 if is_refused else None)


@pytest.mark.parametrize(("left", "is_refused"), [(3, False), (2, True)])
def test_body_is_refused_once_more_has_arrived_than_may(monkeypatch, told, timers, left, is_refused):
    monkeypatch.setattr(server.WebRequest, "handleContentChunk", told("kept"))
    request = made(BoundedRequest, _left=left, content=BytesIO(), channel=SimpleNamespace(linger=None), responseHeaders=Headers())
    request.handleContentChunk(b"abc")
    request.handleContentChunk(b"")
    assert (request.is_too_large, told, len(timers)) == (is_refused, [] if is_refused else ["kept", "kept"], int(is_refused))


@pytest.mark.parametrize(
    ("is_received", "channel", "is_ended"), [(False, True, True), (True, True, False), (False, False, False), (False, None, False)]
)
def test_body_that_was_refused_ends_unless_it_has_or_its_client_is_gone(told, is_received, channel, is_ended):
    fields = {} if channel is None else {"channel": SimpleNamespace(allContentReceived=told("ended")) if channel else None}
    made(BoundedRequest, _is_received=is_received, **fields)._end_body()
    assert told == (["ended"] if is_ended else [])


@pytest.mark.parametrize(
    ("path", "offered", "spdy", "is_taken_over", "is_offered"),
    [
        (b"/ws/run/", [b"x"], False, False, False),
        (b"/r/1/k8s/x", [b"x"], False, False, True),
        (b"/r/1/k8s/x", [b"\xff"], False, False, False),
        (b"/r/1/k8s/x", [b"x"], True, True, True),
        (b"/r/1/k8s/\xff", [b"x"], True, False, True),
        (b"/ws/run/", [b"x"], True, False, False),
    ],
)
def test_request_is_passed_on_without_what_only_the_server_reads(monkeypatch, told, path, offered, spdy, is_taken_over, is_offered):
    monkeypatch.setattr(server.WebRequest, "process", told("passed on"))
    monkeypatch.setattr(server, "wants_spdy", lambda request: spdy)
    monkeypatch.setattr(server, "SpdyUpgrade", lambda *_: SimpleNamespace(take_over=told("taken over")))
    headers = Headers({server.ROOT_HEADER: [b"/x"]})
    headers.setRawHeaders(server.PROTOCOL_HEADER, offered)
    made(BoundedRequest, path=path, requestHeaders=headers, content=BytesIO()).process()
    assert told == (["taken over"] if is_taken_over else ["passed on"])
    assert (headers.hasHeader(server.ROOT_HEADER), headers.hasHeader(server.PROTOCOL_HEADER)) == (False, is_offered)


@pytest.mark.parametrize(
    ("message", "finished", "is_met", "does"),
    [
        ({"body": b"x", TOLD_ON: True}, False, True, "aborted"),
        ({"body": b"x", TOLD_ON: True}, False, False, "sent"),
        ({"body": b"x"}, False, True, "sent"),
        ({"body": b"x", TOLD_ON: True}, True, True, "sent"),
    ],
)
def test_client_that_reads_nothing_of_an_endless_response_is_cut_off(monkeypatch, told, message, finished, is_met, does):
    monkeypatch.setattr(server.WebRequest, "handle_reply", told("sent"))
    channel = SimpleNamespace(transport=SimpleNamespace(abortConnection=told("aborted")))
    unread = SimpleNamespace(is_met=lambda transport, size: is_met)
    made(BoundedRequest, finished=finished, channel=channel, _unread=unread).handle_reply(message)
    assert told == [does]


# ---- connections ------------------------------------------------------------------------------------------------------------------------
def channel(told, **fields):
    one = made(BoundedChannel, **{"_receivedHeaderSize": 0, "_receivedHeaderCount": 0, "totalHeadersSize": 10, "maxHeaders": 3} | fields)
    one._answer = lambda status, *_: told.append(status)
    return one


@pytest.mark.parametrize(("before", "line", "answer"), [(0, 10, "read"), (0, 11, 414), (5, 5, "read"), (5, 6, 431)])
def test_headers_that_are_too_large_are_answered(monkeypatch, told, before, line, answer):
    monkeypatch.setattr(HTTPChannel, "lineReceived", told("read"))
    channel(told, _receivedHeaderSize=before).lineReceived(b"x" * line)
    assert told == [answer]


@pytest.mark.parametrize(("before", "is_taken", "answers"), [(2, True, ["read"]), (3, False, [431])])
def test_headers_that_are_too_many_are_answered(monkeypatch, told, before, is_taken, answers):
    monkeypatch.setattr(HTTPChannel, "headerReceived", told("read", True))
    assert (channel(told, _receivedHeaderCount=before).headerReceived(b"a: b"), told) == (is_taken, answers)


def test_length_with_too_many_digits_is_a_bad_request(monkeypatch, told):
    def read(*_):
        raise ValueError

    monkeypatch.setattr(HTTPChannel, "headerReceived", read)
    assert (channel(told).headerReceived(b"a: b"), told) == (False, [400])


@pytest.mark.parametrize("can_half_close", [True, False])
def test_answered_connection_is_closed_on_our_side_first(told, timers, can_half_close):
    names = ("loseConnection", "unregisterProducer", "resumeProducing", "abortConnection")
    transport = SimpleNamespace(**{name: told(name) for name in names})
    if can_half_close:
        transport.loseWriteConnection = told("loseWriteConnection")
    made(BoundedChannel, transport=transport).linger()
    half = ["unregisterProducer", "resumeProducing", "loseWriteConnection"]
    assert (told, len(timers)) == ((half, 1) if can_half_close else (["loseConnection"], 0))


# ---- sockets ----------------------------------------------------------------------------------------------------------------------------
def web_socket(told, monkeypatch, *, frames=0, state=BoundedSocket.STATE_OPEN, waiting=0, **fields):
    """A socket with so many frames to read; each puts a message into the application's queue."""
    queue = SimpleNamespace(qsize=lambda: one.waiting)
    transport = SimpleNamespace(connected=True, **{name: told(name) for name in ("abortConnection", "pauseProducing", "resumeProducing")})
    one = made(BoundedSocket, transport=transport, application_queue=queue, state=state, waiting=waiting, data=b"x" * frames, **fields)

    def process():
        told.append("frame")
        one.waiting, one.data = one.waiting + 1, one.data[1:]
        return bool(one.data)

    one.processData = process
    monkeypatch.setattr(server.WebSocketProtocol, "consumeData", told("handshake"))
    return one


REST = ["pauseProducing"]


@pytest.mark.parametrize(
    ("frames", "waiting", "read", "rests"),
    [(1, 0, 1, False), (FRAMES_AT_ONCE, 0, FRAMES_AT_ONCE, False), (FRAMES_AT_ONCE + 1, 0, FRAMES_AT_ONCE, True)]
    + [(5, QUEUE_MAX, 0, True), (5, QUEUE_MAX - 1, 1, True), (5, QUEUE_MAX - 2, 2, True), (2, QUEUE_MAX - 2, 2, False)],
)
def test_socket_is_read_a_few_frames_at_a_time(monkeypatch, told, timers, frames, waiting, read, rests):
    one = web_socket(told, monkeypatch, frames=frames, waiting=waiting)
    one.consumeData()
    assert (told, one._is_resting, len(timers)) == (["frame"] * read + REST * rests, rests, int(rests))


@pytest.mark.parametrize(
    ("state", "does"),
    [
        (BoundedSocket.STATE_CONNECTING, ["handshake"]),
        (BoundedSocket.STATE_CLOSED, ["handshake"]),
        (BoundedSocket.STATE_OPEN, ["frame"]),
        (BoundedSocket.STATE_CLOSING, ["frame"]),
    ],
)
def test_only_an_open_socket_is_read_in_turns(monkeypatch, told, timers, state, does):
    web_socket(told, monkeypatch, frames=1, state=state).consumeData()
    assert told == does


def test_socket_that_rests_is_not_read(monkeypatch, told, timers):
    web_socket(told, monkeypatch, frames=1, _is_resting=True).consumeData()
    assert told == REST


@pytest.mark.parametrize(("turns", "does"), [(CLOSING_TURNS - 1, "frame"), (CLOSING_TURNS, "abortConnection")])
def test_closing_socket_has_a_few_turns_left(monkeypatch, told, timers, turns, does):
    web_socket(told, monkeypatch, frames=1, state=BoundedSocket.STATE_CLOSING, _closing_turns=turns).consumeData()
    assert told == [does]


@pytest.mark.parametrize(
    ("state", "is_connected", "frames", "does"),
    [
        (BoundedSocket.STATE_OPEN, True, 1, ["frame", "resumeProducing"]),
        (BoundedSocket.STATE_OPEN, True, FRAMES_AT_ONCE + 1, ["frame"] * FRAMES_AT_ONCE + REST),
        (BoundedSocket.STATE_CLOSED, True, 1, []),
        (BoundedSocket.STATE_OPEN, False, 1, []),
    ],
)
def test_socket_that_has_rested_goes_on_unless_it_is_gone(monkeypatch, told, timers, state, is_connected, frames, does):
    one = web_socket(told, monkeypatch, frames=frames, state=state, _is_resting=True)
    one.transport.connected = is_connected
    one._go_on()
    assert told == does


def test_socket_without_an_application_is_not_behind():
    assert made(BoundedSocket)._is_behind() is False


@pytest.mark.parametrize(
    ("state", "is_met", "has_outlet", "does"),
    [
        (BoundedSocket.STATE_CONNECTING, False, False, ["sent"]),
        (BoundedSocket.STATE_OPEN, False, False, ["sent"]),
        (BoundedSocket.STATE_OPEN, False, True, ["outlet"]),
        (BoundedSocket.STATE_OPEN, True, True, ["abortConnection"]),
        (BoundedSocket.STATE_CLOSING, True, True, []),
        (BoundedSocket.STATE_CLOSED, False, False, []),
    ],
)
def test_message_is_sent_to_an_open_socket_that_reads(monkeypatch, told, state, is_met, has_outlet, does):
    one = web_socket(told, monkeypatch, state=state, _unread=SimpleNamespace(is_met=lambda transport, size: is_met))
    monkeypatch.setattr(server.WebSocketProtocol, "serverSend", told("sent"))
    one._outlet = SimpleNamespace(write=told("outlet")) if has_outlet else None
    one.serverSend("x")
    assert told == does


@pytest.mark.parametrize("has_outlet", [True, False])
def test_outlet_is_closed_with_its_connection(monkeypatch, told, has_outlet):
    monkeypatch.setattr(server.WebSocketProtocol, "connectionLost", told("lost"))
    one = made(BoundedSocket, _outlet=SimpleNamespace(close=told("closed")) if has_outlet else None)
    one.connectionLost(None)
    assert (told, one._outlet) == ((["closed"] if has_outlet else []) + ["lost"], None)


@pytest.mark.parametrize("is_too_large", [True, False])
def test_application_is_told_of_a_body_that_was_refused(monkeypatch, is_too_large):
    monkeypatch.setattr(server.Server, "create_application", lambda self, protocol, scope: scope)
    found = made(BoundedServer).create_application(SimpleNamespace(is_too_large=is_too_large), {})
    assert found == ({BODY_TOO_LARGE: True} if is_too_large else {})


# ---- SPDY -------------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("upgrade", "body", "wants"),
    [([b"spdy/3.1"], b"", True), ([b"SPDY/3.1"], b"x", False), ([b"websocket"], b"", False), (None, b"", False)],
)
def test_request_wants_spdy_if_it_says_so_and_has_no_body(upgrade, body, wants):
    headers = Headers({b"Upgrade": upgrade} if upgrade else {})
    assert wants_spdy(SimpleNamespace(requestHeaders=headers, content=BytesIO(body))) is wants


def spdy(told, *, waiting=0, is_met=False, **fields):
    transport = SimpleNamespace(
        write=lambda data: told.append(data.split(b"\r\n")[0].decode()),
        **{name: told(name) for name in ("abortConnection", "loseConnection", "pauseProducing", "resumeProducing")},
    )
    queue = SimpleNamespace(qsize=lambda: waiting, put_nowait=lambda message: told.append(message["type"]))
    usual = {"_is_accepted": False, "_is_closed": False, "_queue": queue, "transport": transport}
    usual["_unread"] = SimpleNamespace(is_met=lambda transport, size: is_met)
    usual["_reactor"] = SimpleNamespace(callLater=lambda *_: told.append("later"))
    usual["_server"] = SimpleNamespace(protocol_disconnected=told("gone"))
    return made(SpdyUpgrade, **usual | fields)


@pytest.mark.parametrize(("waiting", "is_paused"), [(spdy_upgrade.QUEUE_MAX - 1, False), (spdy_upgrade.QUEUE_MAX, True)])
def test_connection_is_paused_while_much_waits_for_the_application(told, waiting, is_paused):
    one = spdy(told, waiting=waiting)
    one.dataReceived(b"x")
    assert told == ["websocket.receive"] + ["pauseProducing", "later"] * is_paused
    told.clear()
    one._go_on()
    assert told == (["later"] if is_paused else ["resumeProducing"])
    told.clear()
    one._is_closed = True
    one._go_on()
    assert told == []


ACCEPT = {"type": "websocket.accept", "headers": [(b"a", b"b")]}
SWITCH, NO, BROKEN = "HTTP/1.1 101 Switching Protocols", "HTTP/1.1 403 Forbidden", "HTTP/1.1 500 Internal Server Error"


@pytest.mark.parametrize(
    ("messages", "does"),
    [
        ([ACCEPT], [SWITCH]),
        ([ACCEPT, {"type": "websocket.send", "bytes": b"x"}], [SWITCH, "x"]),
        ([ACCEPT, {"type": "websocket.close"}], [SWITCH, "loseConnection"]),
        ([{"type": "websocket.close"}], [NO, "loseConnection"]),
        ([{"type": "websocket.http.response.start", "status": 404, "headers": []}], ["HTTP/1.1 404 Not Found"]),
        ([{"type": "websocket.http.response.body", "body": b"x"}], ["x", "loseConnection"]),
        ([{"type": "unknown"}], []),
    ],
)
def test_message_of_the_application_is_carried_out(told, messages, does):
    one = spdy(told)
    for message in messages:
        one.handle_reply(message)
    assert told == does


@pytest.mark.parametrize(("fields", "does"), [({"is_met": True}, ["abortConnection"]), ({"_is_closed": True}, []), ({}, ["x"])])
def test_data_is_written_to_a_client_that_is_there_and_reads(told, fields, does):
    spdy(told, **fields)._write(b"x")
    assert told == does


@pytest.mark.parametrize(
    ("fields", "does"),
    [({}, [BROKEN, "loseConnection"]), ({"_is_accepted": True}, ["loseConnection"]), ({"_is_accepted": True, "_is_closed": True}, [])],
)
def test_connection_of_an_application_that_failed_ends(told, fields, does):
    spdy(told, **fields).handle_exception(ValueError())
    assert told == does


@pytest.mark.parametrize(
    ("fields", "does"),
    [({}, ["gone", "websocket.disconnect"]), ({"_is_closed": True}, ["websocket.disconnect"]), ({"_queue": None}, ["gone"])],
)
def test_application_hears_that_a_connection_is_gone(told, fields, does):
    spdy(told, **fields).connectionLost()
    assert told == does


@pytest.mark.parametrize("is_wrapped", [True, False])
def test_connection_is_taken_over_from_the_request(told, is_wrapped):
    transport = made(ProtocolWrapper) if is_wrapped else SimpleNamespace()
    headers = Headers({b"Upgrade": [b"SPDY/3.1"], b"X_Odd": [b"1"]})
    place = SimpleNamespace(host="192.0.2.1", port=5)
    scopes = []
    queue = SimpleNamespace(put_nowait=lambda message: told.append(message["type"]))
    owner = SimpleNamespace(
        protocol_connected=told("connected"),
        protocol_disconnected=told("request gone"),
        create_application=lambda protocol, scope: scopes.append(scope) or queue,
    )
    request = SimpleNamespace(
        server=owner, requestHeaders=headers, path=b"/r/1/k8s/a%20b", uri=b"/r/1/k8s/a%20b?x=1", client=place, getHost=lambda: place,
        transport=transport, channel=SimpleNamespace(_networkProducer=SimpleNamespace(resumeProducing=told("resumed"))),
    )  # fmt: skip
    one = SpdyUpgrade(request, None)
    one.makeConnection = told("made")
    one.take_over(request)
    assert told == ["made", "connected", "websocket.connect", "request gone", "resumed"]
    assert (transport.wrappedProtocol if is_wrapped else transport.protocol) is one and request.transport is None
    (scope,) = scopes
    assert (scope["path"], scope["query_string"], scope["client"]) == ("/r/1/k8s/a b", b"x=1", ["192.0.2.1", 5])
    assert scope["headers"] == [(b"upgrade", b"SPDY/3.1")]
    assert one == one and one != SpdyUpgrade(SimpleNamespace(**vars(request)), None)
