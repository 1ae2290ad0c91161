"""Commands that wait while a run is paused: the run's pages show who is waiting, with a Play button.

Each process tells the pages of a run which commands are waiting in that process: when that changes, and again at intervals, so that pages
can forget a process that is gone. In memory; used in one event loop.
"""

import re
from collections import Counter
from time import monotonic
from uuid import UUID

from simulator.door.exchange import DoorRequest
from simulator.door.paths import parse_path
from simulator.door.waiting import is_waiting
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.kernel.outside_text import one_line
from simulator.models import Run
from simulator.runs.live.hub import HUBS
from simulator.runs.live.presence import PROCESS
from simulator.runs.wire import announce, protocol
from simulator.web.door.moments import AskedOf
from simulator.web.door.typed import client_of

AGAIN_S = 4.0
WHO_MAX = 5
"""At most this many are named; the page says how many more there are."""
_TEXT_MAX = 80
_COMMAND = re.compile(r"kubectl( [a-z-]{1,20}){1,3}")
_NAME = re.compile(r"metadata\.name=([a-z0-9.-]{1,60})")
_PLURAL = re.compile(r"[a-z]{1,40}")


def is_kubectl_waiting(asked: DoorRequest) -> bool:
    """Whether a kubectl command is waiting on this watch; kubectl prints warnings."""
    return asked.agent.startswith("kubectl") and is_waiting(asked)


def who_waits(of: AskedOf, asked: DoorRequest) -> str:
    """A waiting command as shown on pages: ``kubectl wait pods/web (kubectl/v1.37.1, Ann)``. Anything else a client sends is left out."""
    command = _COMMAND.fullmatch(asked.command)
    name = _NAME.search(asked.value("fieldSelector"))
    try:
        _, place = parse_path(asked.path)
    except ApiError:
        place = None
    plural = place.plural if place is not None and _PLURAL.fullmatch(place.plural) else ""
    what = " ".join(filter(None, [command[0] if command else "kubectl", f"{plural}/{name[1]}" if name else plural]))
    by = ", ".join(filter(None, [client_of(asked), of.label]))
    return one_line(f"{what} ({by})" if by else what, most=_TEXT_MAX)


class Waiters:
    """The commands waiting on each run in this process."""

    def __init__(self) -> None:
        self._who: dict[UUID, Counter[str]] = {}
        self._told_s: dict[UUID, float] = {}

    async def enter(self, run_id: UUID, who: str) -> None:
        """A command starts waiting."""
        self._who.setdefault(run_id, Counter())[who] += 1
        await self.tell(run_id)

    async def leave(self, run_id: UUID, who: str) -> None:
        """A command stops waiting."""
        left = self._who.get(run_id, Counter())
        left[who] -= 1
        self._who[run_id] = +left
        await self.tell(run_id)
        if not self._who[run_id]:
            self._who.pop(run_id, None)
            self._told_s.pop(run_id, None)

    async def tell(self, run_id: UUID, *, again: bool = False) -> None:
        """Announce who is waiting; with ``again``, only if the last announcement is too old."""
        if again and monotonic() < self._told_s.get(run_id, 0.0) + AGAIN_S:
            return
        self._told_s[run_id] = monotonic()
        names = [each for who, count in sorted(self._who.get(run_id, Counter()).items()) for each in [who] * count]
        frame = protocol.Waits(process=PROCESS, who=tuple(names[:WHO_MAX]) + ("",) * min(1000, len(names[WHO_MAX:])))
        await announce.notified(run_id, frame=protocol.encode(frame))


WAITERS = Waiters()


class WaitingCommand:
    """One command that may be waiting: it counts while the run is paused and it has not received what it is waiting for."""

    def __init__(self, of: AskedOf, asked: DoorRequest) -> None:
        self._run_id, self._who = of.run_id, who_waits(of, asked)
        self.counts = is_kubectl_waiting(asked) and of.at_ms is None and not of.clock.moves_time
        self._is_in = False

    async def look(self) -> None:
        """Count as waiting if the run is paused now, but not if it is playing."""
        if not self.counts:
            return
        row = await HUBS.row(self._run_id)
        stands = row is not None and row.is_paused and row.state == Run.State.LIVE
        if stands == self._is_in:
            if stands:
                await WAITERS.tell(self._run_id, again=True)
            return
        self._is_in = stands
        await (WAITERS.enter if stands else WAITERS.leave)(self._run_id, self._who)

    async def end(self) -> None:
        """The client is gone."""
        if self._is_in:
            self._is_in = False
            await WAITERS.leave(self._run_id, self._who)
