"""Read from the database what a replay of stored runs plays and compares."""

from django.db.models import QuerySet

from simulator.engine.course.header import REVISION
from simulator.headless.replays import Head, ReplayTask
from simulator.models import Run
from simulator.runs.log import storage
from simulator.runs.log.history import commands_until


def head_of(run: Run) -> Head:
    """How far a run is recorded now."""
    return Head(run.id, run.head_seq, run.head_ms, bytes(run.head_digest), run.revision)


def heads_of(runs: QuerySet[Run]) -> list[Head]:
    """How far each of the runs is recorded now. Reads nothing else: their headers may take a lot of memory."""
    return [head_of(run) for run in runs.only("head_seq", "head_ms", "head_digest", "revision")]


def replay_task(head: Head) -> ReplayTask:
    """Everything needed to replay a run up to its head. Raises Run.DoesNotExist, Unreadable and BrokenLog. O(records) of memory."""
    run = Run.objects.get(id=head.run)
    return ReplayTask.of(
        run.header(),
        commands_until(run, at_ms=head.at_ms, at_seq=head.seq),
        storage.read(run.id, after=0, limit=head.seq, head=head.seq),
        until_ms=head.at_ms,
        digest=head.digest,
        is_own=head.revision == REVISION,
    )
