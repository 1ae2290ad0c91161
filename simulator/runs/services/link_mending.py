"""Repair links whose records and content do not match.

Earlier releases read a run's acts first and its records later. Anything that happened in between is in the records of such a link but
not in its content: the run behind it cannot be replayed, and its file and forks lack an act.
"""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.course.header import REVISION
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.headless.replays import ReplayTask, verdict_of
from simulator.models import Run, RunCommand, SharedScenario
from simulator.runs.log import storage
from simulator.runs.log.content import encode_content
from simulator.runs.log.history import GIVEN, commands_of

LIVE = {"state": Run.State.LIVE, "state_note": {}, "take_overs": 0}


class LinkMend(Struct, frozen=True, kw_only=True):
    """What was or would be done to a link: how many acts it gets back, or whether its log is recomputed from its content."""

    share_id: str
    acts: int = 0
    is_begun_again: bool = False


def link_mend(*, run: Run, changes_nothing: bool = False) -> LinkMend | None:
    """Repair a link whose run has records of acts that its content lacks, or records beyond its head; None if there is nothing to do.

    A link never changes, and what it shows are its records: they were copied from the shared run, its page and its card were drawn from
    them, and they stay. So does its id, although it was derived from the content without the acts. Only what contradicts the records is
    changed: the missing acts are taken from the shared run and added to the content (and so to the file and forks) and to the commands
    of the run behind the link. A replay must then give the records, unless they were recorded under other rules.

    If the shared run is gone, or a replay gives other records, the acts cannot be known. Then the content counts, and the next owner
    recomputes the log from it; if another revision wrote the records, they are left alone.

    With ``changes_nothing``, only report what would be done. Costs a replay, and O(records) of memory. Raises BrokenLog.
    """
    share = run.share
    if not run.is_frozen or share is None or not run.head_seq:
        return None
    records = storage.read(run.id, after=0, limit=run.head_seq, head=run.head_seq)
    told = {record.seq: record.at_ms for record in records if record.kind == "command"}
    # What is left in ``told`` are the acts that appear in the records but not in the content.
    for seq in run.commands.exclude(applied_seq=None).values_list("applied_seq", flat=True):
        told.pop(seq or 0, None)
    head_ms = max(run.head_ms, records[-1].at_ms)
    if not told and head_ms == run.head_ms:
        return None
    found = _acts(share.run, told)
    if found is not None and _gives(run, found, records, head_ms):
        if not changes_nothing:
            _restore(run.id, share.id, found, head_ms)
        return LinkMend(share_id=share.id, acts=len(found))
    if run.revision != REVISION:
        return None
    if not changes_nothing:
        _begin_again(run)
    return LinkMend(share_id=share.id, is_begun_again=True)


def _acts(source: Run | None, told: dict[int, Ms]) -> list[RunCommand] | None:
    """The shared run's acts for these records, in order; None if any is missing."""
    rows = list(source.commands.filter(applied_seq__in=told).order_by("n")) if source is not None else []
    is_there = {row.applied_seq: row.at_ms for row in rows} == told
    return rows if is_there else None


def _gives(run: Run, acts: Sequence[RunCommand], records: list[Record], head_ms: Ms) -> bool:
    """Whether the run's commands together with these acts give its records. Records made under other rules are trusted."""
    if run.revision != REVISION:
        return True
    given = commands_of(run)
    commands = [*given, *(_stamped(row, n) for n, row in enumerate(acts, start=len(given) + 1))]
    task = ReplayTask.of(run.header(), commands, records, until_ms=head_ms, digest=bytes(run.head_digest), is_own=True)
    return verdict_of(task).agrees


def _stamped(row: RunCommand, n: int) -> Stamped:
    return Stamped(at_ms=row.at_ms or 0, n=n, command=row.command())


@transaction.atomic
def _restore(run_id: UUID, share_id: str, acts: Sequence[RunCommand], head_ms: Ms) -> None:
    share = SharedScenario.objects.select_for_update().get(id=share_id)
    run = Run.objects.get(id=run_id)
    content = share.content()
    commands = (*content.commands, *(_stamped(row, row.n) for row in acts))
    SharedScenario.objects.filter(id=share_id).update(body=encode_content(replace(content, commands=commands)))
    first = run.commands.count() + 1
    RunCommand.objects.bulk_create(
        RunCommand(run=run, n=n, client_key=f"{GIVEN}{n}", body=row.body, at_ms=row.at_ms, applied_seq=row.applied_seq, outcome=row.outcome)
        for n, row in enumerate(acts, start=first)
    )
    storage.move_head(run.id, head_ms=head_ms)
    # Now that it has its acts back, a replay gives its records again.
    Run.objects.filter(id=run.id, state=Run.State.DIVERGED).update(**LIVE)


@transaction.atomic
def _begin_again(run: Run) -> None:
    storage.forget(run.id)
    Run.objects.filter(id=run.id).update(**LIVE)
