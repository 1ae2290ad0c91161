"""A minimal browser: pages with cookies over HTTP, and the socket of one run, without any of the site's libraries."""

import base64
import http.client
import json
import os
import re
import socket
import struct
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

from msgspec import Struct

PATIENCE_S = 30
LOST = (OSError, http.client.HTTPException)
"""Errors of a broken connection: it is unknown what became of the request."""


class HeardAnswer(Struct, frozen=True, kw_only=True):
    """The response: the status, the headers by lower-case name, and the text."""

    status: int
    headers: dict[str, str]
    text: str


class Visitor:
    """A visitor of a site that listens on a port of this machine; ``port`` may change, as behind a proxy."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._open = build_opener(HTTPCookieProcessor(CookieJar())).open

    @property
    def origin(self) -> str:
        """The site's address without a path."""
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str) -> str:
        """The text of a page. Raises one of LOST, including HTTPError."""
        with self._open(self.origin + path, timeout=PATIENCE_S) as answer:
            return str(answer.read().decode())

    def start_run(self, manifest: str) -> str:
        """Submit the form for a new run; returns the run's id."""
        body = urlencode({"manifest": manifest, "kubernetes": "1.33", "seed": "1", "csrfmiddlewaretoken": self.token()}).encode()
        with self._open(Request(f"{self.origin}/new/", body, {"Origin": self.origin}), timeout=PATIENCE_S) as page:
            return _found(r"/r/([0-9a-f-]{36})/", page.url)

    def token(self) -> str:
        """A CSRF token, from the page with the form."""
        return _found(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get("/new/"))

    def send(self, path: str, fields: dict[str, str]) -> HeardAnswer:
        """Post a form as a script does. Raises one of LOST if no answer comes."""
        headers = {"Origin": self.origin, "HX-Request": "true", "Accept": "application/json"}
        try:
            with self._open(Request(self.origin + path, urlencode(fields).encode(), headers), timeout=PATIENCE_S) as answer:
                return _answer(answer.status, answer)
        except HTTPError as refused:
            return _answer(refused.code, refused)


def _answer(status: int, answer: Any) -> HeardAnswer:
    return HeardAnswer(status=status, headers={name.lower(): value for name, value in answer.headers.items()}, text=answer.read().decode())


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, f"there is no {pattern} in the page"
    return match[1]


class Closed(Exception):
    """The server closed the socket; ``code`` says why, 1006 without a close frame."""

    def __init__(self, code: int) -> None:
        super().__init__(f"closed with {code}")
        self.code = code


class Follower:
    """The socket of a run. Every frame of records is acknowledged, as a page does."""

    def __init__(self, port: int, run_id: str, *, since: int = 0) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET /ws/run/{run_id}/?since={since} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Origin: http://127.0.0.1:{port}"]
        lines += ["Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self._socket.sendall("\r\n".join(lines).encode())
        self._stream = self._socket.makefile("rb")
        self.answer = self._stream.readline().decode()
        while self._stream.readline().strip():
            pass
        self.seqs: list[int] = []

    def read_to(self, seq: int) -> list[int]:
        """Read frames until the record ``seq`` has arrived; returns the numbers of all records so far."""
        while not self.seqs or self.seqs[-1] < seq:
            self.read()
        return self.seqs

    def read(self) -> dict[str, Any]:
        """The next frame; one of records is acknowledged. Raises Closed, or OSError if nothing arrives for long."""
        frame: dict[str, Any] = json.loads(self._frame())
        if frame["type"] == "records":
            self.seqs += [record[0] for record in frame["records"]]  # a record is a list that begins with its seq
            self._say(json.dumps({"ack": frame["to"]}))
        return frame

    def close(self) -> None:
        """Disconnect without a close frame."""
        self._stream.close()
        self._socket.close()

    def drop(self) -> None:
        """Break the connection under a thread that is reading; it then reaches the end of the stream."""
        self._socket.shutdown(socket.SHUT_RDWR)

    def _frame(self) -> bytes:
        first, size = self._bytes(2)
        if size == 126:
            (size,) = struct.unpack(">H", self._bytes(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", self._bytes(8))
        body = self._bytes(size)
        if first == 0x88:
            raise Closed(int.from_bytes(body[:2], "big"))
        if first == 0x89:  # a client that does not answer a ping is considered gone
            self._send(0x8A, body)
            return self._frame()
        assert first == 0x81, f"no text frame: {first:#x} {body[:80]!r}"
        return body

    def _bytes(self, size: int) -> bytes:
        found = self._stream.read(size)
        if len(found) < size:
            raise Closed(1006)
        return found

    def _say(self, text: str) -> None:
        self._send(0x81, text.encode())

    def _send(self, kind: int, body: bytes) -> None:
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(body))
        self._socket.sendall(bytes([kind, 0x80 | len(body)]) + mask + masked)
