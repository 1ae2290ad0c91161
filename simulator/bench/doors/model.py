"""What is sent, what came back, and a site as seen by the walk."""

from typing import Protocol

from msgspec import Struct

Headers = tuple[tuple[bytes, bytes], ...]


class Request(Struct, frozen=True, kw_only=True):
    """One HTTP request as bytes: ``target`` is path and query as in the request line."""

    method: bytes
    target: bytes
    headers: Headers
    body: bytes = b""


class Message(Struct, frozen=True):
    """A message of a websocket client. ``opcode`` 1 is text, 2 is binary."""

    opcode: int
    payload: bytes


class Talk(Struct, frozen=True, kw_only=True):
    """A websocket: the target and headers of its handshake, and the messages sent once it is open."""

    target: bytes
    headers: Headers
    messages: tuple[Message, ...]


class HostileInput(Struct, frozen=True, kw_only=True):
    """One input. ``door`` is the name of the address or socket that it was made for."""

    number: int
    door: str
    sent: Request | Talk


class Reply(Struct, frozen=True, kw_only=True):
    """The answer to a request; status 0 with ``broken`` if the connection broke or timed out instead. Header names are in lower case."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    broken: str = ""

    def header(self, name: bytes) -> bytes:
        """The first header of that name; empty if there is none."""
        return next((value for known, value in self.headers if known == name), b"")


class TalkEnd(Struct, frozen=True, kw_only=True):
    """The outcome of a socket: refused in its handshake (``status`` is not 101), closed with ``code``, or still responding at the end.

    ``broken`` says what else ended it.
    """

    status: int
    code: int = 0
    answers: bool = False
    broken: str = ""


class Known(Struct, frozen=True, kw_only=True):
    """Existing objects on the site, for addresses that lead somewhere; every tuple has at least one element.

    ``cookies`` are those of the browser that owns all of it, ``token`` is its CSRF token; ``file`` is a run as a file.
    """

    cookies: bytes
    token: bytes
    runs: tuple[str, ...]
    shares: tuple[str, ...]
    sweeps: tuple[str, ...]
    classes: tuple[str, ...]
    file: str


class Site(Protocol):
    """A site under test."""

    host: bytes

    async def ask(self, request: Request) -> Reply:
        """The answer to a request."""
        ...

    async def talk(self, talk: Talk) -> TalkEnd:
        """The outcome of a socket."""
        ...

    def new_log(self) -> str:
        """What the site has logged since the last call."""
        ...

    def ended_processes(self) -> list[str]:
        """Which of the site's processes have ended since the last call."""
        ...
