"""The past as queued events: one fact after the other at its moment, then the take-over.

Facts of several pods are queued side by side and interleave by time, as they did. Commands are refused
before the take-over, since nothing a user does now could have changed the past.
"""

from simulator.engine.kernel.command import Command
from simulator.engine.kernel.records import RecordKind
from simulator.engine.kernel.units import Key
from simulator.engine.past.document import PastFact, past_of
from simulator.engine.past.effects import PastEffects
from simulator.engine.past.facts import apply_fact, create
from simulator.engine.past.resume import resume_pods
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import PastDue, PastOver
from simulator.engine.world.queue import Lane
from simulator.engine.world.world import World


def begin(fx: Effects) -> None:
    """Queue the past of a new run, if it has one."""
    past = past_of(fx.world.header)
    if past is None:
        return
    for n, pod in enumerate(past.pods):
        # A pod may be older than the run: what happened before 0 happens at 0, in order.
        fx.schedule(max(pod.facts[0].at_ms, 0), Lane.RUNTIME, PastDue(n, 0, ""), cause=0)
    fx.schedule(past.resume_ms, Lane.SCRIPT, PastOver(), cause=0)


def past_due(fx: Effects, event: PastDue) -> None:
    """Apply the next fact of a pod."""
    past = past_of(fx.world.header)
    assert past is not None
    pod = past.pods[event.pod]
    fact: PastFact = pod.facts[event.n]
    acting = PastEffects(fx, fact)
    key = event.key
    if fact.do == "created":
        key = create(acting, pod)
    else:
        apply_fact(acting, key, fact)
    if event.n + 1 < len(pod.facts):
        due = max(pod.facts[event.n + 1].at_ms, fx.now)
        fx.schedule(due, Lane.RUNTIME, PastDue(event.pod, event.n + 1, key), cause=acting.cause)


def finish_past(fx: Effects, event: PastOver) -> None:
    """The moment of import."""
    past = past_of(fx.world.header)
    assert past is not None
    # By uid: two pods of the past may have had the same name.
    by_uid = {row.uid: row.key for row in fx.tables.pods.values()}
    keys: dict[int, Key] = {n: by_uid[pod.uid] for n, pod in enumerate(past.pods)}
    resume_pods(fx, keys)


def lies_before(world: World) -> bool:
    """Whether the world is before the moment of import, when nobody can change anything."""
    past = past_of(world.header)
    return past is not None and world.now_ms < past.resume_ms


def refuse(fx: Effects, command: Command) -> None:
    """Refuse a command issued during the past."""
    name = str(command.__struct_config__.tag)
    fx.record(
        kind=RecordKind.COMMAND.value, subject="run", machine="command", target="refused", rule="IMPORT-PAST", data=(("do", name),), cause=0
    )
