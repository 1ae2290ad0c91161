"""The class socket as a page uses it, and the wall as its teacher's page fetches it."""

import asyncio
import json
import re
from time import monotonic
from typing import Any

from simulator.bench.frames import CLOSE, PING, PONG, TEXT, greeting, masked, next_frame
from simulator.bench.load.visitor import LoadVisitor

PINGS_S = 20.0
_EVERY = re.compile(r'hx-trigger="every (\d+)(ms|s)"')
_AS_OF = re.compile(r"as_of=(\w*)")
_TILE = re.compile(r'<li class="tile"(.*?)</li>', re.DOTALL)
_NAME = re.compile(r'<h3 class="tile__name">(?:<a[^>]*>)?([^<]*)')
_FAILED = re.compile(r"(\d+) failed attempt")


class ClassLine:
    """``ws/class/<code>/``: ``news`` is the newest number received, ``own`` the pupil's own run, once announced."""

    def __init__(self, person: LoadVisitor, code: str) -> None:
        self._person, self._code = person, code
        self.news = -1
        self.own: dict[str, Any] | None = None
        self._heard = asyncio.Event()

    async def beyond(self, news: int) -> None:
        """Wait until there is news after this number."""
        while self.news <= news:
            self._heard.clear()
            await self._heard.wait()

    async def read(self) -> None:
        """Read until cancelled; pings as a page does."""
        person = self._person
        reader, writer = await asyncio.open_connection("127.0.0.1", person.port, local_addr=(person.address, 0))
        pinging = asyncio.create_task(_ping(writer))
        try:
            writer.write(greeting(person.port, self._code, cookies=person.cookie_line, kind="class"))
            if b" 101 " not in (await reader.readuntil(b"\r\n\r\n"))[:20]:
                person.troubles.append("socket of the class: refused")
                return
            while True:
                kind, payload = await next_frame(reader)
                if kind == CLOSE:
                    person.troubles.append(f"socket of the class closed with {int.from_bytes(payload[:2], 'big')}")
                    return
                if kind == PING:
                    writer.write(masked(PONG, payload))
                    continue
                self._take(json.loads(payload))
        except (OSError, asyncio.IncompleteReadError) as error:
            person.troubles.append(f"socket of the class: {type(error).__name__}")
        finally:
            pinging.cancel()
            writer.close()

    def _take(self, frame: dict[str, Any]) -> None:
        if frame["type"] == "room" and frame["news"] > self.news:
            self.news, self.own = frame["news"], frame["own"]
            self._heard.set()


async def _ping(writer: asyncio.StreamWriter) -> None:
    while True:
        await asyncio.sleep(PINGS_S)
        writer.write(masked(TEXT, b'{"type":"ping"}'))


class WallReader:
    """A teacher's open wall, which fetches updates as often as the page says.

    ``failed`` has for each pupil the times at which failed attempts appeared on the wall: ``failed["Ada"][1]`` for the second.
    """

    def __init__(self, person: LoadVisitor, code: str) -> None:
        self._person, self._path = person, f"/class/{code}/wall/"
        self.failed: dict[str, list[float]] = {}
        self.answers = self.changes = 0
        self.took_ms: list[float] = []

    async def read(self) -> None:
        """Read until cancelled."""
        page = await self._person.read_page(self._path)
        every_s = _seconds(page)
        while True:
            as_of = _AS_OF.search(page)
            await asyncio.sleep(every_s)
            began = monotonic()
            found = await self._person.read_page(f"{self._path}?as_of={as_of[1] if as_of else ''}", htmx=True)
            self.took_ms.append((monotonic() - began) * 1000)
            self.answers += 1
            if found:
                page = found
                self.changes += 1
                self._take(found)

    def _take(self, page: str) -> None:
        now_s = monotonic()
        for tile in _TILE.findall(page):
            name, failed = _NAME.search(tile), _FAILED.search(tile)
            if name and failed:
                seen = self.failed.setdefault(name[1], [])
                seen += [now_s] * (int(failed[1]) - len(seen))


def _seconds(page: str) -> float:
    every = _EVERY.search(page)
    assert every is not None, "the wall does not say how often it asks"
    return int(every[1]) / (1000 if every[2] == "ms" else 1)
