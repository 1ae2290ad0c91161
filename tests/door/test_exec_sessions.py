"""Sessions in a container without a site: what goes to the run and to the client, and how each session ends."""

import asyncio
import json
from collections.abc import Callable

import pytest

from simulator.door import exec_session
from simulator.door.channel_line import ConnectionClosed
from simulator.door.channels import CLOSE, ERROR, RESIZE, STDERR, STDIN, STDOUT
from simulator.door.exec_session import (
    CHECK_S,
    IDLE,
    IDLE_S,
    INPUT_BYTES_MAX,
    PIECE_BYTES,
    REVOKED,
    SESSION_S_MAX,
    TOO_LONG,
    TOO_MUCH,
    AttachSession,
    ExecSession,
)
from simulator.door.executing import ExecOutput
from simulator.door.logs import LogCursor
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exec import ExecInContainer, WriteToExec

CURSOR = LogCursor(0, 0, 0)
DONE = ExecOutput(is_over=True)


class Clock:
    """The time of the sessions; it passes when a session waits."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.step_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()

    async def either(one: asyncio.Event, other: asyncio.Event, timeout_s: float) -> None:
        made.now_s += made.step_s
        await asyncio.sleep(0)

    monkeypatch.setattr(exec_session, "monotonic", made)
    monkeypatch.setattr(exec_session, "GATHER_S", 0)
    monkeypatch.setattr(exec_session, "_either", either)
    return made


class Client:
    """A line whose client sends these pieces, one for each time that the session looks, and then goes or stays."""

    def __init__(self, *pieces: tuple[int, bytes], stays: bool = True) -> None:
        self._pieces, self._stays = [*pieces], stays
        self.sent: list[tuple[int, bytes]] = []
        self.closed = False

    async def receive(self) -> tuple[int, bytes] | None:
        if self._pieces:
            return self._pieces.pop(0)
        if self._stays:
            await asyncio.Event().wait()
        return None

    async def send(self, channel: int, data: bytes) -> None:
        if data:
            self.sent.append((channel, data))

    async def close(self) -> None:
        self.closed = True

    @property
    def status(self) -> str:
        """The message of the last Status, or its status."""
        assert self.closed and self.sent[-1][0] == ERROR
        last = json.loads(self.sent[-1][1])
        return str(last.get("message") or last["status"])


class Run:
    """A run that stands at these moments, one after the other, and then at the last."""

    def __init__(self, *moments: int | None, over_at: int = -1) -> None:
        self.awake = asyncio.Event()
        self.viewers: list[int] = []
        self._moments, self._over_at, self._looks = [*moments] or [0], over_at, 0

    @property
    def is_over(self) -> bool:
        return 0 <= self._over_at < self._looks

    async def enter(self) -> None:
        self.viewers.append(1)

    async def leave(self) -> None:
        self.viewers.append(-1)

    async def now_ms(self) -> int | None:
        self._looks += 1
        if self._looks > 20_000:
            raise AssertionError("the session does not end")
        return self._moments.pop(0) if len(self._moments) > 1 else self._moments[0]


class Turns:
    """The run's answers; ``after``: which output comes after so many commands have been given."""

    def __init__(self, after: Callable[[int, int], ExecOutput], refused: str = "", given_max: int = 10_000) -> None:
        self._after, self._refused, self._given_max = after, refused, given_max
        self.given: list[AnyCommand] = []
        self.looks = 0
        self.asked: list[tuple[int, int]] = []

    async def give(self, command: AnyCommand) -> int:
        if len(self.given) >= self._given_max:
            raise ConnectionClosed
        self.given.append(command)
        return 7

    async def refused(self, command: ExecInContainer, seq: int) -> str:
        return self._refused

    async def output(self, seq: int, sent: tuple[int, int]) -> ExecOutput:
        self.looks += 1
        self.asked.append(sent)
        return self._after(self.looks, len(self.given))

    async def attached(self, cursor: LogCursor) -> tuple[str, LogCursor, bool]:
        self.looks += 1
        said = self._after(self.looks, 0)
        return said.printed, LogCursor(cursor.attempt, self.looks, 0), said.is_over

    @property
    def typed(self) -> list[tuple[str, str, bool, bool]]:
        """What was written to the command: text, base64, whether its input ended, whether it was interrupted."""
        writes = [command for command in self.given if isinstance(command, WriteToExec)]
        return [(write.text, write.raw, write.is_end, write.interrupts) for write in writes]


def command(*, stdin: bool = False, tty: bool = False) -> ExecInContainer:
    return ExecInContainer(target="default/a", container="app", command=("sh",), stdin=stdin, tty=tty)


async def ran(client: Client, turns: Turns, run: Run | None = None, *, attached: bool = False, **how: bool) -> None:
    """Run a session to its end."""
    async with asyncio.timeout(20):
        await ExecSession(run or Run(), command(**how), client, turns, is_attached=attached).run()


def later(looks: int, text: str = "", **end: object) -> Callable[[int, int], ExecOutput]:
    """Output at the first look, and the end at a later one."""
    return lambda look, given: ExecOutput(printed=text if look == 1 else "", is_over=look >= looks, **(end if look >= looks else {}))


async def test_output_is_sent_and_counted_until_the_command_ends(clock: Clock) -> None:
    client, run = Client(), Run(0, 1, 2)
    turns = Turns(lambda look, given: ExecOutput(printed="é\n", errors="bad\n", is_over=look == 2, code=3 if look == 2 else 0))
    await ran(client, turns, run)
    assert client.sent[:4] == [(STDOUT, "é\n".encode()), (STDERR, b"bad\n")] * 2
    assert "exit code 3" in client.status and turns.asked == [(0, 0), (2, 4)]
    assert run.viewers == [1, -1]


async def test_a_terminal_has_one_stream_whose_lines_begin_at_the_left(clock: Clock) -> None:
    client = Client()
    await ran(client, Turns(lambda look, given: ExecOutput(printed="a\n", errors="b\n", is_over=True)), tty=True)
    assert client.sent[:-1] == [(STDOUT, b"a\r\n")] and client.status == "Success"


async def test_long_output_is_sent_in_pieces(clock: Clock) -> None:
    client = Client()
    await ran(client, Turns(lambda look, given: ExecOutput(printed="x" * 32_769, is_over=True)))
    assert [len(data) for channel, data in client.sent if channel == STDOUT] == [32_768, 1]


async def test_a_command_that_was_not_started_says_why(clock: Clock) -> None:
    client, turns = Client(), Turns(later(1), refused="no such file")
    await ran(client, turns)
    assert (client.status, turns.looks) == ("no such file", 0)
    client = Client()
    await ran(client, Turns(later(1, error="executable file not found")))
    assert client.status == "executable file not found"


async def test_an_attached_session_starts_nothing(clock: Clock) -> None:
    turns = Turns(later(1))
    await ran(Client(), turns, attached=True)
    assert turns.given == []


async def test_input_is_given_as_text_or_else_as_bytes_and_its_end_once(clock: Clock) -> None:
    client = Client((STDIN, b"a"), (STDIN, b"b\n"))
    turns = Turns(lambda look, given: ExecOutput(is_over=given == 2))
    await ran(client, turns, stdin=True)
    assert turns.typed == [("ab\n", "", False, False)]
    turns = Turns(lambda look, given: ExecOutput(is_over=given == 2))
    await ran(Client((STDIN, b"\xff")), turns, stdin=True)
    assert turns.typed == [("", "/w==", False, False)]
    turns = Turns(lambda look, given: ExecOutput(is_over=given == 3))
    await ran(Client((STDIN, b"a"), (CLOSE, b"")), turns, stdin=True)
    assert turns.typed == [("a", "", False, False), ("", "", True, False)]


async def test_input_in_one_command_is_bounded(clock: Clock) -> None:
    turns = Turns(lambda look, given: ExecOutput(is_over=given == 3))
    await ran(Client((STDIN, b"x" * (PIECE_BYTES + 1))), turns, stdin=True)
    assert [len(text) for text, *_ in turns.typed] == [PIECE_BYTES, 1]


async def test_keys_of_a_terminal_are_echoed_and_given_in_lines(clock: Clock) -> None:
    client = Client((STDIN, b"ls\r\x03"))
    turns = Turns(lambda look, given: ExecOutput(is_over=given == 3))
    await ran(client, turns, stdin=True, tty=True)
    assert client.sent[0] == (STDOUT, b"ls\r\n^C")
    assert turns.typed == [("ls\n", "", False, False), ("", "", False, True)]


async def test_input_of_a_command_that_reads_none_is_left_out(clock: Clock) -> None:
    turns = Turns(later(3))
    await ran(Client((STDIN, b"a"), (RESIZE, b"{}")), turns, Run(0, 1, 2))
    assert turns.typed == []


@pytest.mark.parametrize(
    ("how", "attached", "typed"),
    [
        ({"stdin": True}, False, [("", "", True, False)]),
        ({"stdin": True, "tty": True}, False, [("", "", True, True)]),
        ({"stdin": True}, True, []),
        ({}, False, []),
    ],
)
async def test_a_client_that_goes_ends_the_input_that_it_began(
    clock: Clock, how: dict[str, bool], attached: bool, typed: list[object]
) -> None:
    client, turns = Client(stays=False), Turns(later(99_999))
    await ran(client, turns, attached=attached, **how)
    assert turns.typed == typed and client.closed


async def test_input_that_has_ended_is_not_ended_again_when_the_client_goes(clock: Clock) -> None:
    turns = Turns(later(99_999))
    await ran(Client((CLOSE, b""), stays=False), turns, stdin=True)
    assert [is_end for _text, _raw, is_end, _interrupts in turns.typed] == [True]


@pytest.mark.parametrize(("size", "ended"), [(INPUT_BYTES_MAX, "Success"), (INPUT_BYTES_MAX + 1, TOO_MUCH)])
async def test_input_is_bounded(clock: Clock, size: int, ended: str) -> None:
    client = Client((STDIN, b"x" * size))
    await ran(client, Turns(lambda look, given: ExecOutput(is_over=given > 4)), stdin=True)
    assert client.status == ended


@pytest.mark.parametrize(
    ("step_s", "steps", "ended"),
    [(IDLE_S, 1, "Success"), (IDLE_S + 1, 99_999, IDLE), (SESSION_S_MAX + 1, 99_999, TOO_LONG)],
)
async def test_a_silent_session_ends_after_a_while(clock: Clock, step_s: float, steps: int, ended: str) -> None:
    clock.step_s, client = step_s, Client()
    await ran(client, Turns(later(steps + 1)))
    assert client.status == ended


async def test_a_session_that_prints_is_not_idle_but_ends_after_an_hour(clock: Clock) -> None:
    clock.step_s, client = 600, Client()
    turns = Turns(lambda look, given: ExecOutput(printed="x"))
    await ran(client, turns)
    assert client.status == TOO_LONG and turns.looks == 2 + SESSION_S_MAX // 600


@pytest.mark.parametrize(("step_s", "looks"), [(CHECK_S, 2), (CHECK_S + 1, 4)])
async def test_a_run_that_stands_still_is_looked_at_now_and_then(clock: Clock, step_s: float, looks: int) -> None:
    clock.step_s, turns = step_s, Turns(later(99_999))
    await ran(Client(), turns, Run(5, over_at=3))
    assert turns.looks == looks


async def test_a_run_that_is_over_ends_the_session(clock: Clock) -> None:
    client = Client()
    await ran(client, Turns(later(99_999)), Run(0, None, None, over_at=2))
    assert client.status == "the run is over"


async def test_a_revoked_key_ends_the_session(clock: Clock) -> None:
    client, run = Client(), Run()
    await ran(client, Turns(later(1), given_max=0), run)
    assert client.status == REVOKED and run.viewers == [1, -1]


async def attached(client: Client, turns: Turns, run: Run | None = None, *, tty: bool = False) -> None:
    async with asyncio.timeout(20):
        await AttachSession(run or Run(), CURSOR, client, turns, tty=tty).run()


@pytest.mark.parametrize(("tty", "shown"), [(False, b"a\n"), (True, b"a\r\n")])
async def test_what_a_container_prints_is_sent_until_it_ends(clock: Clock, tty: bool, shown: bytes) -> None:
    client = Client((STDIN, b"typed"))
    await attached(client, Turns(later(2, "a\n")), Run(0, 1), tty=tty)
    assert client.sent[:-1] == [(STDOUT, shown)] and client.status == "Success"


async def test_an_attached_client_that_goes_or_a_run_that_is_over_ends_it(clock: Clock) -> None:
    for client, run in ((Client(stays=False), Run()), (Client(), Run(over_at=2))):
        await attached(client, Turns(later(99_999)), run)
        assert client.status == "Success"


@pytest.mark.parametrize(("step_s", "looks"), [(CHECK_S, 2), (CHECK_S + 1, 3)])
async def test_a_container_is_looked_at_when_time_passes_or_now_and_then(clock: Clock, step_s: float, looks: int) -> None:
    clock.step_s, turns = step_s, Turns(later(99_999))
    await attached(Client((CLOSE, b"")), turns, Run(5, over_at=2))
    assert turns.looks == looks


@pytest.mark.parametrize(("step_s", "ended"), [(SESSION_S_MAX, "Success"), (SESSION_S_MAX + 1, TOO_LONG)])
async def test_an_attached_session_ends_after_an_hour(clock: Clock, step_s: float, ended: str) -> None:
    clock.step_s, client = step_s, Client()
    await attached(client, Turns(later(2)))
    assert client.status == ended
