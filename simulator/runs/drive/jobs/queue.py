"""The queue of jobs: rows of the database that one process holds at a time, by a lease. Whatever
else hears of a job has a hint only.

There is no other queue. Celery's messages carry the id of a job and nothing else; a message that is
lost, comes twice, or comes to a worker after another has taken the job changes nothing, since
``take`` is a conditional update of the row. A job that was sent and not taken within a lease is
sent again (``due``).

Which job is next? That of an asker who has fewest under way, and of equal ones the oldest
(``_in_turn``). So a visitor who asks for twenty sweeps does not keep another from their first. Only
few are sent ahead (``IN_FLIGHT_MAX``): what is sent can no longer be overtaken.

A process that dies leaves its jobs to others when their lease ends; results that are there stay.
Times are the database's.
"""

import logging
from collections import Counter
from datetime import timedelta
from typing import Any

import msgspec
from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from msgspec import Struct

from simulator.headless.sweeps.sweep import BadSweep
from simulator.models import StoredJob
from simulator.runs.drive.jobs.kinds import JobKind, Work
from simulator.runs.log.content import Unreadable
from simulator.runs.state_notes import state_note

ATTEMPTS_MAX = 3
LEASES = 3
"""A job's lease is this many times as long as a run's: its results are written once a second, on top of the database's other work."""
IN_FLIGHT_MAX = 8
"""The most jobs that are sent but not taken yet: those behind them can still be overtaken by visitors with fewer jobs under way."""

State = StoredJob.State
log = logging.getLogger(__name__)


class Claimed(Struct):
    """A job that this process works on, and its results so far."""

    kind: JobKind
    id: str
    work: Work
    results: list[Any | None]

    def left(self) -> int:
        """How many parts are missing."""
        return sum(result is None for result in self.results)


def lease() -> timedelta:
    """How long a job is held without a renewal; also how long after a job was sent it is sent again if nobody has taken it."""
    return timedelta(milliseconds=LEASES * settings.SIM_LEASE_MS)


def waiting(kind: JobKind) -> "QuerySet[StoredJob]":
    """The open jobs that nobody is working on."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=Now())
    return kind.rows._default_manager.filter(free, state__in=(State.QUEUED, State.RUNNING))


def _in_turn(kind: JobKind, rows: "QuerySet[StoredJob]") -> list[str]:
    """The ids of jobs, those of the asker with the fewest under way first, then the oldest. A job counts for everybody waiting for it."""
    found = list(rows.order_by("created_at").values_list("id", flat=True))
    if not found:
        return []
    running = list(kind.rows._default_manager.filter(state=State.RUNNING, lease_until__gt=Now()).values_list("id", flat=True))
    askers = kind.askers([*found, *running])
    busy = Counter(asker for each in running for asker in askers.get(each, ()))
    return sorted(found, key=lambda each: min((busy[asker] for asker in askers.get(each, ())), default=0))


def claim(kind: JobKind, owner: str, *, room: int) -> list[Claimed]:
    """Take at most ``room`` jobs that nobody is working on."""
    if room < 1:
        return []
    return [taken for each in _in_turn(kind, waiting(kind))[:room] if (taken := take(kind, each, owner)) is not None]


def take(kind: JobKind, job_id: str, owner: str) -> Claimed | None:
    """Take one job. None if somebody has it, nobody needs it any more, or it cannot be carried out, and is then marked as failed."""
    begun = {"state": State.RUNNING, "owner": owner, "lease_until": Now() + lease(), "attempts": F("attempts") + 1}
    # One conditional update both checks and takes, so only one of two processes gets the job.
    if not waiting(kind).filter(id=job_id).update(**begun):
        return None
    row = kind.rows._default_manager.get(id=job_id)
    # Attempts are counted when a job is taken, not when it fails: a process that a job kills has no chance to count.
    if row.attempts > ATTEMPTS_MAX:
        end(kind, job_id, owner, State.FAILED, kind.lost)
        return None
    try:
        return Claimed(kind, job_id, kind.opened(row), row.results())
    except (Unreadable, BadSweep) as error:
        end(kind, job_id, owner, State.FAILED, kind.unplayable)
        log.error("The %s %s cannot be worked out: %s", kind.name, job_id, error)
        return None


def write(claimed: Claimed, owner: str) -> bool:
    """Write the results so far and renew the lease; return False if the job was stopped or another process has it."""
    rows = claimed.kind.rows._default_manager.filter(id=claimed.id, owner=owner, state=State.RUNNING)
    body = msgspec.json.encode(claimed.results).decode()
    return rows.update(results_body=body, done=len(claimed.results) - claimed.left(), lease_until=Now() + lease()) == 1


def end(kind: JobKind, job_id: str, owner: str, state: str, note: str = "") -> None:
    """Close a job that this process holds, with a code for the reason; a job that it no longer holds is left alone."""
    rows = kind.rows._default_manager.filter(id=job_id, owner=owner, state=State.RUNNING)
    rows.update(state=state, state_note=state_note(note) if note else {}, owner="", lease_until=None)


def release(kind: JobKind, owner: str) -> None:
    """Give every job of this process back to the queue, without counting the attempt."""
    rows = kind.rows._default_manager.filter(owner=owner, state=State.RUNNING)
    rows.update(state=State.QUEUED, owner="", lease_until=None, sent_at=None, attempts=F("attempts") - 1)


def due(kind: JobKind) -> list[str]:
    """The ids of jobs to send to workers now. Each is returned to one dispatcher, and again if nobody has taken it within a lease."""
    free = waiting(kind)
    fresh = Q(sent_at__gt=Now() - lease())
    room = IN_FLIGHT_MAX - free.filter(fresh).count()
    if room < 1:
        return []
    # The update that marks each job checks again that it is free: another dispatcher may be sending the same job.
    return [each for each in _in_turn(kind, free.exclude(fresh))[:room] if free.exclude(fresh).filter(id=each).update(sent_at=Now())]


def not_sent(kind: JobKind, ids: list[str]) -> None:
    """Undo ``due`` for these jobs, because the broker did not answer."""
    kind.rows._default_manager.filter(id__in=ids).update(sent_at=None)
