"""The step: take what is due next, hand it to whoever it is for, collect the records. ``advance`` and ``apply`` are built on it."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from simulator.engine.acts.carry_out import carry_out_command
from simulator.engine.acts.registry import AnyCommand
from simulator.engine.controllers.kubelet import (
    ended,
    eviction,
    intake,
    node_oom,
    probes,
    pulling,
    relist,
    removal,
    restart,
    runtime,
    runtime_loss,
    shutdown,
    static_pods,
    stop,
    sync,
    volumes,
)
from simulator.engine.controllers.node import drain, monitor, pod_gc, taints
from simulator.engine.controllers.node import status as node_status
from simulator.engine.controllers.past import play
from simulator.engine.controllers.scheduler import schedule_pod
from simulator.engine.controllers.store import budgets, garbage
from simulator.engine.controllers.store.disruption import disruption_over
from simulator.engine.controllers.store.namespaces import namespace_sweep
from simulator.engine.controllers.store.objects import claim_sweep
from simulator.engine.effects import Effects
from simulator.engine.events import (
    BudgetSync,
    ClaimSweep,
    CollectGarbage,
    DeadlineDue,
    DisruptionOver,
    DrainRetry,
    EvictionTick,
    ExecTimeout,
    ExecWake,
    HookDone,
    HousekeepingKill,
    KubeletLoses,
    KubeletSees,
    KubeletUp,
    MeasureVolumes,
    NamespaceSweep,
    NodeCheck,
    NodeOom,
    NodeStatusDue,
    PastDue,
    PastOver,
    PodGC,
    ProbeAnswer,
    ProbeTick,
    ProcessEnded,
    ProcessWake,
    PullDone,
    Relist,
    RuntimeStep,
    SchedulePod,
    ScriptDue,
    ShutdownStep,
    StaticSync,
    StatusBeat,
    StopStep,
    SyncDue,
    TaintEvict,
    TaintJudge,
    VolumeTry,
    VolumeWait,
    WorkerStep,
)
from simulator.engine.records import Record
from simulator.engine.units import Ms
from simulator.engine.world import World

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
    queue = world.queue
    fx = Effects(world, records)
    for _ in range(limit):
        due_ms = queue.peek_ms()
        if due_ms is None or due_ms > until_ms:
            world.now_ms = max(world.now_ms, until_ms)
            return Batch(records, world.now_ms, due_ms, True)
        due = queue.pop()
        world.now_ms = fx.now = due_ms
        fx.cause = due.cause
        _HANDLERS[type(due.event)](fx, due.event)
    return Batch(records, world.now_ms, queue.peek_ms(), False)


def _script(fx: Effects, event: ScriptDue) -> None:
    carry_out_command(fx, fx.world.header.script[event.n].command)


_HANDLERS: dict[type, Callable[[Effects, Any], None]] = {
    SchedulePod: schedule_pod,
    KubeletSees: intake.kubelet_sees,
    KubeletLoses: intake.kubelet_loses,
    SyncDue: intake.sync_due,
    WorkerStep: sync.worker_step,
    Relist: relist.relist,
    ProcessWake: runtime.process_wake,
    ProcessEnded: ended.process_ended,
    ExecWake: ended.exec_wake,
    ExecTimeout: ended.exec_timeout,
    HookDone: ended.hook_done,
    StopStep: stop.stop_step,
    ProbeTick: probes.tick,
    ProbeAnswer: probes.probe_answer,
    VolumeTry: volumes.volume_try,
    VolumeWait: sync.volume_wait,
    PullDone: pulling.pull_done,
    StatusBeat: removal.status_beat,
    HousekeepingKill: removal.housekeeping_kill,
    DeadlineDue: intake.deadline_due,
    EvictionTick: eviction.eviction_tick,
    MeasureVolumes: eviction.measure_volumes,
    NodeOom: node_oom.node_oom,
    ClaimSweep: claim_sweep,
    DisruptionOver: disruption_over,
    NamespaceSweep: namespace_sweep,
    TaintJudge: taints.taint_judge,
    TaintEvict: taints.taint_evict,
    NodeCheck: monitor.node_check,
    NodeStatusDue: node_status.node_status_due,
    KubeletUp: restart.kubelet_up,
    RuntimeStep: runtime_loss.runtime_step,
    PodGC: pod_gc.pod_gc,
    ShutdownStep: shutdown.shutdown_step,
    StaticSync: static_pods.static_sync,
    BudgetSync: budgets.budget_sync,
    CollectGarbage: garbage.collect_garbage,
    DrainRetry: drain.drain_retry,
    ScriptDue: _script,
    PastDue: play.past_due,
    PastOver: play.past_over,
}
