"""Resting pods: syncs that find nothing to do are not events but arithmetic, computed on demand.

A sync that finds nothing writes no record and changes only when the next one is due. So a resting worker stores the first such
moment (``sync_due_ms``) and the place in the queue that it would have (``rests``); every later one follows from keyed draws. Whatever
wakes the worker (``Effects.awaken``) finds it as if each sync had been an event, with the next one queued where it would be. Among
events for the same pod queued in the same millisecond, a computed sync comes first.
"""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.rng import jitters_ms
from simulator.engine.kernel.units import Key
from simulator.engine.world.queue import PUSHES, PUSHES_BITS, Lane
from simulator.engine.world.rows import Worker

if TYPE_CHECKING:
    from simulator.engine.world.world import World


def resync_stream(pod: Key) -> str:
    """The draws behind the moments of a pod's regular syncs."""
    return f"resync/{pod}"


def up_to_now(world: "World", worker: Worker) -> Worker:
    """The worker after the syncs that were due by now. O(syncs since it came to rest)."""
    due_ms = worker.sync_due_ms
    if not worker.rests or due_ms is None:
        return worker
    reached, rests, syncs, busy_until_ms = world.queue.reached, worker.rests, worker.syncs, worker.busy_until_ms
    if (due_ms, Lane.KUBELET, rests) >= reached:
        return worker
    profile, header, kubelet = world.profile, world.header, world.tables.kubelets[worker.node]
    relist, relist_ms, tick, tick_ms = kubelet.relist_phase_ms, profile.relist_ms, kubelet.tick_phase_ms, profile.sync_tick_ms
    base_ms, percent, stream = profile.sync_frequency_ms, profile.sync_jitter_permille // 10, resync_stream(worker.pod)
    for wait_ms in jitters_ms(header.seed, stream, syncs + 1, base_ms, percent, jitter=header.jitter):
        busy_until_ms, syncs, rests = due_ms + profile.sync_cost_ms, syncs + 1, due_ms << PUSHES_BITS | (rests & PUSHES)
        due_ms = max(next_beat(due_ms + wait_ms, tick, tick_ms), next_beat(busy_until_ms, relist, relist_ms))
        if (due_ms, Lane.KUBELET, rests) >= reached:
            break
    return replace(worker, syncs=syncs, busy_until_ms=busy_until_ms, sync_due_ms=due_ms, rests=rests)
