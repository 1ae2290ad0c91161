"""What a run's owner reads from and writes to the run's row. Each function is one short transaction, to be called in a database thread."""

from functools import cache
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import BigIntegerField, BooleanField, DateTimeField, F, IntegerField, OuterRef, QuerySet, Subquery, UUIDField
from django.db.models.functions import Now
from msgspec import Struct

from simulator.engine.acts.all_acts import AnyCommand, Stamped
from simulator.engine.course.header import REVISION, RunHeader
from simulator.engine.kernel.units import Ms, Seq
from simulator.models import Run, RunCommand
from simulator.runs.drive import lease
from simulator.runs.log.clock import is_resting, pacer_of, standing_ms
from simulator.runs.log.db import Together
from simulator.runs.log.history import commands_of, renewal
from simulator.runs.log.pacing import Pacer
from simulator.runs.log.statements import EPOCH, RUN, ChangeStatement, Given, Statement, among, numbered, places_for
from simulator.runs.log.storage import LostLease
from simulator.runs.log.wall import from_wall_ms, to_wall_ms
from simulator.runs.state_notes import StateNote


class Dossier(Struct, frozen=True, kw_only=True):
    """Everything needed to resume a run at the end of its log. ``is_own``: this revision of the engine recorded it."""

    header: RunHeader
    commands: tuple[Stamped, ...]
    head_seq: Seq
    head_ms: Ms
    digest: bytes
    is_own: bool


class WaitingRun(Struct, frozen=True, kw_only=True):
    """A command whose moment is not fixed yet. ``given_ms`` is the time on the clock when it was given; None in rows of old releases."""

    n: int
    command: AnyCommand
    given_ms: Ms | None = None


class Inbox(Struct, frozen=True, kw_only=True):
    """What others want from the run now. ``controls`` counts changes of the clock, so that the owner can tell its own from theirs.

    ``pacer`` is the current clock; while the run rests (``is_resting``) it counts as paused until an act or Play. ``stands_ms`` is
    where the clock stood while nobody drove the run.
    """

    pacer: Pacer
    is_resting: bool = False
    stands_ms: Ms
    controls: int
    steps: int
    watched_wall_ms: int
    is_frozen: bool
    waiting: tuple[WaitingRun, ...]


def open_dossier(run_id: UUID) -> Dossier:
    """Read the header, commands and head of a run. Two queries."""
    run = Run.objects.get(id=run_id)
    return Dossier(
        header=run.header(),
        commands=tuple(commands_of(run)),
        head_seq=run.head_seq,
        head_ms=run.head_ms,
        digest=bytes(run.head_digest),
        is_own=run.revision == REVISION,
    )


def adopt(run_id: UUID, *, epoch: int) -> None:
    """Let a run recorded by another revision continue under today's rules, which give the same records. Raises LostLease."""
    if not _mine(run_id, epoch).update(**renewal(Run.objects.get(id=run_id))):
        raise LostLease(str(run_id))


Looks = Together[lease.Hold, Inbox]


def looks(*, lease_ms: int) -> Looks:
    """Let all actors of a process look into their inboxes together. Raises LostLease only for the actor concerned."""
    return Together(lambda holds: look(holds, lease_ms=lease_ms))


def look(holds: list[lease.Hold], *, lease_ms: int) -> list[Inbox | Exception]:
    """Renew the leases and read the inboxes. An error with one run, such as LostLease, takes the place of its inbox and affects no other.

    The clock and the acts of a run must belong to one instant. If the acts were read first, an act that is immediately followed by
    "run to" could be missed while the move is seen, and be carried out after the jump. If the clock were read first, an act could be seen
    without the move that preceded it, and be carried out too early. So the statement that reads the clock also reads the number of the
    last waiting act, and later acts are left for the next look. Three queries or a few more, regardless of the number of runs.
    """
    kept = sorted(lease.renew(holds, lease_ms=lease_ms))
    waiting: dict[UUID, list[RunCommand]] = {}
    runs: dict[UUID, Run] = {}
    if kept:
        places = places_for(len(kept))
        given = numbered("run", kept, places)
        runs = {run.id: run for run in _inboxes_of(places).rows(**given)}
        for row in _waiting_of(places).rows(**given):
            if row.run_id in runs and row.n <= (runs[row.run_id].last_waiting or 0):  # type: ignore[attr-defined]  # annotated
                waiting.setdefault(row.run_id, []).append(row)
    return [_inbox(hold, runs.get(hold.run_id), waiting.get(hold.run_id, [])) for hold in holds]


_INBOX_FIELDS = (
    *("epoch", "state", "is_paused", "rate_permille", "base_ms", "base_at", "stands_ms", "head_ms"),
    *("controls", "idle_as_of", "steps_asked", "steps_done", "viewers_seen_at", "is_frozen"),
)


_WAITING = RunCommand.objects.filter(outcome="pending", at_ms__isnull=True)


@cache
def _waiting_of(places: int) -> Statement[RunCommand]:
    return Statement(lambda: _WAITING.filter(among("run_id", "run", UUIDField(), places)).order_by("run", "n"))


@cache
def _inboxes_of(places: int) -> Statement[Run]:
    last = Subquery(_WAITING.filter(run=OuterRef("pk")).order_by("-n").values("n")[:1])
    rows = Run.objects.only(*_INBOX_FIELDS).annotate(last_waiting=last).order_by()
    return Statement(lambda: rows.filter(among("id", "run", UUIDField(), places)))


def _inbox(hold: lease.Hold, run: Run | None, waiting: list[RunCommand]) -> Inbox | Exception:
    # Checked although the renewal has just succeeded: the run may have been lost between the two queries.
    if run is None or run.epoch != hold.epoch:
        return LostLease(str(hold.run_id))
    try:
        return _read(run, waiting)
    except Exception as error:  # another release wrote a command, or the row is damaged
        return error


def _read(run: Run, waiting: list[RunCommand]) -> Inbox:
    return Inbox(
        pacer=pacer_of(run),
        is_resting=is_resting(run),
        stands_ms=standing_ms(run),
        controls=run.controls,
        steps=run.steps_asked - run.steps_done,
        watched_wall_ms=to_wall_ms(run.viewers_seen_at) if run.viewers_seen_at else 0,
        is_frozen=run.is_frozen,
        waiting=tuple(WaitingRun(n=row.n, command=row.command(), given_ms=row.given_ms) for row in waiting),
    )


@transaction.atomic
def settle(run_id: UUID, *, epoch: int, inbox: Inbox, pacer: Pacer, steps: int, is_idle: bool = False, rests: bool = False) -> bool:
    """Count ``steps`` as done and store the clock as the owner moved it; return False if somebody else moved the clock meanwhile.

    Storing the clock marks the run as driven. ``is_idle``: nothing is left to do until somebody moves the clock or acts.
    ``rests``: the same, but nobody has paused the clock, and an act sets it going again. Both are stored so that they also apply to the
    next owner.
    """
    # Separately and first: a step that was taken counts even if somebody has moved the clock meanwhile.
    if steps:
        _mine(run_id, epoch).update(steps_done=F("steps_done") + steps)
    moved = _MOVED.made(
        run=run_id,
        epoch=epoch,
        controls=inbox.controls,
        base_ms=pacer.base_ms,
        base_at=from_wall_ms(pacer.base_wall_ms),
        is_paused=pacer.is_paused and not rests,
        idle_as_of=inbox.controls if is_idle or rests else None,
    )
    return bool(moved)


def _moved() -> tuple[QuerySet[Run], dict[str, Any]]:
    # Both conditions: the epoch stops an owner that has lost the run, ``controls`` one that has not seen the last move of the clock.
    rows = Run.objects.filter(id=RUN, epoch=EPOCH, controls=Given("controls", IntegerField()))
    base = {"base_ms": Given("base_ms", BigIntegerField()), "base_at": Given("base_at", DateTimeField())}
    stands = {"stands_ms": Given("base_ms", BigIntegerField()), "is_paused": Given("is_paused", BooleanField())}
    return rows, {**base, **stands, "idle_as_of": Given("idle_as_of", IntegerField()), "driven_at": Now()}


_MOVED = ChangeStatement(_moved)


def close(run_id: UUID, *, epoch: int, state: str, note: StateNote) -> None:
    """End the run permanently, with the reason. Raises LostLease."""
    if not _mine(run_id, epoch).update(state=state, state_note=note):
        raise LostLease(str(run_id))


def _mine(run_id: UUID, epoch: int) -> QuerySet[Run]:
    return Run.objects.filter(id=run_id, epoch=epoch)
