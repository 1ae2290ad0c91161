"""Runs, their branches and their clocks."""

from datetime import timedelta
from functools import cache
from typing import Any
from uuid import UUID

from django.db.models import Case, DateTimeField, F, Q, QuerySet, UUIDField, When
from django.db.models.functions import Now
from django.utils import timezone
from msgspec import UNSET, Struct, structs

from simulator.engine.acts.all_acts import AnyCommand
from simulator.models import Run, RunCommand
from simulator.runs.log.clock import idle, is_driven, is_idle, is_resting, moment_of
from simulator.runs.log.history import GIVEN
from simulator.runs.log.statements import RUN, Given, Statement, among, numbered, places_for
from simulator.runs.log.wall import wall_ms
from simulator.runs.permissions import hash_key
from simulator.runs.selectors.places import wait_of
from simulator.runs.state_notes import code_of, numbers_of
from simulator.runs.turns.places import Wait
from simulator.runs.wire.protocol import Clock

ANSWER_S_MAX = 10
BRANCHES_MAX = 200


class BranchRow(Struct, frozen=True, kw_only=True):
    """One run in a tree of branches, in the order in which the tree is shown. ``depth`` 0 is the root.

    ``first`` is the first command that its parent does not have, None if nobody has acted in it yet.
    """

    run_id: UUID
    title: str
    parent_id: UUID | None
    parent_seq: int | None
    parent_ms: int | None
    head_ms: int
    depth: int
    is_current: bool
    first: AnyCommand | None = None


def run_get(run_id: UUID) -> Run | None:
    """The run with everything its page needs, or None. One query; two more, at most once a second, if nobody drives it."""
    return _with_wait(_WHOLE.first(run=run_id))


def run_waits(run: Run) -> bool:
    """Whether a command was just given that the run has not carried out yet. One query."""
    return bool(_UNANSWERED.rows(run=run.id, lately=timezone.now() - timedelta(seconds=ANSWER_S_MAX)))


def run_row(run_id: UUID) -> Run | None:
    """The run without its manifests, which may be megabytes: for sockets, which look every few seconds. Same queries as ``run_get``."""
    return run_rows([run_id])[0]


def run_rows(run_ids: list[UUID]) -> list[Run | None]:
    """Like ``run_row`` for many runs, in the same order. One query, and those of ``run_get``."""
    if not run_ids:
        return []
    places = places_for(len(run_ids))
    found = {run.id: run for run in _light_ones(places).rows(**numbered("run", run_ids, places))}
    return [_with_wait(found.get(run_id)) for run_id in run_ids]


def run_wait(run_id: UUID) -> Wait | None:
    """Why nobody drives the run now; None if somebody does, or if it has ended. Same queries as ``run_get``."""
    run = run_row(run_id)
    return None if run is None else run.wait


def _full_row() -> QuerySet[Run]:
    rows = _with_clock(Run.objects.select_related("scenario", "share", "parent").order_by())
    return rows.defer("scenario__body", "share__body", "parent__header_body", "parent__source_body").filter(id=RUN)


def _unanswered() -> "QuerySet[RunCommand, Any]":
    lately = RunCommand.objects.filter(outcome=RunCommand.Outcome.PENDING, received_at__gt=Given("lately", DateTimeField()))
    is_due = Q(at_ms__isnull=True) | Q(at_ms__lte=F("run__base_ms"))  # others are waiting for their moment
    return lately.filter(is_due, run=RUN).order_by().values_list("n")[:1]


@cache
def _light_ones(places: int) -> Statement[Run]:
    return Statement(lambda: _with_clock(_light()).order_by().filter(among("id", "run", UUIDField(), places)))


@cache
def _children(places: int) -> Statement[Run]:
    rows = _light().order_by("created_at")
    return Statement(lambda: rows.filter(among("parent_id", "parent", UUIDField(), places))[:BRANCHES_MAX])


def _with_clock(rows: QuerySet[Run]) -> QuerySet[Run]:
    """Annotate what determines whether the clock is going: the database's time, and whether anything is left to do."""
    return rows.annotate(read_at=Now(), is_idle=Case(When(idle(), then=True), default=False))


def _with_wait(run: Run | None) -> Run | None:
    # Only a live run without an owner waits for anything.
    if run is not None and run.state == Run.State.LIVE and not (run.is_frozen or is_idle(run) or is_driven(run)):
        is_owned = run.lease_until is not None and run.lease_until > getattr(run, "read_at", timezone.now())
        run.wait = Wait(reason="opening") if is_owned else wait_of(run.id)
    return run


def runs_owned(owner_key: str, limit: int = 50) -> list[Run]:
    """The newest runs of a browser. One query."""
    return list(_light().filter(owner_hash=hash_key(owner_key), is_frozen=False).order_by("-created_at")[:limit])


def runs_newest(*, state: str | None = None, limit: int) -> list[Run]:
    """The newest runs of everybody, optionally only those in a state. One query."""
    rows = _light() if state is None else _light().filter(state=state)
    return list(rows.order_by("-created_at")[:limit])


def run_branches(run: Run) -> list[BranchRow]:
    """The tree that ``run`` belongs to, depth first, at most 200 runs. One query per level and one more; distant roots are left out."""
    root = run
    for _ in range(BRANCHES_MAX // 2):
        above = _light().filter(id=root.parent_id).first() if root.parent_id else None
        if above is None:
            break
        root = above
    children: dict[UUID, list[Run]] = {}
    level, total = [root], 1
    # Level by level, with one query each; a wide tree is cut where it gets too large.
    while level and total < BRANCHES_MAX:
        places = places_for(len(level))
        found = _children(places).rows(**numbered("parent", [each.id for each in level], places))[: BRANCHES_MAX - total]
        for child in found:
            assert child.parent_id is not None
            children.setdefault(child.parent_id, []).append(child)
        level, total = found, total + len(found)
    rows: list[BranchRow] = []
    _walk(root, children, run, rows, depth=0)
    first = _first_commands([row.run_id for row in rows if row.parent_id])
    return [structs.replace(row, first=first.get(row.run_id)) for row in rows]


def runs_of_tree(run: Run, branches: list[BranchRow] | None = None) -> list[Run]:
    """The runs of the tree that ``run`` belongs to, in order of creation. ``branches``: the result of ``run_branches``, if it is known. One
    more query; none if the run is alone."""
    rows = run_branches(run) if branches is None else branches
    if [row.run_id for row in rows] == [run.id]:
        return [run]
    return list(_light().filter(id__in=[row.run_id for row in rows]).order_by("created_at", "id"))


def _first_commands(branches: list[UUID]) -> dict[UUID, AnyCommand]:
    """The first command of its own for each branch. One query; none if there is no branch."""
    if not branches:
        return {}
    own = RunCommand.objects.filter(run__in=branches).exclude(client_key__startswith=GIVEN).order_by("run_id", "-n")
    return {row.run_id: row.command() for row in own}  # the lowest number comes last and stays


def run_clock(run: Run) -> Clock:
    """The clock frame for what the run's clock shows now, according to its row."""
    state = clock_state(run)
    rests = "resting" if state == "paused" and is_resting(run) and is_idle(run) else ""
    return Clock(
        now_ms=moment_of(run),
        rate=run.rate_permille,
        paused=run.is_paused or state == "paused" or run.state != Run.State.LIVE,
        state=state,
        wall_ms=wall_ms(),
        note=code_of(run.state_note) or (run.wait.reason if run.wait else rests),
        numbers=numbers_of(run.state_note) or UNSET,
        place=run.wait.place if run.wait else 0,
    )


def clock_state(run: Run) -> str:
    """The code for a run's state on the wire: its own state if it has ended, otherwise paused, waiting, released or live."""
    if run.state != Run.State.LIVE:
        return str(run.state)
    if run.is_frozen:
        return "paused"
    if not is_driven(run):
        if is_idle(run):
            return "paused"
        return "waiting" if run.wait and run.wait.reason != "opening" else "released"
    return "paused" if run.is_paused or is_resting(run) else "live"


_WHOLE = Statement(_full_row)
_UNANSWERED = Statement(_unanswered)


def _light() -> QuerySet[Run]:
    return Run.objects.defer("header_body", "source_body")


def _walk(node: Run, children: dict[UUID, list[Run]], current: Run, rows: list[BranchRow], *, depth: int) -> None:
    rows.append(
        BranchRow(
            run_id=node.id,
            title=node.title,
            parent_id=node.parent_id,
            parent_seq=node.parent_seq,
            parent_ms=node.parent_ms,
            head_ms=node.head_ms,
            depth=depth,
            is_current=node.id == current.id,
        )
    )
    for child in children.get(node.id, []):
        _walk(child, children, current, rows, depth=depth + 1)
