"""A visitor as seen by the server: cookies, pages, forms and the socket of a run. One of hundreds in a process."""

import asyncio
import gzip
import json
import os
import re
from time import monotonic
from typing import Any
from urllib.parse import urlencode

from simulator.bench.frames import CLOSE, LOCAL, PING, PONG, TEXT, greeting, masked, next_frame

PATIENCE_S = 60.0
_COOKIE = re.compile(rb"set-cookie: ([^=]+)=([^;\r]*)", re.IGNORECASE)
_LOCATION = re.compile(rb"location: ([^\r]+)", re.IGNORECASE)


class LoadVisitor:
    """A visitor at an address of their own (127.0.x.y), so that limits by address apply as for people in many places.

    ``host`` is the site's, and ``network`` the first half of the visitors' addresses. ``took_ms`` has the time of every page,
    ``acts_ms`` of every act, ``lists_ms`` of every list of an API; ``troubles`` the errors that a person should never meet.
    """

    def __init__(self, number: int, port: int, *, host: str = LOCAL, network: str = "127.0") -> None:
        self.address = f"{network}.{1 + number // 200}.{1 + number % 200}"
        self.host, self.port = host, port
        self.cookies: dict[str, str] = {}
        self.took_ms: list[float] = []
        self.acts_ms: list[float] = []
        self.lists_ms: list[float] = []
        self.troubles: list[str] = []

    @property
    def cookie_line(self) -> str:
        """The Cookie header's value."""
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    async def page(self, path: str) -> None:
        """Load a page completely."""
        began = monotonic()
        status, _, _ = await self._ask("GET", path)
        self.took_ms.append((monotonic() - began) * 1000)
        if status != 200:
            self.troubles.append(f"{status} {path}")

    async def read_page(self, path: str, *, htmx: bool = False) -> str:
        """The text of a page or of a script's request; empty if there is nothing new, or it was refused."""
        status, head, body = await self._ask("GET", path, htmx=htmx)
        if status not in {200, 204}:
            self.troubles.append(f"{status} {path}")
            return ""
        return (gzip.decompress(body) if b"content-encoding: gzip" in head.lower() else body).decode()

    async def location(self, path: str) -> str:
        """Where a page redirects to."""
        _, head, _ = await self._ask("GET", path)
        found = _LOCATION.search(head)
        return found[1].decode() if found else ""

    async def send(self, path: str, fields: dict[str, str]) -> str:
        """Post a form as a script does; returns its answer, empty if it was refused."""
        status, head, body = await self._ask("POST", path, fields)
        if status not in {200, 204, 302}:
            self.troubles.append(f"{status} {path.rsplit('/', 2)[-2]} {body[:80]!r}")
            return ""
        return (gzip.decompress(body) if b"content-encoding: gzip" in head.lower() else body).decode()

    async def open_run(self, slug: str) -> str:
        """Press the button of a story; returns the path of its run, empty if it was refused."""
        if "csrftoken" not in self.cookies:
            await self.page(f"/scenarios/{slug}/")
        status, head, _ = await self._ask("POST", f"/scenarios/{slug}/run/", {})
        found = _LOCATION.search(head)
        if status != 302 or not found:
            self.troubles.append(f"{status} run of {slug}")
            return ""
        return found[1].decode()

    async def open_manifest(self, manifest: str) -> str:
        """Start a run of objects given as text; returns its path, empty if it was refused."""
        await self.page("/new/")
        status, head, _ = await self._ask("POST", "/new/", {"manifest": manifest, "kubernetes": "1.33", "seed": "1"})
        found = _LOCATION.search(head)
        if status != 302 or not found:
            self.troubles.append(f"{status} /new/")
            return ""
        return found[1].decode()

    async def control(self, path: str, **fields: str) -> None:
        """Use the transport bar of a run."""
        await self._post(f"{path}control/", fields)

    async def act(self, path: str, line: str) -> None:
        """Carry out a kubectl line and wait for its answer."""
        began = monotonic()
        await self._post(f"{path}kubectl/", {"k": line, "client_key": os.urandom(8).hex()})
        self.acts_ms.append((monotonic() - began) * 1000)

    async def api_of(self, path: str) -> str:
        """The path of the API of an own run, with a new key that only reads; empty if it was refused."""
        found = re.search(r"--server=https?://[^/]+(\S+/k8s/\S+)", await self.send(f"{path}door/", {"do": "read"}))
        return found[1] if found else ""

    async def list_pods(self, api: str) -> None:
        """Ask the API of a run for its pods."""
        began = monotonic()
        status, _, _ = await self._ask("GET", f"{api}/api/v1/pods")
        self.lists_ms.append((monotonic() - began) * 1000)
        if status != 200:
            self.troubles.append(f"{status} pods of an API")

    async def _post(self, path: str, fields: dict[str, str]) -> None:
        status, _, body = await self._ask("POST", path, fields)
        if status not in {200, 204}:
            sent = {name: value for name, value in fields.items() if name != "client_key"}  # each act has another one
            self.troubles.append(f"{status} {path.rsplit('/', 2)[-2]} {sent} {body[:80]!r}")

    async def _ask(self, method: str, path: str, fields: dict[str, str] | None = None, *, htmx: bool = False) -> tuple[int, bytes, bytes]:
        """Status, headers and body of one request. A broken connection is a trouble with status 0."""
        body = urlencode(fields or {}).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}", "Connection: close", "Accept-Encoding: gzip"]
        lines += [f"Cookie: {self.cookie_line}"] if self.cookies else []
        if fields is not None:
            lines += [f"X-CSRFToken: {self.cookies.get('csrftoken', '')}", "Content-Type: application/x-www-form-urlencoded"]
            htmx = not path.endswith("/run/")
        lines += ["HX-Request: true"] if htmx else []
        lines += [f"Content-Length: {len(body)}", "", ""] if fields is not None else ["", ""]
        try:
            async with asyncio.timeout(PATIENCE_S):
                reader, writer = await asyncio.open_connection(self.host, self.port, local_addr=(self.address, 0))
                writer.write("\r\n".join(lines).encode() + body)
                head, _, found = (await reader.read(-1)).partition(b"\r\n\r\n")
                writer.close()
        except (OSError, TimeoutError) as error:
            return 0, b"", type(error).__name__.encode()
        self.cookies |= {name.decode(): value.decode() for name, value in _COOKIE.findall(head)}
        return int(head[9:12] or 0), head, found


class FollowedRun:
    """The socket of a run. ``first_s`` is when its first records arrived (monotonic seconds), ``seen_ms`` the newest moment received."""

    def __init__(self, person: LoadVisitor, path: str) -> None:
        self._person, self.path = person, path
        self.first_s: float | None = None
        self.seen_ms = 0
        self.seen_s = 0.0
        self.frames = self.records = self.head_seq = 0
        self.has_come = asyncio.Event()
        self._news = asyncio.Event()

    async def beyond(self, seq: int) -> None:
        """Wait until records after that one have arrived."""
        while self.head_seq <= seq:
            self._news.clear()
            await self._news.wait()

    async def read(self) -> None:
        """Read frames until cancelled, and acknowledge them as a page does."""
        person = self._person
        reader, writer = await asyncio.open_connection(person.host, person.port, local_addr=(person.address, 0), limit=1 << 22)
        try:
            writer.write(greeting(person.port, self.path.split("/")[2], cookies=person.cookie_line, host=person.host))
            answer = await reader.readuntil(b"\r\n\r\n")
            if b" 101 " not in answer[:20]:
                person.troubles.append(f"socket: {answer[:40]!r}")
                return
            while True:
                kind, payload = await next_frame(reader)
                if kind == CLOSE:
                    person.troubles.append(f"socket closed with {int.from_bytes(payload[:2], 'big')}")
                    return
                writer.write(masked(PONG, payload) if kind == PING else self._take(payload))
        except (OSError, asyncio.IncompleteReadError) as error:
            person.troubles.append(f"socket: {type(error).__name__}")
        finally:
            writer.close()

    def _take(self, payload: bytes) -> bytes:
        frame: dict[str, Any] = json.loads(payload)
        if frame["type"] != "records":
            return b""
        self.frames += 1
        self.records += len(frame["records"])
        self.head_seq = frame["to"]
        self._news.set()
        self.seen_ms, self.seen_s = max(self.seen_ms, frame["now_ms"]), monotonic()
        if frame["records"] and self.first_s is None:
            self.first_s = self.seen_s
            self.has_come.set()
        return masked(TEXT, json.dumps({"ack": frame["to"]}).encode())
