"""Sweeps as they stand."""

from datetime import timedelta

from django.db.models.functions import Now

from simulator.models import StoredSweep
from simulator.runs.permissions import hash_key

UNTAKEN_S = 15
"""A process that works jobs off looks for them every second, and messages to others are sent again about as often as this."""


def sweep_get(sweep_id: str) -> StoredSweep | None:
    """The sweep of that id with the run or scenario it is of, or None. One query."""
    rows = StoredSweep.objects.select_related("run", "scenario").defer("run__header_body", "run__source_body", "scenario__body")
    return rows.filter(id=sweep_id).first()


def sweeps_owned(owner_key: str, *, limit: int) -> list[StoredSweep]:
    """The newest sweeps that this browser asked for, without their cells. One query."""
    rows = StoredSweep.objects.filter(owner_hash=hash_key(owner_key)).defer("body", "source_body", "results_body")
    return list(rows[:limit])


def sweep_before(row: StoredSweep) -> int:
    """How many sweeps were asked for before one that waits, and are not done. One query."""
    return StoredSweep.objects.filter(state__in=("queued", "running"), created_at__lt=row.created_at).count()


def sweep_is_untaken(row: StoredSweep) -> bool:
    """Whether a sweep waits although nothing is worked on anywhere: then nobody seems to be there to work. Two queries at most."""
    old = StoredSweep.objects.filter(id=row.id, state="queued", created_at__lt=Now() - timedelta(seconds=UNTAKEN_S))
    return old.exists() and not StoredSweep.objects.filter(state="running", lease_until__gt=Now()).exists()
