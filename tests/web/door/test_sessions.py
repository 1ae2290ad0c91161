"""Sessions in containers without a site: their input and output, and how each of them ends."""

import asyncio
import json

import pytest

from simulator.door import exec_session
from simulator.door.channel_line import WebSocketLine
from simulator.door.exec_session import ExecSession
from simulator.door.executing import ExecOutput
from simulator.engine.acts.containers.exec import ExecInContainer, WriteToExec
from simulator.web.door.streams import WatchOver

SHELL = ExecInContainer(target="default/a", container="app", command=("sh",), stdin=True, tty=True)
SHELL_WITHOUT_TERMINAL = ExecInContainer(target="default/a", container="app", command=("sh",), stdin=True)
CAT = ExecInContainer(target="default/a", container="app", command=("cat",), stdin=True, apart=True)


class Run:
    """A run in which no time passes."""

    is_over = False

    def __init__(self) -> None:
        self.awake = asyncio.Event()

    async def enter(self) -> None: ...

    async def leave(self) -> None: ...

    async def now_ms(self):
        return None


class Turns:
    """A scripted site: it gives one answer after the other, and records its input."""

    def __init__(self, *outputs: ExecOutput | Exception, refused: str = "") -> None:
        self.given: list[object] = []
        self._outputs, self._refused = list(outputs), refused

    async def give(self, command):
        self.given.append(command)
        return len(self.given)

    async def refused(self, command, seq):
        return self._refused

    async def output(self, seq, sent):
        said = self._outputs.pop(0) if self._outputs else ExecOutput()
        if isinstance(said, Exception):
            raise said
        return said

    async def attached(self, cursor):
        raise AssertionError


class Client:
    """The other end of a WebSocket: what it sends, at once, and what it has received. It stays connected unless it ``goes``."""

    def __init__(self, *sends: bytes, goes: bool = False) -> None:
        self._sends, self._goes = list(sends), goes
        self.got: list[tuple[int, bytes]] = []

    async def receive(self):
        if self._sends:
            return {"type": "websocket.receive", "bytes": self._sends.pop(0)}
        if not self._goes:
            await asyncio.Event().wait()
        return {"type": "websocket.disconnect"}

    async def send(self, message) -> None:
        if message["type"] == "websocket.send":
            self.got.append((message["bytes"][0], message["bytes"][1:]))

    @property
    def last(self) -> str:
        return str(json.loads(self.got[-1][1]).get("message", ""))


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exec_session, "LOOK_S", 0.01)
    monkeypatch.setattr(exec_session, "CHECK_S", 0.0)


def served(client: Client, turns: Turns, command: ExecInContainer) -> Client:
    session = ExecSession(Run(), command, WebSocketLine(client.receive, client.send), turns)
    asyncio.run(asyncio.wait_for(session.run(), 20))
    return client


def test_what_is_said_comes_before_the_exit_code():
    client = served(Client(), Turns(ExecOutput(printed="a"), ExecOutput(printed="b", errors="c", is_over=True, code=2)), CAT)
    assert client.got[:3] == [(1, b"a"), (1, b"b"), (2, b"c")]
    assert client.last.endswith("exit code 2")


def test_a_command_that_the_run_refuses_is_told_and_nothing_follows():
    turns = Turns(refused="container not found")
    assert served(Client(), turns, CAT).last == "container not found"
    assert turns.given == [CAT]


def test_input_is_given_as_text_or_as_bytes_and_ends_once():
    turns = Turns(ExecOutput(), ExecOutput(), ExecOutput(), ExecOutput(is_over=True))
    served(Client(b"\0one\n", b"\xff\0"), turns, CAT)
    assert turns.given[1:] == [
        WriteToExec(target="default/a", container="app", exec=1, text="one\n"),
        WriteToExec(target="default/a", container="app", exec=1, is_end=True),
    ]


def test_the_end_of_the_input_is_not_given_to_a_command_that_its_input_has_ended():
    turns = Turns(ExecOutput(), ExecOutput(), ExecOutput(is_over=True, code=3))
    client = served(Client(b"\0exit 3\n", b"\xff\0"), turns, SHELL_WITHOUT_TERMINAL)
    assert turns.given[1:] == [WriteToExec(target="default/a", container="app", exec=1, text="exit 3\n")]
    assert client.last.endswith("exit code 3")


def test_a_terminal_shows_the_keys_that_it_takes():
    turns = Turns(ExecOutput(), ExecOutput(printed="x\n"), ExecOutput(is_over=True))
    client = served(Client(b"\0ls\r"), turns, SHELL)
    assert (1, b"ls\r\n") in client.got and (1, b"x\r\n") in client.got
    assert turns.given[1] == WriteToExec(target="default/a", container="app", exec=1, text="ls\n")


def test_a_client_that_goes_ends_the_input_and_interrupts_a_terminal():
    turns = Turns()
    served(Client(goes=True), turns, SHELL)
    assert turns.given[1] == WriteToExec(target="default/a", container="app", exec=1, is_end=True, interrupts=True)


def test_a_key_that_is_revoked_ends_the_session():
    assert "key" in served(Client(), Turns(ExecOutput(), WatchOver()), CAT).last


@pytest.mark.parametrize(("name", "word"), [("IDLE_S", "without input"), ("SESSION_S_MAX", "an hour")])
def test_a_session_does_not_stay_forever(monkeypatch: pytest.MonkeyPatch, name: str, word: str):
    monkeypatch.setattr(exec_session, name, -1.0)
    assert word in served(Client(), Turns(), CAT).last


def test_too_much_input_ends_the_session(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exec_session, "INPUT_BYTES_MAX", 10)
    assert "at most" in served(Client(b"\0" + b"x" * 11), Turns(), CAT).last


@pytest.mark.parametrize(
    ("sent", "heard"),
    [
        ({"bytes": b"\x00\x00"}, (0, b"\x00")),
        ({"bytes": b"\xff\x00"}, (0xFF, b"")),
        ({"bytes": b"\xff\x01"}, (0xFF, b"\x01")),
        ({"text": "\x00ls"}, (0, b"ls")),
    ],
)
async def test_line_tells_the_end_of_the_input_from_input_that_looks_like_it(sent, heard):
    messages = [{"type": "websocket.connect"}, {"type": "websocket.receive", **sent}, {"type": "websocket.disconnect"}]

    async def receive():
        return messages.pop(0)

    line = WebSocketLine(receive, None)
    assert (await line.receive(), await line.receive()) == (heard, None)
