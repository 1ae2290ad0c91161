"""When a pod's worker may sync: at most one sync of a pod at a time, each with a newer view of the runtime than the one before.

Four things request a sync: a change of the object, a change of containers that a relist found, a probe
result, and the clock (60 to 90 s after a good sync, 10 to 15 s after a failed one). Requests that come
while a sync runs are merged into one.

Two syncs of a pod are separated by a relist, since the worker waits for a cache that is newer than its last
sync. That is why a sandbox and a container that appear in the same relist cause a second sync a second
later, and why nothing happens to a pod more often than once a second. ``earliest_sync`` computes that
without queueing relists: it takes the last tick of the relist's grid after the end of the last sync.

The clock advances in ticks of the kubelet's sync loop (a second), so a due time is the next tick after it, and
not before the next relist.

Resting: on a node that works normally the regular syncs of a calm pod are not events at all. The
worker rests with the time of its next sync, and whatever awakens it (``Effects.awaken``) finds it as if all those
syncs had run. Results never depend on it; a test compares.

Source: pkg/kubelet/pod_workers.go managePodLoop, wrapUp; pkg/kubelet/kubelet.go syncLoopIteration.
"""

from msgspec.structs import replace

from simulator.engine.kernel.grid import last_beat, next_beat
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Ms, Seq
from simulator.engine.model.service_account import own_volumes
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import SyncDue
from simulator.engine.world.queue import Lane
from simulator.engine.world.rest import resync_stream
from simulator.engine.world.rows import PodRow, Worker

RULES = (
    RuleText(
        "SYNC-AFTER-RELIST",
        gettext_noop("The next sync of a pod waits until the kubelet has looked at its containers again."),
        "pkg/kubelet/pod_workers.go managePodLoop",
    ),
    RuleText(
        "SYNC-RESYNC",
        gettext_noop("Nothing is wrong, so the kubelet looks at the pod again on its own after 60 to 90 s."),
        "pkg/kubelet/pod_workers.go wrapUp",
    ),
    RuleText(
        "SYNC-RETRY",
        gettext_noop("Something could not be done, so the kubelet retries after 10 to 15 s."),
        "pkg/kubelet/pod_workers.go wrapUp",
    ),
)


def request_sync(fx: Effects, key: Key, cause: Seq) -> bool:
    """Note that something changed for the pod. Whether its sync may begin at this very moment (the caller then begins it)."""
    worker = fx.tables.workers.get(key)
    if worker is None or worker.state == "finished":
        return False
    if worker.rests:
        worker = fx.awaken(key)
    if worker.step:
        fx.save_worker(replace(worker, pending=True, pending_seq=cause))
        return False
    due = earliest_sync(fx, worker)
    if due <= fx.now:
        return True
    _wake_at(fx, worker, due, cause)
    return False


def earliest_sync(fx: Effects, worker: Worker) -> Ms:
    """When the worker's next sync may begin: now, if a relist came after the end of the last sync, else at the next relist."""
    kubelet = fx.tables.kubelets[worker.node]
    seen = fx.tables.seen.get(worker.pod)
    if not worker.syncs or (seen is not None and seen.at_ms > worker.busy_until_ms):
        return fx.now
    if last_beat(fx.now, kubelet.relist_phase_ms, fx.profile.relist_ms) > worker.busy_until_ms:
        return fx.now
    return next_beat(worker.busy_until_ms, kubelet.relist_phase_ms, fx.profile.relist_ms)


def _wake_at(fx: Effects, worker: Worker, due: Ms, cause: Seq) -> Worker:
    """Let the next sync begin at ``due``, unless one is queued earlier."""
    if worker.sync_due_ms is not None:
        if worker.sync_due_ms <= due:
            return fx.save_worker(worker)
        fx.cancel(worker.sync_handle)
    handle = fx.schedule(due, Lane.KUBELET, SyncDue(worker.pod), cause=cause)
    return fx.save_worker(replace(worker, sync_due_ms=due, sync_handle=handle, pending_seq=cause))


def end_idle_sync(fx: Effects, worker: Worker) -> None:
    """Do what ``end_sync`` does for a sync that begins with nothing to do and ends at once, in one write.

    On a node that works normally the next one will find nothing either, unless something awakens the worker first.
    """
    profile, kubelet = fx.profile, fx.tables.kubelets[worker.node]
    syncs, busy_until_ms = worker.syncs + 1, fx.now + profile.sync_cost_ms
    wait = fx.jitter(resync_stream(worker.pod), syncs, profile.sync_frequency_ms, profile.sync_jitter_permille // 10)
    tick = next_beat(fx.now + wait, kubelet.tick_phase_ms, profile.sync_tick_ms)
    due = max(tick, next_beat(busy_until_ms, kubelet.relist_phase_ms, profile.relist_ms))
    worker = replace(
        worker, program=(), step="", waits_for=(), pending=False, pending_seq=fx.cause, busy_until_ms=busy_until_ms, sync_due_ms=due,
        sync_handle=0, syncs=syncs, acted=False, failed=False, seq=fx.cause, looked=worker.calm, retry_ms=None,
    )  # fmt: skip
    if may_rest(fx, worker):
        fx.rest_worker(worker)
    else:
        fx.save_worker(replace(worker, sync_handle=fx.schedule(due, Lane.KUBELET, SyncDue(worker.pod), cause=fx.cause)))


def is_still_idle(fx: Effects, row: PodRow, worker: Worker) -> bool:
    """Whether the sync of a pod that was calm last time has nothing to check, as with nearly every sync in a quiet cluster."""
    return (
        worker.calm is fx.tables.seen.get(worker.pod)
        and worker.calm_version == row.version
        and worker.state == "syncing"
        and row.deletion_ms is None
        and row.gone_ms is None
        and not fx.tables.static_pods
        and not own_volumes(row.pod.spec)
    )


def may_rest(fx: Effects, worker: Worker) -> bool:
    """Whether the pod's regular syncs need not be events. Results never depend on it: tests say no and compare."""
    return worker.node not in fx.tables.unhealthy


def end_sync(fx: Effects, worker: Worker, *, base_ms: Ms | None = None) -> Worker:
    """Finish the sync: queue the next one, soon if something waits, else after the regular or the error interval (or ``base_ms``)."""
    profile, is_asked = fx.profile, worker.pending
    # Stored by whoever plans the next sync: one write for both.
    worker = replace(worker, step="", waits_for=(), busy_until_ms=fx.now + profile.sync_cost_ms, program=(), pending=False)
    if is_asked:
        return _wake_at(fx, worker, earliest_sync(fx, worker), worker.pending_seq)
    if not profile.pod_worker_states and _is_over_for_1_20(fx, worker):
        return fx.save_worker(worker)
    base, permille = (
        (profile.error_requeue_ms, profile.error_jitter_permille)
        if worker.failed
        else (profile.sync_frequency_ms, profile.sync_jitter_permille)
    )
    if worker.retry_ms is not None and worker.failed and profile.requeue_at_backoff_expiry:
        base = min(max(worker.retry_ms - fx.now, 0), profile.backoff_requeue_max_ms)
    if base_ms is not None:
        base = base_ms
    wait = fx.jitter(resync_stream(worker.pod), worker.syncs, base, permille // 10)
    kubelet = fx.tables.kubelets[worker.node]
    tick = next_beat(fx.now + wait, kubelet.tick_phase_ms, profile.sync_tick_ms)
    relist = next_beat(worker.busy_until_ms, kubelet.relist_phase_ms, profile.relist_ms)
    if (
        worker.calm is not None
        and _found_nothing(worker)
        and may_rest(fx, worker)
        and is_still_idle(fx, fx.tables.pods[worker.pod], worker)
    ):
        return fx.rest_worker(replace(worker, sync_due_ms=max(tick, relist), pending_seq=worker.seq))
    return _wake_at(fx, worker, max(tick, relist), worker.seq)


def _found_nothing(worker: Worker) -> bool:
    """Whether the finished sync leaves nothing behind that the next one would clear, and nothing else has requested one since."""
    is_idle = not worker.acted and not worker.failed and worker.retry_ms is None
    return is_idle and worker.looked is worker.calm and worker.sync_due_ms is None


def _is_over_for_1_20(fx: Effects, worker: Worker) -> bool:
    """Whether a 1.20 kubelet has nothing more to do for a pod: it has ended, and nothing of it runs (dispatchWork)."""
    row = fx.tables.pods[worker.pod]
    if row.status.phase not in TERMINAL_PHASES:
        return False
    sandbox = fx.tables.sandboxes.get(worker.pod)
    stopped = sandbox is None or sandbox.state == "stopped"
    return stopped and not any(item.runs for item in fx.tables.instances.get(worker.pod, ()))
