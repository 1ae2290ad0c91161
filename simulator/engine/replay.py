"""Replay: the same header and commands give the same world, at any moment, for ever. Seeking and verifying are built on it."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from msgspec import Struct

from simulator.engine.acts.registry import Stamped
from simulator.engine.genesis import new_world
from simulator.engine.header import RunHeader
from simulator.engine.records import Record
from simulator.engine.step import advance, apply
from simulator.engine.units import Ms, Seq
from simulator.engine.world import World


def replay(
    header: RunHeader,
    commands: Sequence[Stamped],
    *,
    until_ms: Ms | None = None,
    until_seq: Seq | None = None,
    into: list[Record] | None = None,
) -> World:
    """The world at a moment, or as soon as a record number has been written; every command stamped by then is applied.

    ``into`` collects the records. With ``until_seq`` the world may have gone a little beyond that record: an event's records
    are never torn apart. Cost: that of the run itself.
    """
    world = new_world(header)
    if into is not None:
        into.extend(world.first_records)
    return resume(world, commands, until_ms=until_ms, until_seq=until_seq, into=into)


def resume(
    world: World, commands: Sequence[Stamped], *, until_ms: Ms | None = None, until_seq: Seq | None = None, into: list[Record] | None = None
) -> World:
    """Carry a world on. ``commands`` are those it has not seen, in order."""
    for stamped in commands:
        if until_ms is not None and stamped.at_ms > until_ms:
            break
        if not _reach(world, stamped.at_ms, until_seq, into):
            return world
        records = apply(world, stamped.command)
        if into is not None:
            into.extend(records)
        if until_seq is not None and world.seq >= until_seq:
            return world
    if until_ms is not None or until_seq is not None:
        _reach(world, until_ms, until_seq, into)
    return world


def _reach(world: World, until_ms: Ms | None, until_seq: Seq | None, into: list[Record] | None) -> bool:
    """Advance to a moment; stops early, with False, once ``until_seq`` has been written."""
    while until_seq is None or world.seq < until_seq:
        due = world.queue.peek_ms()
        target = until_ms if until_ms is not None else due
        if target is None:
            return False
        batch = advance(world, until_ms=target, limit=10_000 if until_seq is None else 1)
        if into is not None:
            into.extend(batch.records)
        if batch.exhausted and until_ms is not None:
            return True
    return False


class Checkpoints:
    """Forks of a run's world taken along the way, so that a seek replays only from the nearest one. At most ``size`` are kept."""

    def __init__(self, header: RunHeader, commands: Sequence[Stamped], *, every_ms: Ms = 30_000, size: int = 256) -> None:
        self.header = header
        self.commands = tuple(commands)
        self.every_ms = every_ms
        self.size = size
        self._worlds: list[World] = [new_world(header)]

    def _nearest(self, moment: Ms) -> World:
        position = bisect_right([world.now_ms for world in self._worlds], moment)
        return self._worlds[max(position - 1, 0)]

    def keep(self, world: World) -> None:
        """Keep a fork of ``world``, if it is far enough from the others."""
        position = bisect_right([kept.now_ms for kept in self._worlds], world.now_ms)
        if world.now_ms - self._worlds[position - 1].now_ms < self.every_ms:
            return
        self._worlds.insert(position, world.fork())
        if len(self._worlds) > self.size:
            self.every_ms *= 2
            self._worlds = self._worlds[:1] + self._worlds[2::2]


def seek(checkpoints: Checkpoints, *, to_ms: Ms) -> World:
    """The world at a moment, as if it had got there by itself. Replays at most ``every_ms`` of the run once it is warm."""
    base = checkpoints._nearest(to_ms)
    world = base.fork()
    # A checkpoint at t has already applied the commands stamped t: it was taken after them.
    rest = [stamped for stamped in checkpoints.commands if stamped.at_ms > base.now_ms or (base.now_ms == 0 and base.seq == 0)]
    if base is checkpoints._worlds[0]:
        rest = list(checkpoints.commands)
    while world.now_ms + checkpoints.every_ms < to_ms:
        stop = world.now_ms + checkpoints.every_ms
        resume(world, rest, until_ms=stop)
        rest = [stamped for stamped in rest if stamped.at_ms > stop]
        checkpoints.keep(world)
    return resume(world, rest, until_ms=to_ms)


class Divergence(Struct, frozen=True):
    """The first record that a replay writes differently; ``now`` is None where it writes none."""

    seq: Seq
    stored: Record
    now: Record | None


def verify(header: RunHeader, commands: Sequence[Stamped], records: Iterable[Record]) -> Divergence | None:
    """Run again and compare with stored records; None when all agree."""
    stored = list(records)
    if not stored:
        return None
    again: list[Record] = []
    replay(header, commands, until_seq=stored[-1].seq, into=again)
    for position, record in enumerate(stored):
        now = again[record.seq - 1] if record.seq <= len(again) else None
        if now != record:
            return Divergence(record.seq, stored[position], now)
    return None
