"""The record log: append under a lease, read by number. The only module that touches RecordChunk.

A run's records are numbered from 1 without gaps. They are stored in chunks, which are written once
and never changed. The run's row holds the head: the number of the last record, its moment, and a
digest of the world there. Chunks, head, and the commands carried out among those records change in
one transaction, so a reader that sees a head also finds everything before it.

An append is accepted under two conditions, both in the WHERE of the update that moves the head. The
epoch must still own the run: a process that lost its lease cannot write, however late it notices.
And the head must be where the batch begins: a batch that is sent twice, or out of order, finds
another head and changes nothing. If the update matches no row, the whole transaction is rolled back
(LostLease).

Chunks are compressed and row values prepared before the transaction on purpose: on SQLite all other
writers wait until it ends.

Parts of the log can be lost, through a damaged disk or by hand. It follows from the header and the
commands, so lost records can be recomputed (timemachine.py) and put back with ``mend``. Readers must
notice a loss: they check that numbers are consecutive and that a chunk holds what its row says, and
raise BrokenLog rather than skip a gap.
"""

import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, reduce
from itertools import groupby
from operator import or_
from typing import Any
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import BigIntegerField, BinaryField, CharField, F, IntegerField, Q, QuerySet
from msgspec import Struct

from simulator.engine.acts.all_acts import Applied
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Seq
from simulator.models import Milestone, RecordChunk, Run, RunCommand
from simulator.runs.log.statements import EPOCH, RUN, ChangeStatement, Given, InsertStatement, Statement
from simulator.runs.log.unpacked import Unpacked

COMPRESSION = 3
CHUNK_RECORDS_MAX = 2000
"""Limits how much a reader has to unpack to get one record."""
PAGE_CHUNKS = 50
"""Chunks per query."""

_encode = msgspec.msgpack.Encoder().encode
_UNPACKED = Unpacked()


class LostLease(Exception):
    """Another process owns the run now; anything this one has computed since is void."""


class BrokenLog(Exception):
    """A record that the log should hold is missing or cannot be read."""

    def __init__(self, run_id: UUID, seq: Seq) -> None:
        super().__init__(f"record {seq} of run {run_id} cannot be read")
        self.seq = seq


class Addition(Struct, frozen=True, kw_only=True):
    """What an owner appends at once: the records after the head, the new head, and the commands that were carried out."""

    records: tuple[Record, ...] = ()
    applied: tuple[Applied, ...] = ()
    head_seq: Seq
    head_ms: Ms
    digest: bytes


def append(run_id: UUID, *, epoch: int, batch: Addition) -> None:
    """Append a batch and move the head. Raises LostLease, and changes nothing, if ``epoch`` no longer owns the run."""
    # Compressing takes longer than writing: it is done before the lock is taken.
    chunks, milestones = _CHUNKS.ready(_chunks(run_id, epoch, batch.records)), _MILESTONES.ready(_milestones(run_id, batch.records))
    with transaction.atomic():  # on SQLite all other writers wait until it ends
        # Only records prove that an owner makes progress, and only an act may set a resting run going.
        change = _ACTED if batch.applied else _PROGRESS if batch.records else _HEAD
        head = {"seq": batch.head_seq, "ms": batch.head_ms, "digest": batch.digest}
        if change.made(run=run_id, epoch=epoch, before=batch.head_seq - len(batch.records), **head) != 1:
            raise LostLease(str(run_id))
        _CHUNKS.made(chunks)
        _MILESTONES.made(milestones)
        for done in batch.applied:
            _APPLIED.made(run=run_id, n=done.n, at_ms=done.at_ms, seq=done.seq, outcome=done.outcome)


def begin(runs: Sequence[Run], batch: Addition) -> None:
    """Store the initial log of new runs, whose rows already hold the head (``head_columns``). Call it within a transaction.

    The batch's commands get their moments when they are stored.
    """
    # All runs have the same records, which are packed once.
    chunks, milestones = _chunks(runs[0].id, 0, batch.records), _milestones(runs[0].id, batch.records)
    for table, rows in ((_CHUNKS, chunks), (_MILESTONES, milestones)):
        ready: list[tuple[Any, ...]] = []
        for run in runs:
            for row in rows:
                row.run_id = run.id
            ready += table.ready(rows)
        table.made(ready)


def head_columns(batch: Addition) -> dict[str, Any]:
    """The columns of a new run whose log is the batch."""
    return {"head_seq": batch.head_seq, "head_ms": batch.head_ms, "head_digest": batch.digest}


@cache
def _page(most: int) -> Statement[RecordChunk]:
    return Statement(lambda: RecordChunk.objects.filter(run=RUN, last_seq__gt=Given("after", IntegerField())).order_by("last_seq")[:most])


def _at_head() -> QuerySet[Run]:
    owned = Run.objects.filter(id=RUN, epoch=EPOCH)
    return owned.filter(head_seq=Given("before", IntegerField()))


def _head() -> dict[str, Any]:
    return {
        "head_seq": Given("seq", IntegerField()),
        "head_ms": Given("ms", BigIntegerField()),
        "head_digest": Given("digest", BinaryField()),
    }


def _applied() -> tuple[QuerySet[RunCommand], dict[str, Any]]:
    row = RunCommand.objects.filter(run=RUN, n=Given("n", IntegerField()))
    return row, {
        "at_ms": Given("at_ms", BigIntegerField()),
        "applied_seq": Given("seq", IntegerField()),
        "outcome": Given("outcome", CharField()),
    }


_HEAD = ChangeStatement(lambda: (_at_head(), _head()))
_PROGRESS = ChangeStatement(lambda: (_at_head(), {**_head(), "take_overs": 0}))
_ACTED = ChangeStatement(lambda: (_at_head(), {**_head(), "take_overs": 0, "idle_as_of": None}))  # an act may have effects to come
_APPLIED = ChangeStatement(_applied)
_CHUNKS, _MILESTONES = InsertStatement(RecordChunk), InsertStatement(Milestone)


def read(run_id: UUID, *, after: Seq, limit: int, head: Seq = 0) -> list[Record]:
    """Read at most ``limit`` records after ``after``, in order. Reads only the chunks that hold them.

    Raises BrokenLog if a chunk cannot be read, or if one is missing in between or before ``head``.
    """
    found: list[Record] = []
    reached = after
    for records in _unpacked(run_id, after):
        # A chunk is missing: the numbers of an intact log are consecutive.
        if records[0].seq > reached + 1:
            break
        found.extend(records[max(0, after + 1 - records[0].seq) :])
        reached = records[-1].seq
        if len(found) >= limit:
            return found[:limit]
    else:
        if reached >= head:
            return found
    raise BrokenLog(run_id, reached + 1)


def read_onward(after: Mapping[UUID, Seq], *, most: Seq) -> dict[UUID, list[Record]]:
    """For each run, the records after the given number up to number ``most``, or up to where its log cannot be read. One query."""
    wanted = reduce(or_, (Q(run_id=run_id, last_seq__gt=seq) for run_id, seq in after.items()), Q(pk__in=()))
    found: dict[UUID, list[Record]] = {run_id: [] for run_id in after}
    for chunk in RecordChunk.objects.filter(wanted, first_seq__lte=most).order_by("run_id", "first_seq"):
        reached = after[chunk.run_id] + len(found[chunk.run_id])
        if chunk.first_seq <= reached + 1:
            records = _readable(chunk) or ()
            found[chunk.run_id] += (record for record in records if reached < record.seq <= most)
    return found


def seq_at(run_id: UUID, ms: Ms) -> Seq:
    """The number of the last record up to a moment, 0 before the first. Reads one chunk; raises BrokenLog if it cannot be read."""
    chunk = RecordChunk.objects.filter(run_id=run_id, first_ms__lte=ms).order_by("-first_seq").first()
    if chunk is None:
        return 0
    records = _readable(chunk)
    if records is None:
        raise BrokenLog(run_id, chunk.first_seq)
    return chunk.first_seq - 1 + bisect_right(records, ms, key=lambda record: record.at_ms)


def gaps(run_id: UUID, *, head: Seq) -> list[tuple[Seq, Seq]]:
    """The records up to ``head`` that the log does not hold, as the first and last number of each gap. Reads every chunk."""
    found: list[tuple[Seq, Seq]] = []
    reached = 0
    for chunk in _stored(run_id, after=0):
        if _readable(chunk) is None:
            continue
        if chunk.first_seq > reached + 1:
            found.append((reached + 1, chunk.first_seq - 1))
        reached = chunk.last_seq
    return [*found, (reached + 1, head)] if reached < head else found


def mend(run_id: UUID, *, epoch: int, records: Sequence[Record]) -> None:
    """Put back the records that the log has lost; ``records`` are all records from the first on. Readable records stay as they are.

    No lease is needed: nothing readable changes, and the head stays where it is. Raises IntegrityError if another process is mending the
    log at the same moment.
    """
    sound: set[Seq] = set()
    broken: list[int] = []
    for chunk in _stored(run_id, after=0):
        if chunk.first_seq > len(records):
            break
        theirs = _readable(chunk)
        if theirs is not None and theirs == tuple(records[chunk.first_seq - 1 : chunk.last_seq]):
            sound.update(range(chunk.first_seq, chunk.last_seq + 1))
        else:
            broken.append(chunk.pk)
    with transaction.atomic():
        # Delete and insert in one transaction: a reader sees the damaged log or the mended one, but never one with more gaps.
        RecordChunk.objects.filter(pk__in=broken).delete()
        for is_sound, group in groupby(records, key=lambda record: record.seq in sound):
            if not is_sound:
                RecordChunk.objects.bulk_create(_chunks(run_id, epoch, list(group)))


def forget(run_id: UUID) -> None:
    """Delete every record of a run and the places of its commands, so that its next owner starts from the beginning.

    The current owner loses it. For runs whose log contradicts what they should show.
    """
    with transaction.atomic():
        # This also raises the epoch: otherwise an active owner would append to a deleted log.
        Run.objects.filter(id=run_id).update(head_seq=0, head_ms=0, head_digest=b"", idle_as_of=None, **_without_owner())
        RecordChunk.objects.filter(run_id=run_id).delete()
        Milestone.objects.filter(run_id=run_id).delete()
        RunCommand.objects.filter(run_id=run_id).update(applied_seq=None, outcome=RunCommand.Outcome.PENDING)


def move_head(run_id: UUID, *, head_ms: Ms) -> None:
    """Set the moment up to which a run's stored records extend. The current owner loses it."""
    Run.objects.filter(id=run_id).update(head_ms=head_ms, **_without_owner())


def _without_owner() -> dict[str, Any]:
    return {"epoch": F("epoch") + 1, "owner": "", "lease_until": None, "driven_at": None}


def _readable(chunk: RecordChunk) -> tuple[Record, ...] | None:
    """The records of a chunk, or None if its body does not match its row."""
    records = _UNPACKED.records(bytes(chunk.body))
    if records is None:
        return None
    is_whole = len(records) == chunk.count > 0 and (records[0].seq, records[-1].seq) == (chunk.first_seq, chunk.last_seq)
    return records if is_whole else None


def _unpacked(run_id: UUID, after: Seq) -> Iterator[tuple[Record, ...]]:
    for chunk in _stored(run_id, after=after):
        records = _readable(chunk)
        if records is None:
            raise BrokenLog(run_id, max(chunk.first_seq, after + 1))
        yield records


def _stored(run_id: UUID, *, after: Seq) -> Iterator[RecordChunk]:
    """Yield the chunks that end after ``after``, in order.

    They are read in pages, each with its own query: behind a pooler, PostgreSQL keeps no cursor between transactions, and without a cursor
    the whole log would be fetched at once, however little of it is needed.
    """
    while True:
        page = _page(PAGE_CHUNKS).rows(run=run_id, after=after)
        yield from page
        if len(page) < PAGE_CHUNKS:
            return
        after = page[-1].last_seq


def _chunks(run_id: UUID, epoch: int, records: Sequence[Record]) -> list[RecordChunk]:
    parts = [records[start : start + CHUNK_RECORDS_MAX] for start in range(0, len(records), CHUNK_RECORDS_MAX)]
    return [
        RecordChunk(
            run_id=run_id,
            first_seq=part[0].seq,
            last_seq=part[-1].seq,
            first_ms=part[0].at_ms,
            last_ms=part[-1].at_ms,
            count=len(part),
            epoch=epoch,
            body=zlib.compress(_encode(part), COMPRESSION),
        )
        for part in parts
    ]


def _milestones(run_id: UUID, records: Sequence[Record]) -> list[Milestone]:
    return [
        Milestone(
            run_id=run_id,
            seq=record.seq,
            at_ms=record.at_ms,
            kind=record.kind,
            machine=record.machine,
            subject=record.subject,
            target=record.target,
        )
        for record in records
        if record.kind in {"event", "command"} or record.machine == "phase"
    ]
