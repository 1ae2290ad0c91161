"""A session in a container: what the client types becomes commands of the run, and the command's output is sent back.

A session costs the run one command to begin and one for each piece of input. So the number of sessions per visitor,
their duration, and the amount of input are limited.
"""

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Protocol

from simulator.door.channel_line import ChannelLine, ClientInput, ConnectionClosed
from simulator.door.channels import ERROR, STDERR, STDOUT, error_status, exit_status
from simulator.door.executing import ExecOutput
from simulator.door.logs import LogCursor
from simulator.door.terminal import Keyed, Terminal, on_screen
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exec import ExecInContainer, WriteToExec
from simulator.engine.kernel.units import Ms, Seq

SESSION_S_MAX, IDLE_S = 3600.0, 900.0
"""The longest duration of a session, and how long it may go without input or output."""
INPUT_BYTES_MAX = 1_048_576
"""The most bytes that may be sent to one command; the run keeps them."""
PIECE_BYTES = 262_144
"""The most bytes of input in one command of the run."""
GATHER_S = 0.03
"""Input that arrives within this time is sent as one piece."""
LOOK_S = 0.4
"""How often to look for output while time passes: a command may print at any moment, without a record of it."""
CHECK_S = 15.0
"""How often a silent session checks whether its key is still valid."""
IDLE = "the session was ended after 15 minutes without input or output"
TOO_MUCH = f"a command takes at most {INPUT_BYTES_MAX} bytes of input here"
TOO_LONG = "the session was ended after an hour"
REVOKED = "the session was ended: its key no longer opens this run"


class SessionRun(Protocol):
    """The run that a session is in."""

    @property
    def awake(self) -> asyncio.Event:
        """Set when there may be something new."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""

    async def enter(self) -> None:
        """A session begins; it counts as a viewer of the run."""

    async def leave(self) -> None:
        """The session has ended."""

    async def now_ms(self) -> Ms | None:
        """The present moment; None if it is not known right now."""


class SessionTurns(Protocol):
    """What a session asks of the run; every method raises ConnectionClosed if the key is revoked or no worker can answer."""

    async def give(self, command: AnyCommand) -> Seq:
        """Give the run a command and return the number of its record. Raises SessionEnded if the run does not take it."""

    async def refused(self, command: ExecInContainer, seq: Seq) -> str:
        """Why the run did not start the command; empty if it did."""

    async def output(self, seq: Seq, sent: tuple[int, int]) -> ExecOutput:
        """The command's output after ``sent`` characters."""

    async def attached(self, cursor: LogCursor) -> tuple[str, LogCursor, bool]:
        """What a container has printed since the cursor, the new cursor, and whether the log has ended."""


class SessionEnded(Exception):
    """The session is over; the message is sent on the error channel."""


async def _run_session(run: SessionRun, line: ChannelLine, talk: Callable[[ClientInput], Awaitable[bytes]]) -> None:
    """Run a session and send its final Status on the error channel, however the session ends."""
    client = ClientInput(line, INPUT_BYTES_MAX)
    await run.enter()
    try:
        last = await talk(client)
    except SessionEnded as error:
        last = error_status(str(error))
    except ConnectionClosed:
        last = error_status(REVOKED)
    finally:
        client.stop()
        await run.leave()
    with suppress(OSError):
        await line.send(ERROR, last)
        await line.close()


class ExecSession:
    """One command in a container and the client that started it, or attached to it if it was already running."""

    def __init__(
        self, run: SessionRun, command: ExecInContainer, line: ChannelLine, turns: SessionTurns, *, is_attached: bool = False
    ) -> None:
        self._is_attached = is_attached
        self._run, self._command, self._line, self._turns = run, command, line, turns
        self._terminal = Terminal() if command.tty and command.stdin else None
        self._sent, self._is_ended, self._active_s = (0, 0), False, monotonic()
        self._seq: Seq = 0

    async def run(self) -> None:
        """Run the session until it ends."""
        await _run_session(self._run, self._line, self._whole)

    async def _whole(self, client: ClientInput) -> bytes:
        if not self._is_attached:
            self._seq = await self._turns.give(self._command)
            if refused := await self._turns.refused(self._command, self._seq):
                return error_status(refused)
        return await self._talk(client)

    async def _talk(self, client: ClientInput) -> bytes:
        end_s, looked_s, seen_ms = monotonic() + SESSION_S_MAX, 0.0, -1
        while True:
            found_ms = await self._run.now_ms()
            now_ms = seen_ms if found_ms is None else found_ms
            if now_ms != seen_ms or self._run.awake.is_set() or monotonic() > looked_s + CHECK_S:
                self._run.awake.clear()
                seen_ms, looked_s = now_ms, monotonic()
                if (last := await self._forward_output()) is not None:
                    return last
            if client.is_gone:
                await self._hang_up()
                return b""
            self._check(client, end_s)
            if await self._forward_input(client):
                seen_ms = -1
                continue
            await _either(client.news, self._run.awake, LOOK_S)

    def _check(self, client: ClientInput, end_s: float) -> None:
        if client.is_too_much:
            raise SessionEnded(TOO_MUCH)
        if monotonic() > end_s:
            raise SessionEnded(TOO_LONG)
        if monotonic() > self._active_s + IDLE_S:
            raise SessionEnded(IDLE)
        if self._run.is_over:
            raise SessionEnded("the run is over")

    async def _forward_output(self) -> bytes | None:
        """Send new output to the client; returns the final Status once the command has ended."""
        said = await self._turns.output(self._seq, self._sent)
        if said.printed or said.errors:
            self._active_s = monotonic()
        self._sent = (self._sent[0] + len(said.printed), self._sent[1] + len(said.errors))
        for channel, text in ((STDOUT, said.printed), (STDERR, "" if self._command.tty else said.errors)):
            await self._send(channel, text)
        if not said.is_over:
            return None
        return error_status(said.error) if said.error else exit_status(said.code)

    async def _send(self, channel: int, text: str) -> None:
        data = (on_screen(text) if self._command.tty else text).encode("utf-8", "surrogateescape")
        for place in range(0, len(data), 32_768):
            await self._line.send(channel, data[place : place + 32_768])

    async def _forward_input(self, client: ClientInput) -> bool:
        """Pass received input on; returns whether there was any."""
        if not client.news.is_set() or not self._command.stdin:
            client.news.clear()
            return False
        await asyncio.sleep(GATHER_S)
        client.news.clear()
        data, is_end = client.take(), client.is_ended and not self._is_ended
        if self._terminal is not None:
            pieces = self._terminal.typed(data)
            await self._line.send(STDOUT, self._terminal.shown().encode())
        else:
            pieces = []
        for piece in pieces:
            await self._write(_input(self._command, self._seq, piece))
        if self._terminal is None:
            for place in range(0, len(data), PIECE_BYTES):
                await self._write(_bytes(self._command, self._seq, data[place : place + PIECE_BYTES]))
        if is_end and data:
            client.news.set()  # earlier input may have ended the command: look at its output before the end of input is sent
        elif is_end:
            self._is_ended = True
            await self._write(_input(self._command, self._seq, Keyed(is_end=True)))
        self._active_s = monotonic()
        return bool(data) or is_end

    async def _write(self, command: WriteToExec) -> None:
        await self._turns.give(command)

    async def _hang_up(self) -> None:
        """The client is gone: close the command's input and, at a terminal, interrupt it as well."""
        if self._command.stdin and not self._is_ended and not self._is_attached:
            with suppress(SessionEnded, ConnectionClosed):
                await self._turns.give(_input(self._command, self._seq, Keyed(is_end=True, interrupts=self._command.tty)))


class AttachSession:
    """What a container prints from now on, for a client that attached to it. Input is ignored."""

    def __init__(self, run: SessionRun, cursor: LogCursor, line: ChannelLine, turns: SessionTurns, *, tty: bool) -> None:
        self._run, self._cursor, self._line, self._turns, self._tty = run, cursor, line, turns, tty

    async def run(self) -> None:
        """Send output until the container ends or the client goes."""
        await _run_session(self._run, self._line, self._whole)

    async def _whole(self, client: ClientInput) -> bytes:
        await self._talk(client)
        return exit_status(0)

    async def _talk(self, client: ClientInput) -> None:
        end_s, looked_s, seen_ms = monotonic() + SESSION_S_MAX, 0.0, -1
        while not client.is_gone and not self._run.is_over:
            if monotonic() > end_s:
                raise SessionEnded(TOO_LONG)
            found_ms = await self._run.now_ms()
            now_ms = seen_ms if found_ms is None else found_ms
            if now_ms != seen_ms or monotonic() > looked_s + CHECK_S:
                seen_ms, looked_s = now_ms, monotonic()
                text, self._cursor, is_over = await self._turns.attached(self._cursor)
                if text:
                    await self._line.send(STDOUT, (on_screen(text) if self._tty else text).encode("utf-8", "surrogateescape"))
                if is_over:
                    return
            if client.is_ended or client.is_too_much:
                client.news.clear()
            await _either(client.news, self._run.awake, LOOK_S)
            client.news.clear()
            client.take()
            self._run.awake.clear()


def _input(command: ExecInContainer, seq: Seq, typed: Keyed) -> WriteToExec:
    return WriteToExec(
        target=command.target, container=command.container, exec=seq, text=typed.text, is_end=typed.is_end, interrupts=typed.interrupts
    )  # fmt: skip


def _bytes(command: ExecInContainer, seq: Seq, data: bytes) -> WriteToExec:
    """Text is sent as text, so that readers of the run can see it, anything else in base64."""
    try:
        return _input(command, seq, Keyed(data.decode()))
    except UnicodeDecodeError:
        return WriteToExec(target=command.target, container=command.container, exec=seq, raw=b64encode(data).decode())


async def _either(one: asyncio.Event, other: asyncio.Event, timeout_s: float) -> None:
    waiting = [asyncio.create_task(one.wait()), asyncio.create_task(other.wait())]
    try:
        await asyncio.wait(waiting, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
