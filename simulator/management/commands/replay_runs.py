"""``manage.py replay_runs``: compute stored runs again and compare with what was recorded."""

import sys
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandParser

from simulator import storage
from simulator.course import Course
from simulator.engine.header import REVISION
from simulator.engine.records import Record
from simulator.history import commands_of
from simulator.models import Run


class Command(BaseCommand):
    """Print one line a run that differs, and a total. Ends with 1 where any differs."""

    help = "Replay stored runs and report the first record that differs."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which runs; all of them by default."""
        parser.add_argument("runs", nargs="*", type=UUID, help="ids of runs (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Replay each run of this engine's revision."""
        runs = Run.objects.filter(revision=REVISION, head_seq__gt=0)
        if options["runs"]:
            runs = runs.filter(id__in=options["runs"])
        total = different = 0
        for run in runs.iterator(chunk_size=20):
            total += 1
            problem = problem_of(run)
            if problem:
                different += 1
                self.stdout.write(f"{run.id} {problem}")
        self.stdout.write(f"{total - different} of {total} runs agree")
        if different:
            sys.exit(1)


def problem_of(run: Run) -> str:
    """What is wrong with a run, in words; empty where it agrees. A run that cannot even be read or computed is one that differs."""
    try:
        seq = first_difference(run)
    except Exception as error:
        return f"cannot be replayed: {type(error).__name__}: {error}"
    return "" if seq is None else f"differs from record {seq} on"


def first_difference(run: Run) -> int | None:
    """The number of the first record that a replay makes differently, or None. O(records) of memory."""
    course = Course(run.header(), commands_of(run))
    made: list[Record] = [*course.world.first_records, *course.drive(run.head_ms).records]
    stored = storage.read(run.id, after=0, limit=run.head_seq + 1)
    for ours, theirs in zip(made, stored, strict=False):
        if ours != theirs:
            return theirs.seq
    if len(made) != len(stored):
        return min(len(made), len(stored)) + 1
    return None if course.world.digest() == bytes(run.head_digest) else run.head_seq
