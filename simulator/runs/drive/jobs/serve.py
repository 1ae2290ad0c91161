"""How a runner handles jobs, depending on the settings: it works on them itself, or sends them to Celery's workers."""

from collections.abc import Callable, Coroutine
from typing import Any

from django.conf import settings

from simulator.runs.drive.jobs.worker import JobWorker


def serve_jobs(owner: str) -> tuple[Coroutine[Any, Any, None], Callable[[], bool]]:
    """Return the coroutine that handles jobs until it is cancelled, and a function that tells whether it is working on one."""
    if settings.SIM_JOBS == "celery":
        from simulator.runs.drive.jobs.dispatch import Dispatcher  # Celery is an optional dependency

        return Dispatcher().serve(), lambda: False
    worker = JobWorker(owner=owner)
    return worker.serve(), lambda: worker.is_busy
