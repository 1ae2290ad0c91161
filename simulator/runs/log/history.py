"""The commands of a run with their moments: together with the header, they determine every record."""

from typing import Any

import msgspec
from django.db.models import Q, QuerySet

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.course.header import REVISION, renewed
from simulator.engine.kernel.units import Ms, Seq
from simulator.models import Run, RunCommand
from simulator.runs.log.statements import RUN, Statement

GIVEN = "given-"
"""Prefix of the keys of commands that a branch has from its parent."""
LATER = f"{GIVEN}later-"
"""Prefix for the parent's acts that come after the moment at which the branch starts."""


def is_kept(run: Run) -> bool:
    """Whether another revision of the engine recorded the run: its records stay as they are, and today's rules may differ."""
    return run.revision != REVISION and run.head_seq > 0


def renewal(run: Run) -> dict[str, Any]:
    """The columns of a run that begins like ``run`` but is played by today's rules."""
    return {"revision": REVISION, "header_body": msgspec.json.encode(renewed(run.header()), order="sorted")}


def commands_of(run: Run) -> list[Stamped]:
    """The commands whose moment is fixed, in order."""
    return [_stamped(row) for row in _FIXED.rows(run=run.id)]


def commands_until(run: Run, *, at_ms: Ms, at_seq: Seq | None = None) -> list[Stamped]:
    """The commands with a fixed moment up to ``at_ms`` (and, at that instant, only up to record ``at_seq``), in order."""
    rows = run.commands.filter(at_ms__lte=at_ms)
    if at_seq is not None:
        rows = rows.exclude(Q(at_ms=at_ms) & Q(applied_seq__gt=at_seq))
    return [_stamped(row) for row in rows.order_by("n")]


_FIXED = Statement(lambda: RunCommand.objects.filter(run=RUN, at_ms__isnull=False).order_by("at_ms", "n"))


def own_acts(run: Run) -> list[RunCommand]:
    """The commands given in the run itself, in order. One query, which reads every row."""
    rows = _OWN.rows(run=run.id)
    for row in rows:
        row.run = run
    return rows


def first_act(run: Run) -> RunCommand | None:
    """The first command given in the run itself, or None. One query for one row."""
    return _own(run).first()


def _own(run: Run) -> QuerySet[RunCommand]:
    return _given_by_people().filter(run=run)


def _given_by_people() -> QuerySet[RunCommand]:
    return RunCommand.objects.exclude(client_key__startswith=GIVEN).order_by("n")


_OWN = Statement(lambda: _given_by_people().filter(run=RUN))


def branch_acts(run: Run) -> list[RunCommand]:
    """What a branch begins with: its own first command and those given together with it. Empty if nobody has acted in it."""
    own = own_acts(run)
    if not own:
        return []
    key = own[0].client_key
    return [row for n, row in enumerate(own, 1) if row.client_key in (key, f"{key}-{n}")]


def later_acts(branch: Run) -> QuerySet[RunCommand]:
    """The commands given to the parent after the moment at which ``branch`` starts, without refused ones; in order.

    There may be as many as a run can have: a page counts them and reads the first.
    """
    if branch.parent_id is None or branch.parent_ms is None:
        return RunCommand.objects.none()
    is_later = Q(at_ms__gt=branch.parent_ms)
    if branch.parent_seq is not None:
        is_later |= Q(at_ms=branch.parent_ms, applied_seq__gt=branch.parent_seq)
    rows = RunCommand.objects.filter(is_later, run=branch.parent_id).exclude(outcome=RunCommand.Outcome.REFUSED)
    return rows.order_by("at_ms", "n")


def taken_along(branch: Run) -> QuerySet[RunCommand]:
    """The parent's later acts that were carried over into ``branch``, in order; as many as there may be of those."""
    return branch.commands.filter(client_key__startswith=LATER).order_by("at_ms", "n")


def _stamped(row: RunCommand) -> Stamped:
    assert row.at_ms is not None
    return Stamped(at_ms=row.at_ms, n=row.n, command=row.command())
