"""The step: take what is due next, hand it to whoever it is for, collect the records. ``advance`` and ``apply`` are built on it."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from simulator.engine.acts.carry_out import carry_out_command
from simulator.engine.acts.registry import AnyCommand
from simulator.engine.course import components
from simulator.engine.imported import play
from simulator.engine.kernel.records import Record, feed
from simulator.engine.kernel.units import Ms
from simulator.engine.runtime.effort import STEP
from simulator.engine.world.effects import CLIENT, Effects
from simulator.engine.world.events import ScriptDue
from simulator.engine.world.world import World

UNLIMITED = 1_000_000_000
EVENT_UNITS = 16 * STEP
"""Work of containers (effort.py) that counts as much as an event: both take about a tenth of a millisecond."""


class Batch(Struct):
    """What an advance brought: records in order, how far the world got, and what comes next.

    ``exhausted``: every event due by the moment asked for has been processed, so ``reached_ms`` is that moment.
    """

    records: list[Record]
    reached_ms: Ms
    next_due_ms: Ms | None
    exhausted: bool


def apply(world: World, command: AnyCommand) -> list[Record]:
    """Carry out a command at ``world.now_ms``. A refusal is a record. The caller has advanced until not exhausted before."""
    records: list[Record] = []
    fx = Effects(world, records)
    try:
        if play.lies_before(world):
            play.refuse(fx, command)
        else:
            carry_out_command(fx, command)
    finally:
        feed(world.hasher, records)
    return records


def advance(world: World, *, until_ms: Ms, limit: int = UNLIMITED) -> Batch:
    """Process what is due up to ``until_ms``: at most ``limit`` events, fewer where containers compute much, but one at least.

    Where the limit cuts never changes the outcome.
    """
    records: list[Record] = []
    try:
        exhausted = _work_off(Effects(world, records), until_ms, limit)
    finally:
        feed(world.hasher, records)
    if exhausted:
        world.now_ms = max(world.now_ms, until_ms)
        world.queue.settle(world.now_ms)
    return Batch(records, world.now_ms, world.queue.peek_ms(), exhausted)


def _work_off(fx: Effects, until_ms: Ms, limit: int) -> bool:
    """Hand what is due to whoever it is for; returns whether that was all."""
    world, queued, checks = fx.world, fx.tables.queued, fx.tables.checks
    queue = world.queue
    while limit > 0:
        due = queue.pop(until_ms)
        if due is None:
            return True
        due_ms, _, n, event, fx.cause = due
        fx.handle = n
        world.now_ms = fx.now = due_ms
        fx.component, handler = HANDLERS[type(event)]
        if queued and queued.get(event) == due_ms:
            del queued[event]
        if checks and (held := checks.get(event)) is not None and held[1] == n:
            del checks[event]
        handler(fx, event)
        limit -= 1
        if fx.spent:
            limit -= fx.spent // EVENT_UNITS
            fx.spent = 0
    return False


def _script(fx: Effects, event: ScriptDue) -> None:
    carry_out_command(fx, fx.world.header.script[event.n].command)


HANDLERS: dict[type, tuple[str, Callable[[Effects, Any], None]]] = {**components.HANDLERS, ScriptDue: (CLIENT, _script)}
