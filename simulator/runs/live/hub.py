"""One hub per run and process: it receives announcements, makes up for lost ones, and passes frames
to every socket of the run.

The log is the truth, and announcements are hints. A runner appends records, commits, and then
announces that the log reaches record n, with the frame of the new records. An announcement may be
lost, come twice, or come late: the broker is away, a queue is full, a process died between commit
and announcement. So nothing depends on one. A socket knows which record it has sent last, and the
only question it asks is what follows (``frame_after``). The answer comes from the frames that were
announced lately, or else from the log. The heartbeat reads the head of the log every five seconds,
which is how long a lost announcement can go unnoticed.

The order of joining matters. The hub joins the group first and reads the head afterwards
(``joined``): a record that is appended in between is announced to a hub that already listens. The
other way round it would fall into the gap.

Sockets do not join the channel layer's groups themselves. A message would be copied, queued and
dispatched once for each socket; here it is received once, and all sockets that stand at the same
record send the same text. The heartbeat, too, costs one query for each run however many watch it,
and hubs of one process that beat at the same time share it.

A hub lives as long as it has listeners. If one of its tasks fails, it closes its sockets with a
code that makes pages come back, and the next page gets a fresh hub. Everything here runs in one
event loop, so there are no locks; between two awaits nothing else happens.
"""

import asyncio
import logging
from collections import deque
from time import monotonic
from typing import Any, Protocol
from uuid import UUID

from channels.layers import get_channel_layer

from lifecycle_site.broker import broker_errors
from simulator.engine.kernel.units import Seq
from simulator.models import Run
from simulator.runs.live.presence import PRESENCE, PROCESS
from simulator.runs.log import elsewhere
from simulator.runs.log.db import AWAY, Together, in_db, in_mending
from simulator.runs.log.storage import BrokenLog
from simulator.runs.selectors.records import records_frame
from simulator.runs.selectors.runs import run_clock, run_row, run_rows
from simulator.runs.services.runs import run_attend, run_leave
from simulator.runs.wire import announce, protocol

HEARTBEAT_S = 5.0
PHASES = 20
"""The hubs of a process beat in this many groups, each with one query."""
ATTEND_BEATS = 3
"""Every this many heartbeats the run is marked as watched."""
FRAMES_MAX = 64
"""Frames kept for sockets that are a little behind, at most 64 kB each."""
RETRY_S = 2.0
CALM_S = 0.25
"""Seconds between two counts of viewers and between two marks as watched, however many come and go: a class opens a link all at once."""

log = logging.getLogger(__name__)
Sent = tuple[Seq, str]
"""The last record of a frame, and the frame as text."""


class Listener(Protocol):
    """What a hub needs from a socket. No call waits for the network."""

    def wake(self) -> None:
        """There may be more records."""

    def notify(self, frame: str) -> None:
        """A clock, presence or notice frame."""

    def beat(self) -> None:
        """A heartbeat has passed."""

    def drop(self, code: int) -> None:
        """Close."""


Rows = Together[UUID, Run | None]


class Hub:
    """The sockets of one run in one process."""

    def __init__(self, run_id: UUID, rows: Rows) -> None:
        self.run_id, self._rows = run_id, rows
        self.head: Seq = 0
        self.listeners: set[Listener] = set()
        self._frames: dict[Seq, Sent] = {}
        self._order: deque[Seq] = deque()
        self._reads: dict[Seq, asyncio.Task[Sent | None]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._channel = ""
        self._joined = asyncio.Event()
        self._attended_s = self._counted_s = float("-inf")
        self._counting: asyncio.Task[None] | None = None
        self.is_over = False

    def start(self) -> None:
        """Listen and beat until ``stop``."""
        self._tasks = [asyncio.create_task(self._guard(work)) for work in (self._listen(), self._heart())]

    async def stop(self) -> None:
        """Cancel all tasks."""
        tasks = [*self._tasks, *self._reads.values(), *filter(None, [self._counting])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def joined(self) -> None:
        """Wait until announcements are received: reading the head after this misses nothing."""
        await self._joined.wait()

    async def frame_after(self, after: Seq) -> Sent | None:
        """The frame that continues after ``after``, or None if nothing follows. Sockets that ask for the same frame share a read.

        An announced frame is passed on as it is; a socket that has fallen further behind gets one large frame from the log.
        """
        # A socket that is far behind would get many frames of a few records each. It gets one large one from the log instead.
        known = self._frames.get(after)
        if known is not None and (known[0] >= self.head or self._reaches_head(known)):
            return known
        task = self._reads.get(after)
        if task is None:
            # The read is a task of the hub: the socket that asked first may close while others wait for the same answer.
            task = self._reads[after] = asyncio.create_task(self._read(after))
            task.add_done_callback(lambda _: self._reads.pop(after, None))
        # Cancelling a socket must not cancel the read that others wait for.
        return await asyncio.shield(task)

    def _reaches_head(self, sent: Sent) -> bool:
        """Whether a frame is full, or the one after it reaches the head."""
        following = self._frames.get(sent[0])
        return len(sent[1]) > protocol.FRAME_BYTES_MAX // 2 or (following is not None and following[0] >= self.head)

    def saw_head(self, head: Seq) -> None:
        """The log has reached ``head``: wake every socket."""
        self.head = max(self.head, head)
        for listener in self.listeners:
            listener.wake()

    def notify(self, frame: str) -> None:
        """Pass a frame to every socket."""
        for listener in self.listeners:
            listener.notify(frame)

    async def count(self) -> None:
        """Announce how many sockets of the run this process has: now, or in a moment if that was just announced."""
        if self._counting is None or self._counting.done():
            wait_s = self._counted_s + CALM_S - monotonic()
            if wait_s <= 0:
                await self._say_count()
            else:
                self._counting = asyncio.create_task(self._count_later(wait_s))

    async def _count_later(self, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        await self._say_count()

    async def _say_count(self) -> None:
        self._counted_s = monotonic()
        await announce.counted(self.run_id, process=PROCESS, viewers=PRESENCE.here(self.run_id))

    async def _read(self, after: Seq) -> Sent | None:
        try:
            sent = await in_db(self._read_frame, after)
        except BrokenLog:  # mending takes long, and the database threads also renew the leases of all runs
            sent = await in_mending(elsewhere.asked, mended_frame, self.run_id, after)
        if sent is not None:
            self._keep(after, sent)
        return sent

    def _read_frame(self, after: Seq) -> Sent | None:
        return _frame(self.run_id, after, mends=False)

    def _keep(self, after: Seq, sent: Sent) -> None:
        if after not in self._frames:
            self._order.append(after)
        self._frames[after] = sent
        while len(self._order) > FRAMES_MAX:
            del self._frames[self._order.popleft()]

    async def _listen(self) -> None:
        layer = get_channel_layer()
        assert layer is not None, "settings.CHANNEL_LAYERS has no default"
        while True:
            try:
                # The channel survives an outage of the broker; a new one for each attempt would leave the old ones to expire.
                self._channel = self._channel or await announce.new_channel("sim.hub")
                try:
                    await announce.join(announce.run_group(self.run_id), self._channel)
                    self._joined.set()
                    while True:
                        self._hear(await layer.receive(self._channel))
                finally:
                    await announce.part(announce.run_group(self.run_id), self._channel)
            except broker_errors() as error:  # meanwhile only the heartbeat feeds the sockets
                log.warning("Run %s hears no announcements: %s", self.run_id, announce.broker_error_text(error))
                # Sockets that wait to join go on without announcements: late records are better than none.
                self._joined.set()
                await asyncio.sleep(RETRY_S)

    def _hear(self, message: dict[str, Any]) -> None:
        if message["type"] == "run.advanced":
            # Large batches are announced without their frame; a socket that needs it reads the log.
            if message["frame"]:
                self._keep(message["from"], (message["to"], message["frame"]))
            self.saw_head(message["to"])
        elif message["type"] == "run.told":
            self.notify(message["frame"])
        elif message["type"] == "run.counted":
            PRESENCE.heard(self.run_id, message["process"], message["viewers"])
            self.notify(protocol.encode(protocol.Viewers(viewers=PRESENCE.viewers(self.run_id))))

    async def _heart(self) -> None:
        beats = 0
        while not self.is_over:
            await asyncio.sleep(self._until_beat_s())
            beats += 1
            try:
                await self._beat(is_long=beats % ATTEND_BEATS == 0)
            except AWAY as error:
                log.warning("Run %s misses a heartbeat, the database does not answer: %s", self.run_id, error)

    def _until_beat_s(self) -> float:
        # Hubs of one phase beat together, so their rows are read with one query; different phases beat at different times.
        now_s, phase_s = monotonic(), self.run_id.int % PHASES * HEARTBEAT_S / PHASES
        return HEARTBEAT_S - (now_s - phase_s) % HEARTBEAT_S

    async def _beat(self, *, is_long: bool) -> None:
        run = await self._rows.ask(self.run_id)
        if run is None:
            self._drop(protocol.CLOSE_GONE)
            return
        self.saw_head(run.head_seq)
        self.notify(protocol.encode(run_clock(run)))
        for listener in [*self.listeners]:
            listener.beat()
        if is_long:
            if PRESENCE.here(self.run_id):
                await self.attend(is_driven=run.wait is None)
            await self.count()
            await self._rejoin()

    async def attend(self, *, is_driven: bool = False) -> None:
        """Mark the run as watched, and wake its owner or the runners that may take it, unless an owner is already driving it."""
        now_s = monotonic()
        if now_s - self._attended_s < CALM_S:
            return
        # Set before the write, so that others who arrive during it need not write as well; undone if it fails.
        self._attended_s = now_s
        try:
            await in_db(run_attend, run_id=self.run_id)
        except AWAY:
            self._attended_s = float("-inf")
            raise
        if not is_driven:
            await announce.wake_async(self.run_id)

    async def viewer_left(self) -> None:
        """A viewer has gone or looks away; once nobody is looking, here or elsewhere, mark the run as left."""
        if PRESENCE.here(self.run_id):
            await self.count()
            return
        await self._say_count()  # nobody may be left to announce it later
        # The next visitor must be recorded at once, however recent the last mark was: the run is about to count as left.
        self._attended_s = float("-inf")
        if not PRESENCE.viewers(self.run_id):
            await in_db(run_leave, run_id=self.run_id)

    async def _rejoin(self) -> None:
        """Join the group again: the in-memory layer drops a channel that is not read for too long, and every layer drops members daily."""
        if self._channel:
            try:
                await announce.join(announce.run_group(self.run_id), self._channel)
            except broker_errors():
                log.debug("Run %s could not rejoin its group; the next heartbeat tries again", self.run_id)

    async def _guard(self, work: Any) -> None:
        """Log a failure with its run and close the sockets, so that pages reconnect to a fresh hub."""
        try:
            await work
        except Exception:
            log.exception("The hub of run %s failed", self.run_id)
            self._drop(protocol.CLOSE_FAILED)

    def _drop(self, code: int) -> None:
        self.is_over = True
        self._joined.set()  # nobody should wait for something that will not come
        for listener in [*self.listeners]:
            listener.drop(code)


def mended_frame(run_id: UUID, after: Seq) -> Sent | None:
    """The frame after ``after``, recomputing lost parts of the log. A page worker is asked for it by name."""
    return _frame(run_id, after, mends=True)


def _frame(run_id: UUID, after: Seq, *, mends: bool) -> Sent | None:
    run = run_row(run_id)
    frame = None if run is None else records_frame(run, after=after, mends=mends)
    return None if frame is None or not frame.records else (frame.to, protocol.encode(frame))


class Hubs:
    """The hubs of a process, one for every run that is watched. Used in one event loop."""

    def __init__(self) -> None:
        self._hubs: dict[UUID, Hub] = {}
        self._rows: Rows = Together(run_rows)

    async def row(self, run_id: UUID) -> Run | None:
        """The run's current row, or None. Requests at the same instant share a query."""
        return await self._rows.ask(run_id)

    async def join(self, run_id: UUID, listener: Listener) -> Hub:
        """Add ``listener`` to the run's hub, and return the hub once it receives announcements."""
        hub = self._hubs.get(run_id)
        # A hub that is over still has listeners that are being closed. They leave it themselves (``leave`` compares identity).
        if hub is None or hub.is_over:
            hub = self._hubs[run_id] = Hub(run_id, self._rows)
            hub.start()
        # Before the first await: otherwise the hub would end if its only other listener left meanwhile.
        hub.listeners.add(listener)
        try:
            await hub.joined()
        except BaseException:  # the socket went away while it waited
            await self.leave(hub, listener)
            raise
        return hub

    async def leave(self, hub: Hub, listener: Listener) -> None:
        """Remove the listener; a hub without listeners ends."""
        hub.listeners.discard(listener)
        if not hub.listeners:
            if self._hubs.get(hub.run_id) is hub:
                del self._hubs[hub.run_id]
            await hub.stop()


HUBS = Hubs()
