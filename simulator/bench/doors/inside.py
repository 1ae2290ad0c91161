"""The site's application within this process, called as the server would: for the tests, which send hundreds of inputs in seconds."""

import asyncio
import logging
import traceback
from typing import Any
from urllib.parse import unquote

from django.core.signals import got_request_exception

from simulator.bench.doors.model import Headers, Reply, Request, Talk, TalkEnd
from simulator.bench.doors.wire import PING, PONG, pings_in

PATIENCE_S, END_S = 30.0, 5.0
_REFUSED_BEFORE = Reply(status=400, headers=((b"content-type", b"text/plain"),), body=b"refused by the server")


class InnerSite(logging.Handler):
    """An ASGI application. From ``with`` on, it collects every error that is logged or raised in a view."""

    host = b"localhost"

    def __init__(self, application: Any) -> None:
        super().__init__(logging.ERROR)
        self.setFormatter(logging.Formatter("{asctime} {levelname} {name}: {message}", style="{"))
        self._application = application
        self._heard: list[str] = []

    def __enter__(self) -> "InnerSite":
        logging.getLogger().addHandler(self)
        got_request_exception.connect(self._raised)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)
        got_request_exception.disconnect(self._raised)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the line, with its traceback."""
        self._heard.append(self.format(record))

    def _raised(self, **_: object) -> None:
        """Keep what a view or an error page raised, whoever logs it."""
        self._heard.append(traceback.format_exc())

    def new_log(self) -> str:
        """What was logged since the last call."""
        text, self._heard = "\n".join(self._heard), []
        return text

    def ended_processes(self) -> list[str]:
        """Empty: there are no processes here."""
        return []

    async def ask(self, request: Request) -> Reply:
        """The application's answer; what the server would refuse by itself is refused here."""
        scope = _scope("http", request.target, (*_normalised(self.host, request.headers), (b"content-length", b"%d" % len(request.body))))
        if scope is None or not request.method.isascii():
            return _REFUSED_BEFORE
        line = Conversation(self._application, scope | {"method": request.method.decode(), "http_version": "1.1"})
        try:
            line.send({"type": "http.request", "body": request.body, "more_body": False})
            return await _answered(line)
        except Exception as error:
            return Reply(status=0, broken="".join(traceback.format_exception(error)))
        finally:
            await line.end()

    async def talk(self, talk: Talk) -> TalkEnd:
        """The consumer's reaction."""
        origin = () if any(name == b"Origin" for name, _ in talk.headers) else ((b"origin", b"http://localhost"),)
        scope = _scope("websocket", talk.target, (*_normalised(self.host, talk.headers), *origin))
        if scope is None:
            return TalkEnd(status=400)
        line = Conversation(self._application, scope)
        try:
            line.send({"type": "websocket.connect"})
            if (await line.receive())["type"] != "websocket.accept":
                return TalkEnd(status=403)
            return await _heard_out(line, talk)
        except Exception as error:
            return TalkEnd(status=0, broken="".join(traceback.format_exception(error)))
        finally:
            line.send({"type": "websocket.disconnect", "code": 1000})
            await line.end()


class Conversation:
    """An application serving one connection. Unlike the test suites' communicators it reports an exception of the application at once."""

    def __init__(self, application: Any, scope: dict[str, Any]) -> None:
        self._said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._work: asyncio.Task[None] = asyncio.ensure_future(application(scope, self._said.get, self._heard.put))

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to the application."""
        self._said.put_nowait(message)

    async def receive(self) -> dict[str, Any]:
        """The application's next message. Raises what the application raised, and EOFError if it has ended."""
        hearing = asyncio.ensure_future(self._heard.get())
        await asyncio.wait({self._work, hearing}, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
        if hearing.done():
            return hearing.result()
        hearing.cancel()
        if not self._work.done():
            raise TimeoutError
        self._work.result()
        raise EOFError("it ended without an answer")

    async def end(self) -> None:
        """Let it end by itself, and cancel it if it does not."""
        await asyncio.wait({self._work}, timeout=END_S)
        self._work.cancel()
        await asyncio.gather(self._work, return_exceptions=True)


def _normalised(host: bytes, headers: Headers) -> Headers:
    """As the server passes them on: names in lower case, none with an underscore."""
    named = {name.lower() for name, _ in headers}
    return (*(() if b"host" in named else ((b"host", host),)), *((name.lower(), value.strip()) for name, value in headers))


def _scope(kind: str, target: bytes, headers: Headers) -> dict[str, Any] | None:
    """None if the server itself refuses: bytes beyond ASCII in the address, characters that are not allowed in a header."""
    path, _, query = target.partition(b"?")
    if not target.isascii() or any(set(value) & {0, 10, 13} for _, value in headers):
        return None
    plain = unquote(path.decode())
    return {"type": kind, "path": plain, "raw_path": path, "query_string": query, "headers": [*headers], "client": ["192.0.2.7", 1]} | {
        "server": ["127.0.0.1", 80],
        "scheme": "http" if kind == "http" else "ws",
        "root_path": "",
        "subprotocols": [],
    }


async def _answered(line: Conversation) -> Reply:
    start = await line.receive()
    body, more = b"", True
    while more:
        part = await line.receive()
        body, more = body + part.get("body", b""), part.get("more_body", False)
    return Reply(status=start["status"], headers=tuple((name.lower(), value) for name, value in start["headers"]), body=body)


async def _heard_out(line: Conversation, talk: Talk) -> TalkEnd:
    for message in talk.messages:
        try:
            content = {"text": message.payload.decode()} if message.opcode == 1 else {"bytes": message.payload}
        except UnicodeDecodeError:
            return TalkEnd(status=101, code=1007)  # the server's own answer to invalid UTF-8
        line.send({"type": "websocket.receive", **content})
    awaited = pings_in(talk.messages) + 1
    while True:
        line.send({"type": "websocket.receive", "text": PING.decode()})
        while PONG.decode() not in ((event := await line.receive()).get("text") or "")[:40]:
            if event["type"] == "websocket.close":
                return TalkEnd(status=101, code=event.get("code") or 1000)
        awaited -= 1
        if not awaited:
            return TalkEnd(status=101, answers=True)
