"""Notify Celery's workers of waiting jobs. The queue is in the database; messages that Redis loses are sent again."""

import asyncio
import logging

from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from lifecycle_site.celery import app
from simulator.runs.drive.jobs.kinds import KINDS, JobKind
from simulator.runs.drive.jobs.queue import due, lease, not_sent
from simulator.runs.drive.jobs.worker import LOOK_S
from simulator.runs.log.db import AWAY, in_db

RETRY_S = 2.0

log = logging.getLogger(__name__)


class Dispatcher:
    """Looks for waiting jobs and sends them. Any number may run: each job is sent by one of them. ``serve`` runs until cancelled."""

    async def serve(self) -> None:
        """Send waiting jobs, forever. If the database or Redis is unreachable, keep trying."""
        while True:
            pause_s = LOOK_S
            try:
                for kind in KINDS.values():
                    await self._send_due(kind)
            except AWAY as error:
                log.warning("The database does not answer, jobs wait: %s", error)
            except (KombuError, RedisError, OSError) as error:
                log.warning("Redis does not answer, jobs wait: %s", error)
                pause_s = RETRY_S
            await asyncio.sleep(pause_s)

    async def _send_due(self, kind: JobKind) -> None:
        ids = await in_db(due, kind)
        while ids:
            try:
                await asyncio.to_thread(send, kind, ids[0])
            except BaseException:
                await asyncio.shield(in_db(not_sent, kind, ids))
                raise
            del ids[0]


def send(kind: JobKind, job_id: str) -> None:
    """Notify the workers of a job. A message that nobody has taken by the time the job is sent again expires. Raises Redis' errors."""
    app.send_task(kind.task, args=[job_id], task_id=job_id, expires=lease().total_seconds(), retry=False)
