"""What a runner does for jobs, as the site chooses: it works them off itself, or sends them to Celery's workers."""

from collections.abc import Callable, Coroutine
from typing import Any

from django.conf import settings

from simulator.runs.drive.jobs.worker import JobWorker


def serve_jobs(owner: str) -> tuple[Coroutine[Any, Any, None], Callable[[], bool]]:
    """What looks after jobs until cancelled, and what tells whether it works on one."""
    if settings.SIM_JOBS == "celery":
        from simulator.runs.drive.jobs.dispatch import Dispatcher  # what it needs is installed for several processes only

        return Dispatcher().serve(), lambda: False
    worker = JobWorker(owner=owner)
    return worker.serve(), lambda: worker.is_busy
