"""Which runs may be driven now, by the database's rows: every runner and every page comes to the same answer."""

from datetime import timedelta
from time import monotonic
from uuid import UUID

from django.conf import settings
from django.db.models import Case, F, QuerySet, Sum, When
from django.db.models.functions import Coalesce, Now

from simulator.models import Run, Runner
from simulator.places import Contender, Plan, Quota, Wait, plan
from simulator.wall import to_wall_ms

STALE_S = 25
"""A page says every 15 seconds that it is open; a run of which nothing was said for longer gives way to others."""
CONTENDERS_MAX = 2000
"""More runs than these are not compared; those that have a place and those that wait longest are."""
BOARD_S = 1.0
"""Pages of one process share a plan for so long: many that wait ask for their places every few seconds."""


def places_plan(*, runner: str = "", places: int = 0) -> Plan:
    """Who may have one of the places of all living runners. A runner names itself and its own ``places``. Two queries."""
    silent = Now() - timedelta(seconds=settings.SIM_RUNNER_SILENT_S)
    others = Runner.objects.filter(beat_at__gt=silent).exclude(name=runner).aggregate(total=Sum("places"))
    quota = Quota(per_owner=settings.SIM_RUNS_PER_OWNER_MAX, per_address=settings.SIM_RUNS_PER_ADDRESS_MAX)
    return plan(_contenders(), places=places + (others["total"] or 0), quota=quota)


def _contenders() -> list[Contender]:
    rows = _wanted().annotate(
        is_held=Case(When(lease_until__gt=Now(), then=True), default=False),
        is_stale=Case(When(viewers_seen_at__lt=Now() - timedelta(seconds=STALE_S), then=True), default=False),
        since=Coalesce("wanted_at", "created_at"),
    )
    names = ("id", "owner_hash", "address_hash", "since", "is_held", "is_stale", "epoch", "take_overs")
    return [
        Contender(
            run_id=run_id,
            owner=owner,
            address=address,
            since_ms=to_wall_ms(since),
            is_held=is_held,
            is_stale=is_stale,
            epoch=epoch,
            take_overs=take_overs,
        )
        for run_id, owner, address, since, is_held, is_stale, epoch, take_overs in (
            rows.order_by("-is_held", "since").values_list(*names)[:CONTENDERS_MAX]
        )
    ]


def _wanted() -> QuerySet[Run]:
    """Live runs that somebody has watched lately; of those behind links only what is not complete. On a partial index."""
    lately = Now() - timedelta(seconds=settings.SIM_UNWATCHED_RELEASE_S)
    watched = Run.objects.filter(state=Run.State.LIVE, viewers_seen_at__gt=lately)
    return watched.exclude(is_frozen=True, head_seq__gt=0, head_ms__gte=F("base_ms"))


class _Board:
    """The last plan that this process has seen."""

    plan = Plan()
    read_s = float("-inf")


def wait_of(run_id: UUID) -> Wait:
    """Why a run that is wanted has no owner. No query where the process has asked within the last second, else two."""
    if monotonic() - _Board.read_s > BOARD_S or not _Board.plan.knows(run_id):
        _Board.plan, _Board.read_s = places_plan(), monotonic()
    return _Board.plan.waits.get(run_id, Wait(reason="opening"))
