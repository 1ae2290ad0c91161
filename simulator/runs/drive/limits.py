"""Limits on what a run may use. Reaching a limit ends the run; its past stays, and a branch from an earlier moment can continue."""

from django.conf import settings
from msgspec import Struct

from simulator.engine.kernel.units import HOUR, Ms
from simulator.runs.state_notes import StateNote, state_note


class RunnerLimits(Struct, frozen=True, kw_only=True):
    """The maximum simulated time, records and pods (ever created) of one run."""

    run_ms_max: Ms
    records_max: int
    pods_max: int

    def met(self, *, now_ms: Ms, seq: int, pods: int) -> StateNote:
        """The limit that was reached; empty if none was."""
        if now_ms >= self.run_ms_max:
            return state_note("limit_hours", hours=self.run_ms_max // HOUR)
        if seq >= self.records_max:
            return state_note("limit_records", records=self.records_max)
        if pods > self.pods_max:
            return state_note("limit_pods", pods=self.pods_max)
        return {}


def limits_of_site() -> RunnerLimits:
    """The limits from the settings."""
    return RunnerLimits(run_ms_max=settings.SIM_RUN_MS_MAX, records_max=settings.SIM_RUN_RECORDS_MAX, pods_max=settings.SIM_RUN_PODS_MAX)
