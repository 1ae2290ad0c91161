"""Delete old runs. Links never depend on them: a link has its own content."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from simulator.models import Run, Runner

RUNS_AT_ONCE = 20
SILENT_RUNNERS_KEPT = timedelta(days=1)


def runs_old(*, days: int) -> QuerySet[Run]:
    """The runs that nobody has watched for ``days`` and nothing needs any more.

    Runs behind links, runs from which a link was made, runs with branches (those go first) and runs that a process owns are kept.
    """
    unwatched = Q(viewers_seen_at__lt=Now() - timedelta(days=days))
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=Now())
    return Run.objects.filter(unwatched, free, is_frozen=False, shares__isnull=True, branches__isnull=True)


def runs_prune(*, days: int | None = None, limit: int = RUNS_AT_ONCE) -> int:
    """Delete at most ``limit`` old runs with their records and commands; return how many. Each is its own transaction.

    ``days`` defaults to SIM_KEEP_DAYS; 0 keeps everything. Rows of runners that died long ago are deleted as well.
    """
    days = settings.SIM_KEEP_DAYS if days is None else days
    Runner.objects.filter(beat_at__lt=Now() - SILENT_RUNNERS_KEPT).delete()
    if days <= 0:
        return 0
    ids = list(runs_old(days=days).order_by("viewers_seen_at").values_list("id", flat=True)[:limit])
    return sum(_delete(run_id, days) for run_id in ids)


@transaction.atomic
def _delete(run_id: UUID, days: int) -> bool:
    """Delete the run, unless somebody came back to it in the meantime."""
    # Checked again under the lock: the list may be seconds old.
    run = Run.objects.select_for_update().filter(id=run_id, viewers_seen_at__lt=Now() - timedelta(days=days)).first()
    if run is None:
        return False
    run.delete()
    return True
