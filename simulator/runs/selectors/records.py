"""Records of a run, from the log."""

from functools import cache

from django.db.models import IntegerField
from msgspec.structs import replace

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Seq
from simulator.models import Milestone, Run
from simulator.runs.log import timemachine
from simulator.runs.log.clock import is_coming
from simulator.runs.log.history import commands_of
from simulator.runs.log.statements import RUN, Given, Statement
from simulator.runs.wire.protocol import Records, encode_bytes, fit

__all__ = ["commands_of", "milestones", "record_get", "records_frame", "records_list", "records_page"]

PAGE_MAX = 2000


def records_list(run: Run, *, after: Seq, limit: int = PAGE_MAX) -> list[Record]:
    """At most ``limit`` records after ``after``."""
    return timemachine.log(run, after=after, limit=limit)


def records_frame(run: Run, *, after: Seq, limit: int = PAGE_MAX, now_ms: Ms | None = None, mends: bool = True) -> Records:
    """A frame of at most 64 kB with the records after ``after``. Its ``to`` is ``after`` if there are none.

    Without ``mends``, a damaged log raises BrokenLog.
    """
    found = timemachine.log(run, after=after, limit=min(max(limit, 1), PAGE_MAX), mends=mends)
    records = fit(found)
    to_seq = records[-1].seq if records else after
    shown_ms = now_ms if now_ms is not None and len(records) == len(found) else run.head_ms
    if records and to_seq < run.head_seq:
        shown_ms = records[-1].at_ms
    return Records(from_seq=after, to=to_seq, now_ms=shown_ms, records=records)


def records_page(run: Run, *, after: Seq, limit: int = PAGE_MAX) -> bytes:
    """The same frame as JSON bytes, for ``GET records/``; it also says whether the log of a run behind a link is still growing."""
    return encode_bytes(replace(records_frame(run, after=after, limit=limit), is_coming=is_coming(run)))


def record_get(run: Run, seq: Seq) -> Record | None:
    """The record with that number, or None."""
    return timemachine.record_at(run, seq)


def milestones(run: Run, *, after: Seq = 0, limit: int = 500) -> list[Milestone]:
    """Phase changes, Kubernetes Events and commands after ``after``. One query."""
    rows = _milestones(limit).rows(run=run.id, after=after)
    for row in rows:
        row.run = run
    return rows


@cache
def _milestones(limit: int) -> Statement[Milestone]:
    return Statement(lambda: Milestone.objects.filter(run=RUN, seq__gt=Given("after", IntegerField())).order_by("seq")[:limit])
