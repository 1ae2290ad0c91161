"""What a run may use up. Meeting a limit ends the run; its past stays, and a branch from an earlier moment goes on."""

from django.conf import settings
from django.utils.translation import gettext_noop
from msgspec import Struct

from simulator.engine.units import HOUR, Ms


class Limits(Struct, frozen=True, kw_only=True):
    """The most simulated time, records and pods (ever created) of one run."""

    run_ms_max: Ms
    records_max: int
    pods_max: int

    def met(self, *, now_ms: Ms, seq: int, pods: int) -> str:
        """The sentence about the limit that is met, or an empty text."""
        if now_ms >= self.run_ms_max:
            return TIME_MET % {"hours": self.run_ms_max // HOUR}
        if seq >= self.records_max:
            return RECORDS_MET % {"records": self.records_max}
        if pods > self.pods_max:
            return PODS_MET % {"pods": self.pods_max}
        return ""


TIME_MET = gettext_noop("This run has reached its limit of %(hours)d simulated hours. Branch it from an earlier moment to go on.")
RECORDS_MET = gettext_noop("This run has reached its limit of %(records)d records. Branch it from an earlier moment to go on.")
PODS_MET = gettext_noop("This run has reached its limit of %(pods)d pods. Branch it from an earlier moment to go on.")


def limits_of_site() -> Limits:
    """The limits that the settings state."""
    return Limits(run_ms_max=settings.SIM_RUN_MS_MAX, records_max=settings.SIM_RUN_RECORDS_MAX, pods_max=settings.SIM_RUN_PODS_MAX)
