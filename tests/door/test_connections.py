"""Which of the protocols that a client offers a connection is established with, and which are refused."""

from types import SimpleNamespace

import pytest

from lifecycle_site.spdy_upgrade import SPDY
from simulator.door import connections
from simulator.door.channels import PROTOCOLS
from simulator.door.connections import FORWARDED, TUNNEL, OpenedConnection, StreamBegun, serve_connection
from simulator.door.exchange import DoorRequest

POD = "/api/v1/namespaces/default/pods/web"
V5, V4 = PROTOCOLS


class Turns:
    """Turns of a run that is asked for nothing."""

    async def port(self, port, data):
        raise AssertionError("nothing was sent to a port")


async def answer_to(path: str, offered: list[str], versions: str = "") -> dict:
    """The first message that a client gets; it goes away at once."""
    sent: list[dict] = []

    async def receive() -> dict:
        return {"type": "websocket.disconnect", "code": 1000}

    async def send(message) -> None:
        sent.append(message)

    async def opening() -> OpenedConnection:
        return OpenedConnection(StreamBegun(), None, Turns())

    headers = [(b"x-stream-protocol-version", versions.encode())] if versions else []
    await serve_connection({"subprotocols": offered, "headers": headers}, DoorRequest(path=path), receive, send, opening)
    return sent[0]


@pytest.mark.parametrize(
    ("path", "offered", "protocol"),
    [
        (f"{POD}/exec", [V5], V5),
        (f"{POD}/exec", [V4, V5], V5),
        (f"{POD}/exec", ["channel.k8s.io", V4], V4),
        (f"{POD}/attach", [V5], V5),
        (f"{POD}/portforward", [V5, TUNNEL], TUNNEL),
        (f"{POD}/portforward/", [TUNNEL], TUNNEL),
    ],
)
async def test_connection_is_established_with_the_newest_protocol_that_both_speak(path, offered, protocol):
    assert await answer_to(path, offered) == {"type": "websocket.accept", "subprotocol": protocol, "headers": []}


@pytest.mark.parametrize(
    ("path", "offered"),
    [(f"{POD}/exec", []), (f"{POD}/exec", ["channel.k8s.io"]), (f"{POD}/exec", [TUNNEL]), (f"{POD}/portforward", [V5])],
)
async def test_connection_without_a_common_protocol_is_refused(path, offered):
    assert await answer_to(path, offered) == {"type": "websocket.close", "code": 1008}


@pytest.mark.parametrize(
    ("path", "versions", "version"),
    [(f"{POD}/exec", f"{V5}, {V4}", V4), (f"{POD}/portforward", f"{V4},{FORWARDED}", FORWARDED)],
)
async def test_upgrade_is_accepted_with_the_version_that_both_speak(path, versions, version):
    accepted = {"type": "websocket.accept", "subprotocol": SPDY, "headers": [(b"x-stream-protocol-version", version.encode())]}
    assert await answer_to(path, [SPDY], versions) == accepted


@pytest.mark.parametrize(("path", "versions"), [(f"{POD}/exec", V5), (f"{POD}/exec", ""), (f"{POD}/portforward", V4)])
async def test_upgrade_without_a_common_version_is_answered_by_http(path, versions):
    message = await answer_to(path, [SPDY], versions)
    assert (message["type"], message["status"]) == ("websocket.http.response.start", 403)


@pytest.mark.parametrize(
    ("path", "offered", "by"),
    [
        (f"{POD}/exec", V5, "WebSocketLine"),
        (f"{POD}/attach", V4, "WebSocketLine"),
        (f"{POD}/exec", SPDY, "SpdyLine"),
        (f"{POD}/portforward", TUNNEL, "PortForward"),
        (f"{POD}/portforward", SPDY, "PortForward"),
    ],
)
async def test_connection_is_served_in_its_protocol(monkeypatch, path, offered, by):
    served = []

    def serving(name):
        async def done(*args):
            return False

        return lambda *args: served.append(name) or SimpleNamespace(run=done, opened=done)

    for name in ("PortForward", "SpdyLine", "WebSocketLine"):
        monkeypatch.setattr(connections, name, serving(name))
    await answer_to(path, [offered], f"{V4},{FORWARDED}")
    assert served == [by]
