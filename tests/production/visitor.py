"""A browser in small: pages with cookies over HTTP, and a socket of one run, without any library of the site's."""

import base64
import json
import os
import re
import socket
import struct
from http.cookiejar import CookieJar
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

PATIENCE_S = 30


class Visitor:
    """Somebody at a site that listens on a port of this machine."""

    def __init__(self, port: int) -> None:
        self.port, self.origin = port, f"http://127.0.0.1:{port}"
        self._open = build_opener(HTTPCookieProcessor(CookieJar())).open

    def get(self, path: str) -> str:
        """The text of a page."""
        with self._open(self.origin + path, timeout=PATIENCE_S) as answer:
            return answer.read().decode()

    def start_run(self, manifest: str) -> str:
        """Fill in the form of a new run; gives the run's id."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get("/new/"))[1]
        fields = {"manifest": manifest, "kubernetes": "1.33", "seed": "1", "csrfmiddlewaretoken": token}
        request = Request(f"{self.origin}/new/", urlencode(fields).encode(), {"Origin": self.origin})
        with self._open(request, timeout=PATIENCE_S) as page:
            return re.search(r"/r/([0-9a-f-]{36})/", page.url)[1]


class Follower:
    """The socket of a run. Every answer of records is acknowledged, as a page does."""

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
        """Read frames until the record ``seq`` has come; gives the numbers of all records so far."""
        while not self.seqs or self.seqs[-1] < seq:
            frame = json.loads(self._frame())
            if frame["type"] == "records":
                self.seqs += [record[0] for record in frame["records"]]  # a record is a list that begins with its number
                self._say(json.dumps({"ack": frame["to"]}))
        return self.seqs

    def close(self) -> None:
        """Go away without a word."""
        self._stream.close()
        self._socket.close()

    def _frame(self) -> bytes:
        first, size = self._stream.read(2)
        if size == 126:
            (size,) = struct.unpack(">H", self._stream.read(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", self._stream.read(8))
        body = self._stream.read(size)
        assert first == 0x81, f"no text frame: {first:#x} {body[:80]!r}"
        return body

    def _say(self, text: str) -> None:
        mask, body = os.urandom(4), text.encode()
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(body))
        self._socket.sendall(bytes([0x81, 0x80 | len(body)]) + mask + masked)
