"""Sweeps and their state."""

from collections.abc import Sequence
from datetime import timedelta

from django.db.models.functions import Now

from simulator.models import StoredSweep, SweepAsk
from simulator.runs.permissions import hash_key

UNTAKEN_S = 15
"""Job workers look for jobs every second, and messages to Celery's workers are sent again about this often."""


def sweep_get(sweep_id: str) -> SweepAsk | None:
    """The ask with that id, with its work and its run or scenario, or None. One query."""
    rows = SweepAsk.objects.select_related("work", "run", "scenario")
    return rows.defer("source_body", "run__header_body", "run__source_body", "scenario__body").filter(id=sweep_id).first()


def sweeps_owned(owner_key: str, *, limit: int) -> list[SweepAsk]:
    """The newest sweeps that this browser asked for, without their cells. One query."""
    rows = SweepAsk.objects.filter(owner_hash=hash_key(owner_key)).select_related("work")
    return list(rows.defer("source_body", "work__body", "work__results_body")[:limit])


def sweep_askers(work_ids: Sequence[str]) -> dict[str, set[str]]:
    """For each work, the hashes of the browsers waiting for it. One query."""
    askers: dict[str, set[str]] = {}
    for work_id, owner_hash in SweepAsk.objects.filter(work__in=work_ids, is_wanted=True).values_list("work_id", "owner_hash"):
        askers.setdefault(work_id, set()).add(owner_hash)
    return askers


def sweep_before(row: SweepAsk) -> int:
    """How many open sweeps are ahead of this one in the queue. One query."""
    return StoredSweep.objects.filter(state__in=("queued", "running"), created_at__lt=row.work.created_at).count()


def sweep_is_untaken(row: SweepAsk) -> bool:
    """Whether a sweep is waiting although no other is being worked on, so there seems to be no worker. At most two queries."""
    old = StoredSweep.objects.filter(id=row.work_id, state="queued", created_at__lt=Now() - timedelta(seconds=UNTAKEN_S))
    return old.exists() and not StoredSweep.objects.filter(state="running", lease_until__gt=Now()).exists()
