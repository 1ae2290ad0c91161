"""Limits on what a single visitor can make the server accept, over real connections to real processes."""

import base64
import gc
import os
import socket
import struct
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from twisted.internet.task import Clock

from lifecycle_site import server
from lifecycle_site.bodies import API_BYTES_MAX, BODY_BYTES_MAX, READER_BYTES_MAX, body_bytes_max
from lifecycle_site.server import CLOSING_TURNS, FRAMES_AT_ONCE, QUEUE_MAX, TURN_S, BoundedSocket
from simulator.runs.log import elsewhere
from simulator.runs.turns.constants import SWITCH_S
from simulator.runs.wire import protocol
from tests.runs.drive.test_serve import ROOT, served, site

__all__ = ["site"]

FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"


@pytest.fixture(scope="module")
def running(site):
    """The address of a running site."""
    with served(site) as (_, address):
        yield urlsplit(address)


@contextmanager
def connected(address):
    with socket.create_connection((address.hostname, address.port), timeout=20) as connection:
        yield connection


def head(method, path, more=""):
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n".encode()


def answer(connection):
    """Status and everything else until the server closes or sends nothing more."""
    text = b""
    while part := connection.recv(65_536):
        text += part
        if b"</html>" in text:
            break
    return text[9:12].decode(), text.decode("utf-8", "replace")


def test_body_is_refused_by_its_length_before_any_of_it_is_sent(running):
    with connected(running) as connection:
        connection.sendall(head("POST", "/new/", f"{FORM}Content-Length: {BODY_BYTES_MAX + 1}\r\n"))
        status, text = answer(connection)
    assert status == "413" and "16 MB" in text


def test_refusal_speaks_the_readers_language(running):
    with connected(running) as connection:
        connection.sendall(head("POST", "/new/", f"Accept-Language: zh-hant\r\n{FORM}Content-Length: {BODY_BYTES_MAX + 1}\r\n"))
        assert "太大了" in answer(connection)[1]


def test_client_that_asks_first_is_not_told_to_send_a_body_that_is_too_large(running):
    with connected(running) as connection:
        connection.sendall(head("POST", "/new/", f"Expect: 100-continue\r\nContent-Length: {BODY_BYTES_MAX + 1}\r\n"))
        assert answer(connection)[0] == "413"


def test_body_that_comes_in_pieces_is_refused_where_it_grows_too_large(running):
    with connected(running) as connection:
        connection.sendall(head("POST", "/new/", f"{FORM}Transfer-Encoding: chunked\r\n"))
        piece = b"a" * 65_536
        for _ in range(BODY_BYTES_MAX // len(piece) + 1):
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        assert answer(connection)[0] == "413"


def test_whole_body_may_be_on_its_way_when_it_is_refused(running):
    with connected(running) as connection:
        connection.sendall(head("POST", "/new/", f"{FORM}Content-Length: {BODY_BYTES_MAX + 1}\r\n") + b"a" * (BODY_BYTES_MAX + 1))
        assert answer(connection)[0] == "413"


KEY = "x" * 32


@pytest.mark.parametrize(
    ("target", "most"),
    [
        (f"/r/1a/k8s/r-{KEY}/api/v1/pods", READER_BYTES_MAX),
        (f"/r/1a@skip-5/k8s/r-{KEY}/api", READER_BYTES_MAX),
        (f"/s/1a@4:2/k8s/w-{KEY}/api", API_BYTES_MAX),
        ("/r/1a/k8s/api/v1/pods?watch=1", API_BYTES_MAX),
        ("/r/1a/k8s", API_BYTES_MAX),
        ("/r/1a/k8shark/", BODY_BYTES_MAX),
        ("/new/?next=/r/1/k8s/", BODY_BYTES_MAX),
    ],
)
def test_how_much_is_read_goes_by_what_is_asked_for(target, most):
    assert body_bytes_max(target.encode()) == most


def test_body_with_a_key_that_opens_nothing_is_refused_before_any_of_it_is_sent(running):
    with connected(running) as connection:
        connection.sendall(head("POST", f"/r/1a/k8s/r-{KEY}/api/v1/pods", f"Content-Length: {READER_BYTES_MAX + 1}\r\n"))
        status, text = answer(connection)
    assert status == "401" and "Unauthorized" in text


@pytest.mark.parametrize("chunked", [False, True])
def test_body_of_the_largest_size_is_read(running, chunked):
    body = b"a" * BODY_BYTES_MAX
    with connected(running) as connection:
        length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}"
        connection.sendall(head("POST", "/new/", f"{FORM}{length}\r\n"))
        connection.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if chunked else body)
        assert answer(connection)[0] == "403"  # parsed, and without the CSRF token of a form


def test_requests_that_are_half_sent_hold_nothing_that_others_need(running):
    with ExitStack() as held:
        for _ in range(120):  # more requests than there are threads
            connection = held.enter_context(connected(running))
            connection.sendall(head("POST", "/new/", f"{FORM}Content-Length: 1000\r\n") + b"manifest=")
        with connected(running) as connection:
            connection.sendall(head("GET", "/", "Connection: close\r\n"))
            assert answer(connection)[0] == "200"


def test_daphne_by_itself_has_the_same_bounds(site):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port, number = listener.getsockname()[1], listener.fileno()
        command = [sys.executable, "-m", "daphne", "--fd", str(number), "lifecycle_site.asgi:application"]
        process = subprocess.Popen(command, env=site, cwd=ROOT, pass_fds=[number], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with connected(urlsplit(f"http://127.0.0.1:{port}/")) as connection:
                connection.sendall(head("POST", "/new/", f"{FORM}Content-Length: {BODY_BYTES_MAX + 1}\r\n"))
                assert answer(connection)[0] == "413"
        finally:
            process.kill()
            process.communicate()


def test_visitor_behind_a_proxy_cannot_choose_the_address_that_limits_count(site):
    with served(site | {"PODSCOPE_BEHIND_PROXY": "1", "PODSCOPE_POSTS_PER_SECOND_MAX": "1"}) as (_, address):
        statuses = []
        for n in range(20):
            with connected(urlsplit(address)) as connection:
                forwarded = f"X-Forwarded-For: 10.0.0.{n}, 203.0.113.9\r\nConnection: close\r\nContent-Length: 0\r\n"
                connection.sendall(head("POST", "/manifests/check/", forwarded))
                statuses.append(connection.recv(12)[9:12])
    assert b"429" in statuses


def test_server_gives_way_often_and_does_not_collect_what_stays(monkeypatch):
    seen, before = [], sys.getswitchinterval()
    monkeypatch.setattr(server.Server, "run", lambda self: seen.append((sys.getswitchinterval(), gc.get_freeze_count() > 10_000)))
    try:
        server.BoundedServer(None, endpoints=["tcp:0"]).run()
    finally:
        gc.unfreeze()
        sys.setswitchinterval(before)
    assert seen == [(pytest.approx(SWITCH_S), True)]


def test_server_begins_what_it_was_given_and_nothing_that_an_application_was_imported_for(monkeypatch):
    from lifecycle_site.asgi import application

    begun = []
    monkeypatch.setattr(server.Server, "run", lambda self: begun.append("serves"))
    monkeypatch.setattr(server.gc, "freeze", lambda: None)
    monkeypatch.setattr(server.sys, "setswitchinterval", lambda seconds: None)
    server.BoundedServer(application, endpoints=["tcp:0"], on_run=lambda: begun.append("begins")).run()
    server.BoundedServer(application, endpoints=["tcp:0"]).run()
    assert begun == ["begins", "serves", "serves"]
    assert elsewhere._ask is None


def test_daphne_as_a_command_begins_the_page_workers(monkeypatch):
    cli = SimpleNamespace(CommandLineInterface=type("CommandLineInterface", (), {}))
    monkeypatch.setitem(sys.modules, "daphne.cli", cli)
    server.install(lambda: None)
    made = cli.CommandLineInterface().server_class(None, endpoints=["tcp:0"])
    assert isinstance(made, server.CommandServer) and made._on_run is not None


# ---- sockets ---------------------------------------------------------------------------------------------------------


def opening(path):
    key = base64.b64encode(os.urandom(16)).decode()
    origin = f"Origin: http://localhost\r\nSec-WebSocket-Key: {key}\r\n"
    return head("GET", path, f"{UPGRADE}{origin}")


def frame(text):
    return bytes([0x81, 0x80 | len(text)]) + bytes(4) + text


def close_code(data):
    """The code of the close frame among the server's frames, or None."""
    at = data.index(b"\r\n\r\n") + 4
    while at + 4 <= len(data):
        opcode, length = data[at] & 0x0F, data[at + 1]
        at += 2
        if length == 126:
            length = struct.unpack_from("!H", data, at)[0]
            at += 2
        if opcode == 8:
            return struct.unpack_from("!H", data, at)[0]
        at += length
    return None


def test_unknown_socket_is_refused_without_a_trace_in_the_log(site):
    with served(site) as (process, address):
        with connected(urlsplit(address)) as connection:
            connection.sendall(opening("/ws/nothing/"))
            assert connection.recv(12)[9:12] == b"403"
        process.terminate()
        output, _ = process.communicate(timeout=20)
    assert "Traceback" not in output and "No route" not in output


def a_run(address):
    """The id of the landing page's run."""
    with connected(address) as connection:
        connection.sendall(head("GET", "/", "Connection: close\r\n"))
        text = answer(connection)[1]
    return text.split("/ws/run/")[1].split("/")[0]


def test_client_that_floods_its_socket_is_told_so(running):
    with connected(running) as connection:
        connection.sendall(opening(f"/ws/run/{a_run(running)}/"))
        data = b""
        while b"hello" not in data:
            data += connection.recv(65_536)
        connection.sendall(frame(b'{"type":"ping"}') * 3000)
        while (code := close_code(data)) is None:
            data += connection.recv(65_536)
    assert code == protocol.CLOSE_FLOOD


class Transport:
    """Records whether the server keeps reading."""

    connected = True
    is_reading = True
    is_aborted = False

    def abortConnection(self):
        self.is_aborted = True

    def pauseProducing(self):
        self.is_reading = False

    def resumeProducing(self):
        self.is_reading = True


class Queue:
    def __init__(self):
        self.items = []

    def qsize(self):
        return len(self.items)


class Socket(BoundedSocket):
    """An open socket whose frames are lines, and which records those it has processed."""

    state = BoundedSocket.STATE_OPEN

    def __init__(self):
        self.transport, self.application_queue, self.data = Transport(), Queue(), b""

    def processData(self):
        line, _, self.data = self.data.partition(b"\n")
        if line:
            self.application_queue.items.append(line)
        return bool(line and self.data)

    def receive(self, count):
        self.data += b"x\n" * count
        self.consumeData()


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(server, "reactor", clock)
    return clock


def test_few_frames_are_read_as_they_come(clock):
    a = Socket()
    a.receive(FRAMES_AT_ONCE - 1)
    assert a.transport.is_reading and not clock.getDelayedCalls()


def test_socket_is_not_read_on_while_it_has_had_its_turn(clock):
    a = Socket()
    a.receive(FRAMES_AT_ONCE + 5)
    assert (a.application_queue.qsize(), a.transport.is_reading) == (FRAMES_AT_ONCE, False)


def test_socket_is_not_read_on_while_the_application_is_behind(clock):
    a = Socket()
    a.receive(QUEUE_MAX + 5)
    for _ in range(5):
        clock.advance(TURN_S)
    assert (a.application_queue.qsize(), a.transport.is_reading) == (QUEUE_MAX, False)


def test_socket_is_read_on_when_the_application_has_caught_up(clock):
    a = Socket()
    a.receive(FRAMES_AT_ONCE + 5)
    a.application_queue.items.clear()
    clock.advance(TURN_S)
    assert (a.application_queue.qsize(), a.transport.is_reading, clock.getDelayedCalls()) == (5, True, [])


def test_resting_socket_ends_quietly_when_its_connection_is_gone(clock):
    a = Socket()
    a.receive(FRAMES_AT_ONCE + 5)
    a.transport.connected = False
    clock.advance(TURN_S)
    assert a.application_queue.qsize() == FRAMES_AT_ONCE and not clock.getDelayedCalls()


@pytest.mark.parametrize(("turns", "is_cut_off"), [(CLOSING_TURNS, False), (CLOSING_TURNS + 1, True)])
def test_socket_that_is_to_close_and_sends_on_is_cut_off(clock, turns, is_cut_off):
    a = Socket()
    a.state = BoundedSocket.STATE_CLOSING
    for _ in range(turns):
        a.receive(1)
    assert a.transport.is_aborted is is_cut_off


def test_message_to_a_viewer_who_has_closed_is_dropped():
    viewer = Socket()
    viewer.state = BoundedSocket.STATE_CLOSED
    viewer.serverSend("a record")  # autobahn raises, and the site would log a traceback per viewer
    viewer.state = BoundedSocket.STATE_CLOSING
    viewer.serverSend("a record")


LONG = "a" * 20_000


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        (f"GET /{LONG} HTTP/1.1\r\nHost: localhost\r\n\r\n", "414"),
        (f"GET /?q={LONG}", "414"),  # which never ends
        (f"GET /{'a' * 16_380} HTTP/1.1\r\nHost: localhost\r\n\r\n", "414"),  # shorter than the limit of a line, longer than all headers
        (f"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: a={LONG}\r\n\r\n", "431"),
        (f"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: a={LONG}", "431"),
        ("GET / HTTP/1.1\r\nHost: localhost\r\n" + "X-A: b\r\n" * 501 + "\r\n", "431"),
        ("GET / HTTP/1.1\r\nHost: localhost\r\n" + f"X-A: {'b' * 4_000}\r\n" * 5 + "\r\n", "431"),
        ("GET / HTTP/1.1\r\nHost localhost\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "400"),
        (f"GET / HTTP/1.1\r\nContent-Length: {'9' * 5_000}\r\n\r\n", "400"),
        ("nonsense\r\n\r\n", "400"),
        (f"POST / HTTP/1.1\r\nHost: localhost\r\nX: {LONG}\r\nContent-Length: 3000000\r\n\r\n" + "b" * 3_000_000, "431"),
    ],
)
def test_request_that_is_too_long_or_malformed_is_answered_in_http_and_closed(running, request_head, status):
    with connected(running) as connection:
        connection.sendall(request_head.encode())
        said, text = answer(connection)
    head_lines, _, words = text.partition("\r\n\r\n")
    assert said == status and "Connection: close" in head_lines
    assert f"Content-Length: {len(words)}" in head_lines and words.endswith(".\n")


def test_request_behind_one_that_was_too_long_is_not_answered(running):
    with connected(running) as connection:
        connection.sendall(f"GET /{LONG} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() + head("GET", "/healthz"))
        _, text = answer(connection)
    assert text.count("HTTP/1.1") == 1


@pytest.mark.parametrize("header", ["Daphne-Root-Path: /evil\r\n", "Daphne-Root-Path: \xe4\r\n"])
def test_visitor_does_not_choose_what_addresses_begin_with(running, header):
    with connected(running) as connection:
        connection.sendall(f"GET /new/ HTTP/1.1\r\nHost: localhost\r\n{header}\r\n".encode("latin-1"))
        status, text = answer(connection)
    assert status == "200" and "/evil" not in text


@pytest.mark.parametrize("name", ["x; charset*=hex''%41", "x; charset*=utf-8''a%00b", "x; charset=utf-7"])
def test_unparsable_content_type_is_refused_with_a_message(running, name):
    with connected(running) as connection:
        connection.sendall(head("POST", "/class/", f"Content-Type: {name}\r\nContent-Length: 0\r\n"))
        status, text = answer(connection)
    assert status == "400" and "UTF-8" in text


@pytest.mark.parametrize("header", ["Origin: http://[\r\n", "Origin: http://localhost\r\nSec-WebSocket-Protocol: \xe4\r\n"])
def test_handshake_with_a_broken_header_is_answered(running, header):
    path = "/ws/class/zzzzzz/"
    with connected(running) as connection:
        key = f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}\r\n"
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{UPGRADE}{key}{header}\r\n"
        connection.sendall(request.encode("latin-1"))
        assert connection.recv(12)[9:12] in (b"400", b"403", b"101")
