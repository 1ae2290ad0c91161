"""The step: take what is due next, pass it to its handler, collect the records. ``advance`` and ``apply`` are built on it.

An event has a moment, a lane, the record that caused it and the component whose key it is. The handler
gets ``Effects`` with that cause, so everything it writes is linked to it, and may schedule further events,
even at the present moment: they are taken within the same advance. The digest is fed even when a
handler fails, since the records have been written by then.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.carry_out import carry_out_command
from simulator.engine.apiserver.cut_off import at_node
from simulator.engine.course import components
from simulator.engine.kernel.errors import EngineError
from simulator.engine.kernel.records import Record, feed
from simulator.engine.kernel.units import Ms
from simulator.engine.past import play
from simulator.engine.world.effects import CLIENT, KUBELET, Effects
from simulator.engine.world.events import NetworkBack, ScriptDue
from simulator.engine.world.lookups import node_of_event
from simulator.engine.world.work import EVENT, work_of
from simulator.engine.world.world import World

UNLIMITED = 1 << 60
ON_NODES = (KUBELET, "runtime")
"""Components that exist once per node."""


class Batch(Struct):
    """The result of an advance: records in order, how far the world got, and what comes next.

    ``exhausted``: every event due by the requested moment has been processed, so ``reached_ms`` is that moment. ``work``: what it
    cost, in units (world/work.py).
    """

    records: list[Record]
    reached_ms: Ms
    next_due_ms: Ms | None
    exhausted: bool
    work: int
    events: int


def apply(world: World, command: AnyCommand) -> list[Record]:
    """Carry out a command at ``world.now_ms``. A refusal is a record. The caller must have advanced until exhausted before."""
    return carried_out(world, command)[0]


def carried_out(world: World, command: AnyCommand) -> tuple[list[Record], int]:
    """The same, together with its cost in units (world/work.py)."""
    records: list[Record] = []
    fx = Effects(world, records)
    began = work_of(world)
    world.spent += EVENT
    try:
        if play.lies_before(world):
            play.refuse(fx, command)
        else:
            carry_out_command(fx, command)
    finally:
        feed(world.hasher, records)
    return records, work_of(world) - began


def advance(world: World, *, until_ms: Ms, limit: int = UNLIMITED) -> Batch:
    """Process what is due up to ``until_ms``, until ``limit`` units of work are done, but at least one event.

    Where the limit cuts never changes the outcome. The event that exceeds it is still finished: none costs more than about 0.1 s.
    """
    records: list[Record] = []
    fx = Effects(world, records)
    began = work_of(world)
    try:
        events, exhausted = _work_off(fx, until_ms, began + limit)
    finally:
        feed(world.hasher, records)
    if exhausted:
        world.now_ms = max(world.now_ms, until_ms)
        world.queue.settle(world.now_ms)
    return Batch(records, world.now_ms, world.queue.peek_ms(), exhausted, work_of(world) - began, events)


def _work_off(fx: Effects, until_ms: Ms, enough: int) -> tuple[int, bool]:
    """Handle what is due until the world's work reaches ``enough``; how many events that were, and whether that was everything."""
    world, tables, handlers, events = fx.world, fx.tables, HANDLERS, 0
    queued, checks, held_objects, is_bounded = tables.queued, tables.checks, tables.held_objects, enough < UNLIMITED
    pop, now_ms = world.queue.pop, world.now_ms
    # Every event goes through here, so look-ups are saved wherever possible.
    while not (is_bounded and events and work_of(world) >= enough):
        due = pop(until_ms)
        if due is None:
            return events, True
        due_ms, _, n, event, fx.cause = due
        if due_ms != now_ms:
            if due_ms < now_ms:
                raise EngineError(f"{type(event).__name__} is due at {due_ms} ms, before the present")
            world.now_ms = fx.now = now_ms = due_ms
        fx.handle = n
        fx.component, handler = handlers[type(event)]
        # The key leaves its work queue before it is processed, as in client-go: a change that arrives
        # meanwhile queues it again.
        if queued and queued.get(event) == due_ms:
            del queued[event]
        # Only the check that is due now; a later one for the same key has another number.
        if checks and (held := checks.get(event)) is not None and held[1] == n:
            del checks[event]
        # On a node that is cut off, kubelet and runtime go by what they know there.
        if held_objects and fx.component in ON_NODES and not isinstance(event, NetworkBack):
            handler(at_node(fx, node_of_event(tables, event)), event)
        else:
            handler(fx, event)
        events += 1
        world.spent += EVENT
    return events, False


def _script(fx: Effects, event: ScriptDue) -> None:
    carry_out_command(fx, fx.world.header.script[event.n].command)


HANDLERS: dict[type, tuple[str, Callable[[Effects, Any], None]]] = {**components.HANDLERS, ScriptDue: (CLIENT, _script)}
