"""``manage.py replay_runs``: compute stored runs again and compare with what was recorded."""

import sys
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandParser

from simulator.engine.course.header import REVISION
from simulator.engine.course.replay import Divergence, verify
from simulator.engine.kernel.records import digest_of
from simulator.models import Run
from simulator.runs import storage
from simulator.runs.history import commands_of
from simulator.web.presenters import clock_text


class Command(BaseCommand):
    """Print one line a run that differs, and totals. Ends with 1 where a run of this engine's own revision differs."""

    help = "Replay stored runs and report the first record that differs."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which runs; all of them by default."""
        parser.add_argument("runs", nargs="*", type=UUID, help="ids of runs (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Replay each run; those of other revisions are counted apart, since for them a difference is no fault."""
        runs = Run.objects.filter(head_seq__gt=0)
        if options["runs"]:
            runs = runs.filter(id__in=options["runs"])
        own = self._count(runs.filter(revision=REVISION))
        self.stdout.write(f"{own[0] - own[1]} of {own[0]} runs agree")
        kept = self._count(runs.exclude(revision=REVISION))
        if kept[0]:
            self.stdout.write(f"{kept[0] - kept[1]} of {kept[0]} runs of other revisions agree")
        if own[1]:
            sys.exit(1)

    def _count(self, runs: Any) -> tuple[int, int]:
        """How many runs, and how many of them differ."""
        total = different = 0
        for run in runs.iterator(chunk_size=20):
            total += 1
            problem = problem_of(run)
            if problem:
                different += 1
                by = "" if run.revision == REVISION else f"of revision {run.revision} "
                self.stdout.write(f"{run.id} {by}{problem}")
        return total, different


def problem_of(run: Run) -> str:
    """What is wrong with a run, in words; empty where it agrees. A run that cannot even be read or computed is one that differs."""
    try:
        divergence = first_difference(run)
    except Exception as error:
        return f"cannot be replayed: {type(error).__name__}: {error}"
    if divergence is None:
        return ""
    stored, now = divergence.rules
    rules = f"rule {stored or 'none'}, now {now or 'none'}"
    return f"differs from record {divergence.seq} on, at {clock_text(divergence.at_ms)} ({rules})"


def first_difference(run: Run) -> Divergence | None:
    """The first record that a replay makes differently, or None. Values that today's records add to those of another revision count
    for nothing. O(records) of memory.
    """
    stored = storage.read(run.id, after=0, limit=run.head_seq + 1)
    is_own = run.revision == REVISION
    found = verify(run.header(), commands_of(run), stored, until_ms=run.head_ms, may_add=not is_own)
    if found is None and is_own and digest_of(stored) != bytes(run.head_digest):
        return Divergence(seq=run.head_seq, at_ms=run.head_ms, stored=stored[-1] if stored else None, now=None)
    return found
