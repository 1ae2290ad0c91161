"""Move a run's clock while a client waits, depending on the clock in its URL: not at all, at 1x, or from event to event."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from time import monotonic

from simulator.door.exchange import DoorRequest
from simulator.door.watching import Standing, error_line
from simulator.engine.apiserver.answer import Answer, ApiError
from simulator.engine.kernel.units import Ms
from simulator.models import Run
from simulator.runs.live.hub import HUBS
from simulator.runs.log.clock import moment_of
from simulator.runs.log.db import AWAY, in_db
from simulator.runs.log.pacing import PERMILLE
from simulator.runs.services.errors import ServiceError
from simulator.web.door.clocks import REAL, SKIP, kept_going, skipped_to
from simulator.web.door.moments import AskedOf
from simulator.web.door.skipping import SPENT, Ahead, bound_text, command_of

GRACE_S = 0.12
"""A client that has received what it was waiting for is gone by then."""
AGAIN_S = 1.0
"""A run that has not reached its target by then is checked for where it is."""
BUSY_S = 0.25
NEVER_S = float("inf")
Look = Callable[[Standing, Ms], Awaitable[Ahead]]
"""Finds when the watch will next receive something, up to a moment."""


class DoorPace:
    """The run's own clock: nothing is moved. ``due_s`` is when ``go_on`` should be called again, on the monotonic clock."""

    due_s = NEVER_S
    warning = ""
    is_over = False
    """Whether the watch ends here without a message."""

    async def begin(self) -> None:
        """A client starts waiting."""

    def told(self) -> None:
        """The client was sent something."""

    async def go_on(self, standing: Standing) -> bytes:
        """Move the clock if that is due; return a final message if the watch ends here."""
        return b""


class RealPace(DoorPace):
    """Keeps the clock going at 1x as long as a client waits."""

    def __init__(self, of: AskedOf) -> None:
        self._of = of

    async def begin(self) -> None:
        """Start the clock."""
        await self.go_on_real()

    async def go_on(self, standing: Standing) -> bytes:
        """Start the clock again if somebody has paused it."""
        await self.go_on_real()
        return b""

    async def go_on_real(self) -> None:
        """Like ``go_on``, for streams other than watches."""
        row = await HUBS.row(self._of.run_id)
        if row is None or row.state != Run.State.LIVE or not (row.is_paused or row.rate_permille != PERMILLE):
            return
        try:
            await in_db(partial(kept_going, self._of.run_id, may_write=self._of.may_write))
        except (ServiceError, Run.DoesNotExist, *AWAY):  # the run has ended, or its clock cannot be moved now
            return


class SkipPace(DoorPace):
    """Moves the clock from event to event, up to a limit."""

    def __init__(self, of: AskedOf, asked: DoorRequest, look: Look) -> None:
        self._of, self._look, self._command = of, look, command_of(of, asked)
        self._comes_back = "kubernetes/" in asked.agent and "as=Table" not in asked.accept
        self._until_ms: Ms = 0

    async def begin(self) -> None:
        """Find out how far this command may skip, and say so if it has already reached that."""
        row = await HUBS.row(self._of.run_id)
        now_ms = moment_of(row) if row is not None else 0
        self._until_ms = SPENT.end_of(self._command, now_ms=now_ms, bound_ms=self._of.clock.bound_ms)
        if row is None or row.state != Run.State.LIVE:
            return
        if now_ms >= self._until_ms or SPENT.is_over(self._command):
            self.warning = bound_text(self._of.clock.bound_ms)
        else:
            self.due_s = monotonic() + GRACE_S

    def told(self) -> None:
        """Give the client a moment to leave."""
        if self.due_s != NEVER_S:
            self.due_s = monotonic() + GRACE_S

    async def go_on(self, standing: Standing) -> bytes:
        """Send the run to the next event."""
        if monotonic() < self.due_s:
            return b""
        SPENT.keep(self._command)
        ahead = await self._look(standing, self._until_ms)
        if ahead.is_bound_met:
            self.due_s = NEVER_S
            SPENT.end(self._command)
            # Go clients reconnect and get a warning then; they would report an error as a failure of their own.
            self.is_over = self._comes_back
            text = bound_text(self._of.clock.bound_ms)
            return b"" if self._comes_back else error_line(ApiError(Answer(code=504, reason="Timeout", message=text)))
        if ahead.at_ms is None:
            self.due_s = monotonic() + BUSY_S
            return b""
        try:
            await in_db(partial(skipped_to, self._of.run_id, ahead.at_ms, may_write=self._of.may_write))
        except ServiceError:  # somebody moved the clock meanwhile, or the run has ended
            await asyncio.sleep(0)
        self.due_s = monotonic() + AGAIN_S
        return b""


def pace_of(of: AskedOf, asked: DoorRequest, look: Look) -> DoorPace:
    """The pace for a watch."""
    if of.at_ms is not None or of.clock.word not in (REAL, SKIP):
        return DoorPace()
    return RealPace(of) if of.clock.word == REAL else SkipPace(of, asked, look)
