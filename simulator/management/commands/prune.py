"""``manage.py prune``: delete runs that nobody has watched for a long time, and old sweeps. A running site does so hourly."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from simulator.runs.services.classrooms import classrooms_prune
from simulator.runs.services.progress import progress_prune
from simulator.runs.services.retention import runs_old, runs_prune
from simulator.runs.services.sweeps import sweeps_prune


class Command(BaseCommand):
    """Delete old runs in small transactions, and print how many."""

    help = "Delete runs that nobody has watched for long and that no link was made from."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare how old, and whether to delete at all."""
        parser.add_argument("--days", type=int, help="days without a viewer (default: PODSCOPE_KEEP_DAYS)")
        parser.add_argument("--dry-run", action="store_true", help="only say how many would go now")

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete until nothing old enough is left."""
        days = settings.SIM_KEEP_DAYS if options["days"] is None else options["days"]
        if days < 0 or (days == 0 and options["days"] is not None):
            raise CommandError("--days must be at least 1.")
        if options["dry_run"]:
            self.stdout.write(f"{runs_old(days=days).count() if days else 0} runs would be deleted")
            return
        total = count = runs_prune(days=days)
        while count:
            count = runs_prune(days=days)
            total += count
        while sweeps_prune(days=days):
            pass
        classrooms_prune(days=days)
        progress_prune(days=days)
        self.stdout.write(f"{total} runs deleted")
