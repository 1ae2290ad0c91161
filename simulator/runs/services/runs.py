"""Make runs, branch them, and move their clocks.

A run's clock is a line: ``base_ms`` at the wall time ``base_at``, and a rate. Moving the clock writes a new
line; the owner reads it at its next turn and drives the world there. A clock that rests (nothing left to
do) is marked by ``idle_as_of``, the value of ``controls`` at that point: any later control sets it going.

A branch copies commands, not records. It is played by today's rules, so its first owner recomputes its
past; ``given``, ``own`` and ``later`` in the client keys tell where each command came from.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import (
    BigIntegerField,
    BooleanField,
    Case,
    DateTimeField,
    DurationField,
    F,
    IntegerField,
    Q,
    QuerySet,
    When,
)
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from msgspec import Struct

from simulator.engine.acts.all_acts import AnyCommand, Stamped
from simulator.engine.course.header import REVISION, renewed
from simulator.engine.kernel.bounded import SEQ_MAX
from simulator.engine.kernel.outside_text import one_line
from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.past.document import past_of
from simulator.models import Run, RunCommand, Scenario, SharedScenario
from simulator.runs.log import storage, timemachine
from simulator.runs.log.beginning import given_until
from simulator.runs.log.clock import clock_of, is_resting, moment_of, read_again
from simulator.runs.log.content import Content
from simulator.runs.log.history import GIVEN, LATER, branch_acts, commands_until, is_kept, later_acts, own_acts, renewal, taken_along
from simulator.runs.log.pacing import Pacer
from simulator.runs.log.so_far import so_far
from simulator.runs.log.statements import RUN, ChangeStatement, Given
from simulator.runs.log.storage import Addition
from simulator.runs.log.wall import from_wall_ms, wall_ms
from simulator.runs.permissions import OWNER, hash_key, role_of
from simulator.runs.services.errors import LimitReached, NotAllowed, Refused
from simulator.runs.state_notes import note_text
from simulator.runs.wire import announce

CONTROLS = ("play", "pause", "rate", "step", "run_to")
MOVES = ("play", "step", "run_to")
"""Controls that let a run advance."""
SWITCHES = ("play", "pause", "step")
"""Controls that determine whether the clock plays; any other leaves that as it was."""
HEADER_BYTES_MAX = 2_000_000
GOES_ON = "goes-on"
"""Key of the branch in which a run of another revision continues."""
LEAVE_S = 2
"""A page that is being reloaded is back within this many seconds."""
TITLE_MAX = 120
"""The length of title columns."""


class RunHolder(Struct, frozen=True, kw_only=True):
    """Who a run is made for: the hash of the key that controls it, and of the address its place counts against; empty for none."""

    owner_hash: str
    address_hash: str = ""


class NewRuns(Struct, frozen=True, kw_only=True):
    """The starting point of runs that are made together, whoever they are for. ``run_create`` explains each field.

    ``beginning`` is their initial log (``beginning_of``); None leaves that to their owners.
    """

    content: Content
    title: str
    scenario: Scenario | None = None
    share: SharedScenario | None = None
    rate_permille: int = 1000
    paused: bool = False
    at_ms: Ms | None = None
    level: str = ""
    beginning: Addition | None = None


def run_create(*, owner_key: str, address: str = "", **begins: Any) -> Run:
    """Make a run owned by the holder of ``owner_key`` (empty: nobody, and then it is frozen); ``begins`` are the fields of NewRuns.

    ``address`` is the hash of the visitor's address (permissions.address_hash_of), against which its place counts.

    Commands of the content up to ``at_ms`` (None: all of them) are given to the run; the clock starts at ``at_ms`` (None: where the
    content was left). It is played by today's rules, whatever the content's revision. ``level`` is the key of the level that the run is
    an attempt at. Raises LimitReached. A runner fills the log, continuing from ``beginning``.
    """
    return run_begin(NewRuns(**begins), owner_key=owner_key, address=address)


@transaction.atomic
def run_begin(begins: NewRuns, *, owner_key: str, address: str = "") -> Run:
    """Like ``run_create``, from a starting point that can be reused."""
    holder = RunHolder(owner_hash=hash_key(owner_key) if owner_key else "", address_hash=address)
    (run,) = runs_create(begins, [holder])
    run_attend(run_id=run.id)
    return run


@transaction.atomic(savepoint=False)
def runs_create(begins: NewRuns, holders: Sequence[RunHolder]) -> list[Run]:
    """Make runs that begin alike, one per holder, in the same order; they are not marked as watched. Raises LimitReached."""
    content, at_ms, beginning = begins.content, begins.at_ms, begins.beginning
    header_body = msgspec.json.encode(renewed(content.header), order="sorted")
    _check_size(len(content.header.manifests), len(header_body))
    start_ms = min(content.until_ms if at_ms is None else at_ms, settings.SIM_RUN_MS_MAX)
    begun = {} if beginning is None else {**storage.head_columns(beginning), "idle_as_of": 0 if begins.paused else None}
    runs = [
        Run(
            title=one_line(begins.title, most=TITLE_MAX) or _("Untitled run"),
            scenario=begins.scenario,
            share=begins.share,
            header_body=header_body,
            source_body=msgspec.json.encode(content.source).decode(),
            revision=REVISION,
            owner_hash=holder.owner_hash,
            address_hash=holder.address_hash,
            is_frozen=not holder.owner_hash,
            level=begins.level,
            is_paused=begins.paused or not holder.owner_hash,
            rate_permille=_rate(begins.rate_permille),
            base_ms=start_ms,
            stands_ms=start_ms,
            base_at=from_wall_ms(wall_ms()),
            **begun,
        )
        for holder in holders
    ]
    given = list(content.commands) if at_ms is None else given_until(content.commands, at_ms)
    _save_new(runs, given, beginning=beginning)
    return runs


@transaction.atomic
def run_branch(  # noqa: PLR0913 - all are keyword-only
    *,
    parent: Run,
    owner_key: str,
    at_ms: Ms | None = None,
    at_seq: Seq | None = None,
    title: str | None = None,
    paused: bool = False,
    branch_key: str = "",
    address: str = "",
    acts: Sequence[AnyCommand] = (),
    own: Sequence[Stamped] = (),
    later: Sequence[Stamped] = (),
    stands_ms: Ms = 0,
    owner_hash: str = "",
) -> Run:
    """Make a run that shares ``parent``'s past up to a moment and continues on its own from there; the parent is unchanged.

    The moment is ``at_ms``, or that of record ``at_seq``; with both, commands of that instant after ``at_seq`` are left out. It is limited
    to the part of ``parent``'s past that is fixed (``so_far``). The branch is played by today's rules. It begins with ``acts``; its
    ``own`` acts and the parent's ``later`` ones follow at their moments. Its clock stands at ``stands_ms`` if that is later than its
    beginning. ``owner_hash`` is for an owner whose key is not available. Repeating a non-empty ``branch_key`` returns the same branch.
    Raises Refused if the moment does not exist.
    """
    if branch_key:
        branch_key = branch_key_of(owner_key, branch_key)
        Run.objects.select_for_update().filter(id=parent.id).first()  # a concurrent repeat of the request waits here
        known = Run.objects.filter(parent=parent, branch_key=branch_key).first()
        if known is not None:
            return known
    moment_ms = branch_moment(parent, at_ms=at_ms, at_seq=at_seq)
    clock_ms = max(moment_ms, stands_ms)
    run = Run(
        title=one_line(title or parent.title, most=TITLE_MAX),
        scenario=parent.scenario,
        share=parent.share,
        parent=parent,
        parent_seq=at_seq,
        parent_ms=moment_ms,
        branch_key=branch_key,
        level=parent.level,
        source_body=parent.source_body,
        owner_hash=owner_hash or hash_key(owner_key),
        address_hash=address,
        is_paused=paused,
        rate_permille=parent.rate_permille,
        base_ms=clock_ms,
        stands_ms=clock_ms,
        base_at=from_wall_ms(wall_ms()),
        **renewal(parent),
    )
    own = [*(Stamped(at_ms=moment_ms, n=0, command=act) for act in acts), *own]
    _save_new([run], commands_until(parent, at_ms=moment_ms, at_seq=at_seq), own=own, later=later)
    run_attend(run_id=run.id)
    return run


@transaction.atomic
def run_move(*, branch: Run, owner_key: str, at_ms: Ms, branch_key: str = "", address: str = "") -> Run:
    """Make another branch of the same parent that begins at ``at_ms`` with the same acts as ``branch``, which is unchanged.

    Its clock stands where that of ``branch`` does, so that the two can be compared side by side. Raises Refused if ``branch`` is not a
    branch, if nobody has acted in it, or if its parent has not reached that moment.
    """
    acts = branch_acts(branch)
    if branch.parent is None or not acts:
        raise Refused(
            "no_branch", _("Only the action that starts a branch can be moved: this run is not a branch, or no one has acted in it.")
        )
    parent = Run.objects.get(id=branch.parent.id)
    if at_ms > moment_of(parent):
        raise Refused("no_moment", _("This run does not have that moment."))
    moved = run_branch(
        parent=parent,
        owner_key=owner_key,
        at_ms=at_ms,
        paused=branch.is_paused or branch.state != Run.State.LIVE,
        branch_key=branch_key,
        address=address,
        acts=[row.command() for row in acts],
        stands_ms=moment_of(branch),
    )
    check_past(moved)
    return moved


@transaction.atomic
def run_take_along(*, branch: Run, owner_key: str, branch_key: str = "", address: str = "") -> Run:
    """Make another branch that begins like ``branch`` and also gets its parent's later acts; ``branch`` is unchanged.

    It then differs from its parent only in the change made by ``branch``, and in acts that are now refused, which appear in its log. Its
    clock stands where that of ``branch`` does, or at the last of these acts. Raises Refused if there are none, or if ``branch`` has them.
    """
    later = [] if taken_along(branch).exists() else list(later_acts(branch))
    if branch.parent is None or not later:
        raise Refused("no_later", _("There are no later actions to carry over."))
    moment_ms = branch.parent_ms or 0
    stamped = [_placed(row, moment_ms + 1) for row in later]  # an act of the same instant comes after those the branch begins with
    return run_branch(
        parent=branch.parent,
        owner_key=owner_key,
        at_ms=branch.parent_ms,
        at_seq=branch.parent_seq,
        paused=branch.is_paused or branch.state != Run.State.LIVE,
        branch_key=branch_key,
        address=address,
        own=[_placed(row, moment_ms) for row in own_acts(branch)],
        later=stamped,
        stands_ms=max(moment_of(branch), stamped[-1].at_ms),
    )


def _placed(row: RunCommand, least_ms: Ms) -> Stamped:
    """A command at its moment, or at ``least_ms`` if its moment is earlier or not fixed yet."""
    return Stamped(at_ms=max(row.at_ms or 0, least_ms), n=row.n, command=row.command())


def run_control(*, run: Run, owner_key: str, do: str, rate_permille: int | None = None, to_ms: Ms | None = None, address: str = "") -> Run:
    """Move the run's clock: play, pause, rate (``rate_permille``), step (to the next record) or run_to (``to_ms``).

    Returns the run whose clock moved: if another revision recorded the run and today's rules give a different history, that is a branch
    at its end, always the same one. Raises NotAllowed for anybody but the owner, Refused if the run has ended or the moment is past.
    """
    check_owner(run, owner_key)
    read_again(run)
    # A run of another revision whose rules differ cannot continue under ours: it continues in a branch, always the same one.
    if do in MOVES and not run_adopt(run=run):
        run = run_branch(parent=run, owner_key=owner_key, at_ms=run.head_ms, branch_key=GOES_ON, address=address)
    _move_clock(run, do, rate_permille, to_ms)
    return run


def run_control_by_key(*, run: Run, may_write: bool, do: str, rate_permille: int | None = None, to_ms: Ms | None = None) -> None:
    """Like ``run_control``, for a client whose API key allows writing. Raises NotAllowed and Refused."""
    if not may_write or run.is_frozen:
        raise NotAllowed("not_owner", _("Only the owner of this run can do that. Fork it to get your own."))
    read_again(run)
    if do in MOVES and not run_adopt(run=run):
        raise Refused("other_rules", _("This run has ended. Branch it from an earlier moment to continue."))
    _move_clock(run, do, rate_permille, to_ms)


@transaction.atomic
def run_branch_by_key(*, parent: Run, key_id: int, at_ms: Ms) -> Run:
    """The branch at a moment for the holder of an API key: always the same one, and owned by the run's owner. Raises Refused."""
    branch = run_branch(
        parent=parent,
        owner_key="",
        owner_hash=parent.owner_hash,
        at_ms=at_ms,
        branch_key=door_branch_key(key_id, at_ms),
        address=parent.address_hash,
    )
    check_past(branch)
    return branch


def door_branch_key(key_id: int, at_ms: Ms) -> str:
    """The ``branch_key`` of that branch."""
    return f"door-{key_id}-{at_ms}"


@transaction.atomic
def run_hold(*, run: Run, to_ms: Ms) -> None:
    """Let the run go to a future moment, so that the act given next, in the same transaction, happens exactly then.

    A run that plays continues from there once it has taken the act; one that is paused stays there. Raises Refused.
    """
    _move_clock(run, "hold", None, to_ms)


@transaction.atomic
def _move_clock(run: Run, do: str, rate_permille: int | None, to_ms: Ms | None) -> None:
    run_attend(run_id=run.id)  # takes the write lock: the owner may be about to set a resting run going
    read_again(run)
    check_live(run)
    wall, rests = wall_ms(), is_resting(run)
    now = _moved_clock(clock_of(run, wall), wall, do, rate_permille, to_ms)
    # A hold leaves the clock resting: its act, which follows in the same transaction, sets it going at exactly that moment.
    keeps_rest = (do == "rate" and rests) or (do == "hold" and not run.is_paused)
    (_RESTING if keeps_rest else _MOVED).made(
        run=run.id,
        is_paused=now.is_paused if do in SWITCHES else run.is_paused,
        rate=now.rate_permille,
        base_ms=now.base_ms,
        base_at=from_wall_ms(now.base_wall_ms),
        steps=1 if do == "step" else 0,
    )
    wake_later(run.id)


def _moved_clock(pacer: Pacer, wall: int, do: str, rate_permille: int | None, to_ms: Ms | None) -> Pacer:
    if do == "play":
        return pacer.changed(wall, is_paused=False)
    if do in {"pause", "step"}:
        return pacer.changed(wall, is_paused=True)
    if do == "rate" and rate_permille is not None:
        return pacer.changed(wall, rate_permille=_rate(rate_permille))
    if do in {"run_to", "hold"} and to_ms is not None:
        if to_ms < pacer.now_ms(wall):
            raise Refused("past", _("That moment has already passed: drag the playhead there instead."))
        return pacer.moved(min(to_ms, pacer.end_ms), wall)
    raise Refused("unknown", _("There is no such control."))


def run_adopt(*, run: Run) -> bool:
    """Whether the run can continue under today's rules: it is of this revision, or they reproduce what another one recorded.

    In the latter case the run is switched to this revision, except for a run behind a link. Costs a replay the first time. Raises Busy.
    """
    if run.revision == REVISION or run.is_frozen:
        return run.revision == REVISION
    if is_kept(run) and not timemachine.repeats(run):
        return False
    state = {"state": Run.State.LIVE, "state_note": {}} if run.state == Run.State.RECORDED else {}
    Run.objects.filter(id=run.id, head_seq=run.head_seq).update(**renewal(run), **state)
    run.refresh_from_db()
    return run.revision == REVISION


def run_attend(*, run_id: UUID) -> None:
    """Mark the run as watched, so that a runner keeps it or takes it up. One update."""
    _ATTENDED.made(run=run_id, lately=timedelta(seconds=settings.SIM_UNWATCHED_RELEASE_S))


def run_leave(*, run_id: UUID) -> None:
    """Note that the last viewer has left. Somebody who is reloading the page is back in time; otherwise the run stops. One update."""
    _LEFT.made(run=run_id, left=timedelta(seconds=max(0, settings.SIM_UNWATCHED_RELEASE_S - LEAVE_S)))


def check_owner(run: Run, owner_key: str) -> None:
    """Raise NotAllowed unless ``owner_key`` is the run's."""
    if role_of(run, owner_key) != OWNER:
        raise NotAllowed("not_owner", _("Only the owner of this run can do that. Fork it to get your own."))


def check_live(run: Run) -> None:
    """Raise Refused if the run has ended."""
    if run.state != Run.State.LIVE:
        raise Refused("ended", note_text(run.state_note) or _("This run has ended. Branch it from an earlier moment to continue."))


def check_past(branch: Run) -> None:
    """Raise Refused if a branch begins before the end of an imported past."""
    past = past_of(branch.header())
    if past is not None and (branch.parent_ms or 0) < past.resume_ms:
        raise Refused(
            "imported_past", _("Everything before the import happened elsewhere and cannot be changed: act from the import onwards.")
        )


def wake_later(run_id: UUID) -> None:
    """Wake the run's owner once the transaction is committed."""
    transaction.on_commit(lambda: announce.wake(run_id), robust=True)


def _save_new(
    runs: Sequence[Run],
    commands: Sequence[Stamped],
    *,
    own: Sequence[Stamped] = (),
    later: Sequence[Stamped] = (),
    beginning: Addition | None = None,
) -> None:
    """Store runs with the commands of their parent from before and after the branching moment, and with their own acts."""
    Run.objects.bulk_create(runs)
    given = [(f"{GIVEN}{n}", stamped.at_ms, stamped.command) for n, stamped in enumerate(commands, start=1)]
    acts = [(_own_key(n, is_first=stamped.at_ms == own[0].at_ms), stamped.at_ms, stamped.command) for n, stamped in enumerate(own, start=1)]
    kept = [(f"{LATER}{n}", stamped.at_ms, stamped.command) for n, stamped in enumerate(later, start=1)]
    rows = [
        {"n": n, "client_key": key, "body": encode_command(command), "at_ms": at_ms}
        for n, (key, at_ms, command) in enumerate((*given, *acts, *kept), start=1)
    ]
    for done in beginning.applied if beginning is not None else ():
        rows[done.n - 1] |= {"at_ms": done.at_ms, "applied_seq": done.seq, "outcome": done.outcome}
    if rows:
        RunCommand.objects.bulk_create(RunCommand(run=run, **row) for run in runs for row in rows)
    if beginning is not None:
        storage.begin(runs, beginning)
    for run in runs:
        if run.idle_as_of is None:  # otherwise an owner would have nothing to do
            wake_later(run.id)


def _own_key(n: int, *, is_first: bool) -> str:
    """The key of a branch's n-th act; ``branch_acts`` recognizes those that it begins with by their keys."""
    if not is_first:
        return f"own-later-{n}"
    return "own" if n == 1 else f"own-{n}"


def _row() -> QuerySet[Run]:
    return Run.objects.filter(id=RUN)


def _moved() -> tuple[QuerySet[Run], dict[str, Any]]:
    base = {"base_ms": Given("base_ms", BigIntegerField()), "base_at": Given("base_at", DateTimeField())}
    stands = {"stands_ms": Given("base_ms", BigIntegerField()), "is_paused": Given("is_paused", BooleanField())}
    asked = {"rate_permille": Given("rate", IntegerField()), "steps_asked": F("steps_asked") + Given("steps", IntegerField())}
    return _row(), {**base, **stands, **asked, "controls": F("controls") + 1, "viewers_seen_at": Now()}


def _moved_resting() -> tuple[QuerySet[Run], dict[str, Any]]:
    rows, moved = _moved()
    return rows, {**moved, "idle_as_of": F("controls") + 1}


def _attended() -> tuple[QuerySet[Run], dict[str, Any]]:
    is_watched = Q(viewers_seen_at__gt=Now() - Given("lately", DurationField()), wanted_at__isnull=False)
    return _row(), {"viewers_seen_at": Now(), "wanted_at": Case(When(is_watched, then=F("wanted_at")), default=Now())}


def _left() -> tuple[QuerySet[Run], dict[str, Any]]:
    left = Now() - Given("left", DurationField())
    return _row().filter(viewers_seen_at__gt=left), {"viewers_seen_at": left}


_MOVED, _RESTING = ChangeStatement(_moved), ChangeStatement(_moved_resting)
_ATTENDED, _LEFT = ChangeStatement(_attended), ChangeStatement(_left)


def branch_key_of(owner_key: str, client_key: str) -> str:
    """The stored form of a branch key, which includes the owner: two people may use the same key, but have different branches."""
    return hash_key(f"{owner_key} {client_key}")


def encode_command(command: AnyCommand) -> str:
    """The JSON text of a command as it is stored."""
    return msgspec.json.encode(command).decode()


def branch_moment(parent: Run, *, at_ms: Ms | None, at_seq: Seq | None = None) -> Ms:
    """The moment of the parent's past at which ``run_branch`` branches. Raises Refused if it does not exist."""
    if at_ms is None and at_seq:
        record = timemachine.record_at(parent, at_seq)
        if record is None:
            raise Refused("no_moment", _("This run does not have that moment."))
        at_ms = record.at_ms
    moment_ms = at_ms or 0
    if not 0 <= moment_ms <= settings.SIM_RUN_MS_MAX or (at_seq or 0) > SEQ_MAX:
        raise Refused("no_moment", _("This run does not have that moment."))
    return moment_ms if moment_ms <= parent.head_ms else min(moment_ms, so_far(parent).until_ms)


def _rate(rate_permille: int) -> int:
    return min(max(rate_permille, settings.SIM_RATE_PERMILLE_MIN), settings.SIM_RATE_PERMILLE_MAX)


def _check_size(objects: int, header_bytes: int) -> None:
    if objects > settings.SIM_RUN_PODS_MAX:
        limit = settings.SIM_RUN_PODS_MAX
        raise LimitReached(
            "pods", _("A run can hold at most %(limit)d objects; this one has %(count)d.") % {"limit": limit, "count": objects}
        )
    if header_bytes > HEADER_BYTES_MAX:
        raise LimitReached("size", _("This scenario is too large."))
