"""What a runner does for jobs, as the site chooses: it works them off itself, or sends them to Celery's workers."""

from django.conf import settings

from simulator.runs.runner.jobs.worker import JobWorker


async def serve_jobs(owner: str) -> None:
    """Look after jobs until cancelled."""
    if settings.SIM_JOBS == "celery":
        from simulator.runs.runner.jobs.dispatch import Dispatcher  # what it needs is installed for several processes only

        await Dispatcher().serve()
    else:
        await JobWorker(owner=owner).serve()
