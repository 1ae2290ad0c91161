"""``manage.py worker``: works on jobs, for sites with ``PODSCOPE_JOBS=celery``."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from lifecycle_site.memory import limit_memory
from simulator.management.commands.serve import refuse_old_database

WORKER = ("--quiet", "worker", "--without-gossip", "--without-mingle", "--without-heartbeat")


class Command(BaseCommand):
    """Run a Celery worker until SIGINT or SIGTERM, on which its jobs go back to the queue."""

    help = "Work off jobs such as sweeps that runners send (needs PODSCOPE_JOBS=celery)."

    def handle(self, *args: Any, **options: Any) -> None:
        """Start Celery. Refuses a site whose runners work on jobs themselves, and an outdated database."""
        if settings.SIM_JOBS != "celery":
            raise CommandError("Runners work the jobs of this site off themselves: set PODSCOPE_JOBS=celery for all its processes.")
        limit_memory(settings.MEMORY_MB)
        refuse_old_database(waits=True)
        from celery import signals

        from lifecycle_site.celery import app

        signals.worker_ready.connect(self._ready, weak=False)
        app.worker_main(list(WORKER))
        self.stdout.write("Worker stopped.")

    def _ready(self, **_: Any) -> None:
        self.stdout.write("Worker started.")
        self.stdout.flush()
