"""What a run will do by itself, or would do after a command: a copy of it goes on from a moment.

Nothing is stored, and the run hears nothing of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from django.conf import settings

from simulator.engine.acts.all_acts import AnyCommand, Stamped
from simulator.engine.course.replay import Course
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import MINUTE, Ms, Seq
from simulator.models import Run
from simulator.runs.log import timemachine
from simulator.runs.turns.allowance import StillComputing, purse

AHEAD_MS = 60 * MINUTE
"""So far after the command one looks at most."""
RECORDS_MAX = 3000
LOOK_S = 0.4
"""So long one look computes; it then ends earlier than was asked for."""
PIECE = 400
"""Units of work, after which it is asked whether that is long enough."""

Enough = Callable[[list[Record], Ms], bool]
"""Whether the records up to a moment tell what one looks for."""


@dataclass(frozen=True)
class Outlook:
    """What would be recorded: ``records`` follow record ``after`` of the run and reach to ``until_ms``."""

    after: Seq
    until_ms: Ms
    records: list[Record]


@dataclass(frozen=True)
class ActOutlook(Outlook):
    """What would follow from a command, whose record ``command`` is one of them."""

    command: Record


class LookingAhead(StillComputing):
    """It is a future that the request cannot play so far, not the run's past."""


class Standpoint:
    """A copy of a run at a moment of its past, or of a future that comes by itself. ``after`` is the last record that both have.

    Raises StillComputing where the moment is too far, and LookingAhead where what follows is.
    """

    def __init__(self, run: Run, *, at_ms: Ms, at_seq: Seq | None = None) -> None:
        self._course: Course = timemachine.course_from(run, at_ms=at_ms, at_seq=at_seq)
        self.after = self._course.world.seq
        self.records = self._driven(at_ms)
        self.world = self._course.world
        self.is_there = self.world.now_ms == at_ms
        """Whether one look leads to the moment: it may be too far ahead."""

    def by_itself(self, *, enough: Enough) -> Outlook:
        """Go on from here, where it ``is_there``, without acts, until there is ``enough``. To be asked once. Costs at most ``LOOK_S``."""
        until_ms = min(self.world.now_ms + AHEAD_MS, settings.SIM_RUN_MS_MAX)
        records = [*self.records, *self._driven(until_ms, enough)]
        return Outlook(after=self.after, until_ms=self.world.now_ms, records=records)

    def after_command(self, command: AnyCommand, *, until_ms: Ms) -> ActOutlook:
        """Give the command here, where it ``is_there``, and go on. To be asked once. Costs what the stretch costs, at most ``LOOK_S``."""
        now_ms = self.world.now_ms
        self._course.give(Stamped(at_ms=now_ms, n=0, command=command))
        try:
            done = self._course.drive_within(purse(), now_ms)
        except StillComputing as met:
            raise LookingAhead(met.reached_ms, met.goal_ms) from met
        own = next(record for record in done if record.kind == "command")
        records = [*self.records, *done, *self._driven(min(until_ms, now_ms + AHEAD_MS))]
        return ActOutlook(after=self.after, until_ms=self.world.now_ms, records=records, command=own)

    def _driven(self, until_ms: Ms, enough: Enough | None = None) -> list[Record]:
        began, within = perf_counter(), purse()
        records: list[Record] = []
        while True:
            leg = self._course.drive(until_ms, limit=PIECE)
            within.left -= leg.work
            records.extend(leg.records)
            if leg.is_there or (leg.is_whole and enough is not None and enough(records, self.world.now_ms)):
                return records
            if leg.is_whole and (within.left <= 0 or perf_counter() - began > LOOK_S or len(records) > RECORDS_MAX):
                return records
            if within.left <= 0:  # in the middle of an instant, which nobody may see
                raise LookingAhead(self._course.world.now_ms, until_ms)
