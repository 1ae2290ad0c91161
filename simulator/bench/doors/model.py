"""What is sent, what came back, and what a site is to those who walk through it."""

from typing import Protocol

from msgspec import Struct

Headers = tuple[tuple[bytes, bytes], ...]


class Request(Struct, frozen=True, kw_only=True):
    """One HTTP request as its bytes: ``target`` is path and query as they stand in the request line."""

    method: bytes
    target: bytes
    headers: Headers
    body: bytes = b""


class Message(Struct, frozen=True):
    """A message of a websocket's client. ``opcode`` 1 is a text, 2 is binary."""

    opcode: int
    payload: bytes


class Talk(Struct, frozen=True, kw_only=True):
    """A websocket: the target and headers of its handshake, and what is said once it is open."""

    target: bytes
    headers: Headers
    messages: tuple[Message, ...]


class HostileInput(Struct, frozen=True, kw_only=True):
    """One input. ``door`` is the name of the address or socket that it was made for."""

    number: int
    door: str
    sent: Request | Talk


class Reply(Struct, frozen=True, kw_only=True):
    """The answer to a request; status 0 with ``broken`` where the line broke or fell silent instead. Names of headers are small."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    broken: str = ""

    def header(self, name: bytes) -> bytes:
        """The first header of that name; empty where there is none."""
        return next((value for known, value in self.headers if known == name), b"")


class TalkEnd(Struct, frozen=True, kw_only=True):
    """How a socket went: refused in its handshake (``status`` is not 101), closed with ``code``, or still answering after all was said.

    ``broken`` says what ended it otherwise.
    """

    status: int
    code: int = 0
    answers: bool = False
    broken: str = ""


class Known(Struct, frozen=True, kw_only=True):
    """What there is on the site, for addresses that lead somewhere; every tuple holds at least one.

    ``cookies`` are those of the browser that owns all of it, ``token`` its CSRF token; ``file`` is a run as a file.
    """

    cookies: bytes
    token: bytes
    runs: tuple[str, ...]
    shares: tuple[str, ...]
    sweeps: tuple[str, ...]
    classes: tuple[str, ...]
    file: str


class Site(Protocol):
    """A site that is walked."""

    host: bytes

    async def ask(self, request: Request) -> Reply:
        """The answer to a request."""
        ...

    async def talk(self, talk: Talk) -> TalkEnd:
        """How a socket went."""
        ...

    def said(self) -> str:
        """What the site has logged since the last time this was called."""
        ...

    def dead(self) -> list[str]:
        """What has ended of the site's processes since the last time this was called."""
        ...
