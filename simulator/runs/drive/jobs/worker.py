"""Work on jobs in this process's event loop: other processes compute their parts, and the results
are written every second.

A job (a sweep, a replay of many runs) takes minutes or days. It is a row with a lease (queue.py)
and consists of numbered parts, whose results do not depend on each other. This worker claims rows,
hands their parts to a crew of processes (headless/sweeps/workers.py), and writes the results that
have come, once a second. That write also renews the lease, and finds out whether the job was
stopped or is held by another process: then this one drops it. A worker that dies loses at most a
second of results.

It computes nothing itself, so it can live in the loop of a runner beside its runs. With Celery the
same worker is handed jobs (``carry_out``) rather than looking for them.

A worker that stops properly gives every job back to the queue, and the attempt does not count. One
that dies does not, and after three such attempts the job is left alone: it may be what kills
processes.
"""

import asyncio
import logging

from django.conf import settings

from simulator.headless.sweeps.workers import CellLimits, Crew
from simulator.runs.drive.jobs.kinds import KINDS, JobKind
from simulator.runs.drive.jobs.queue import Claimed, State, claim, end, release, take, write
from simulator.runs.log.db import AWAY, in_db

LOOK_S = 0.5
WRITE_S = 1.0
IDLE_S = 30.0
"""Processes that have been idle for this long are stopped."""

log = logging.getLogger(__name__)


class JobWorker:
    """Works on as many jobs at once as it has processes; their parts take turns. ``serve`` runs until it is cancelled.

    With ``seeks=False`` it does not look for jobs itself: they are passed to ``carry_out`` while it serves.
    """

    def __init__(self, *, owner: str, crew: Crew | None = None, seeks: bool = True) -> None:
        limits = CellLimits(seconds=settings.SIM_SWEEP_CELL_S_MAX, memory_mib=settings.SIM_SWEEP_CELL_MB_MAX)
        self._owner, self._seeks = owner, seeks
        self._crew = crew or Crew(settings.SIM_SWEEP_WORKERS, limits)
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_stopping = False

    async def serve(self) -> None:
        """Work until cancelled, then return the jobs to the queue and stop the processes. If the database is unreachable, keep trying."""
        idle_since = asyncio.get_running_loop().time()
        try:
            while True:
                try:
                    await self.look()
                except AWAY as error:
                    log.warning("The database does not answer, jobs wait: %s", error)
                now_s = asyncio.get_running_loop().time()
                if self._tasks:
                    idle_since = now_s
                elif now_s - idle_since > IDLE_S and not self._crew.is_resting:
                    await self._crew.rest()
                await asyncio.sleep(LOOK_S)
        finally:
            await self._give_back()

    async def look(self) -> None:
        """Take waiting jobs as far as there is room. Each kind has its own room: work that takes days must not hold up the others."""
        for kind in KINDS.values() if self._seeks else ():
            room = self._crew.size - sum(task.get_name().startswith(f"{kind.name} ") for task in self._tasks)
            for claimed in await in_db(claim, kind, self._owner, room=room) if room > 0 else ():
                self._begin(claimed)

    async def carry_out(self, kind: JobKind, job_id: str) -> None:
        """Carry out one job to its end, if it can be taken; a job that another process holds, or that is done, is left alone.

        Returns early if this worker stops: the job is then back in the queue, or soon will be.
        """
        # Stopping may begin while the row is being taken, so it is checked before and after: nobody would finish a job begun then.
        claimed = None if self._is_stopping else await in_db(take, kind, job_id, self._owner)
        if claimed is not None and self._is_stopping:
            await in_db(release, kind, self._owner)
        elif claimed is not None:
            await asyncio.wait([self._begin(claimed)])

    @property
    def is_busy(self) -> bool:
        """Whether it is working on a job."""
        return bool(self._tasks)

    async def finish(self) -> None:
        """Wait until every job that this worker has taken has ended."""
        await asyncio.gather(*self._tasks)

    def _begin(self, claimed: Claimed) -> "asyncio.Task[None]":
        task = asyncio.create_task(self._work(claimed), name=f"{claimed.kind.name} {claimed.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _give_back(self) -> None:
        # First, so that nothing is begun while the others are being cancelled.
        self._is_stopping = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._crew.rest()
        try:
            for kind in KINDS.values():
                await in_db(release, kind, self._owner)
        except AWAY as error:  # the lease will expire
            log.warning("Jobs could not be given back: %s", error)

    async def _work(self, claimed: Claimed) -> None:
        """Carry out a job. A failure ends that job and leaves the others alone."""
        try:
            await self._played(claimed)
        except AWAY as error:
            log.warning("The %s %s is left, the database does not answer: %s", claimed.kind.name, claimed.id, error)
        except Exception:
            log.exception("The %s %s failed", claimed.kind.name, claimed.id)

    async def _played(self, claimed: Claimed) -> None:
        kind = claimed.kind
        # Results from an earlier process are not computed again.
        done = frozenset(number for number, result in enumerate(claimed.results) if result is not None)
        playing = asyncio.create_task(claimed.work(self._crew, claimed.results.__setitem__, done))
        deadline_s = asyncio.get_running_loop().time() + kind.seconds_max()
        is_over = False
        try:
            while not is_over:
                await asyncio.wait([playing], timeout=WRITE_S)
                is_over = playing.done()  # before the write: results that arrive during it are written next time
                # If this fails, another process has the job or it was stopped; the row has our results up to the last write.
                if not await in_db(write, claimed, self._owner):
                    return
                if not playing.done() and asyncio.get_running_loop().time() > deadline_s:
                    await in_db(end, kind, claimed.id, self._owner, State.STOPPED, kind.too_long)
                    return
            playing.result()
            await in_db(end, kind, claimed.id, self._owner, State.DONE)
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
