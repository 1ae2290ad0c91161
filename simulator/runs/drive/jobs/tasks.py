"""Jobs as Celery tasks, one task per kind. A task's only argument is the job's id, which is also the task's own id.

A task waits while the worker's one event loop carries out the job. A message that arrives twice, late, or for a job that somebody is
already working on finds nothing to take, because the row decides. A message is acknowledged after its job; if the worker dies before that,
the job is sent again when its lease has expired.
"""

import asyncio
import logging
import threading
from typing import Any

from celery import signals

from lifecycle_site.celery import app
from simulator.runs.drive.jobs.kinds import KINDS, JobKind
from simulator.runs.drive.jobs.worker import JobWorker
from simulator.runs.drive.lease import owner_name
from simulator.runs.log.db import AWAY

STOP_S = 10.0

log = logging.getLogger(__name__)


class JobLoop:
    """A thread with the event loop in which the jobs of this process are worked on."""

    def __init__(self) -> None:
        self._worker = JobWorker(owner=owner_name(), seeks=False)
        self._is_over = threading.Event()

    def start(self, **_: Any) -> None:
        """Start the loop and accept jobs."""
        self._loop = asyncio.new_event_loop()
        self._serving = self._loop.create_task(self._worker.serve())
        self._serving.add_done_callback(lambda _task: self._is_over.set())
        threading.Thread(target=self._loop.run_forever, name="jobs", daemon=True).start()

    def carry_out(self, kind: JobKind, job_id: str) -> None:
        """Carry out a job to its end, or until this process stops. If the database is unreachable, the job is left for a later message."""
        try:
            asyncio.run_coroutine_threadsafe(self._worker.carry_out(kind, job_id), self._loop).result()
        except AWAY as error:
            log.warning("The database does not answer, the %s %s waits: %s", kind.name, job_id, error)

    def stop(self, **_: Any) -> None:
        """Give every job back to the queue, which ends their tasks. Returns immediately, because a signal handler calls it."""
        self._loop.call_soon_threadsafe(self._serving.cancel)

    def wait(self, **_: Any) -> None:
        """Wait until every job has been given back, for at most STOP_S."""
        self._is_over.wait(STOP_S)


def _task(kind: JobKind) -> Any:
    def carry_out(job_id: str) -> None:
        loop.carry_out(kind, job_id)

    return app.task(carry_out, name=kind.task, shared=False)


def _as_the_settings_say(**_: Any) -> None:
    """Do nothing. Celery leaves logging alone if this signal has a receiver."""


loop = JobLoop()
TASKS = [_task(kind) for kind in KINDS.values()]
signals.setup_logging.connect(_as_the_settings_say)
signals.worker_init.connect(loop.start, weak=False)
signals.worker_shutting_down.connect(loop.stop, weak=False)
signals.worker_shutdown.connect(loop.wait, weak=False)
