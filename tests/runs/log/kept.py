"""Runs recorded by another revision of the engine: those stored by a server of revision 2, and runs made to look like that."""

from pathlib import Path
from uuid import UUID

import msgspec
from django.core.management import call_command
from msgspec.structs import replace

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.kernel.records import Record, digest_of
from simulator.models import RecordChunk, Run
from simulator.runs.log import storage, timemachine
from simulator.runs.permissions import hash_key
from simulator.runs.services.commands import command_submit
from tests.factories import OWNER, make_run
from tests.web.helpers import play

FIXTURE = Path(__file__).parents[2] / "fixtures" / "revision_2.json"
RUN_2 = UUID("68b640b5-72b0-47d7-bace-b340ddbb82ae")
"""A live run of revision 2: 307 records and seven commands in five minutes."""
OPENED, UNOPENED = "ee7xqtgkg7", "xp7fu725th"
"""Links to it: one that was opened then, with 286 records of its own, and one that never was."""
GONE_RULE = "TOLERATION-OF-OLD"
"""A rule that is in no rulebook."""


def revision_2() -> Run:
    """Load what the server of revision 2 stored, for the tests' owner; returns its run."""
    timemachine._lines.clear()
    timemachine._divergences.clear()
    call_command("loaddata", str(FIXTURE), verbosity=0)
    Run.objects.filter(id=RUN_2).update(owner_hash=hash_key(OWNER))
    return Run.objects.get(id=RUN_2)


def old_run(*, differs: bool = True, until_ms: int = 60_000, **fields: object) -> Run:
    """A run of revision 2 with a delete at 20 s, whose records are today's except for the STATUS word.

    ``fields`` are those of ``make_run``.
    """
    run = play(make_run(**fields), 20_000)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="delete-it")
    run = play(run, until_ms)
    if differs:
        word = next(record for record in records_of(run) if record.at_ms >= 20_000 and record.machine == "status_word")
        rewrite(run, replace(word, target="Unforeseen", rule=GONE_RULE))
    header = msgspec.json.encode(replace(run.header(), revision=2), order="sorted")
    Run.objects.filter(id=run.id).update(revision=2, header_body=header)
    return Run.objects.get(id=run.id)


def records_of(run: Run) -> list[Record]:
    """The records in the log."""
    return storage.read(run.id, after=0, limit=10**6)


def rewrite(run: Run, record: Record) -> None:
    """Replace a stored record by another."""
    records = [record if stored.seq == record.seq else stored for stored in records_of(run)]
    RecordChunk.objects.filter(run=run).delete()
    RecordChunk.objects.bulk_create(storage._chunks(run.id, run.epoch, records))
    Run.objects.filter(id=run.id).update(head_digest=digest_of(records))
    timemachine._divergences.clear()
