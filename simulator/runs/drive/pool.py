"""All runs of one process: claim those that are watched, keep their actors going, let one fail
without the others.

The pool works in a loop, twice a second or when something is announced. It says that it is alive
and what it drives (``_beat``). It reads which runs may have a place at all (``claim``); every
runner works the same plan out of the same rows (turns/places.py), so they agree without talking to
each other. It takes runs of that plan that no one owns, as far as it has room, and asks actors to
leave whose runs are not in it. Taking is a conditional update (lease.py), so two runners that want
the same run are no problem: one gets it.

Each run has an actor in its own task (``_supervise``). What an actor raises decides what becomes of
the run, and never affects the others. LostLease: another process has it, nothing to do. The
database is unreachable: leave the run, some runner will take it up. The engine fails, or the log
cannot be reproduced: the run is closed and says why. Anything else is a bug in this process: it is
logged, and the run is given back as one that cost an owner.

Such runs are dangerous, since whatever killed an owner may kill the next one together with all
other runs of its process. So they are tried one at a time in each process: the next one is taken
only when the last is proven. If the process dies, that run is to blame. After
``SIM_TAKE_OVERS_MAX`` owners in a row the run is marked as failed and left alone.

A turn that never ends cannot be interrupted, as Python has no way to stop a thread. The process then
exits (``_end_if_it_hangs``), and its runs continue in another one.

A keeper, one process of a site, also works on jobs and deletes old runs.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from time import monotonic
from traceback import clear_frames
from typing import Any
from uuid import UUID

from channels.layers import get_channel_layer
from django.conf import settings
from django.db import connection
from django.db.models import CharField, IntegerField, JSONField, QuerySet
from django.db.models.functions import Now

from lifecycle_site.broker import broker_errors
from lifecycle_site.ending import leave
from lifecycle_site.memory import give_back
from simulator.engine.kernel.errors import EngineFailed
from simulator.models import Runner
from simulator.runs.drive import desk, lease
from simulator.runs.drive.actor import Diverged, OtherRules, RunActor
from simulator.runs.drive.jobs.serve import serve_jobs
from simulator.runs.drive.limits import limits_of_site
from simulator.runs.log.db import AWAY, in_db, start_threads
from simulator.runs.log.statements import ChangeStatement, Given
from simulator.runs.log.storage import LostLease
from simulator.runs.log.wall import wall_ms
from simulator.runs.selectors.places import places_plan
from simulator.runs.selectors.runs import run_clock, run_row
from simulator.runs.services.classrooms import classrooms_prune
from simulator.runs.services.progress import progress_prune
from simulator.runs.services.retention import runs_prune
from simulator.runs.services.sweeps import sweeps_prune
from simulator.runs.state_notes import StateNote, state_note
from simulator.runs.turns.constants import LEFT_S, TURN_S_MAX
from simulator.runs.turns.evenness import share_of
from simulator.runs.turns.fair_turns import FairTurns
from simulator.runs.turns.places import Contender, OtherRunner, address_of
from simulator.runs.turns.separation import separation_of
from simulator.runs.wire import announce, protocol

CLAIM_S = 0.5
RETRY_S = 2.0
CLAIMS_AT_ONCE = 10
"""After this many take-overs the pool sends a heartbeat and looks at its messages."""
TAKERS_MAX = 100
"""No more addresses than this can each take a large share of one thread."""
PRUNE_S = 3600.0
"""Seconds between two searches for old runs to delete; while there are more, they are deleted a few at a time."""
SPENT_S = 20.0
"""A runner that has worked and then been idle for this long returns its memory."""
MAKE_WAY_S = 10.0
"""How long a spent runner leaves new runs to the fresh one that is to replace it. If none appears, it carries on itself."""

log = logging.getLogger(__name__)


def _beaten() -> tuple[QuerySet[Runner], dict[str, Any]]:
    numbers = {name: Given(name, IntegerField()) for name in ("runs", "places")}
    return Runner.objects.filter(name=Given("name", CharField())), {"beat_at": Now(), "takers": Given("takers", JSONField()), **numbers}


_BEAT = ChangeStatement(_beaten)


def _by_risk(contender: Contender) -> int:
    return contender.take_overs


class RunnerPool:
    """Owns up to SIM_RUNS_PER_PROCESS runs. ``serve`` runs until ``stop``, which gives every run back.

    ``on_ready`` is called once, when the site counts as healthy. A keeper also looks after jobs and deletes old runs.
    """

    def __init__(
        self,
        *,
        wall: Callable[[], int] = wall_ms,
        on_ready: Callable[[], None] = lambda: None,
        is_keeper: bool = True,
        is_renewed: bool = False,
    ) -> None:
        """``is_renewed``: the process that started this one replaces it once it is spent (``processes.py``)."""
        self.name, self._is_keeper, self._is_renewed = lease.owner_name(), is_keeper, is_renewed
        self._wall, self._on_ready = wall, on_ready
        self._actors: dict[UUID, RunActor] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._awake = asyncio.Event()
        self._is_stopping = False
        self._pruned = float("-inf")
        self._turns, self._looks = FairTurns(), desk.looks(lease_ms=settings.SIM_LEASE_MS)
        self._tried: UUID | None = None
        self._waiting_since: dict[UUID, float] = {}
        """The runs that were waiting at the last look, each with the monotonic time in seconds at which it was first seen waiting."""
        self._works_on_jobs: Callable[[], bool] = lambda: False
        self._has_worked, self._busy_s = False, monotonic()
        self.is_spent, self._spent_s = False, 0.0
        """Whether this process has worked and is idle again: a fresh one in its place would take less memory."""

    async def serve(self) -> None:
        """Claim and beat until stopped. Anything this raises has killed the pool, and the process should exit.

        If the database becomes unreachable, or a database server is unreachable at the start, keep trying; meanwhile ``/healthz`` reports
        that the runner is silent.
        """
        # Threads first: once runs have used up the memory, there may be none left for a thread, and nothing would ever be written.
        start_threads()
        self._turns.start()
        await self._begin()
        ears = asyncio.create_task(self._listen())
        tasks = [ears]
        if self._is_keeper:
            serving, self._works_on_jobs = serve_jobs(self.name)
            tasks.append(asyncio.create_task(serving))
        try:
            while not self._is_stopping:
                try:
                    await self._beat()
                    await self.claim()
                    await self._prune()
                except AWAY as error:
                    log.warning("The database does not answer, trying again: %s", error)
                except MemoryError:  # the run that uses it all will fail too, end, and free it
                    log.warning("The runner is short of memory, trying again")
                await self._pause()
                self._end_if_it_hangs()
                self._give_back_memory()
                # Neither task ever ends. If one is done, it has failed: let that end the pool rather than carry on without it.
                for task in tasks:
                    if task.done():
                        task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.drain()

    async def _begin(self) -> None:
        """Register the runner, and report that it is ready. SQLite has no server to wait for: errors with its file are raised."""
        while not self._is_stopping:
            try:
                await in_db(lease.release_stale, owner=self.name)
                await self._beat()
                self._on_ready()
                return
            except AWAY as error:
                if connection.vendor == "sqlite":
                    raise
                log.warning("The database does not answer, trying again: %s", error)
            await self._pause()

    def _give_back_memory(self) -> None:
        """Once there is nothing left to do, return memory to the system and mark this process as spent."""
        now_s = monotonic()
        if self._actors or self._works_on_jobs():
            self._has_worked, self.is_spent, self._busy_s = True, False, now_s
        elif self._has_worked and now_s - self._busy_s > SPENT_S:
            self._has_worked, self.is_spent, self._spent_s = False, True, now_s
            give_back()

    @property
    def _is_being_replaced(self) -> bool:
        """Whether this process is about to be replaced: a run that it took up now would have to move right away."""
        return self._is_renewed and self.is_spent and monotonic() - self._spent_s < MAKE_WAY_S

    def _end_if_it_hangs(self) -> None:
        """Exit if a turn hangs, because it cannot be interrupted. The runs continue in another process, the hanging one on trial."""
        taken_s = self._turns.longest_s()
        if taken_s > TURN_S_MAX:
            log.error("A run has computed for %.0f s without a pause: this runner ends, others take its runs over", taken_s)
            leave(1)

    def stop(self) -> None:
        """Stop claiming; ``serve`` then drains and returns."""
        self._is_stopping = True
        self._awake.set()

    async def claim(self) -> None:
        """Take runs that are watched and not owned, as far as there is room; give back those that others take precedence over, and those
        that another runner is to have (turns/separation.py).

        Two queries, and two more for each run that is taken, a few at a time. None if a fresh process is about to replace this one.
        """
        # A run taken now would soon be given back, and so be opened twice.
        if self._is_being_replaced:
            return
        places = settings.SIM_RUNS_PER_PROCESS
        plan = await in_db(places_plan, runner=self.name, places=places)
        separation = separation_of(plan, runner=self.name, held=self._actors, takers=self._turns.takers())
        self._turns.set_takers(separation.takers)
        self._turns.set_low_priority(separation.lowers_priority)
        elsewhere = separation.elsewhere
        waiting = [each for each in plan.entitled if not each.is_held and each.run_id not in self._actors and each.run_id not in elsewhere]
        room = places - len(self._actors)
        for run_id, actor in self._actors.items():
            # A run that is not in the plan is no longer watched. It may stay as long as there is room: its viewer may be reloading.
            if run_id in plan.waits or (len(waiting) > room and not plan.knows(run_id)):
                actor.free_place()
            # One that is still being opened stays: moving it would open it once more from the beginning.
            elif run_id in elsewhere and actor.is_open:
                actor.move()
        # Runs on trial come last: if one kills this process, the others have already been taken up.
        able = [each for each in sorted(waiting, key=_by_risk) if not (each.take_overs and self._is_trying)]
        mine = self._without_others(able, plan.others if not separation.takers else ())
        for wanted in mine[: min(max(room, 0), CLAIMS_AT_ONCE)]:
            await self._take(wanted)
        if min(room, len(mine)) > CLAIMS_AT_ONCE:
            self._awake.set()

    def _without_others(self, able: Sequence[Contender], others: Sequence[OtherRunner]) -> list[Contender]:
        """The waiting runs, except those left to runners that drive fewer (turns/evenness.py)."""
        now_s = monotonic()
        since = self._waiting_since = {each.run_id: self._waiting_since.get(each.run_id, now_s) for each in able}
        share = share_of(len(able), held=len(self._actors), others=others)
        return [each for number, each in enumerate(able) if number < share or now_s - since[each.run_id] >= LEFT_S]

    async def _take(self, wanted: Contender) -> None:
        """Own the run, unless it has cost too many owners.

        Runs that have cost an owner are tried one at a time: if this process is lost too, that run is to blame, and no other run that
        merely lived in the same process.
        """
        if wanted.take_overs >= settings.SIM_TAKE_OVERS_MAX:
            await self._give_up(wanted)
        elif not wanted.take_overs or not self._is_trying:
            epoch = await in_db(lease.acquire, wanted.run_id, owner=self.name, lease_ms=settings.SIM_LEASE_MS)
            # Otherwise another runner was faster.
            if epoch is not None:
                self._start(wanted, epoch)
                self._tried = wanted.run_id if wanted.take_overs else self._tried

    @property
    def _is_trying(self) -> bool:
        actor = self._actors.get(self._tried) if self._tried else None
        return actor is not None and not actor.is_proven

    async def _give_up(self, wanted: Contender) -> None:
        """Mark a run as failed after too many owners made no progress, and announce it."""
        note = state_note("quarantined", times=wanted.take_overs)
        if not await in_db(lease.give_up, wanted.run_id, epoch=wanted.epoch, note=note):
            return
        log.error("Run %s is left alone: %d owners in a row were lost over it", wanted.run_id, wanted.take_overs)
        run = await in_db(run_row, wanted.run_id)
        if run is not None:
            await announce.notified(run.id, frame=protocol.encode(run_clock(run)))

    async def drain(self) -> None:
        """Let every run finish its turn, be written, and be given back."""
        # First report that there is no room here: other runners would otherwise leave runs to this one until it is gone.
        with contextlib.suppress(*AWAY):
            await in_db(Runner.objects.filter(name=self.name).update, places=0)
        for actor in self._actors.values():
            actor.stop()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(*AWAY):
            await in_db(Runner.objects.filter(name=self.name).delete)
        self._turns.shutdown()

    def _start(self, wanted: Contender, epoch: int) -> None:
        run_id = wanted.run_id
        actor = RunActor(
            run_id=run_id,
            epoch=epoch,
            limits=limits_of_site(),
            looks=self._looks,
            watched_s=settings.SIM_UNWATCHED_RELEASE_S,
            wall=self._wall,
            computer=self._turns.seat(wanted.owner or str(run_id), address_of(wanted)),
        )
        self._actors[run_id] = actor
        task = asyncio.create_task(self._supervise(actor), name=f"run {run_id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _supervise(self, actor: RunActor) -> None:
        """Run an actor to its end. A failure ends that run, is logged once, and leaves the pool alone."""
        try:
            await actor.work()
        except LostLease:
            log.warning("Run %s belongs to another process now", actor.run_id)
        except Diverged as error:
            log.error("Run %s diverged: %s", actor.run_id, error)
            await self._end(actor, state="diverged", note=state_note("diverged"))
        except OtherRules as error:
            log.info("Run %s stays as another revision recorded it: %s", actor.run_id, error)
            await self._end(actor, state="recorded", note=state_note("recorded"))
        except AWAY as error:
            log.warning("Run %s is left after record %d, the database does not answer: %s", actor.run_id, actor.head_seq, error)
            with contextlib.suppress(*AWAY):
                await in_db(lease.release, actor.run_id, epoch=actor.epoch)
        except EngineFailed as failure:
            await self._end_failed(actor, failure.__cause__)
        except Exception:
            log.exception("Run %s is left after record %d: this process failed", actor.run_id, actor.head_seq)
            with contextlib.suppress(Exception):
                await in_db(lease.release, actor.run_id, epoch=actor.epoch, is_lost=True)
        finally:
            actor.forget()
            # The run may have been claimed again already, by an actor of a later epoch.
            if self._actors.get(actor.run_id) is actor:
                del self._actors[actor.run_id]
            self._awake.set()
            if actor.moves:  # tell the other runner now, rather than let it find out by itself
                await announce.wake_async(actor.run_id)

    async def _end_failed(self, actor: RunActor, cause: BaseException | None) -> None:
        """End a run over which the engine failed or memory ran out."""
        if isinstance(cause, MemoryError):
            clear_frames(cause.__traceback__)  # they keep alive what was being built
            actor.forget()
            log.error("Run %s needed more memory than this process may take, after record %d", actor.run_id, actor.head_seq)
            await self._end(actor, state="failed", note=state_note("out_of_memory"))
        else:
            log.error("Run %s failed after record %d", actor.run_id, actor.head_seq, exc_info=cause)
            await self._end(actor, state="failed", note=state_note("failed"))

    async def _end(self, actor: RunActor, *, state: str, note: StateNote) -> None:
        try:
            await actor.end(state=state, note=note)
            await in_db(lease.release, actor.run_id, epoch=actor.epoch)
        except LostLease:
            log.warning("Run %s belongs to another process now", actor.run_id)
        except AWAY as error:  # the next owner will meet the same failure and write it down
            log.warning("Run %s could not be closed: %s", actor.run_id, error)

    async def _listen(self) -> None:
        """Receive hints from services and sockets, forever. While the broker is unreachable, runs look into their inboxes on schedule."""
        while True:
            try:
                await self._hear()
            except broker_errors() as error:
                log.warning("The runner hears no announcements: %s", announce.broker_error_text(error))
                await asyncio.sleep(RETRY_S)

    async def _hear(self) -> None:
        """On each hint, wake the run's actor, or claim the run."""
        layer = get_channel_layer()
        assert layer is not None, "settings.CHANNEL_LAYERS has no default"
        channel = await announce.new_channel("sim.runner")
        try:
            await announce.join(announce.RUNNERS, channel)
            while True:
                message = await layer.receive(channel)
                actor = self._actors.get(UUID(hex=message["run"]))
                if actor is not None:
                    actor.wake()
                else:
                    self._awake.set()
        finally:
            await announce.part(announce.RUNNERS, channel)

    async def _prune(self) -> None:
        """Delete old runs, a few at a time, so that nobody waits long for the database."""
        now_s = asyncio.get_running_loop().time()
        if not self._is_keeper or now_s - self._pruned < PRUNE_S:
            return
        for prune in (runs_prune, sweeps_prune, classrooms_prune, progress_prune):
            if await in_db(prune):
                return
        self._pruned = now_s

    async def _beat(self) -> None:
        takers = sorted(self._turns.takers())[:TAKERS_MAX]
        said = {"runs": len(self._actors), "places": settings.SIM_RUNS_PER_PROCESS, "takers": takers}
        # The row is created on the first beat, and again if another process took this one for dead and deleted the row.
        if not await in_db(_BEAT.made, name=self.name, **said):
            await in_db(Runner.objects.update_or_create, name=self.name, defaults={"beat_at": Now(), **said})

    async def _pause(self) -> None:
        try:
            await asyncio.wait_for(self._awake.wait(), CLAIM_S)
        except TimeoutError:
            return
        self._awake.clear()
