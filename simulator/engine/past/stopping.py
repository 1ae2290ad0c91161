"""A pod that was being deleted at the moment of import: its containers have their stop signal and the grace period is running."""

from msgspec.structs import replace

from simulator.engine.kernel.units import Ms, seconds
from simulator.engine.kubelet.pods.containers.container_machine import CONTAINER, StartFacts
from simulator.engine.kubelet.pods.stop.stop import override_of
from simulator.engine.kubelet.pods.stop.stop_machine import STOP, StopFacts
from simulator.engine.kubelet.pods.sync import sync
from simulator.engine.kubelet.pods.worker.pod_worker_machine import POD_WORKER
from simulator.engine.policies.grace import signal_grace_ms, worker_grace_s
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import StopStep
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Instance, PodRow, Stop, Worker


def go_on_stopping(fx: Effects, row: PodRow, worker: Worker, stop_ms: Ms | None) -> None:
    """Restore the pod's worker: waiting for its containers, some of which run, since ``stop_ms`` (None: it had not begun)."""
    running = [item for item in fx.tables.instances.get(row.key, ()) if item.runs]
    if stop_ms is None:
        sync.request(fx, row.key, fx.cause)
        return
    profile = fx.profile
    grace_ms = seconds(worker_grace_s(row.pod.spec, row.grace_s, least_s=profile.grace_min_s, zero_is_unset=profile.zero_grace_is_unset))
    grace_s = grace_ms // 1000 if fx.profile.pod_worker_states else None
    waits = tuple((item.container, item.attempt) for item in running)
    worker, _, _ = fx.become(POD_WORKER, row.key, worker, "imported_stopping", False)
    worker = replace(worker, grace_s=grace_s, killed=True, acted=True, step="kill_pod", waits_for=waits, n=worker.n + 1)
    fx.save_worker(worker)
    given = override_of(fx, worker)
    process_ms = given if given is not None else signal_grace_ms(grace_ms, least_ms=fx.profile.min_stop_ms)
    for item in running:
        _stopping(fx, row, item, stop_ms, grace_ms, process_ms)


def _stopping(fx: Effects, row: PodRow, item: Instance, stop_ms: Ms, grace_ms: Ms, process_ms: Ms) -> None:
    """Mark the container as signalled but not ended; KILL follows at the deadline."""
    # The deadline may have passed since the text was copied: then KILL follows at once.
    due = max(stop_ms + process_ms, fx.now)
    n = fx.count("stop")
    origin = (("inferred", True), ("origin", "metadata.deletionTimestamp"))
    data = (("instance", item.attempt), ("group", item.group), ("grace_ms", grace_ms), ("message", f"Stopping container {item.container}"))
    stop = Stop(state=STOP.initial, reason="pod", began_ms=stop_ms, grace_ms=grace_ms, deadline_ms=due, n=n, ordered=True, term_ms=stop_ms)
    item, _, seq = fx.become(CONTAINER, row.key, item, "imported", StartFacts(), word="stopping", data=(*data, *origin), stop=stop)
    left = (("signal", "TERM"), ("left_s", (due - fx.now) // 1000), ("grace_s", grace_ms // 1000))
    with fx.because(seq):
        item, _, seq = fx.become(STOP, row.key, item, "imported", StopFacts(), data=(*left, *origin))
    handle = fx.schedule(due, Lane.RUNTIME, StopStep(row.key, item.container, item.attempt, n), cause=seq)
    assert item.stop is not None
    fx.save_instance(row.key, replace(item, stop=replace(item.stop, handle=handle), seq=seq))
