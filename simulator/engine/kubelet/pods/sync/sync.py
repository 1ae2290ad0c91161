"""One sync of a pod: publish the status, decide what to do, do it step by step.

A sync works on what the kubelet knew when it began: the last view of the runtime (``Seen``) and the errors
of the sync before (``Worker.reasons``). It first publishes a status made of those and only then acts. So
what a sync does shows one sync later: a container whose image cannot be pulled waits as ContainerCreating
until the sync after the failed pull says ErrImagePull.

The order within a sync:

1. A resize that every container has taken up is completed, before the status is created.
2. The status is generated and published. A pod that has ended by it goes to ``removal`` (1.22 and later).
3. Without a network the sync ends here with an error; host network pods continue.
4. Volumes must be mounted; if one is not, the sync waits for it.
5. From 1.22 on the pod's probe workers begin here, once (before: when the kubelet accepted the pod).
6. ``compute_pod_actions`` decides, and ``run`` executes the program.

The actions form a program that the worker executes. A step that takes time (a sandbox, a pull, a start, a
stop) suspends it under a name in ``Worker.step``; the event that ends the step calls ``go_on``. During such a
step, requests for a sync only set ``pending``. ``n`` counts steps, so that the end of an aborted step
is not mistaken for the end of another.

Most syncs in a quiet cluster find nothing. One that finds a ready pod unchanged remembers the view and
the version of the object (``calm``); as long as both are the same objects, the next sync can skip its checks.

Source: pkg/kubelet/kubelet.go SyncPod, pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.apiserver.publish import publish
from simulator.engine.kernel.units import Key, Seq
from simulator.engine.kubelet.base.health import runtime_answers
from simulator.engine.kubelet.pods.containers.runtime_records import runtime_records
from simulator.engine.kubelet.pods.probes import probe_workers
from simulator.engine.kubelet.pods.resize import resize
from simulator.engine.kubelet.pods.sandbox import sandbox_steps
from simulator.engine.kubelet.pods.sandbox.sandbox_view import sandbox_statuses
from simulator.engine.kubelet.pods.start import start
from simulator.engine.kubelet.pods.status import endings, restarting_all
from simulator.engine.kubelet.pods.status.pod_status import generate
from simulator.engine.kubelet.pods.sync import killing, removal, restart_all, runtime_wait
from simulator.engine.kubelet.pods.sync.action_types import NO_RESULTS, PodActions
from simulator.engine.kubelet.pods.sync.pod_actions import compute_pod_actions
from simulator.engine.kubelet.pods.volumes import mounts
from simulator.engine.kubelet.pods.worker.sync_timing import end_idle_sync, end_sync, is_still_idle, request_sync
from simulator.engine.model.service_account import own_volumes
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.policies.restart_policy import is_sidecar
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import Relist, VolumeWait, WorkerStep
from simulator.engine.world.lookups import pod_on_node
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Action, PodRow, Worker
from simulator.engine.world.work import SYNC


def request(fx: Effects, pod: Key, cause: Seq) -> None:
    """Request a sync of the pod; it begins now if the worker is free."""
    if request_sync(fx, pod, cause):
        begin_sync(fx, pod, cause)


def begin_sync(fx: Effects, pod: Key, cause: Seq, *, forced: bool = False) -> None:
    """Begin a sync of the pod; if the container runtime is down it may have to wait for it, unless ``forced``."""
    worker = fx.tables.workers[pod]
    if worker.rests:
        worker = fx.awaken(pod)
    row = fx.tables.pods[pod]
    if fx.tables.unhealthy and not forced and runtime_wait.must_wait(fx, worker):
        runtime_wait.hold(fx, worker, cause)
        return
    if cause:
        fx.cause = cause
    looked = fx.tables.seen.get(pod)  # remembered before the sync acts: only a calm sync that began with this view may rely on it
    if worker.calm is not None and is_still_idle(fx, row, worker):
        end_idle_sync(fx, worker)
        return
    worker = fx.save_worker(
        replace(
            worker, pending=False, sync_due_ms=None, sync_handle=0, syncs=worker.syncs + 1,
            failed=False, acted=False, retry_ms=None, seq=fx.cause, looked=looked,
        )
    )  # fmt: skip
    if worker.state == "terminated":
        removal.release(fx, worker)
    elif removal.is_terminating(fx, row, worker):
        run(fx, removal.terminate(fx, row, worker))
    else:
        _sync(fx, row, worker)


def _sync(fx: Effects, row: PodRow, worker: Worker) -> None:
    """The ordinary sync of a pod that should run. If everything is as a calm sync left it there is nothing to do."""
    seen = fx.tables.seen.get(row.key)
    if worker.calm is not None and worker.calm is seen and worker.calm_version == row.version:
        if own_volumes(row.pod.spec):
            mounts.refresh(fx, row)
        run(fx, replace(worker, program=()))
        return
    fx.world.spent += SYNC
    if row.key in fx.tables.resizes:
        row = resize.settle(fx, row)  # first, so that the status below no longer reports it as in progress
    draft = generate(fx, row, worker)
    ended = draft.status.phase in TERMINAL_PHASES
    ending = endings.ending_of(fx, row, worker) if ended else None
    if ended and fx.profile.terminal_phase_waits_for_containers:
        draft.status = endings.without_ending(row, draft.status)
    row = publish(fx, row, draft.status, rule=draft.rules["phase"], draft=draft)
    if ended and fx.profile.pod_worker_states:
        run(fx, removal.end_pod(fx, row, worker))
        return
    if fx.profile.readiness_poke and fx.tables.probes:
        probe_workers.poke(fx, row)
    if not ended and fx.tables.unhealthy and runtime_wait.lacks_network(fx, row):
        end_sync(fx, replace(worker, failed=True), base_ms=fx.profile.network_not_ready_requeue_ms)
        return
    is_told = True
    if not ended:
        worker = mounts.stage(fx, row, worker)
        if worker.step:
            fx.save_worker(worker)
            return
        is_told = worker.is_probed or not fx.profile.probes_begin_with_sync  # otherwise the published status does not know of any probe yet
        if not is_told:
            worker = _begin_probes(fx, row, worker)
    program = plan(fx, row) if ending is None else (Action("kill_pod", rule=ending.rule),)
    if row.key in fx.tables.resizes and not any(action.kind == "kill_pod" for action in program):
        program = (*program, *resize.actions(fx, row))
    if ended:
        program = tuple(action for action in program if action.kind == "kill_pod")
    calm = seen if is_told and not program and not worker.reasons and _is_ready(row) else None
    run(fx, replace(worker, program=program, calm=calm, calm_version=row.version))


def _begin_probes(fx: Effects, row: PodRow, worker: Worker) -> Worker:
    """The sync has reached the containers: from 1.22 on the pod's probe workers begin here, once."""
    if worker.is_probed or not fx.profile.probes_begin_with_sync:
        return worker
    probe_workers.ensure(fx, row)
    return replace(worker, is_probed=True)


def _is_ready(row: PodRow) -> bool:
    """Whether every container runs and is ready: then only a change from outside can give a sync work to do."""
    return bool(row.status.containers) and False not in [item.ready for item in row.status.containers]


def plan(fx: Effects, row: PodRow) -> tuple[Action, ...]:
    """What the sync has to do, in order."""
    seen = fx.tables.seen.get(row.key)
    spec = pod_on_node(fx.tables, row).spec if fx.tables.static_pods else row.pod.spec
    rules, records = fx.world.options.actions, runtime_records(spec, seen)
    has_probes = bool(fx.tables.probes)
    actions = compute_pod_actions(
        spec,
        sandbox_statuses(spec, seen),
        resize.marked(fx, row, records) if row.key in fx.tables.resizes else records,
        liveness=probe_workers.results(fx, row, "liveness") if has_probes else NO_RESULTS,
        startup=probe_workers.results(fx, row, "startup") if has_probes else NO_RESULTS,
        is_deleted=row.deletion_ms is not None,
        restarting_all=rules.restart_all and restarting_all.is_restarting(row),
        rules=rules,
    )
    if actions.create_sandbox and actions.sandbox_attempt and row.status.phase not in TERMINAL_PHASES:
        text = "Pod sandbox changed, it will be killed and re-created."
        emit(fx, row, reason="SandboxChanged", message=text, rule=actions.rule_id)
    if actions.is_idle and not actions.create_sandbox:
        return ()
    if actions.to_kill or actions.to_reset or actions.kill_pod or actions.create_sandbox:
        _explain(fx, row, actions)
    return tuple(_program(actions))


def _explain(fx: Effects, row: PodRow, actions: PodActions) -> None:
    """Record why the sync is going to kill or start over; plain starts speak for themselves."""
    for item in actions.to_kill:
        subject = f"container/{row.key}/{item.name}"
        fx.cause = fx.record(kind="decision", subject=subject, machine="pod_actions", target="kill", rule=item.rule_id)
    if actions.to_reset:
        fx.cause = fx.record(kind="decision", subject=row.subject, machine="pod_actions", target="reset", rule=actions.rule_id)
    elif actions.kill_pod or actions.create_sandbox:
        target = "create_sandbox" if actions.create_sandbox else "kill_pod"
        fx.cause = fx.record(kind="decision", subject=row.subject, machine="pod_actions", target=target, rule=actions.rule_id)


def _program(actions: PodActions) -> list[Action]:
    program = restart_all.program(actions.to_reset) if actions.to_reset else []
    if actions.kill_pod:
        if actions.sandbox_attempt or not actions.create_sandbox:
            program.append(Action("kill_pod", rule=actions.rule_id))
    else:
        program += [Action("kill", item.name, message=item.message, reason=item.reason, rule=item.rule_id) for item in actions.to_kill]
    if actions.create_sandbox:
        program.append(Action("sandbox", rule=actions.rule_id))
    program += [Action("start", name, "ephemeral") for name in actions.ephemeral_to_start]
    program += [Action("start", name, "init") for name in actions.init_to_start]
    program += [Action("start", name, "app") for name in actions.to_start]
    return program


def run(fx: Effects, worker: Worker) -> None:
    """Execute the program until a step takes time or nothing is left."""
    while worker.program:
        action = worker.program[0]
        if fx.tables.unhealthy and action.kind != "start" and not runtime_answers(fx, worker.node):
            worker = runtime_wait.refuse(fx, worker)
            break
        # n increases with each action, so that the end of an aborted step is not mistaken for the end of this one
        worker = replace(worker, program=worker.program[1:], n=worker.n + 1, acted=True)
        if action.kind == "start":
            worker = start.begin_start(fx, worker, action)
            if worker.failed and worker.step == "" and action.group == "init" and not _is_sidecar(fx, worker, action):
                worker = replace(worker, program=())  # the next init container must not start before this one
        elif action.kind == "sandbox":
            worker = sandbox_steps.begin(fx, worker)
        elif action.kind == "kill":
            worker = killing.kill_one(fx, worker, action)
        elif action.kind == "resize":
            worker = resize.actuate(fx, worker, action)
        elif action.kind == "reset":
            worker = restart_all.kill(fx, worker, action)
        elif action.kind == "remove":
            worker = restart_all.remove(fx, worker, action)
        else:
            worker = killing.kill_all(fx, worker, action)
        if worker.step:
            fx.save_worker(worker)
            return
    if worker.acted and not worker.failed and fx.profile.on_demand_relist:
        due = fx.now + fx.profile.sync_cost_ms + fx.profile.relist_cost_ms
        fx.schedule(due, Lane.RELIST, Relist(worker.node, worker.pod))
    finish(fx, end_sync(fx, worker))


def finish(fx: Effects, worker: Worker) -> None:
    """Finish a sync. If nothing of an ending pod runs any more, one more sync releases what it had."""
    if removal.after_program(fx, worker):
        request(fx, worker.pod, fx.cause)


def _is_sidecar(fx: Effects, worker: Worker, action: Action) -> bool:
    """Whether the action starts a sidecar: one that cannot start does not hold up anything else."""
    return fx.profile.sidecar_containers and is_sidecar(start.find_container(fx.tables.pods[worker.pod].pod.spec, action.container))


def worker_step(fx: Effects, event: WorkerStep) -> None:
    """A step of the running sync that takes a fixed time has ended."""
    worker = fx.tables.workers.get(event.pod)
    if worker is None or worker.n != event.n:
        return
    if worker.step == "pull":  # it is the sandbox that has stopped, during a pull that continues
        removal.sandbox_stopped_while_pulling(fx, worker)
        return
    if worker.step == "sandbox":
        worker = sandbox_steps.created(fx, worker)
    elif worker.step == "sandbox_stop":
        worker = sandbox_steps.stopped(fx, worker)
    elif worker.step == "start":
        worker = start.started(fx, worker)
    elif worker.step == "volumes":
        row = fx.tables.pods[event.pod]
        worker = replace(_begin_probes(fx, row, mounts.end_wait(fx, worker)), program=plan(fx, row))
    elif worker.step == "release":
        removal.released(fx, worker)
        return
    go_on(fx, worker)


def volume_wait(fx: Effects, event: VolumeWait) -> None:
    """A sync may have waited long enough for its volumes."""
    worker = mounts.wait_is_over(fx, event)
    if worker is not None:
        run(fx, worker)


def stop_waiting(fx: Effects, pod: Key) -> None:
    """The pod is being deleted: end a sync that waits for its volumes."""
    worker = fx.tables.workers.get(pod)
    if worker is not None and worker.step == "volumes":
        fx.save_worker(mounts.end_wait(fx, worker))


def go_on(fx: Effects, worker: Worker) -> None:
    """Continue the program unless the new step takes time too."""
    if worker.step:
        fx.save_worker(worker)
    else:
        run(fx, worker)
