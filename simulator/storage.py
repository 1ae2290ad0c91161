"""The record log: append under a lease, read by number. The only module that touches RecordChunk.

An append names the epoch it was made under and is accepted only while that epoch owns the run, in the same transaction: a
process that lost its lease cannot write, however late it notices.
"""

import zlib
from collections.abc import Iterator, Sequence
from uuid import UUID

import msgspec
from django.db import transaction
from msgspec import Struct

from simulator.engine.records import Record
from simulator.engine.units import Ms, Seq
from simulator.models import Milestone, RecordChunk, Run, RunCommand

COMPRESSION = 3
CHUNK_RECORDS_MAX = 2000
"""Bounds what a reader must unpack to get at one record."""

_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(list[Record])


class LostLease(Exception):
    """Another process owns the run now; whatever this one computed since is void."""


class Applied(Struct, frozen=True, kw_only=True):
    """Where command ``n`` took its place: its moment, its record and what became of it."""

    n: int
    at_ms: Ms
    seq: Seq
    outcome: str


class Batch(Struct, frozen=True, kw_only=True):
    """What an owner adds at once: records that follow the head, the new head, commands that took their place."""

    records: tuple[Record, ...] = ()
    applied: tuple[Applied, ...] = ()
    head_seq: Seq
    head_ms: Ms
    digest: bytes


def append(run_id: UUID, *, epoch: int, batch: Batch) -> None:
    """Add a batch and move the head. Raises LostLease where ``epoch`` no longer owns the run, and then changes nothing."""
    with transaction.atomic():
        progress = {"take_overs": 0} if batch.records or batch.applied else {}
        moved = Run.objects.filter(id=run_id, epoch=epoch, head_seq=batch.head_seq - len(batch.records)).update(
            head_seq=batch.head_seq, head_ms=batch.head_ms, head_digest=batch.digest, **progress
        )
        if moved != 1:
            raise LostLease(str(run_id))
        RecordChunk.objects.bulk_create(_chunks(run_id, epoch, batch.records))
        Milestone.objects.bulk_create(_milestones(run_id, batch.records))
        for done in batch.applied:
            RunCommand.objects.filter(run_id=run_id, n=done.n).update(at_ms=done.at_ms, applied_seq=done.seq, outcome=done.outcome)


def read(run_id: UUID, *, after: Seq, limit: int) -> list[Record]:
    """At most ``limit`` records that follow ``after``, in order. Reads only the chunks that hold them."""
    found: list[Record] = []
    for records in _unpacked(run_id, after):
        found.extend(record for record in records if record.seq > after)
        if len(found) >= limit:
            break
    return found[:limit]


def read_one(run_id: UUID, seq: Seq) -> Record | None:
    """The record of that number, or None. One query."""
    records = read(run_id, after=seq - 1, limit=1)
    return records[0] if records and records[0].seq == seq else None


def _unpacked(run_id: UUID, after: Seq) -> Iterator[list[Record]]:
    chunks = RecordChunk.objects.filter(run_id=run_id, last_seq__gt=after).order_by("first_seq").values_list("body", flat=True)
    for body in chunks.iterator(chunk_size=50):
        yield _decoder.decode(zlib.decompress(bytes(body)))


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
            machine=record.machine[:40],
            subject=record.subject[:600],
            target=record.target[:200],
        )
        for record in records
        if record.kind in {"event", "command"} or record.machine == "phase"
    ]
