"""A kubelet that stops and starts again: everything it kept in memory is lost; containers keep running.

Lost with the process: workers and what they were doing, probe workers with their counters and results, back-offs, waiting
pulls, the clocks of stops, grace periods that were passed down, unsent Events. Kept: what the runtime has, what
the API has, and the node's own files (static pods, accepted resources).

A kubelet that is started acts some seconds later. Then, in this order: its ticks begin; it registers its node if the
object is gone and writes its status; it reads its static pods; and it goes through the API's pods of its node, oldest
first (``take_stock``). Each is admitted again, so a pod that no longer fits is rejected although it runs. All the
containers it finds are new to it, and each requests a sync. What runs for a pod that is gone or rejected
is left to housekeeping.

The order of the pods matters because each admitted pod takes resources from the next. Steps of new workers are numbered
from a multiple of ``STEPS_A_LIFE``, so that the end of a step begun by the old kubelet is not mistaken for theirs.

Without a runtime the process exits and its service manager restarts it. Source: observed on a 1.20.2 node.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.nodes.conditions import READY
from simulator.engine.apiserver.nodes.events import emit_node
from simulator.engine.kernel.machine import DECIDED
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.base import room
from simulator.engine.kubelet.base.beats import next_housekeeping
from simulator.engine.kubelet.node import intake, node_status
from simulator.engine.kubelet.pods.containers import execs
from simulator.engine.kubelet.pods.facts.mirrored import static_pod_of
from simulator.engine.kubelet.pods.loop import relist
from simulator.engine.kubelet.pods.probes import probe_workers
from simulator.engine.kubelet.pods.sandbox.sandbox_machine import SANDBOX
from simulator.engine.kubelet.pods.static import static_pods
from simulator.engine.kubelet.pods.stop.stop import forget_stop
from simulator.engine.kubelet.pods.volumes import mounts
from simulator.engine.kubelet.pods.worker.pod_worker_machine import ORPHAN, POD_WORKER
from simulator.engine.machines.node import KUBELET, RUNTIME, SHUTDOWN
from simulator.engine.model.status import TERMINAL_PHASES, Running
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import HousekeepingKill, KubeletUp, RuntimeStep, StatusReconcile
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Instance, PodRow, Seen, Worker
from simulator.engine.world.watch import GONE

STEPS_A_LIFE = 1_000_000
"""Workers of a new kubelet count their steps from here on, so that no step of an old one is mistaken for theirs."""

RULES = (
    RuleText(
        "KUBELET-STOPPED",
        gettext_noop("The kubelet has stopped. Containers keep running, but nothing syncs, probes, restarts or kills them."),
        "observed on a 1.20.2 node",
    ),
    RuleText(
        "KUBELET-OFF",
        gettext_noop("The kubelet went down with its machine, which has no power."),
        "what a machine without power does",
    ),
    RuleText(
        "RUNTIME-BOOTED",
        gettext_noop("The container runtime is started with the machine, before the kubelet."),
        "what a machine does when it boots; containerd.service is enabled",
    ),
    RuleText(
        "KUBELET-STARTING",
        gettext_noop("The kubelet was started; it needs a few seconds before it acts on pods."),
        "observed on a 1.20.2 node: 5.7 s",
        sure="recording",
    ),
    RuleText(
        "KUBELET-UP",
        gettext_noop("The kubelet is back, with no memory: back-offs, probe results and grace periods start over."),
        "observed on a 1.20.2 node",
    ),
    RuleText(
        "ORPHAN-KILLED",
        gettext_noop(
            "The pod’s object is gone, or the kubelet does not admit the pod, so its housekeeping kills whatever is still running."
        ),
        "observed on a 1.20.2 node",
    ),
)


def stop_kubelet(fx: Effects, node: str, trigger: str = "stop") -> None:
    """The kubelet is gone with all it kept in memory: it alone, or with the machine's power (``trigger`` power_lost)."""
    life = fx.tables.node_life[node]
    was_running = life.kubelet == "running"
    fx.cancel(life.kubelet_handle)
    _, _, seq = fx.become(KUBELET, node, life, trigger, None, kubelet_handle=0, shutdown=())
    fx.cause = seq
    if not was_running:
        return
    with fx.aside():
        _lose_pods(fx, node)
    fx.save_kubelet(replace(fx.tables.kubelets[node], relist_due_ms=None, beat_due_ms=None, dirty=(), removals=(), pulls=()))
    fx.forget_events(node)
    fx.forget_backoffs(node)
    if node in fx.tables.held_objects:
        fx.drop_withheld(node)  # what it has not sent is lost; its lease has long since expired
        return
    fx.notify("Lease", GONE, fx.tables.nodes[node], fx.tables.nodes[node])  # the object stays, but it is not renewed


def _lose_pods(fx: Effects, node: str) -> None:
    for pod in [worker.pod for worker in fx.tables.workers.values() if worker.node == node]:
        _lose_pod(fx, pod)
    for n, row in tuple(fx.tables.execs.items()):
        if fx.tables.pods[row.pod].node == node:
            execs.kill(fx, n, row)
    for pod, instances in tuple(fx.tables.instances.items()):
        if fx.tables.pods[pod].node == node:
            for item in instances:
                forget_stop(fx, pod, item)


def _lose_pod(fx: Effects, pod: Key) -> None:
    worker = fx.tables.workers[pod]
    fx.cancel(worker.sync_handle)
    probe_workers.lose(fx, fx.tables.pods[pod])
    mounts.forget_tries(fx, pod)
    room.release(fx, fx.tables.pods[pod])
    fx.drop_worker(pod)
    fx.save_report(pod, None)
    fx.uncheck(StatusReconcile(pod))
    sandbox = fx.tables.sandboxes.get(pod)
    if sandbox is not None:
        fx.become(SANDBOX, pod, sandbox, "abandoned", None, stopped_ms=fx.now)


def start_kubelet(fx: Effects, node: str) -> None:
    """Start the kubelet process, and first its machine if that was off; it acts some seconds later. A running one stays as it is."""
    life = fx.tables.node_life[node]
    is_booting = life.power == "off"
    life, step, seq = fx.become(KUBELET, node, life, "start", None)
    if step is None:
        return
    fx.cause = seq
    if is_booting:
        life, _, _ = fx.become(RUNTIME, node, life, "booted", None, runtime_lost_ms=None, is_runtime_down=False)
    handle = fx.schedule(fx.now + fx.profile.kubelet_startup_ms, Lane.KUBELET, KubeletUp(node))
    life = fx.save_node_life(replace(life, kubelet_handle=handle))
    fx.become(SHUTDOWN, node, life, "started", None, boots=life.boots + 1)


def kubelet_up(fx: Effects, event: KubeletUp) -> None:
    """The kubelet starts working: its ticks count from now, and every pod is new to it."""
    node = event.node
    life = fx.tables.node_life[node]
    if life.kubelet != "starting":
        return
    if life.runtime == "down":
        # A kubelet that finds no runtime exits, and its service manager restarts it.
        handle = fx.schedule(fx.now + fx.profile.kubelet_startup_ms, Lane.KUBELET, KubeletUp(node))
        fx.save_node_life(replace(life, kubelet_handle=handle))
        return
    life, _, seq = fx.become(
        KUBELET, node, life, "up", None, kubelet_handle=0, silent_ms=life.silent_ms if fx.is_cut_off else None, started_ms=fx.now,
        starts=life.starts + 1, network_seen=True, status_phase_ms=fx.now, lease_phase_ms=fx.now, check_phase_ms=fx.now,
        runtime_lost_ms=None, is_runtime_down=False,
    )  # fmt: skip
    fx.cause = seq
    life, _, _ = fx.become(RUNTIME, node, life, "nobody_asks", None)
    kubelet = fx.tables.kubelets[node]
    beats = ("relist_phase_ms", "tick_phase_ms", "beat_phase_ms", "housekeeping_phase_ms", "collection_phase_ms")
    phases = dict.fromkeys(beats, fx.now)
    fx.save_kubelet(replace(kubelet, **phases, is_housekeeping_known=True))
    emit_node(fx, node, component="kubelet", reason="Starting", message="Starting kubelet.", rule="KUBELET-UP")
    was_lost = life.condition(READY).status == "Unknown"
    with fx.aside():
        node_status.mention_reboot(fx, node)
        node_status.register(fx, node)
        node_status.write_status(fx, node, just_started=was_lost)
        if was_lost:
            node_status.report_later(fx, node)
        if life.network != "present":
            fx.check(fx.now + fx.profile.runtime_check_ms, Lane.HOUSEKEEPING, RuntimeStep(node, "network"), put_off=True)
    if not fx.is_cut_off:
        take_stock(fx, node)


def take_stock(fx: Effects, node: str) -> None:
    """Let a kubelet that knows nothing yet read its folder, the API's pods of its node, and what is running. O(pods)."""
    static_pods.kubelet_returns(fx, node)
    for pod in fx.each(sorted((item for item in fx.tables.pods.values() if item.node == node), key=lambda item: item.created_ms)):
        pod = fx.tables.pods[pod.key]
        if pod.key in fx.tables.workers:
            continue
        if pod.gone_ms is None or static_pod_of(fx, pod) is not None:
            _find_pod(fx, pod)
        else:
            _find_orphan(fx, pod)


def _find_pod(fx: Effects, row: PodRow) -> None:
    """The new kubelet learns of a pod from the API and then of its containers from the runtime.

    A pod that has ended and has nothing left to stop is not synced any more.
    """
    ended = row.status.phase in TERMINAL_PHASES and not any(isinstance(item.state, Running) for item in row.status.containers)
    if ended and row.deletion_ms is None and not _runs(fx, row.key):
        return
    _clear_dead(fx, row.key)
    worker = _new_worker(fx, row)
    instances = fx.tables.instances.get(row.key, ())
    sandbox = fx.tables.sandboxes.get(row.key)
    if _is_collected_at_start(fx, row):
        worker = replace(worker, collect_ms=fx.now)
    if instances or sandbox is not None:
        seq = max([sandbox.seq if sandbox is not None else 0, *(item.seq for item in instances)])
        fx.save_seen(row.key, Seen(fx.now, sandbox, instances, seq))
    intake.accept(fx, row, worker, again=True)
    if row.key not in fx.tables.workers:
        _clear_up(fx, row)
        return
    intake.begin(fx, row)
    relist.wake_for_found(fx, row.key)


def _is_collected_at_start(fx: Effects, row: PodRow) -> bool:
    """Whether nothing but a stopped sandbox is left of the pod: a new kubelet starts with garbage collection (StartGarbageCollection)."""
    if not fx.profile.sandbox_awaits_collection or row.deletion_ms is None or fx.tables.instances.get(row.key):
        return False
    sandbox = fx.tables.sandboxes.get(row.key)
    return sandbox is not None and sandbox.state == "stopped"


def _runs(fx: Effects, pod: Key) -> bool:
    """Whether a container of the pod is running."""
    return any(item.runs for item in fx.tables.instances.get(pod, ()))


def _new_worker(fx: Effects, row: PodRow) -> Worker:
    starts = fx.tables.node_life[row.node].starts
    return Worker(pod=row.key, node=row.node, n=starts * STEPS_A_LIFE)


def _clear_dead(fx: Effects, pod: Key) -> None:
    """Drop all but the newest of a container's dead instances, as the runtime does (container GC keeps one per container)."""
    kept: list[Instance] = []
    dead: dict[str, bool] = {}
    for item in fx.tables.instances.get(pod, ()):
        if item.state == "exited":
            if item.container in dead:
                continue
            dead[item.container] = True
        kept.append(item)
    fx.save_instances(pod, tuple(kept))


def _find_orphan(fx: Effects, row: PodRow) -> None:
    """Containers whose pod's object was deleted while the kubelet was away: housekeeping kills them."""
    _clear_up(fx, row)


def _clear_up(fx: Effects, row: PodRow) -> None:
    """Let housekeeping kill what runs of a pod that the kubelet rejected."""
    sandbox = fx.tables.sandboxes.get(row.key)
    if not _runs(fx, row.key) and (sandbox is None or sandbox.state == "stopped"):
        return
    step, fx.cause = fx.fire(ORPHAN, row.subject, ORPHAN.initial, DECIDED, "ORPHAN-KILLED")
    if step is None or step.target != "found":
        return
    grace_s = fx.profile.orphan_grace_s
    worker, is_gone = _new_worker(fx, row), row.gone_ms is not None
    fx.become(POD_WORKER, row.key, worker, "orphan_found", is_gone, grace_s=grace_s, housekeeping=True, seq=fx.cause)
    fx.check(next_housekeeping(fx, row.node), Lane.HOUSEKEEPING, HousekeepingKill(row.key))
