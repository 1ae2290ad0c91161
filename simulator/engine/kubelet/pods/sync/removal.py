"""The end of a pod on its node: stop what runs, publish the last status, release everything, remove the object.

Two ways, by version (``pod_worker_states``):

* From 1.22 on the worker has states. A sync that sees the deletion enters terminating and returns a program
  that kills the pod. When that is done, ``after_program`` publishes the last status from a fresh
  view and the worker is terminated; the sync after that releases volumes and cgroup, which takes a moment
  (``release``, ``released``), and the worker removes the object itself.
* Until 1.21 a deleted pod goes through ordinary syncs. The status manager's ten-second tick removes the
  object, once nothing of the pod runs and a view of the runtime is old enough that everything is reclaimed
  (``status_beat``). A pod none of whose app containers was ever published as running counts as finished at once;
  what still runs in it is left to housekeeping (``settle_1_20``, "observed on a 1.20.2 node").

A pod that ends by itself goes the first way too, without the last step: its object stays.

The last status must be created before the worker's state changes, and probes stop after it: generating it reads
their results. Nothing here begins a sync. Functions return the worker with its program, or whether one
more sync is due, and ``sync`` continues from there.

Source: pkg/kubelet/pod_workers.go, kubelet.go SyncTerminatingPod, SyncTerminatedPod; status_manager.go
TerminatePod, canBeDeleted.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.pods import finish_deletion
from simulator.engine.apiserver.publish import Draft, publish
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.base import room
from simulator.engine.kubelet.base.beats import await_status_beat, next_collection, next_housekeeping
from simulator.engine.kubelet.pods.facts.mirrored import is_manifest_gone, static_pod_of
from simulator.engine.kubelet.pods.probes import probe_workers
from simulator.engine.kubelet.pods.sandbox import sandbox_steps, user_namespaces
from simulator.engine.kubelet.pods.status import endings
from simulator.engine.kubelet.pods.status.pod_status import LOST_AT_END, generate
from simulator.engine.kubelet.pods.sync.killing import stop_while_busy
from simulator.engine.kubelet.pods.volumes import mounts
from simulator.engine.kubelet.pods.worker.pod_worker_machine import POD_WORKER
from simulator.engine.machines.phase import phase_by
from simulator.engine.model.service_account import own_volumes
from simulator.engine.model.status import TERMINAL_PHASES, ContainerStatus, PodStatus, Running, Terminated, Waiting
from simulator.engine.policies.grace import worker_grace_s
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import DeadlineDue, HousekeepingKill, MeasureVolumes, StatusBeat, StatusReconcile, WorkerStep
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Action, PodRow, Seen, Worker

RULES = (
    RuleText(
        "SETTLED-1.20",
        gettext_noop(
            "No app container was published as running, so the kubelet considers the deleted pod finished; housekeeping kills the rest."
        ),
        "observed on a 1.20.2 node; pkg/kubelet/kubelet.go dispatchWork of 1.20",
        "1.0",
        "1.21",
        sure="recording",
    ),
    RuleText(
        "REMOVAL-FAILED",
        gettext_noop("A deleted pod always ends in a terminal phase; one that never finished ends as Failed."),
        "pkg/kubelet/status/status_manager.go TerminatePod",
        "1.27",
    ),
)


def is_terminating(fx: Effects, row: PodRow, worker: Worker) -> bool:
    """Whether the worker only stops things from here on."""
    if fx.tables.static_pods and static_pod_of(fx, row) is not None:
        return worker.state == "terminating" or is_manifest_gone(fx, row)
    return worker.state == "terminating" or row.deletion_ms is not None or row.gone_ms is not None


def _is_shown(fx: Effects, row: PodRow) -> bool:
    """Whether the pod's status still reaches the API: its object exists and is not a mirror whose file is gone."""
    return row.gone_ms is None and not (fx.tables.static_pods and is_manifest_gone(fx, row))


def terminate(fx: Effects, row: PodRow, worker: Worker) -> Worker:
    """Sync a pod that is being deleted: publish, and return the worker with the program that stops everything."""
    if fx.profile.pod_worker_states and worker.state == "syncing":
        worker = _enter(fx, row, worker, "deletion_seen")
    if is_over_for_1_20(fx, row):
        settle_1_20(fx, row)
        return fx.tables.workers[row.key]
    if _is_shown(fx, row):
        draft = generate(fx, row, worker)
        if draft.status.phase in TERMINAL_PHASES and fx.profile.terminal_phase_waits_for_containers:
            draft.status = endings.without_ending(row, draft.status)
        row = publish(fx, row, draft.status, rule=draft.rules["phase"], draft=draft)
        if fx.profile.readiness_poke:
            probe_workers.poke(fx, row)
    if worker.state == "terminating":
        _stop_probes(fx, row)
    return replace(worker, program=(Action("kill_pod", rule="STOP-REQUESTED"),))


def is_over_for_1_20(fx: Effects, row: PodRow) -> bool:
    """Whether the 1.20 kubelet considers a deleted pod finished: no app container is published as running (init ones don't count)."""
    if fx.profile.pod_worker_states or row.deletion_ms is None or row.gone_ms is not None:
        return False
    return not any(isinstance(item.state, Running) for item in row.status.containers)


def settle_1_20(fx: Effects, row: PodRow) -> None:
    """Publish what still counts as running as lost, and leave the killing to housekeeping (observed on a 1.20.2 node)."""
    status = row.status
    lost = tuple(
        replace(item, state=Terminated(137, "ContainerStatusUnknown", LOST_AT_END), ready=False, started=False)
        if isinstance(item.state, Running)
        else item
        for item in status.init_containers
    )
    if lost != status.init_containers:
        changed = replace(status, init_containers=lost)
        publish(fx, row, changed, rule="SETTLED-1.20", draft=Draft(changed, {item.name: "SETTLED-1.20" for item in lost}))
    worker = fx.tables.workers.get(row.key)
    if worker is None or worker.housekeeping or not _has_remains(fx, row.key):
        return
    fx.check(next_housekeeping(fx, row.node), Lane.HOUSEKEEPING, HousekeepingKill(row.key))
    fx.save_worker(replace(worker, housekeeping=True))


def _has_remains(fx: Effects, pod: Key) -> bool:
    """Whether a container or the sandbox of the pod still exists."""
    sandbox = fx.tables.sandboxes.get(pod)
    running = any(item.runs for item in fx.tables.instances.get(pod, ()))
    return running or (sandbox is not None and sandbox.state != "stopped")


def kill_while_pulling(fx: Effects, worker: Worker, *, quiet: bool) -> None:
    """Kill a pod while its worker is pulling an image, as 1.20's pod killer does: containers already running, then the sandbox."""
    waits = stop_while_busy(fx, worker, quiet=quiet)
    if not waits:
        sandbox_steps.stop_while_busy(fx, worker)
        return
    fx.check(next_housekeeping(fx, worker.node), Lane.HOUSEKEEPING, HousekeepingKill(worker.pod))  # the pull may end before they do
    fx.save_worker(replace(fx.tables.workers[worker.pod], waits_for=waits, housekeeping=True))


def sandbox_stopped_while_pulling(fx: Effects, worker: Worker) -> None:
    """The sandbox of a finished pod is gone while its worker is still pulling: let its object wait for the status manager's tick."""
    sandbox_steps.stopped(fx, worker)
    _await_removal(fx, worker.pod)


def _await_removal(fx: Effects, pod: Key) -> None:
    """Nothing of the pod runs any more: let its object wait for the status manager's tick, and perhaps first for its sandbox's removal.

    The 1.20 kubelet removes a sandbox when it learns of a removed container; that of a pod that never had one is left to
    garbage collection.
    """
    worker = fx.tables.workers[pod]
    bare = pod in fx.tables.sandboxes and not fx.tables.instances.get(pod)
    if fx.profile.sandbox_awaits_collection and worker.collect_ms is None and bare:
        worker = fx.save_worker(replace(worker, collect_ms=next_collection(fx, worker.node)))
    await_status_beat(fx, worker.node, pod, ready_ms=max(worker.collect_ms or 0, fx.now) + fx.profile.reclaim_ms)


def end_pod(fx: Effects, row: PodRow, worker: Worker) -> Worker:
    """The pod has reached a terminal phase by itself (1.22+): the worker with the program that stops sidecars and sandbox."""
    worker = replace(_enter(fx, row, worker, "pod_ended"), is_over=True)
    _stop_probes(fx, row)
    endings.report_deadline(fx, row, worker)
    return replace(worker, program=(Action("kill_pod", rule="ACTIONS-POD-OVER"),))


def _enter(fx: Effects, row: PodRow, worker: Worker, trigger: str) -> Worker:
    """Go from syncing to terminating with the effective grace period."""
    given = row.grace_s if row.deletion_ms is not None else None
    if worker.ending is not None and worker.ending.grace_s is not None:
        given = worker.ending.grace_s
    profile = fx.profile
    grace = worker_grace_s(row.pod.spec, given, least_s=profile.grace_min_s, zero_is_unset=profile.zero_grace_is_unset)
    worker, _, fx.cause = fx.become(POD_WORKER, row.key, worker, trigger, False, data=(("grace_s", grace),), grace_s=grace)
    return worker


def _stop_probes(fx: Effects, row: PodRow) -> None:
    """Stop liveness and startup probes, which do not matter to a pod that ends; its status was computed before."""
    if fx.profile.liveness_stops_on_termination:
        probe_workers.stop_liveness_and_startup(fx, row)


def after_program(fx: Effects, worker: Worker) -> bool:
    """A sync has ended: check whether the pod has nothing left on the node. Whether it must be synced once more, now."""
    row = fx.tables.pods[worker.pod]
    if worker.state != "terminating" and row.deletion_ms is None and row.gone_ms is None and not fx.tables.static_pods:
        return False  # nearly every sync
    if not is_terminating(fx, row, worker) or any(item.runs for item in fx.tables.instances.get(worker.pod, ())):
        return False
    if worker.state == "terminating":
        _publish_final(fx, row, worker)
        return True
    if worker.state in ("syncing", "finished") and not fx.profile.pod_worker_states and not _has_remains(fx, worker.pod):
        seen = fx.tables.seen.get(worker.pod)
        if row.gone_ms is not None:
            forget(fx, worker.pod)
        elif worker.state != "finished" and (seen is None or not any(item.runs for item in seen.instances)):
            _await_removal(fx, worker.pod)
    return False


def _publish_final(fx: Effects, row: PodRow, worker: Worker) -> None:
    """Read the runtime afresh and publish the last status; then the resources are released after one more relist."""
    # Not the view of the last relist: SyncTerminatingPod queries the runtime once more, after everything has stopped.
    instances = fx.tables.instances.get(row.key, ())
    fx.save_seen(row.key, Seen(fx.now, fx.tables.sandboxes.get(row.key), instances, instances[0].seq if instances else fx.cause))
    if _is_shown(fx, row):
        draft = generate(fx, row, worker, terminal=True)
        row = publish(fx, row, draft.status, rule=draft.rules["phase"], draft=draft)
    probe_workers.stop(fx, row)  # after the last status, which reads their results
    _, _, fx.cause = fx.become(POD_WORKER, row.key, worker, "containers_stopped", False)


def release(fx: Effects, worker: Worker) -> None:
    """Unmount volumes and remove the cgroup; that takes a moment."""
    row = fx.tables.pods[worker.pod]
    endings.report_deadline(fx, row, worker)
    wait = fx.profile.cgroup_removal_ms + (fx.profile.volume_unmount_ms if own_volumes(row.pod.spec) else 0)
    # The step keeps further syncs away until everything is released.
    worker = fx.save_worker(replace(worker, step="release", n=worker.n + 1))
    fx.schedule(fx.now + wait, Lane.KUBELET, WorkerStep(worker.pod, worker.n))


def released(fx: Effects, worker: Worker) -> None:
    """Nothing of the pod is left on the node: a deleted pod's object can go."""
    row = fx.tables.pods[worker.pod]
    worker, _, fx.cause = fx.become(POD_WORKER, row.key, worker, "resources_released", False, step="", released=True)
    if worker.state != "finished":
        return
    user_namespaces.give_back(fx, worker.pod)
    if row.gone_ms is not None:
        forget(fx, worker.pod)
        return
    if _is_shown(fx, row):
        _end_unfinished(fx, row)
    if row.deletion_ms is not None:
        finish_deletion(fx, row.key)


def _end_unfinished(fx: Effects, row: PodRow) -> None:
    """Settle containers whose end nobody saw, and the phase of a deleted pod that is not terminal yet (TerminatePod)."""
    status = row.status
    begun = len(_begun(status.init_containers))
    init = tuple(_settled(item) if n < begun else item for n, item in enumerate(status.init_containers))
    app = tuple(_settled(item) for item in status.containers) if was_initialized(status) else status.containers
    if init != status.init_containers or app != status.containers:
        status = replace(status, init_containers=init, containers=app)
    if fx.profile.terminal_phase_on_delete and status.phase not in TERMINAL_PHASES and static_pod_of(fx, row) is None:
        status = replace(status, phase=phase_by("REMOVAL-FAILED"))
    if status is not row.status:
        rules = {item.name: "STATUS-LOST" for item in (*init, *app)}
        publish(fx, row, status, rule="REMOVAL-FAILED", draft=Draft(status, rules))


def _begun(init: tuple[ContainerStatus, ...]) -> tuple[ContainerStatus, ...]:
    """The init containers without the last ones that never started; the first one always counts as started."""
    for n in range(len(init), 0, -1):
        if not isinstance(init[n - 1].state, Waiting) or init[n - 1].last_state is not None:
            return init[:n]
    return init[:1]


def was_initialized(status: PodStatus) -> bool:
    """Whether the pod got past its init containers: it has none, an app container once ran, or the last init container was done."""
    if not status.init_containers:
        return True
    if any(not isinstance(item.state, Waiting) or item.last_state is not None for item in status.containers):
        return True
    last = status.init_containers[-1]
    return any(isinstance(state, Terminated) and state.exit_code == 0 for state in (last.state, last.last_state))


def _settled(item: ContainerStatus) -> ContainerStatus:
    if isinstance(item.state, Terminated):
        return item
    return replace(item, state=Terminated(137, "ContainerStatusUnknown", LOST_AT_END), ready=False, started=False)


def status_beat(fx: Effects, event: StatusBeat) -> None:
    """Remove the objects of deleted pods whose resources are reclaimed, as the 1.20 status manager does."""
    kubelet = fx.tables.kubelets[event.node]
    if kubelet.beat_due_ms != fx.now:
        return
    fx.save_kubelet(replace(kubelet, beat_due_ms=None, removals=()))
    for pod in kubelet.removals:
        row = fx.tables.pods[pod]
        if row.gone_ms is not None or row.deletion_ms is None:
            continue
        seen, worker = fx.tables.seen.get(pod), fx.tables.workers[pod]
        last_ms = max(seen.at_ms if seen is not None else 0, worker.collect_ms or 0)
        if last_ms and fx.now - last_ms < fx.profile.reclaim_ms:
            await_status_beat(fx, event.node, pod, ready_ms=fx.now)
            continue
        fx.cause = row.deletion_seq
        trigger = "resources_released" if worker.collect_ms is None else "sandbox_collected"
        worker, _, fx.cause = fx.become(POD_WORKER, pod, worker, trigger, False)
        if worker.state == "finished":
            finish_deletion(fx, pod)


def forget(fx: Effects, pod: Key) -> None:
    """Drop everything that the kubelet kept about a pod that is gone from node and API."""
    row = fx.tables.pods[pod]
    probe_workers.stop(fx, row)
    worker = fx.tables.workers.get(pod)
    if worker is not None:
        fx.cancel(worker.sync_handle)
    user_namespaces.give_back(fx, pod)
    room.release(fx, row)
    fx.drop_worker(pod)
    fx.drop_remains(pod)
    for key in (DeadlineDue(pod), MeasureVolumes(pod), StatusReconcile(pod)):
        fx.uncheck(key)
    mounts.drop(fx, row)
