"""A consistent snapshot of a run so far: its row, its commands and the moment it has reached, all belonging to one head of its log.

The clock is usually ahead of the log, and what it shows is only a promise: if an owner is late, has a slow clock, or is lost over the run,
an act may still happen before a moment that pages have already shown. What is stored as the past of a run, in a link, a file or a branch,
must not change, so it ends at a moment before which no act can happen any more.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django.db import transaction
from django.db.models import BigIntegerField, BooleanField, DateTimeField, F, IntegerField, QuerySet
from msgspec import Struct

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.kernel.units import Ms
from simulator.models import Run
from simulator.runs.log import timemachine
from simulator.runs.log.clock import clock_of
from simulator.runs.log.history import is_kept
from simulator.runs.log.statements import RUN, ChangeStatement, Given
from simulator.runs.log.wall import from_wall_ms, to_wall_ms, wall_ms


class SoFar(Struct, frozen=True, kw_only=True):
    """A run at one point, the commands that happened by ``until_ms``, and that moment.

    Everything in ``run`` and its log up to ``run.head_seq`` follows from these commands and no others.
    """

    run: Run
    commands: tuple[Stamped, ...]
    until_ms: Ms


def so_far(run: Run) -> SoFar:
    """A snapshot of the run up to its present. No later act will happen before ``until_ms``. For POST requests: it may write.

    ``until_ms`` is the moment the clock shows, unless an act is pending: then it is the end of the log, because that act may happen right
    there. If the clock is playing, it is stored with its present time as the new base, so that the owner computes at least up to there
    before it takes another act; nobody sees a difference. Five queries, and five more each time that the run advances meanwhile.
    """
    return _so_far(run, _fixed_ms)


def so_far_recorded(run: Run) -> SoFar:
    """Like ``so_far``, but changes nothing: while the clock plays, the snapshot ends where the log does. Four queries, none writes."""
    return _so_far(run, _recorded_ms)


def _so_far(run: Run, fixed_ms: Callable[[Run], Ms | None]) -> SoFar:
    while True:
        head, commands = timemachine.standing(run)
        until_ms = fixed_ms(head)
        # Otherwise the run has advanced since the head was read: read it again.
        if until_ms is not None:
            return SoFar(run=head, commands=given_by(commands, until_ms), until_ms=until_ms)


def given_by(commands: Iterable[Stamped], until_ms: Ms) -> tuple[Stamped, ...]:
    """The commands that happen by ``until_ms``."""
    return tuple(stamped for stamped in commands if stamped.at_ms <= until_ms)


def _fixed_ms(head: Run) -> Ms | None:
    """Up to when the history of a run at ``head`` is fixed; None if the run has advanced beyond ``head``.

    Pending acts are checked before the head is read again, or while the row is locked: an act that was pending has moved the head by
    then, and a later one finds the clock as it was stored.
    """
    now = min(wall_ms(), read_wall_ms(head))  # this process's clock may be ahead of the others
    moment_ms = max(head.head_ms, clock_of(head, now).now_ms(now))
    if head.state != Run.State.LIVE or is_kept(head) or moment_ms <= max(head.base_ms, head.head_ms):
        return _recorded_ms(head)
    # The update locks the row, and an act locks it before it is stored (``run_attend``): so an act that is not seen here comes later,
    # and finds the clock as it was just stored.
    with transaction.atomic():
        stands = _stored(head, moment_ms, now)
        is_awaited = _awaits_act(head)
    if not stands:
        return None
    return _least_ms(head) if is_awaited else moment_ms


def read_wall_ms(head: Run) -> int:
    """When the run was read, by the database's clock."""
    return to_wall_ms(head.read_at)  # type: ignore[attr-defined]  # ``timemachine.standing`` asked for it


def _recorded_ms(head: Run) -> Ms | None:
    """Up to when it is fixed without storing anything: the end of the log, or where the clock was last set."""
    if head.state != Run.State.LIVE or is_kept(head):
        return head.head_ms
    is_awaited = _awaits_act(head)
    if not Run.objects.filter(id=head.id, head_seq=head.head_seq).exists():
        return None
    return _least_ms(head) if is_awaited else max(head.head_ms, head.base_ms)


def _awaits_act(run: Run) -> bool:
    return run.commands.filter(at_ms=None).exists()


def _least_ms(head: Run) -> Ms:
    """The earliest moment at which a pending act can happen: the owner may have read it before the clock was moved."""
    begun_ms = 0 if head.controls else head.base_ms
    return max(head.head_ms, head.parent_ms or 0, begun_ms)


def _stored(head: Run, moment_ms: Ms, now: int) -> bool:
    """Store the clock as it stands now; return False if the run or its clock has advanced meanwhile. Locks the row."""
    before = {"seq": head.head_seq, "controls": head.controls, "before_ms": head.base_ms, "is_paused": head.is_paused}
    return _STORED.made(run=head.id, **before, base_ms=moment_ms, base_at=from_wall_ms(now)) == 1


def _clock() -> tuple[QuerySet[Run], dict[str, Any]]:
    rows = Run.objects.filter(
        id=RUN,
        state=Run.State.LIVE,
        head_seq=Given("seq", IntegerField()),
        controls=Given("controls", IntegerField()),
        base_ms=Given("before_ms", BigIntegerField()),
        is_paused=Given("is_paused", BooleanField()),
    )
    moment = Given("base_ms", BigIntegerField())
    return rows, {"base_ms": moment, "stands_ms": moment, "base_at": Given("base_at", DateTimeField()), "controls": F("controls") + 1}


_STORED = ChangeStatement(_clock)
