"""A run's stored clock. It stands still while nobody drives the run, so an outage is not played at full speed afterwards."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from simulator.engine.course.header import REVISION
from simulator.engine.kernel.units import Ms
from simulator.models import Run, RunCommand
from simulator.runs.log.pacing import Pacer
from simulator.runs.log.statements import RUN, Statement
from simulator.runs.log.wall import to_wall_ms, wall_ms

AHEAD_MS = 60_000
"""A run that lags its clock by more than this is not keeping time: it is being sent ahead, or rebuilt."""
SILENT_MS = 5000
"""Owners give a sign of life every second; one that has been silent for this long no longer drives the run."""


def pacer_of(run: Run) -> Pacer:
    """The clock of a run that is being driven, as a Pacer made from its row. It stands still if the run has ended or rests."""
    return Pacer(
        base_ms=run.base_ms,
        base_wall_ms=to_wall_ms(run.base_at),
        rate_permille=run.rate_permille,
        is_paused=run.is_paused or is_resting(run) or run.state != Run.State.LIVE,
        end_ms=settings.SIM_RUN_MS_MAX,
    )


def is_resting(run: Run) -> bool:
    """Whether the clock stands although nobody paused it, because nothing more will happen by itself: the next act sets it going."""
    return not run.is_paused and run.idle_as_of == run.controls


def is_driven(run: Run) -> bool:
    """Whether an owner has recently kept the clock going, by the database's time if the query annotated it as ``read_at``."""
    now = getattr(run, "read_at", None) or timezone.now()
    return run.driven_at is not None and run.driven_at > now - timedelta(milliseconds=SILENT_MS)


def idle() -> Q:
    """A filter for runs that need no owner: paused or with nothing to follow, no act waiting, and the log complete up to the clock."""
    waiting = RunCommand.objects.filter(run=OuterRef("pk"), outcome=RunCommand.Outcome.PENDING, at_ms__isnull=True)
    return Q(~Exists(waiting), idle_as_of=F("controls"), steps_done=F("steps_asked"))


def is_idle(run: Run) -> bool:
    """Whether nobody needs to drive the run, if the query that read it annotated that (``is_idle=idle()``)."""
    return bool(getattr(run, "is_idle", False))


def stands_at_beginning(run: Run) -> bool:
    """Whether the run was stored with its log up to where its clock stands and is untouched since: no owner, no act, no move of its clock.
    Its history then follows from its header and its digest."""
    is_as_stored = (run.epoch, run.controls, run.idle_as_of) == (0, 0, 0) and run.head_seq > 0
    return is_as_stored and run.is_paused and run.head_ms == run.base_ms and run.state == Run.State.LIVE


def standing_ms(run: Run) -> Ms:
    """Where the clock stands while nobody drives the run."""
    return max(run.stands_ms or 0, run.base_ms, run.head_ms)


def clock_of(run: Run, wall_now_ms: int) -> Pacer:
    """The clock as everybody sees it at ``wall_now_ms``: if nobody drives the run, it shows the last time it showed."""
    pacer = pacer_of(run)
    return pacer if is_driven(run) else pacer.moved(standing_ms(run), wall_now_ms)


def read_again(run: Run) -> None:
    """Refresh the row except for header and source, which may be megabytes: they change only together with ``revision``, and are read then.
    Raises Run.DoesNotExist. One query, or two."""
    found = _CHANGING.first(run=run.id)
    if found is None:
        raise Run.DoesNotExist(str(run.id))
    was = run.revision
    for name, value in zip(_CHANGING_NAMES, found, strict=True):
        setattr(run, name, value)
    if run.revision != was:
        run.refresh_from_db()


_CHANGING_NAMES = tuple(field.attname for field in Run._meta.concrete_fields if field.attname not in {"id", "header_body", "source_body"})
_CHANGING = Statement(lambda: Run.objects.filter(id=RUN).order_by().values_list(*_CHANGING_NAMES))


def recorded() -> Q:
    """A filter for runs behind links that will get no more records: complete, or recorded by another revision and so left as they are."""
    is_whole = Q(head_ms__gte=F("base_ms")) | ~Q(revision=REVISION)
    return Q(is_whole, is_frozen=True, head_seq__gt=0)


def is_coming(run: Run) -> bool:
    """Whether the log of a run behind a link will still grow once a runner has a place for it: see ``recorded``."""
    is_whole = run.head_seq > 0 and (run.head_ms >= run.base_ms or run.revision != REVISION)
    return run.is_frozen and run.state == Run.State.LIVE and not is_whole


def coming(run: Run) -> tuple[Ms, Ms] | None:
    """How far the log has come on its way to a moment far ahead, and that moment; None if it is not on its way to one.

    The query that read the run must have annotated ``is_idle``.
    """
    is_on_its_way = is_coming(run) or not (run.is_frozen or run.state != Run.State.LIVE or is_driven(run) or is_idle(run))
    far_ms = standing_ms(run)
    return (run.head_ms, far_ms) if is_on_its_way and far_ms - run.head_ms > AHEAD_MS else None


def moment_of(run: Run) -> Ms:
    """The moment the run has reached: by its clock, or by its log if that is further."""
    if run.state != Run.State.LIVE:
        return run.head_ms
    wall_now_ms = wall_ms()
    return max(run.head_ms, clock_of(run, wall_now_ms).now_ms(wall_now_ms))
