"""What the kubelet does when its watch reports a pod: accept it, see a change, lose it.

The watches here are the kubelet's side of the API: pods bound to its node reach it after the watch's latency, and
it is not notified of its own writes. From there:

* A pod that is new to the kubelet is admitted or rejected (``admission``). Accepting it starts a worker, its probe
  workers (until 1.21; later versions start them with the first sync) and the clock of its deadline, and counts its
  resources on the node. They are counted before the sync, so that the next pod of the same moment sees them taken.
* A change requests a sync; the worker reads the object itself when it gets there. New resources are considered
  first, since the kubelet accepts them outside of the sync.
* If the object is gone while something still runs (a forced deletion), that is stopped nevertheless. A pod that has
  ended is forgotten at once. The 1.20 kubelet kills such a pod through a second channel besides the worker, which
  announces a stop in progress again and shortens its time.

A pod that ends frees resources that deferred resizes may have waited for; these are retried after
the watch that takes the pod off the node, which is why the order of ``WATCHES`` matters.

Source: pkg/kubelet/kubelet.go HandlePodAdditions, HandlePodUpdates, HandlePodRemoves, HandlePodReconcile.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.kubelet.base import pressure, room
from simulator.engine.kubelet.base.health import has_running_kubelet
from simulator.engine.kubelet.node import admission
from simulator.engine.kubelet.pods.probes import probe_workers
from simulator.engine.kubelet.pods.resize import resize
from simulator.engine.kubelet.pods.static import static_pods
from simulator.engine.kubelet.pods.status import endings, reconcile
from simulator.engine.kubelet.pods.stop import stop
from simulator.engine.kubelet.pods.sync import removal, sync
from simulator.engine.kubelet.pods.worker.pod_worker_machine import POD_WORKER
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import DeadlineDue, KubeletLoses, KubeletSees, SyncDue
from simulator.engine.world.lookups import pod_on_node
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import PodRow, Worker
from simulator.engine.world.watch import ADDED, BOUND, CHANGED, DELETING, ENDED, GONE, STATUS, Queue, Watch

QUEUE = Queue("kubelet", Lane.KUBELET, "watch_ms")


def kubelet_sees(fx: Effects, event: KubeletSees) -> None:
    """The pod was added to this kubelet, or its object changed."""
    row = fx.tables.pods[event.pod]
    worker = fx.tables.workers.get(event.pod)
    if (
        row.node not in fx.tables.nodes
        or (row.node in fx.tables.unhealthy and not has_running_kubelet(fx, row.node))
        or (fx.tables.static_pods and static_pods.mirror_changed(fx, row))
    ):
        return
    if worker is None:
        if row.gone_ms is not None:
            return
        accept(fx, row, Worker(pod=row.key, node=row.node))
    elif row.status.start_ms is not None and pod_on_node(fx.tables, row).spec.active_deadline_seconds is not None:
        endings.arm_deadline(fx, row)
    if event.pod in fx.tables.resizes:
        row = resize.consider(fx, fx.tables.pods[event.pod])
    begin(fx, row)


def _pod_written(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    """Tell the kubelet of the pod's node."""
    if row.node:
        fx.enqueue(QUEUE, KubeletSees(row.key))


def _status_written(fx: Effects, old: PodRow, row: PodRow) -> None:
    """Another client wrote the pod's status: sync if readiness depends on others, else wait for the status manager's tick."""
    if row.node and row.pod.spec.readiness_gates:
        fx.enqueue(QUEUE, KubeletSees(row.key))
    elif row.node and row.key in fx.tables.workers:
        reconcile.status_written(fx, old, row)


def _pod_gone(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    if row.node:
        fx.enqueue(QUEUE, KubeletLoses(row.key))


def _pod_ended(fx: Effects, old: PodRow, row: PodRow) -> None:
    """A pod of the node has freed its resources: reconsider the resizes that wait for them."""
    if not is_over(old):
        if row.gone_ms is None:
            room.release(fx, row)
        for pod, resize in fx.tables.resizes.items():
            if resize.state == "deferred" and fx.tables.pods[pod].node == row.node:
                fx.enqueue(QUEUE, KubeletSees(pod))


def is_over(row: PodRow) -> bool:
    """Whether the pod has ended or its object is gone."""
    return row.gone_ms is not None or row.status.phase in TERMINAL_PHASES


WATCHES = (
    Watch("kubelet", "Pod", ADDED | CHANGED | BOUND | DELETING, _pod_written),
    Watch("kubelet", "Pod", STATUS, _status_written, ignores_own=True),
    Watch("kubelet", "Pod", GONE, _pod_gone),  # before those that wait for its resources are asked
    Watch("kubelet", "Pod", ENDED | GONE, _pod_ended),
)


def accept(fx: Effects, row: PodRow, worker: Worker, *, again: bool = False) -> None:
    """Accept a pod if it is admitted: its worker, its probe workers, its deadline. ``again`` as in ``admission.admit``."""
    if not admission.admit(fx, row, again=again):
        return
    worker, _, fx.cause = fx.become(POD_WORKER, row.key, worker, "accepted", False, data=(("node", row.node),))
    fx.save_worker(replace(worker, seq=fx.cause))
    if row.status.phase not in TERMINAL_PHASES:
        room.hold(fx, row)
    if not fx.profile.probes_begin_with_sync:
        probe_workers.ensure(fx, row)
    if row.deletion_ms is None:
        endings.arm_deadline(fx, row)
        pressure.watch_pod(fx, row)


def begin(fx: Effects, row: PodRow) -> None:
    """Let a pod's worker act on what the API says about the pod now."""
    if row.deletion_ms is not None:
        sync.stop_waiting(fx, row.key)
    if not fx.profile.pod_worker_states and removal.is_over_for_1_20(fx, row):
        removal.settle_1_20(fx, row)
        sync.finish(fx, fx.tables.workers[row.key])
        return
    sync.request(fx, row.key, fx.cause)


def kubelet_loses(fx: Effects, event: KubeletLoses) -> None:
    """The object is gone from the API: stop whatever still runs, forget whatever has ended."""
    if fx.tables.static_pods and static_pods.mirror_changed(fx, fx.tables.pods[event.pod]):
        return
    row = fx.tables.pods[event.pod]
    room.release(fx, row)
    worker = fx.tables.workers.get(event.pod)
    if worker is None:
        return
    alive = [item for item in fx.tables.instances.get(event.pod, ()) if item.runs]
    if not alive and not worker.step:
        removal.forget(fx, event.pod)
        return
    if not fx.profile.pod_worker_states:
        _stop_again(fx, row, worker)
    sync.request(fx, event.pod, fx.cause)


def _stop_again(fx: Effects, row: PodRow, worker: Worker) -> None:
    """Kill through the 1.20 kubelet's second channel: a stop in progress is announced again and has less time.

    That channel does not wait for a worker that is pulling an image.
    """
    if worker.step == "pull" and not worker.housekeeping:
        removal.kill_while_pulling(fx, worker, quiet=False)
        return
    for item in fx.each(fx.tables.instances.get(row.key, ())):
        if item.runs and item.stop is not None:
            message = f"Stopping container {item.container}"
            emit(fx, row, reason="Killing", message=message, container=item.container, group=item.group, rule="STOP-REQUESTED")
            stop.hurry(fx, row, item, stop.grace_for(fx, row, worker, item.spec, ""))


def deadline_due(fx: Effects, event: DeadlineDue) -> None:
    """The deadline of a pod has passed: notify its worker."""
    row = fx.tables.pods[event.pod]
    worker = fx.tables.workers.get(event.pod)
    if worker is None or worker.state != "syncing" or row.deletion_ms is not None or row.gone_ms is not None or endings.is_ended(row):
        return
    if endings.is_overdue(fx, row):
        fx.save_worker(replace(worker, calm=None))
        sync.request(fx, event.pod, fx.cause)
    else:
        endings.arm_deadline(fx, row)


def sync_due(fx: Effects, event: SyncDue) -> None:
    """Begin a worker's queued sync."""
    worker = fx.tables.workers.get(event.pod)
    if worker is not None and worker.sync_due_ms == fx.now and not worker.rests:
        sync.begin_sync(fx, event.pod, fx.cause)
