"""What a run will do by itself, or would do after a command, found out by continuing a copy of it from some moment.

Nothing is stored, and the run itself is not affected.
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
"""How far to look ahead after the command, at most."""
RECORDS_MAX = 3000
LOOK_S = 0.4
"""How long one look may compute; after that it ends earlier than requested."""
PIECE = 400
"""Units of work between two checks whether to stop."""

Enough = Callable[[list[Record], Ms], bool]
"""Whether the records up to a moment contain what was looked for."""


@dataclass(frozen=True)
class Outlook:
    """What would be recorded: ``records`` follow record ``after`` of the run and extend to ``until_ms``."""

    after: Seq
    until_ms: Ms
    records: list[Record]


@dataclass(frozen=True)
class ActOutlook(Outlook):
    """What would follow from a command; ``command`` is its own record among them."""

    command: Record


class LookingAhead(StillComputing):
    """The request cannot play far enough into the future; the run's past is not the problem."""


class Standpoint:
    """A copy of a run at a moment of its past, or of the future if nobody acts. ``after`` is the last record that both have.

    Raises StillComputing if the moment is too far away, and LookingAhead if what follows it is.
    """

    def __init__(self, run: Run, *, at_ms: Ms, at_seq: Seq | None = None) -> None:
        self._course: Course = timemachine.course_from(run, at_ms=at_ms, at_seq=at_seq)
        self.after = self._course.world.seq
        self.records = self._driven(at_ms)
        self.world = self._course.world
        self.is_there = self.world.now_ms == at_ms
        """Whether one look was enough to reach the moment, which may be too far ahead."""

    def by_itself(self, *, enough: Enough) -> Outlook:
        """Continue from here (if it ``is_there``) without acts, until there is ``enough``. Call it once. Takes at most ``LOOK_S``."""
        until_ms = min(self.world.now_ms + AHEAD_MS, settings.SIM_RUN_MS_MAX)
        records = [*self.records, *self._driven(until_ms, enough)]
        return Outlook(after=self.after, until_ms=self.world.now_ms, records=records)

    def after_command(self, command: AnyCommand, *, until_ms: Ms) -> ActOutlook:
        """Give the command here (if it ``is_there``) and continue to ``until_ms``. Call it once. Takes at most ``LOOK_S``."""
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
            if within.left <= 0:  # in the middle of an instant, which must not be shown
                raise LookingAhead(self._course.world.now_ms, until_ms)
