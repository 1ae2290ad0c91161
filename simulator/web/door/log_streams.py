"""``logs -f``: a container's lines as they are printed, until it ends."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic

from lifecycle_site.addresses import Receive, Send
from lifecycle_site.unread import TOLD_ON
from simulator.door.answering import followed
from simulator.door.exchange import TEXT, DoorReply, DoorRequest
from simulator.door.logs import LogCursor, log_since, log_so_far, log_source, wanted_of
from simulator.door.statuses import status_reply
from simulator.engine.apiserver.answer import ApiError
from simulator.runs.live.hub import HUBS
from simulator.runs.live.presence import PRESENCE
from simulator.runs.log import elsewhere
from simulator.runs.log.clock import moment_of
from simulator.runs.log.db import AWAY
from simulator.runs.turns.allowance import granted
from simulator.runs.turns.constants import WORK_MAX
from simulator.web.door.clocks import REAL
from simulator.web.door.moments import AskedOf, scene_of
from simulator.web.door.paces import RealPace
from simulator.web.door.streams import UNBUFFERED, WATCH_S_MAX, DoorListener, WatchOver

LOOK_S = 0.5
"""Seconds between two looks: lines are not records, so they are not announced."""
MoreLines = Callable[[LogCursor], Awaitable[tuple[str, LogCursor, bool]]]


def follow_begun(of: AskedOf, asked: DoorRequest) -> tuple[str, LogCursor] | DoorReply:
    """The log so far; a reply if there is none."""
    elsewhere.plays()
    with granted(WORK_MAX):
        scene = scene_of(of, asked)
        try:
            place = followed(asked, scene)
            if place is None:
                return DoorReply(status=404)
            row, container = log_source(asked, place, scene)
            return log_so_far(row, container, wanted_of(asked, scene), scene) if row.node else DoorReply(status=204)
        except ApiError as error:
            return status_reply(error)


def follow_gone_on(of: AskedOf, asked: DoorRequest, cursor: LogCursor) -> tuple[str, LogCursor, bool]:
    """What was printed since then, and whether that is all."""
    elsewhere.plays()
    with granted(WORK_MAX):
        scene = scene_of(of, asked)
        place = followed(asked, scene)
        try:
            row, container = log_source(asked, place, scene) if place is not None else (None, "")
        except ApiError:  # the pod is gone
            row = None
        if row is None:
            return "", cursor, True
        return log_since(row, container, wanted_of(asked, scene), scene, cursor)


async def stream_log(
    of: AskedOf,
    begun: tuple[str, LogCursor],
    more: MoreLines,
    address: str,
    headers: list[tuple[bytes, bytes]],
    receive: Receive,
    send: Send,
) -> None:
    """Send the log until the container ends or the client leaves; for a moment of the past just what there is."""
    text, cursor = begun
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", TEXT.encode()), UNBUFFERED, *headers]})
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True, TOLD_ON: True})
    gone = asyncio.create_task(_until_gone(receive))
    PRESENCE.enter(of.run_id, address)
    try:
        if of.at_ms is None:
            with suppress(WatchOver):
                await _follow(of, cursor, more, gone, send)
    finally:
        gone.cancel()
        PRESENCE.leave(of.run_id, address)
    with suppress(OSError):
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _follow(of: AskedOf, cursor: LogCursor, more: MoreLines, gone: asyncio.Task[None], send: Send) -> None:
    listener, end_s, seen_ms = DoorListener(), monotonic() + WATCH_S_MAX, -1
    pace = RealPace(of) if of.clock.word == REAL else None
    hub = await HUBS.join(of.run_id, listener)
    try:
        with suppress(*AWAY):
            await hub.attend()
        is_over = False
        while not is_over and not gone.done() and not listener.is_over and monotonic() < end_s:
            if pace is not None:
                await pace.begin()
            row = await HUBS.row(of.run_id)
            now_ms = moment_of(row) if row is not None else seen_ms
            if now_ms != seen_ms:  # nothing is printed while time stands still
                seen_ms = now_ms
                text, cursor, is_over = await more(cursor)
                if text:
                    await send({"type": "http.response.body", "body": text.encode(), "more_body": True, TOLD_ON: True})
            await asyncio.wait({gone}, timeout=LOOK_S)
    finally:
        with suppress(*AWAY):
            await hub.viewer_left()
        await HUBS.leave(hub, listener)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
