"""Whether the site is healthy: the web process that answers, the database behind it, and a runner that keeps runs on their clocks."""

from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from simulator.models import Runner

Report = dict[str, object]


def health() -> tuple[bool, Report]:
    """Whether everything is alive, and a report of each part. One query.

    The runner counts as dead when no process has reported a turn of its loop for SIM_RUNNER_SILENT_S seconds.
    """
    try:
        now = timezone.now()
        # A heartbeat in the future was written before the clock was set back, perhaps by a process that is gone.
        said = Runner.objects.filter(beat_at__lte=now + timedelta(seconds=settings.SIM_RUNNER_SILENT_S))
        beat_at = said.order_by("-beat_at").values_list("beat_at", flat=True).first()
    except DatabaseError:
        return False, {"ok": False, "web": {"ok": True}, "database": {"ok": False}, "runner": {"ok": False, "age_ms": None}}
    age = None if beat_at is None else max(now - beat_at, timedelta())
    is_running = age is not None and age < timedelta(seconds=settings.SIM_RUNNER_SILENT_S)
    runner: Report = {"ok": is_running, "age_ms": None if age is None else round(age / timedelta(milliseconds=1))}
    return is_running, {"ok": is_running, "web": {"ok": True}, "database": {"ok": True}, "runner": runner}
