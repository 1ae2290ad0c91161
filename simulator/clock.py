"""A run's stored clock."""

from django.conf import settings

from simulator.models import Run
from simulator.pacing import Pacer
from simulator.wall import to_wall_ms, wall_ms


def pacer_of(run: Run) -> Pacer:
    """The columns of the row as a Pacer. A run that has ended stands still."""
    return Pacer(
        base_ms=run.base_ms,
        base_wall_ms=to_wall_ms(run.base_at),
        rate_permille=run.rate_permille,
        is_paused=run.is_paused or run.state != Run.State.LIVE,
        end_ms=settings.SIM_RUN_MS_MAX,
    )


def moment_of(run: Run) -> int:
    """The moment the run has reached: by its clock, or by its log where that is further."""
    if run.state != Run.State.LIVE:
        return run.head_ms
    return max(run.head_ms, pacer_of(run).now_ms(wall_ms()))
