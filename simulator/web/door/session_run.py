"""The run behind a session in a container: its present moment, and its hub. A session counts as a viewer."""

import asyncio
from contextlib import suppress

from simulator.engine.kernel.units import Ms
from simulator.runs.live.hub import HUBS, Hub
from simulator.runs.live.presence import PRESENCE
from simulator.runs.log.clock import moment_of
from simulator.runs.log.db import AWAY
from simulator.web.door.moments import AskedOf
from simulator.web.door.streams import DoorListener


class SiteRun:
    """A run of the site, for one session of one visitor."""

    def __init__(self, of: AskedOf, visitor: str) -> None:
        self._run_id, self._visitor = of.run_id, visitor
        self._listener = DoorListener()
        self._hub: Hub | None = None

    @property
    def awake(self) -> asyncio.Event:
        """Set when there may be more records."""
        return self._listener.awake

    @property
    def is_over(self) -> bool:
        """Whether the run has ended."""
        return self._listener.is_over

    async def enter(self) -> None:
        """Count as a viewer of the run, and get its notifications."""
        PRESENCE.enter(self._run_id, self._visitor)
        self._hub = await HUBS.join(self._run_id, self._listener)
        with suppress(*AWAY):
            await self._hub.attend()

    async def leave(self) -> None:
        """Undo ``enter``."""
        PRESENCE.leave(self._run_id, self._visitor)
        if self._hub is None:
            return
        with suppress(*AWAY):
            await self._hub.viewer_left()
        await HUBS.leave(self._hub, self._listener)

    async def now_ms(self) -> Ms | None:
        """The present moment; None if the database does not answer."""
        row = await HUBS.row(self._run_id)
        return moment_of(row) if row is not None else None
