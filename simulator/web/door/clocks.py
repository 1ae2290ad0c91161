"""The clock in a URL: how a run's time advances for clients that use it. It takes the place of a moment.

``/r/ID/k8s/…`` leaves the clock to the run's page. ``/r/ID@real/k8s/…`` runs it at 1x as long as a client waits. ``/r/ID@skip/k8s/…``
moves it to the next event that a waiting client will receive, and ``/r/ID@skip-90/k8s/…`` at most 90 simulated minutes per command.
"""

import re
from uuid import UUID

from msgspec import Struct

from simulator.engine.kernel.units import MINUTE, Ms
from simulator.models import Run
from simulator.runs.log.pacing import PERMILLE
from simulator.runs.services.runs import run_control_by_key

LIVE, REAL, SKIP = "live", "real", "skip"
SKIP_MINUTES = 60
"""Simulated minutes that a command may skip unless its URL says otherwise."""
SKIP_MINUTES_MAX = 24 * 60
_WORD = re.compile(r"(live|real|skip)(?:-([1-9][0-9]{0,3}))?")
CLOCK_READS = "this address moves the run's clock, which a key that reads may not: use the run's own address, or a key that writes"


class DoorClock(Struct, frozen=True):
    """One of the three clocks, and how far one command may skip."""

    word: str = LIVE
    bound_ms: Ms = 0

    @property
    def moves_time(self) -> bool:
        """Whether the run's clock is moved for waiting clients."""
        return self.word != LIVE


OWN_CLOCK = DoorClock()


def clock_in(text: str) -> DoorClock | None:
    """Parse a clock; None if the text is not one. Only ``skip`` may have a number."""
    found = _WORD.fullmatch(text)
    if found is None or (found[2] and found[1] != SKIP):
        return None
    if found[1] != SKIP:
        return DoorClock(found[1])
    minutes = int(found[2] or SKIP_MINUTES)
    return DoorClock(SKIP, minutes * MINUTE) if minutes <= SKIP_MINUTES_MAX else None


def kept_going(run_id: UUID, *, may_write: bool) -> None:
    """Let the run play at 1x. Raises Run.DoesNotExist and ServiceError."""
    run = Run.objects.get(id=run_id)
    if run.rate_permille != PERMILLE:
        run_control_by_key(run=run, may_write=may_write, do="rate", rate_permille=PERMILLE)
    if run.is_paused:
        run_control_by_key(run=run, may_write=may_write, do="play")


def skipped_to(run_id: UUID, at_ms: Ms, *, may_write: bool) -> None:
    """Send the run to a future moment, as fast as it can. Raises Run.DoesNotExist and ServiceError."""
    run_control_by_key(run=Run.objects.get(id=run_id), may_write=may_write, do="run_to", to_ms=at_ms)
