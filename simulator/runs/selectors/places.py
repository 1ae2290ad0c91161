"""Which runs may be driven now, decided from the database's rows alone, so that every runner and page comes to the same answer."""

from datetime import timedelta
from threading import Lock
from time import monotonic
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Case, CharField, DurationField, Exists, OuterRef, QuerySet, When
from django.db.models.functions import Coalesce, Now

from simulator.engine.course.header import REVISION
from simulator.models import ClassMember, Run, Runner
from simulator.runs.log.clock import idle, recorded
from simulator.runs.log.statements import Given, Statement
from simulator.runs.log.wall import to_wall_ms
from simulator.runs.turns.constants import STALE_S
from simulator.runs.turns.places import Contender, OtherRunner, PlacePlan, PlaceQuota, Wait, plan

CONTENDERS_MAX = 2000
"""At most this many runs are compared: first those that have a place, then those that have waited longest."""
BOARD_S = 1.0
"""How long the pages of one process share a plan: many waiting pages ask for their places every few seconds."""


def places_plan(*, runner: str = "", places: int = 0) -> PlacePlan:
    """Who may have one of the places of all living runners. A runner names itself and its own ``places``. Two queries."""
    rows = _OTHERS.rows(silent=timedelta(seconds=settings.SIM_RUNNER_SILENT_S), itself=runner)
    others = tuple(OtherRunner(name=name, runs=runs, places=room, takers=tuple(takers)) for name, runs, room, takers in rows)
    quota = PlaceQuota(per_owner=settings.SIM_RUNS_PER_OWNER_MAX, per_address=settings.SIM_RUNS_PER_ADDRESS_MAX)
    return plan(_contenders(), places=places, quota=quota, others=others)


def _contenders() -> list[Contender]:
    return [
        Contender(
            run_id=run_id,
            owner=owner,
            address=address,
            since_ms=to_wall_ms(since),
            is_held=is_held,
            is_stale=is_stale,
            is_idle=is_idle,
            is_in_class=is_in_class,
            epoch=epoch,
            take_overs=take_overs,
        )
        for run_id, owner, address, since, is_held, is_stale, is_idle, is_in_class, epoch, take_overs in _CONTENDERS.rows(
            lately=timedelta(seconds=settings.SIM_UNWATCHED_RELEASE_S)
        )
    ]


def _others() -> "QuerySet[Runner, Any]":
    living = Runner.objects.filter(beat_at__gt=Now() - Given("silent", DurationField()))
    return living.exclude(name=Given("itself", CharField())).values_list("name", "runs", "places", "takers")


def _contending() -> "QuerySet[Run, Any]":
    rows = (
        _wanted()
        .annotate(
            is_held=Case(When(lease_until__gt=Now(), then=True), default=False),
            is_stale=Case(When(viewers_seen_at__lt=Now() - timedelta(seconds=STALE_S), then=True), default=False),
            is_idle=Case(When(idle(), revision=REVISION, then=True), default=False),
            is_in_class=Exists(ClassMember.objects.filter(run=OuterRef("pk"))),
            since=Coalesce("wanted_at", "created_at"),
        )
        # A run with nothing to do and no owner needs no place.
        .exclude(is_idle=True, is_held=False)
    )
    names = ("id", "owner_hash", "address_hash", "since", "is_held", "is_stale", "is_idle", "is_in_class", "epoch", "take_overs")
    return rows.order_by("-is_held", "since").values_list(*names)[:CONTENDERS_MAX]


def _wanted() -> QuerySet[Run]:
    """Live runs that were watched recently; runs behind links only if incomplete. Uses a partial index."""
    watched = Run.objects.filter(state=Run.State.LIVE, viewers_seen_at__gt=Now() - Given("lately", DurationField()))
    return watched.exclude(recorded())


_OTHERS, _CONTENDERS = Statement(_others), Statement(_contending)


class _Board:
    """The last plan that this process has read, and the runs looked up since then that were not in it."""

    def __init__(self) -> None:
        self._plan, self._read_s = PlacePlan(), float("-inf")
        self._asked: set[UUID] = set()
        self._lock = Lock()

    def wait_of(self, run_id: UUID) -> Wait:
        """See the function ``wait_of``. One thread reads; others that need the plan wait for it."""
        if not self._answers(run_id):
            with self._lock:
                if not self._answers(run_id):
                    self._read(run_id)
        return self._plan.waits.get(run_id, Wait(reason="opening"))

    def _answers(self, run_id: UUID) -> bool:
        if monotonic() - self._read_s > BOARD_S:
            return False
        return run_id in self._asked or self._plan.knows(run_id)

    def _read(self, run_id: UUID) -> None:
        """Read the plan again. An early read for one run does not postpone the next regular one, which clears the runs looked up."""
        now_s = monotonic()
        self._plan = places_plan()
        if now_s - self._read_s > BOARD_S:
            self._asked, self._read_s = {run_id}, now_s
        else:
            self._asked.add(run_id)


_BOARD = _Board()


def wait_of(run_id: UUID) -> Wait:
    """Why a watched run has no owner. At most two queries a second, and as many more for each run that nobody watches."""
    return _BOARD.wait_of(run_id)
