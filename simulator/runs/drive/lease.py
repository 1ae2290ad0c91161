"""Who owns a run. A lease is a row's ``(owner, epoch, lease_until)``; every change is one
conditional update.

A lease answers two questions that must not be mixed up. *May another process take the run?* Yes,
once ``lease_until`` has passed or no owner is named. *May this process still write?* Only under the
epoch that the row has. The first is about time and so can be wrong: a process that was frozen
believes that it holds a lease which ended long ago. The second cannot: every change of owner raises
the epoch, in the same update that names the owner, and every write of an owner is conditional on
its epoch. So a lease that is taken too early or kept too long costs work that is done twice, never
a log that two processes have written.

Times are the database's: processes on machines whose clocks differ still agree who is late.

A renewal carries a sign, which is what the clock shows. It is stored as where the clock stands
(``stands_ms``) if nothing more is heard, so the moment at which an owner was killed needs no guess.
If someone has moved the clock since the owner last read it (``controls`` differs), the sign is old
and what they set stays.

A run may kill its owner, for instance by using up all memory. Taking a run therefore counts as a
failed attempt (``take_overs``) until records follow, or ``prove`` reports that it is resting in good
health, or it is given back properly. pool.py leaves a run alone after it has cost too many owners in
a row.
"""

import os
import secrets
import socket
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import cache
from typing import Any
from uuid import UUID

from django.db.models import BigIntegerField, Case, CharField, DurationField, F, IntegerField, Q, QuerySet, UUIDField, When
from django.db.models.functions import Now
from msgspec import Struct

from simulator.engine.kernel.units import Ms
from simulator.models import Run, Runner
from simulator.runs.log.statements import EPOCH, RUN, ChangeStatement, Given, Statement, among, numbered, places_for
from simulator.runs.state_notes import StateNote


class Sign(Struct, frozen=True, kw_only=True):
    """A sign of life from an owner that keeps the clock going: what the clock shows, and the value of ``controls`` it is based on."""

    controls: int
    shown_ms: Ms


class Hold(Struct, frozen=True, kw_only=True):
    """A run whose lease an owner wants to renew, under its epoch."""

    run_id: UUID
    epoch: int
    sign: Sign | None = None


def owner_name() -> str:
    """A name for this process: host, process id and a random part, since process ids are reused."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{secrets.token_hex(4)}"


def acquire(run_id: UUID, *, owner: str, lease_ms: int) -> int | None:
    """Take a run that nobody owns; return the new epoch, or None if somebody owns it.

    This counts as a take-over without progress until records follow, ``prove`` is called, or the run is given back properly.
    """
    epochs = _EPOCH.rows(run=run_id)
    if not epochs:
        return None
    epoch = epochs[0]
    # Two processes may have read the same epoch; the second update then finds a different one and takes nothing.
    taken = _TAKEN.made(run=run_id, epoch=epoch, next=epoch + 1, owner=owner, lease=timedelta(milliseconds=lease_ms))
    return epoch + 1 if taken == 1 else None


def renew(holds: Sequence[Hold], *, lease_ms: int) -> set[UUID]:
    """Renew the leases of these runs for ``lease_ms``; return those that were kept, without those that were lost. One query per epoch, two
    if some runs have a sign and others do not, and another if one was lost.

    The sign sets where the clock will stand if the owner is not heard from again, unless somebody has moved the clock without the owner
    having noticed yet.
    """
    kept: set[UUID] = set()
    groups: dict[tuple[int, bool], list[Hold]] = {}
    for hold in holds:
        groups.setdefault((hold.epoch, hold.sign is not None), []).append(hold)
    for (epoch, is_signed), group in groups.items():
        ids = {hold.run_id for hold in group}
        places = places_for(len(group))
        given = {"epoch": epoch, "lease": timedelta(milliseconds=lease_ms), **numbered("run", [hold.run_id for hold in group], places)}
        signs = [hold.sign for hold in group if hold.sign is not None]
        if is_signed:
            given |= numbered("controls", [sign.controls for sign in signs], places)
            given |= numbered("shown", [sign.shown_ms for sign in signs], places)
        count = _renewal(places, is_signed=is_signed).made(**given)
        # If the count says that all were kept, that is enough. Finding out which were lost costs a query, but is rarely needed.
        kept |= ids if count == len(ids) else set(Run.objects.filter(id__in=ids, epoch=epoch).values_list("id", flat=True))
    return kept


@cache
def _renewal(places: int, *, is_signed: bool) -> ChangeStatement:
    cases = [
        When(id=Given(f"run{n}", UUIDField()), controls=Given(f"controls{n}", IntegerField()), then=Given(f"shown{n}", BigIntegerField()))
        for n in range(places)
    ]
    signed = {"driven_at": Now(), "stands_ms": _clock_case(cases)} if is_signed else {}
    rows = Run.objects.filter(among("id", "run", UUIDField(), places), epoch=EPOCH)
    return ChangeStatement(lambda: (rows, {**_kept(), **signed}))


def release(run_id: UUID, *, epoch: int, sign: Sign | None = None, to_back: bool = False, is_lost: bool = False) -> None:
    """Give a run back. Its clock stands where it last was; ``to_back`` puts the run at the end of the queue.

    ``is_lost``: the owner failed, so this take-over counts against the run. Does nothing if the run was already lost.
    """
    left: dict[str, Any] = {} if sign is None else {"stands_ms": _clock_case([When(controls=sign.controls, then=sign.shown_ms)])}
    if to_back:
        left["wanted_at"] = Now()
    # A proper release undoes this attempt, but not those of earlier owners: they were lost, and this proves nothing about why.
    fewer = F("take_overs") if is_lost else Case(When(take_overs__gt=0, then=F("take_overs") - 1), default=0)
    Run.objects.filter(id=run_id, epoch=epoch).update(owner="", lease_until=None, driven_at=None, take_overs=fewer, **left)


def prove(run_id: UUID, *, epoch: int) -> None:
    """Record that an owner has got past whatever made earlier ones fail: the run has caught up with its clock, and rests."""
    Run.objects.filter(id=run_id, epoch=epoch, take_overs__gt=0).update(take_overs=0)


def give_up(run_id: UUID, *, epoch: int, note: StateNote) -> bool:
    """Mark a run that nobody owns as failed; return False if somebody took it meanwhile."""
    free = Run.objects.filter(_is_free(), id=run_id, epoch=epoch, state=Run.State.LIVE)
    return free.update(state=Run.State.FAILED, state_note=note, owner="", lease_until=None, epoch=epoch + 1) == 1


def release_stale(*, owner: str) -> int:
    """Free the runs and places of processes on this host that no longer exist; return how many runs. For the start of a process."""
    host, pid, _ = owner.rsplit(":", 2)
    owners = Run.objects.filter(owner__startswith=f"{host}:").exclude(owner=owner).values_list("owner", flat=True).distinct()
    runners = Runner.objects.filter(name__startswith=f"{host}:").exclude(name=owner).values_list("name", flat=True)
    # Process ids are reused, even by this process: an earlier owner with the same id is gone. The random part tells the two apart.
    stale = [name for name in {*owners, *runners} if name.split(":")[-2] == pid or not _is_alive(name.split(":")[-2])]
    Runner.objects.filter(name__in=stale).delete()
    # The epoch grows although nobody takes the run yet: a process that is not quite dead must not write to it any more.
    return Run.objects.filter(owner__in=stale).update(owner="", lease_until=None, driven_at=None, epoch=F("epoch") + 1)


def _clock_case(cases: Iterable[When]) -> Case:
    """Where a clock stands: at the time it showed, unless somebody has moved it since."""
    return Case(*cases, default=F("stands_ms"), output_field=BigIntegerField())


def _mine() -> QuerySet[Run]:
    return Run.objects.filter(id=RUN, epoch=EPOCH)


def _kept() -> dict[str, Any]:
    return {"lease_until": Now() + Given("lease", DurationField())}


def _taken() -> dict[str, Any]:
    owned = {"owner": Given("owner", CharField()), "epoch": Given("next", IntegerField())}
    return {**_kept(), **owned, "driven_at": None, "take_overs": F("take_overs") + 1}


def _is_free() -> Q:
    return Q(lease_until__isnull=True) | Q(lease_until__lt=Now())


_EPOCH = Statement(lambda: Run.objects.filter(id=RUN).order_by().values_list("epoch", flat=True))
_TAKEN = ChangeStatement(lambda: (_mine().filter(_is_free()), _taken()))


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return True
