"""Hints after a commit: the only user of the channel layer outside consumers and the pool.

A hint may be lost; a receiver that misses one finds out from the log. So a hint carries only numbers and, if it is small, the frame
itself as one encoded text that every socket passes on unchanged.
"""

import asyncio
import contextlib
import logging
from time import monotonic
from typing import Any
from uuid import UUID, uuid4
from weakref import WeakKeyDictionary

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

from lifecycle_site.broker import broker_errors
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Seq
from simulator.runs.wire import protocol

RUNNERS = "sim.runners"
"""The group that every runner process listens to."""
CLASSES = "sim.classes"
"""The group that every process serving class sockets listens to."""
FRAME_BYTES_MAX = 16_384
"""A larger frame is not worth copying into every socket's queue; sockets read the log instead."""

FRAME_RECORDS_MAX = FRAME_BYTES_MAX // 40
"""No record is shorter than 40 bytes, so more records than this are too large without having to be encoded."""

SEND_S = 2.0
"""A broker that has not taken a hint by then counts as unreachable: if its machine has vanished, everybody who acts or computes would wait
through its client's retries, one after another."""
SPARED_S = 1.0
"""How long a silent broker is not tried again: a lost hint costs less than making every sender wait."""

log = logging.getLogger(__name__)


_AWAY_UNTIL: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
"""When a channel layer may be tried again, on the monotonic clock, s."""


def run_group(run_id: UUID) -> str:
    """The group of everybody watching a run."""
    return f"run.{run_id.hex}"


def frame_of(records: tuple[Record, ...], *, after: Seq, now_ms: Ms) -> str:
    """The frame with those records as text, or an empty text if it would be too large to announce."""
    if len(records) > FRAME_RECORDS_MAX:
        return ""
    text = protocol.encode(protocol.Records(from_seq=after, to=records[-1].seq, now_ms=now_ms, records=records))
    return text if len(text) <= FRAME_BYTES_MAX else ""


async def advanced(run_id: UUID, *, from_seq: Seq, to_seq: Seq, frame: str) -> None:
    """Announce that records ``from_seq`` < seq ≤ ``to_seq`` are in the log; ``frame`` may be empty."""
    await send(run_group(run_id), {"type": "run.advanced", "from": from_seq, "to": to_seq, "frame": frame})


async def notified(run_id: UUID, *, frame: str) -> None:
    """Send a clock or notice frame to everybody watching the run."""
    await send(run_group(run_id), {"type": "run.told", "frame": frame})


async def counted(run_id: UUID, *, process: str, viewers: int) -> None:
    """Announce that ``process`` serves ``viewers`` sockets of the run."""
    await send(run_group(run_id), {"type": "run.counted", "process": process, "viewers": viewers})


def classes_told() -> None:
    """Announce a change to some class, so that its sockets look at once, not within a second. For synchronous code, after a commit."""
    async_to_sync(send)(CLASSES, {"type": "classes.told"})


def wake(run_id: UUID) -> None:
    """Wake the run's owner: there is a command, a control or a first viewer. For synchronous code, after a commit."""
    async_to_sync(wake_async)(run_id)


async def wake_async(run_id: UUID) -> None:
    """Like ``wake``, from the event loop."""
    await send(RUNNERS, {"type": "run.wake", "run": run_id.hex})


def _layer() -> Any:
    layer = get_channel_layer()
    assert layer is not None, "settings.CHANNEL_LAYERS has no default"
    return layer


async def new_channel(name: str) -> str:
    """Make a channel on which this process can receive groups. Takes at most SEND_S; raises ``broker_errors``, leaving nothing behind."""
    layer = _layer()
    own = f"{name}.{uuid4().hex}."
    try:
        async with asyncio.timeout(SEND_S):
            return str(await layer.new_channel(own))
    except broker_errors():
        # A broker that answers too late may have created the channel, with nobody to read it.
        for made in [each for each in getattr(layer, "channels", ()) if own in each]:
            del layer.channels[made]
        raise


async def join(group: str, channel: str) -> None:
    """Subscribe a channel to a group. Takes at most SEND_S; raises ``broker_errors``."""
    layer = _layer()
    async with asyncio.timeout(SEND_S):
        await layer.group_add(group, channel)


async def part(group: str, channel: str) -> None:
    """Unsubscribe a channel from a group. Takes at most SEND_S, and never raises ``broker_errors``: a listener calls this while it is being
    cancelled, and such an error would replace the cancellation.
    """
    layer = _layer()
    with contextlib.suppress(*broker_errors()):
        async with asyncio.timeout(SEND_S):
            await layer.group_discard(group, channel)


async def send(group: str, message: dict[str, Any]) -> None:
    """Send a message to a group; if the broker is unreachable, that is only logged. Takes at most SEND_S."""
    layer = _layer()
    # Each attempt would cost SEND_S, and runs must not slow down because the broker is unreachable.
    if monotonic() < _AWAY_UNTIL.get(layer, 0):
        return
    began = monotonic()
    try:
        async with asyncio.timeout(SEND_S):
            await layer.group_send(group, message)
    except broker_errors() as error:  # readers look at the log every few seconds anyway
        if monotonic() - began >= SEND_S / 2:  # one that refuses immediately costs no time
            _AWAY_UNTIL[layer] = monotonic() + SPARED_S
        log.warning("Could not announce to %s: %s", group, broker_error_text(error))


def broker_error_text(error: BaseException) -> str:
    """The message for an unreachable broker; a timeout has no text of its own."""
    return str(error) or "no answer"
