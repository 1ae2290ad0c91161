"""The step: take what is due next, hand it to whoever it is for, collect the records. ``advance`` and ``apply`` are built on it."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from simulator.engine.acts.carry_out import carry_out_command
from simulator.engine.acts.registry import AnyCommand
from simulator.engine.course import components
from simulator.engine.imported import play
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.engine.world.effects import CLIENT, Effects
from simulator.engine.world.events import ScriptDue
from simulator.engine.world.world import World

UNLIMITED = 1_000_000_000


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
    if play.lies_before(world):
        play.refuse(fx, command)
    else:
        carry_out_command(fx, command)
    return records


def advance(world: World, *, until_ms: Ms, limit: int = UNLIMITED) -> Batch:
    """Process what is due up to ``until_ms``, at most ``limit`` events. Where the limit cuts never changes the outcome."""
    records: list[Record] = []
    queue, queued, checks = world.queue, world.tables.queued, world.tables.checks
    fx = Effects(world, records)
    for _ in range(limit):
        due_ms = queue.peek_ms()
        if due_ms is None or due_ms > until_ms:
            world.now_ms = max(world.now_ms, until_ms)
            return Batch(records, world.now_ms, due_ms, True)
        due = queue.pop()
        world.now_ms = fx.now = due_ms
        fx.cause = due.cause
        fx.component, handler = HANDLERS[type(due.event)]
        if queued and queued.get(due.event) == due_ms:
            del queued[due.event]
        if checks and (held := checks.get(due.event)) is not None and held[1] == due.n:
            del checks[due.event]
        handler(fx, due.event)
    return Batch(records, world.now_ms, queue.peek_ms(), False)


def _script(fx: Effects, event: ScriptDue) -> None:
    carry_out_command(fx, fx.world.header.script[event.n].command)


HANDLERS: dict[type, tuple[str, Callable[[Effects, Any], None]]] = {**components.HANDLERS, ScriptDue: (CLIENT, _script)}
