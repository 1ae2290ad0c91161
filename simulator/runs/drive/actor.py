"""One run, owned: take commands, go on, append, announce; then wait for what is due.

At any moment at most one process may write a run: its owner. The row names the owner, an epoch that
grows with every change of owner, and until when the lease holds (lease.py). The owner renews the
lease every second with each look into its inbox, and every append and every change of the clock
names the epoch, so an owner that has lost the run fails with LostLease at its next write. Nothing
here asks first whether the run is still owned: between asking and writing it could be lost.

The states that an owner goes through are a table in owner.py. It first rebuilds the world that the
log has reached (opening) and compares it with the stored digest. Then it goes to where the clock
has stood while nobody drove the run, and takes the acts that waited there (standing). Only then
does it store the clock as going (driving). Until then everyone else shows it as standing, so an
outage is never played at full speed afterwards.

A process may be frozen (a laptop that is closed, a stopped container) or killed at any point. With
every renewal the owner signs for what the clock shows. Others believe in a clock for five seconds
after its last sign (``SILENT_MS``), then show the last moment that was signed for. A killed owner
leaves just that. One that wakes up after a longer silence is treated the same way: it is standing
again, goes on from the moment that was shown last, and reads its inbox before it does anything
else.

A turn looks into the inbox when that is due, computes to where the clock is, takes the acts that
wait, and writes. The order is always append, commit, announce: the world may be ahead of the log by
what is not written yet, but nobody has seen that, so losing it costs nothing. An act takes its
place at the moment that the clock showed when it was given, so one that is followed by "run to"
happens before the jump, and one that was given for a moment ahead happens there (``_moment_of``).
The world never goes back, so an act whose moment the world has passed is carried out at once.

Computing must not block the loop, which serves all runs of the process. Work is done in slices of
some milliseconds in the thread that runs take turns in (turns/fair_turns.py), and between slices
the lease is renewed (``_hold``). A world that cannot keep up has its clock set back, and the page
says so.

A clock that plays rests where a look ahead finds nothing more that anyone would see
(``_rest_when_quiet``). That is stored, so the next owner knows it too; an act or Play sets the clock
going. A run that is idle for any reason gives its place to one that is not.

An owner leaves at the end of a turn: because nobody watches, because others need the place, because
another runner is to have the run, or because its process ends. If it fails, the pool (pool.py)
decides what becomes of the run. A limit that is met ends the run for good.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import ParamSpec, TypeVar
from uuid import UUID

from msgspec import UNSET
from msgspec.structs import replace

from simulator.engine.acts.all_acts import Applied, Stamped
from simulator.engine.course.replay import Course, Leg
from simulator.engine.kernel.errors import EngineFailed
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.engine.projection.countdowns import last_countdown_ms
from simulator.runs.drive import desk, lease, owner
from simulator.runs.drive.limits import RunnerLimits
from simulator.runs.log import storage
from simulator.runs.log.clock import AHEAD_MS, SILENT_MS
from simulator.runs.log.db import in_db
from simulator.runs.log.pacing import Pacer
from simulator.runs.log.wall import wall_ms
from simulator.runs.state_notes import StateNote, code_of, numbers_of
from simulator.runs.turns.constants import FAST_PERMILLE, FLUSH_S, PIECE_S, SLICE_S, TAKER_FLUSH_S
from simulator.runs.turns.fair_turns import FairTurns, Seat
from simulator.runs.wire import announce, protocol

LOOK_S = 1.0
"""Seconds between two looks into a run's inbox if no hint arrives. Each look also renews the lease."""
BEATS = 10
"""Within that time runs look in this many groups, each group together: neither every run on its own nor all at once."""
FLUSH_RECORDS = 2000
CLOCK_S = 1.0
BEHIND_MS = 1000
SLOW_MS = 5000
"""After keeping up for this long, a run no longer counts as slow."""
REST_MS = 2000
"""A run with nothing due for this long proves that its owner is healthy; longer than the time between two signs of life."""
TRIAL_MS = 5000
QUIET_MS = 15_000
"""Simulated time without visible records, after which a run looks ahead to see whether anything more will happen by itself."""
QUIET_AHEAD_MS = 2 * 3_600_000
QUIET_LOOK_S, QUIET_WORK_AT_ONCE = 1.0, 30
"""Limits of a look ahead. The run does not look again before the moment that the last look found."""
WORK_MIN, WORK_FIRST, WORK_MAX = 1, 24, 60_000
"""Units of work (engine/world/work.py) per piece: the minimum, the first guess for a new run, and the maximum."""

P = ParamSpec("P")
R = TypeVar("R")

ALONE = FairTurns()
"""For actors that no pool has given a seat."""

log = logging.getLogger(__name__)


class Diverged(Exception):
    """Replaying the run does not reproduce the stored history."""


class OtherRules(Exception):
    """Another revision of the engine recorded the run, and today's rules give a different history."""


class RunActor:
    """The owner of one run under one epoch. ``work`` runs until the run ends, is left, or is lost."""

    def __init__(
        self,
        *,
        run_id: UUID,
        epoch: int,
        limits: RunnerLimits,
        looks: desk.Looks,
        watched_s: int,
        wall: Callable[[], int] = wall_ms,
        computer: Seat | None = None,
    ) -> None:
        self.run_id, self.epoch = run_id, epoch
        self._computer = computer or ALONE.seat(str(run_id))
        self._limits, self._looks, self._watched_ms, self._wall = limits, looks, watched_s * 1000, wall
        self._awake = asyncio.Event()
        self._records: list[Record] = []
        self._applied: list[Applied] = []
        self._look_at = self._flushed = self._clocked = float("-inf")
        self._work = WORK_FIRST
        self._goal_ms = self._behind_ms = self._wall_seen = self._signed_wall = self._back_wall = self._driven_wall = 0
        self._left_ms = 0
        self._slow_wall, self._said = 0, (0, 0)
        self._state: owner.OwnerState = owner.OPENING
        self._leaves: owner.Leaving | None = None
        self._idle_as_of: int | None = None
        self._last_record_ms = self._sight_ms = 0
        self.is_proven = False
        self.course: Course
        self.inbox: desk.Inbox
        self.pacer: Pacer
        self.head_seq = 0

    @property
    def is_open(self) -> bool:
        """Whether the world has reached the end of the log."""
        return self._state.is_open

    @property
    def is_over(self) -> bool:
        """Whether this turn is the last one."""
        return self._leaves is not None or self._state in (owner.ENDED, owner.LEFT)

    @property
    def moves(self) -> bool:
        """Whether another runner is to take over the run, and should be told so."""
        return self._leaves is owner.MOVES_ON

    def wake(self) -> None:
        """Look into the inbox soon: somebody put something there."""
        self._look_at = float("-inf")
        self._awake.set()

    def stop(self, why: owner.Leaving = owner.STOPPED) -> None:
        """Finish the turn, write what there is, and release the run."""
        self._leaves = owner.overriding(self._leaves, why)
        self._awake.set()

    def forget(self) -> None:
        """Drop the world and any unwritten records, for a run that ran out of memory; its moment is kept for ``end``."""
        if hasattr(self, "course"):
            self._left_ms = self.course.world.now_ms
            del self.course
        self._records, self._applied = [], []

    def free_place(self) -> None:
        """Like ``stop``, because other runs need the place."""
        self.stop(owner.GIVES_WAY)

    def move(self) -> None:
        """Like ``stop``, because another runner is to have the run, where it continues at once."""
        self.stop(owner.MOVES_ON)

    async def work(self) -> None:
        """Own the run until it is over. Raises LostLease, Diverged, OtherRules, EngineFailed, or any failure of this process."""
        await self.open()
        while not self.is_over:
            is_there = await self.turn()
            await self._rest(is_there)
        if self.is_open:
            await self.flush()
        sign = self._sign()
        to_back = self._leaves is not None and self._leaves.to_back
        await in_db(lease.release, self.run_id, epoch=self.epoch, sign=sign, to_back=to_back)
        self._become("released")
        if sign is not None and not self._is_idle:  # the clock of an idle run stands anyway
            self._goal_ms = sign.shown_ms
            await self._announce_clock()

    def _become(self, trigger: str) -> None:
        """Make the transition from the table. Any transition resets the note that the clock is slow."""
        move = owner.moved(self._state, trigger)
        self._state, self._slow_wall = owner.STATES[move.target], 0
        if move.do:
            getattr(self, move.do)()

    def _look_at_once(self) -> None:
        self._look_at = float("-inf")

    def _excuse_silence(self) -> None:
        self._look_at_once()
        self._back_wall = self._wall()  # viewers may have had no chance to report that they are watching

    @property
    def _note(self) -> str:
        """The note code sent with the clock."""
        if self._state is owner.LEFT and self._leaves is not None:
            return self._leaves.note
        if self._slow_wall:
            return "slower"
        is_about_to_go = self._state is owner.RESTING and bool(self.inbox.waiting)
        return "" if is_about_to_go else self._state.note

    async def open(self) -> None:
        """Rebuild the world at the end of the log, unless stopped on the way.

        Raises Diverged if it is not the one that was stored, and OtherRules if it differs because another revision stored it. If today's
        rules give the same records, the run continues under them.
        """
        self._look_at = self._next_look()
        dossier = await in_db(desk.open_dossier, self.run_id)
        self.head_seq = dossier.head_seq
        try:
            await self._rebuild(dossier)
        except EngineFailed as failure:
            # If another revision recorded the history, a failure of today's engine proves nothing: the run stays readable.
            if dossier.is_own or isinstance(failure.__cause__, MemoryError):
                raise
            raise OtherRules("today's engine cannot play it") from failure
        if self.is_over:
            return
        world = self.course.world
        if dossier.head_seq and (world.seq != dossier.head_seq or world.digest() != dossier.digest):
            raise (Diverged if dossier.is_own else OtherRules)(f"at record {world.seq}, stored {dossier.head_seq}")
        if not dossier.is_own:
            await in_db(desk.adopt, self.run_id, epoch=self.epoch)
        self._become("opened")

    async def _rebuild(self, dossier: desk.Dossier) -> None:
        """Compute up to the end of the log, slice by slice."""
        self.course = await self._off_the_loop(Course, dossier.header, dossier.commands)
        self._collect(list(self.course.world.first_records), [])
        while not await self._compute(dossier.head_ms):
            await self._hold()
            if self.is_over:
                return

    async def turn(self) -> bool:
        """One round: look into the inbox, compute, write. Return whether the world has caught up with the clock."""
        self._notice_freeze()
        # More than once where someone put something in during the look.
        while perf_counter() >= self._look_at:
            await self._look()
            self._notice_freeze()  # the database may have kept it waiting
        await self._follow_wall_set_back()
        clock_ms = self.pacer.now_ms(self._wall())
        first_ms = self._moment_of(self.inbox.waiting[0], clock_ms) if self.inbox.waiting else clock_ms
        is_there = await self._compute(first_ms, is_fast=self.pacer.rate_permille > FAST_PERMILLE)
        if is_there and self.inbox.waiting:
            await self._take_commands(clock_ms)
            await self.flush()
            await self._look()
            if self.course.world.now_ms < clock_ms:
                return False  # the next turn computes up to the clock, and then judges whether the world keeps up
        elif is_there and not self._state.drives and not self.inbox.is_frozen:
            await self._start_clock()
        elif is_there and self.inbox.steps > 0:
            await self._step()
        elif self._is_due(is_there):
            await self.flush()
        await self._keep_up(is_there)
        await self._rest_when_quiet(is_there)
        await self._idle_when_done(is_there)
        await self._check_limits()
        await self._prove(is_there)
        if is_there and self.inbox.is_frozen:  # nothing will ever happen to it again
            self.stop(owner.COMPLETE)
        return is_there

    async def flush(self) -> None:
        """Append what has happened since the last flush, then announce it."""
        records, applied = tuple(self._records), tuple(self._applied)
        # Taken before the write, which waits: what is computed meanwhile belongs to the next batch.
        self._records, self._applied, self._flushed = [], [], perf_counter()
        self._idle_as_of = None if applied else self._idle_as_of
        world = self.course.world
        batch = storage.Addition(records=records, applied=applied, head_seq=world.seq, head_ms=world.now_ms, digest=world.digest())
        await in_db(storage.append, self.run_id, epoch=self.epoch, batch=batch)
        self.is_proven = self.is_proven or bool(records or applied)
        # Only now, since the append raises if the run is lost: ``_collect`` uses it to tell what is still unwritten.
        before, self.head_seq = self.head_seq, world.seq
        if records:
            frame = announce.frame_of(records, after=before, now_ms=world.now_ms)
            await announce.advanced(self.run_id, from_seq=before, to_seq=world.seq, frame=frame)

    # ---- parts of a turn -----------------------------------------------------------------------------------------
    async def _compute(self, until_ms: int, *, is_fast: bool = False) -> bool:
        """Compute for about one slice when it is this run's turn, or more slices if needed to finish an instant. A run that is sent ahead
        or rebuilt lets others go first."""
        self._computer.hurries = until_ms - self.course.world.now_ms > (0 if is_fast else AHEAD_MS)
        self._computer.counts = self._state.drives and self.course.world.now_ms >= self._goal_ms
        while True:
            due_ms = self.course.ahead_ms()
            is_idle = due_ms is None or due_ms > max(until_ms, self.course.world.now_ms)
            # If nothing is due there is nothing to compute, and a turn in the thread would only cost waiting time.
            leg = _call_engine(self._drive, until_ms) if is_idle else await self._off_the_loop(self._drive, until_ms)
            if leg.is_whole:
                return leg.is_there
            await self._hold()

    async def _off_the_loop(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Compute in the thread that all runs share in turns: a single event may take long, and the loop serves everybody."""
        return await asyncio.get_running_loop().run_in_executor(self._computer, partial(_call_engine, work, *args, **kwargs))

    def _drive(self, until_ms: int) -> Leg:
        """Compute for about a slice, in pieces: an event of one run may take a thousand times as long as one of another."""
        began = piece_began = perf_counter()
        while True:
            leg = self.course.drive(until_ms, limit=self._work)
            self._collect(leg.records, leg.applied)
            now = perf_counter()
            if now - piece_began > PIECE_S:
                self._work = max(WORK_MIN, self._work // 4)
            elif not leg.is_there and now - piece_began < PIECE_S / 2:
                self._work = min(WORK_MAX, self._work * 2)
            if leg.is_there or now - began > SLICE_S - PIECE_S:
                return leg
            piece_began = now

    def _collect(self, records: list[Record], applied: list[Applied]) -> None:
        last_ms = next((record.at_ms for record in reversed(records) if record.kind != "decision"), None)
        if last_ms is not None:
            self._last_record_ms, self._sight_ms = last_ms, 0
        self._records.extend(record for record in records if record.seq > self.head_seq)
        self._applied.extend(place for place in applied if place.seq > self.head_seq)

    def _moment_of(self, waiting: desk.WaitingRun, clock_ms: Ms) -> Ms:
        """When an act happens: at the moment at which it was given, or at once if the world has passed that. If it was given by a process
        whose clock is ahead of this one, it waits until this clock gets there."""
        world_ms = self.course.world.now_ms
        return clock_ms if waiting.given_ms is None else min(clock_ms, max(waiting.given_ms, world_ms))

    async def _take_commands(self, clock_ms: Ms) -> None:
        """Give the world the waiting acts, each at its moment, as far as that gets within about a slice."""
        if self._state is owner.RESTING:
            inbox = self.inbox
            self._become("act_waits")
            await self._settle(self.pacer.changed(self._wall(), is_paused=False), steps=0)
            if self.inbox is not inbox:  # the clock was moved meanwhile: acts wait until the world gets there
                return
        began = perf_counter()
        for waiting in self.inbox.waiting:
            now_ms = self._moment_of(waiting, max(clock_ms, self.course.world.now_ms))
            if not await self._compute(now_ms):
                return
            self.course.give(Stamped(at_ms=now_ms, n=waiting.n, command=waiting.command))
            await self._compute(now_ms)
            if perf_counter() - began > SLICE_S:
                await self._hold()
                began = perf_counter()

    async def _look(self) -> None:
        # A wake during the read sets this to minus infinity, which is noticed below.
        self._look_at = float("inf")
        inbox = await self._ask()
        if self._look_at > 0:  # otherwise somebody put something in meanwhile, perhaps after the read
            self._look_at = self._next_look()
        is_new = not hasattr(self, "inbox") or inbox.controls != self.inbox.controls
        self.inbox = inbox
        if not self._state.drives:
            await self._aim_at_clock()
        elif is_new:
            await self._follow(inbox)
        watched_wall = max(inbox.watched_wall_ms, self._back_wall)
        if self._wall() - watched_wall > self._watched_ms and not inbox.waiting:
            self.stop(owner.UNWATCHED)

    async def _ask(self) -> desk.Inbox:
        """Renew the lease and read the inbox. Raises LostLease."""
        # Before the query: to others, the time it takes counts as silence.
        self._signed_wall = self._wall()
        try:
            return await self._looks.ask(lease.Hold(run_id=self.run_id, epoch=self.epoch, sign=self._sign()))
        except MemoryError:  # the run that uses it all will fail too and end; the others are not to blame and look again
            if not hasattr(self, "inbox"):
                raise
            log.warning("Run %s could not look into its inbox for want of memory, trying again", self.run_id)
            return replace(self.inbox, waiting=(), steps=0)  # those may have been taken already

    def _next_look(self) -> float:
        """When this run's group looks next."""
        now_s, beat_s = perf_counter(), self.run_id.int % BEATS * LOOK_S / BEATS
        return now_s + LOOK_S - (now_s - beat_s) % LOOK_S

    def _sign(self) -> lease.Sign | None:
        """The sign of life: what the clock shows, if this owner keeps it going."""
        return lease.Sign(controls=self.inbox.controls, shown_ms=self._shown_ms()) if self._state.drives else None

    def _notice_freeze(self) -> None:
        """If this process was frozen, continue from the moment shown last: everybody else has seen the clock stand still."""
        if self._state.drives and self._wall() - self._signed_wall > SILENT_MS:
            self._become("silent")

    async def _aim_at_clock(self) -> None:
        """Aim for the moment at which the clock stands, and no further yet."""
        pacer, stands_ms = self.inbox.pacer, self.inbox.stands_ms
        self._goal_ms, self._behind_ms = max(stands_ms, self.course.world.now_ms), 0
        self._sight_ms = 0
        self.pacer = replace(pacer.moved(self._goal_ms, self._wall()), is_paused=True)
        await self._announce_clock()

    async def _start_clock(self) -> None:
        """Start the clock, now that the world has reached it and waiting commands have been carried out there."""
        wall = self._wall()
        pacer = self.inbox.pacer.moved(self.course.world.now_ms, wall)
        if self.inbox.is_resting:  # this owner has to find out for itself whether it may rest
            pacer = replace(pacer, is_paused=False)
        if await in_db(desk.settle, self.run_id, epoch=self.epoch, inbox=self.inbox, pacer=pacer, steps=0):
            self.pacer = pacer
            # The time before the write: a freeze during the write counts as silence.
            self._signed_wall = self._wall_seen = self._driven_wall = wall
            self._become("started")
            await self._announce_clock()
        else:  # somebody moved the clock meanwhile
            await self._look()

    async def _follow(self, inbox: desk.Inbox) -> None:
        """Adopt a clock that somebody moved. Time never runs backwards: what has happened stays."""
        pacer = inbox.pacer
        if self._state is owner.RESTING and pacer.base_ms > self.course.world.now_ms:  # sent ahead: look again for what follows there
            self._sight_ms = 0
        self.pacer = pacer
        self._become("clock_rests" if inbox.is_resting else "clock_moved")
        self._idle_as_of = inbox.controls if inbox.is_resting else None
        wall, world_ms = self._wall(), self.course.world.now_ms
        self._goal_ms, self._behind_ms = pacer.now_ms(wall), pacer.behind_ms(world_ms, wall)
        self._wall_seen = max(self._wall_seen, pacer.base_wall_ms)
        if self._goal_ms < world_ms:
            await self._settle(pacer.moved(world_ms, wall), steps=0, rests=inbox.is_resting)
        else:
            await self._announce_clock()

    async def _follow_wall_set_back(self) -> None:
        """If the wall clock was set back, continue from the moment shown: the run would stand still until the old time came again."""
        wall, seen = self._wall(), self._wall_seen
        self._wall_seen = wall
        # Clocks do take small steps back, and ``Pacer.now_ms`` tolerates that.
        if wall < seen - BEHIND_MS and not self.pacer.is_paused:
            await self._settle(self.pacer.moved(max(self.course.world.now_ms, self.pacer.now_ms(wall)), wall), steps=0)

    async def _hold(self) -> None:
        """Yield to the loop, and keep the lease: a long history takes longer to compute than a lease lasts."""
        if perf_counter() >= self._look_at:
            self._notice_freeze()
            # The answer is ignored: this only keeps the lease. Acts and clock are handled between turns.
            self._look_at = self._next_look()
            await self._ask()
        await asyncio.sleep(0)

    async def _prove(self, is_there: bool) -> None:
        """Mark the run as proven if nothing can fail soon: a resting run writes no records, but is healthy all the same."""
        if self.is_proven or not (is_there and self._state.drives) or self.inbox.waiting or self.inbox.steps > 0:
            return
        wall, due_ms = self._wall(), self.course.ahead_ms()
        wait_ms = None if due_ms is None else self.pacer.wait_ms(due_ms, wall)
        if wait_ms is None or wait_ms > REST_MS or wall - self._driven_wall > TRIAL_MS:
            await in_db(lease.prove, self.run_id, epoch=self.epoch)
            self.is_proven = True

    async def _step(self) -> None:
        """Advance to the next record and pause there."""
        while not self._records:
            due_ms = self.course.ahead_ms()
            if due_ms is None or due_ms > self.pacer.end_ms:
                break
            await self._compute(due_ms)
            await self._hold()
        await self.flush()
        await self._settle(self.pacer.moved(self.course.world.now_ms, self._wall()), steps=1)
        await self._look()

    def _is_due(self, is_there: bool) -> bool:
        since_s, is_taker = perf_counter() - self._flushed, self._computer.takes_much
        is_time = since_s >= (TAKER_FLUSH_S if is_taker else FLUSH_S)
        return bool(self._records) and (is_time or (is_there and not is_taker) or len(self._records) >= FLUSH_RECORDS)

    async def _keep_up(self, is_there: bool) -> None:
        """Set the clock back if the world cannot keep up with it, and say so.

        A run that was just taken up or sent ahead may lag, as long as the lag at least halves each time.
        """
        wall, world_ms = self._wall(), self.course.world.now_ms
        behind_ms = self.pacer.behind_ms(world_ms, wall)
        if is_there:
            self._behind_ms = 0
            if self._slow_wall and wall - self._slow_wall > SLOW_MS:
                self._slow_wall = 0
        elif world_ms >= self._goal_ms and behind_ms > BEHIND_MS:
            # It is catching up, by at least half each time: let it.
            if behind_ms * 2 <= self._behind_ms:
                self._goal_ms, self._behind_ms = self.pacer.now_ms(wall), behind_ms
            else:
                self._slow_wall, self._behind_ms = wall, 0
                await self._settle(self.pacer.moved(world_ms, wall), steps=0)
        if perf_counter() - self._clocked >= CLOCK_S:
            await self._announce_clock()

    async def _rest_when_quiet(self, is_there: bool) -> None:
        """Stop the clock if nothing more will happen by itself; an act or Play sets it going again.

        Not while a page is counting down to something: the countdown would stop too, and never finish.
        """
        world = self.course.world
        is_busy = not (is_there and self._state.drives) or self.inbox.waiting or self.inbox.steps > 0
        wall = self._wall()
        if is_busy or self.pacer.is_paused or world.now_ms < self._sight_ms or self.pacer.now_ms(wall) - self._last_record_ms < QUIET_MS:
            return
        countdown_ms = last_countdown_ms(world)
        if countdown_ms is not None:
            self._sight_ms = countdown_ms
            return
        until_ms = world.now_ms + QUIET_AHEAD_MS
        self._computer.hurries, self._computer.counts = True, False  # others' clocks go first
        sight_ms = await self._next_sight_ms(until_ms)
        self._sight_ms = until_ms if sight_ms is None else sight_ms
        if sight_ms is None:
            self._become("nothing_follows")
            await self._settle(self.pacer.changed(self._wall(), is_paused=True), steps=0, rests=True)

    async def _idle_when_done(self, is_there: bool) -> None:
        """Mark the run as idle if nothing is left to do: it gives its place to any run that needs one, and no runner takes it up again."""
        stands = is_there and self._state.drives and self.pacer.is_paused and not self.inbox.is_frozen
        if stands and not (self._is_idle or self._records or self.inbox.waiting or self.inbox.steps > 0):
            await self._settle(self.pacer, steps=0, is_idle=True, rests=self._state is owner.RESTING)

    @property
    def _is_idle(self) -> bool:
        return self._idle_as_of == self.inbox.controls

    async def _next_sight_ms(self, until_ms: Ms) -> Ms | None:
        """When the next visible thing happens by itself, or how far the look ahead got; None if nothing happens up to ``until_ms``.

        It plays a copy of the world and stops at the first visible record, so at worst every stretch is played twice. It also stops when
        the run is needed, or after a while.
        """
        ahead, began = await self._off_the_loop(self.course.fork), perf_counter()
        # A wake ends the look: nobody should have to wait for it.
        while perf_counter() - began < QUIET_LOOK_S and self._look_at > 0 and not self.is_over:  # ``wake`` sets it back
            is_there, sight_ms = await self._off_the_loop(_look_on, ahead, until_ms)
            if is_there:
                return sight_ms
            await self._hold()
            if not self._state.drives:
                break
        return ahead.world.now_ms

    async def _settle(self, pacer: Pacer, *, steps: int, is_idle: bool = False, rests: bool = False) -> None:
        inbox, self._idle_as_of = self.inbox, None
        stored = partial(desk.settle, self.run_id, epoch=self.epoch, inbox=inbox)
        # Adopted only once it is stored. If somebody moved the clock meanwhile, their move wins and is read at once.
        if await in_db(stored, pacer=pacer, steps=steps, is_idle=is_idle, rests=rests):
            self.pacer, self._idle_as_of = pacer, inbox.controls if is_idle or rests else None
            await self._announce_clock()
        else:
            await self._look()

    async def _check_limits(self) -> None:
        world = self.course.world
        note = self._limits.met(now_ms=world.now_ms, seq=world.seq, pods=len(world.tables.pods))
        if note:
            await self.flush()
            await self.end(state="limit", note=note)

    async def end(self, *, state: str, note: StateNote) -> None:
        """Close the run with a state and the reason for it, and announce it."""
        # Before the write: whether or not it succeeds, this owner does nothing more for the run.
        self._become("closed")
        await in_db(desk.close, self.run_id, epoch=self.epoch, state=state, note=note)
        now_ms = self.course.world.now_ms if hasattr(self, "course") else self._left_ms
        code, numbers = code_of(note), numbers_of(note) or UNSET
        clock = protocol.Clock(now_ms=now_ms, rate=1000, paused=True, state=state, wall_ms=self._wall(), note=code, numbers=numbers)
        await announce.notified(self.run_id, frame=protocol.encode(clock))

    def _shown_ms(self) -> Ms:
        """What the clock shows now; while the world is on its way to a moment far ahead, how far it has got."""
        now_ms = self.course.world.now_ms
        return now_ms if now_ms < self._goal_ms else max(now_ms, self.pacer.now_ms(self._wall()))

    async def _announce_clock(self) -> None:
        self._clocked = perf_counter()
        is_paused = self.pacer.is_paused if self._state.drives else self.inbox.pacer.is_paused
        clock = protocol.Clock(
            now_ms=self._shown_ms() if self._state.drives else self._goal_ms,
            rate=self.pacer.rate_permille,
            paused=is_paused,
            state=self._shown_state(is_paused=is_paused),
            wall_ms=self._wall(),
            note=self._note,
            got=self._got(),
        )
        await announce.notified(self.run_id, frame=protocol.encode(clock))

    def _got(self) -> int:
        """The actual rate in permille since the last call if the run is slow, otherwise the nominal rate."""
        (wall_before, ms_before), self._said = self._said, (self._wall(), self.course.world.now_ms)
        wall, now_ms = self._said
        if not self._slow_wall or not 0 < wall - wall_before <= SLOW_MS:
            return self.pacer.rate_permille
        return min(self.pacer.rate_permille, max(1, (now_ms - ms_before) * 1000 // (wall - wall_before)))

    def _shown_state(self, *, is_paused: bool) -> str:
        if self._state.drives:
            return "paused" if is_paused else "live"
        return "released" if self._note == "opening" else "waiting"

    async def _rest(self, is_there: bool) -> None:
        """Wait for the next event, a hint, or the next look; if there is still work to do, only yield to the loop."""
        # Other runs in the loop get their turn, and no more.
        if not is_there or self.is_over:
            await asyncio.sleep(0)
            return
        due_ms = self.course.ahead_ms()
        wait_ms = self.pacer.wait_ms(due_ms, self._wall()) if due_ms is not None else None
        look_s = self._look_at - perf_counter()
        wait_s = look_s if wait_ms is None else min(wait_ms / 1000, look_s)
        since_flush_s = perf_counter() - self._flushed
        try:
            await asyncio.wait_for(self._awake.wait(), max(wait_s, FLUSH_S - since_flush_s, 0.001))
        except TimeoutError:
            return
        self._awake.clear()


def _look_on(ahead: Course, until_ms: Ms) -> tuple[bool, Ms | None]:
    """Look ahead for about another slice; return whether the look is over, and the moment of the first visible record."""
    began = perf_counter()
    while perf_counter() - began < SLICE_S:
        leg = ahead.drive(until_ms, limit=QUIET_WORK_AT_ONCE)
        sight_ms = next((record.at_ms for record in leg.records if record.kind != "decision"), None)
        if sight_ms is not None or leg.is_there:
            return True, sight_ms
    return False, None


def _call_engine(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return what ``work`` returns. Running out of memory counts as a failure of the engine, with that as its cause."""
    try:
        return work(*args, **kwargs)
    except MemoryError as error:
        raise EngineFailed("more memory than there is") from error
