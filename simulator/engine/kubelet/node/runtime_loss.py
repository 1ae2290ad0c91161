"""The kubelet without its container runtime, and without a network plugin.

Containers keep running while containerd is down; the kubelet cannot list, start or stop any. Two things happen independently:

* The connection. The kubelet tries to reconnect after 1 s, 1.6 s, 2.56 s … (gRPC connection back-off, which stretches
  each wait by up to 20 %; 8 % when recorded), counted from the loss. So a runtime that is back is not reached at
  once: it is unreachable until the next attempt.
* The verdict. Every five seconds the kubelet queries the runtime's status, and considers it down 30 s after the last
  good answer. Only then does the node turn NotReady, and only then does the sync loop sleep.

What follows depends on which of the two happened: a short loss ends with the connection (``resume``); after a long one
pods that waited for a look at the runtime continue at once (``_release_held``), the others when the loop wakes (``_loop_wakes``).

Calls in progress fail, a stop is forgotten with the runtime that carried it out, and syncs that need a new look at the
runtime wait (``sync.runtime_wait``). A pod without host network is not synced either while the node has no network plugin.

Source: observed on a 1.20.2 node; pkg/kubelet/kubelet.go updateRuntimeUp, syncLoop.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.kernel.grid import last_beat, next_beat
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.kubelet.base.beats import mark_dirty
from simulator.engine.kubelet.base.health import NO_RUNTIME
from simulator.engine.kubelet.node import node_status
from simulator.engine.kubelet.pods.loop import relist
from simulator.engine.kubelet.pods.sandbox.sandbox_machine import SANDBOX
from simulator.engine.kubelet.pods.stop.stop import forget_stop
from simulator.engine.kubelet.pods.sync import sync
from simulator.engine.kubelet.pods.worker.sync_timing import end_sync
from simulator.engine.machines.node import NETWORK_PLUGIN, RUNTIME
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import RuntimeStep
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import NodeLife, Seen, Worker

RULES = (
    RuleText(
        "RUNTIME-DOWN",
        gettext_noop(
            "The container runtime is down. Containers keep running, but the kubelet can neither see, start nor stop any of them."
        ),
        "observed on a 1.20.2 node; pkg/kubelet/kubelet.go updateRuntimeUp",
        sure="recording",
    ),
    RuleText(
        "RUNTIME-BACK",
        gettext_noop("The kubelet can reach the container runtime again."),
        "observed on a 1.20.2 node; gRPC connection back-off",
        sure="recording",
    ),
    RuleText(
        "NETWORK-NOT-READY",
        gettext_noop("The node has no working network plugin, so the kubelet starts no pods that need a network, and retries."),
        "observed on a 1.20.2 node; pkg/kubelet/kubelet.go syncPod",
        sure="recording",
    ),
    RuleText(
        "NETWORK-PLUGIN",
        gettext_noop("The network plugin’s configuration was removed or restored; the kubelet checks for it every five seconds."),
        "observed on a 1.20.2 node",
        sure="recording",
    ),
    RuleText(
        "STOP-FORGOTTEN",
        gettext_noop("The component that was stopping the container is gone; the stop starts over later, with the full grace period."),
        "observed on a 1.20.2 node",
    ),
    RuleText(
        "RUNTIME-REFUSES",
        gettext_noop("The container runtime is not responding, so the kubelet’s attempt failed."),
        "observed on a 1.20.2 node",
        sure="recording",
    ),
)


def stop_runtime(fx: Effects, node: str) -> None:
    """The runtime is gone; what the kubelet was doing with it fails."""
    life = fx.tables.node_life[node]
    was_up = life.runtime == "up"
    lost = fx.now if was_up else life.runtime_lost_ms
    life, step, seq = fx.become(RUNTIME, node, life, "stop", None, runtime_lost_ms=lost)
    if step is None:
        return
    fx.cause = seq
    fx.save_kubelet(replace(fx.tables.kubelets[node], relist_due_ms=None, dirty=()))
    if was_up:
        checked = last_beat(fx.now, life.check_phase_ms, fx.profile.runtime_check_ms)
        fx.check(checked + fx.profile.runtime_down_after_ms, Lane.HOUSEKEEPING, RuntimeStep(node, "down"), put_off=True)
        for worker in fx.each(tuple(fx.tables.workers.values())):
            if worker.node == node and worker.step in ("sandbox", "start", "kill", "kill_pod", "sandbox_stop", "post_start_kill"):
                _break_off(fx, worker)
        for pod, instances in tuple(fx.tables.instances.items()):
            if fx.tables.pods[pod].node == node:
                for item in instances:
                    forget_stop(fx, pod, item)


def _break_off(fx: Effects, worker: Worker) -> None:
    """Fail the call to the runtime that is in progress."""
    sandbox = fx.tables.sandboxes.get(worker.pod)
    if sandbox is not None:
        fx.become(SANDBOX, worker.pod, sandbox, "abandoned", None, stopped_ms=fx.now)
    if worker.step in ("kill", "kill_pod", "sandbox_stop"):
        text = f"error killing pod: {NO_RUNTIME}"
        row = fx.tables.pods[worker.pod]
        emit(fx, row, severity="Warning", reason="FailedKillPod", message=text, rule="RUNTIME-REFUSES")
    end_sync(fx, replace(worker, step="", start=None, waits_for=(), program=(), failed=True, n=worker.n + 1))


def start_runtime(fx: Effects, node: str) -> None:
    """The runtime is back; the kubelet reaches it with its next attempt."""
    life = fx.tables.node_life[node]
    if life.runtime_lost_ms is None:
        return
    _, step, seq = fx.become(RUNTIME, node, life, "start", None)
    if step is None:
        return
    profile = fx.profile
    due, wait = life.runtime_lost_ms, profile.runtime_reconnect_ms
    while due <= fx.now:
        due += wait * profile.runtime_reconnect_stretch_permille // 1000
        wait = min(wait * profile.runtime_reconnect_factor_permille // 1000, profile.runtime_reconnect_max_ms)
    with fx.because(seq):
        fx.check(due, Lane.HOUSEKEEPING, RuntimeStep(node, "reconnect"), put_off=True)


def set_network(fx: Effects, node: str, *, present: bool) -> None:
    """Remove or restore the network plugin's configuration; the kubelet notices at its next query."""
    life = fx.tables.node_life[node]
    life, step, seq = fx.become(NETWORK_PLUGIN, node, life, "put_back" if present else "taken_away", None)
    if step is None:
        return
    fx.cause = seq
    _ask_for_network(fx, life)


def runtime_step(fx: Effects, event: RuntimeStep) -> None:
    """The kubelet queries the state of the runtime and its network, or tries to reconnect."""
    node = event.node
    life = fx.tables.node_life[node]
    fx.cause = life.seq
    if life.kubelet != "running":
        fx.become(RUNTIME, node, life, "nobody_asks", None, runtime_lost_ms=None, is_runtime_down=False)
        return
    if life.runtime == "unreachable":
        if event.why == "reconnect":
            _reconnected(fx, life)
        return
    if life.runtime == "down":
        if event.why == "down" and not life.is_runtime_down:
            tick = next_beat(fx.now, fx.tables.kubelets[node].tick_phase_ms, fx.profile.sync_tick_ms)
            fx.save_node_life(replace(life, is_runtime_down=True, down_ms=tick))
            node_status.report_later(fx, node, after_ms=fx.now - 1)
        return
    if life.is_runtime_down:
        life = fx.save_node_life(replace(life, is_runtime_down=False))
        node_status.report_later(fx, node)
        resume(fx, node)
    network = life.network == "present"
    if life.network_seen != network:
        fx.save_node_life(replace(life, network_seen=network))
        node_status.report_later(fx, node)


def _reconnected(fx: Effects, life: NodeLife) -> None:
    """The first good answer. A runtime considered down is only trusted at the next query; pods wait until then."""
    life, _, fx.cause = fx.become(RUNTIME, life.node, life, "reconnected", None, runtime_lost_ms=None)
    if life.is_runtime_down:
        fx.check(_loop_wakes(fx, life), Lane.HOUSEKEEPING, RuntimeStep(life.node, "up"), put_off=True)
        _release_held(fx, life.node)
    else:
        resume(fx, life.node)
        if life.network_seen != (life.network == "present"):  # that changed while the runtime did not answer
            _ask_for_network(fx, life)


def _ask_for_network(fx: Effects, life: NodeLife) -> None:
    due = next_beat(fx.now, life.check_phase_ms, fx.profile.runtime_check_ms)
    fx.check(due, Lane.HOUSEKEEPING, RuntimeStep(life.node, "network"), put_off=True)


def _loop_wakes(fx: Effects, life: NodeLife) -> Ms:
    """When the sync loop, which sleeps 0.1 s, 0.2 s … up to 5 s while the runtime is down, first sees it up."""
    profile = fx.profile
    checked = next_beat(fx.now, life.check_phase_ms, profile.runtime_check_ms)
    wakes, sleep = life.down_ms, profile.loop_sleep_initial_ms
    while sleep < profile.loop_sleep_max_ms:
        wakes, sleep = wakes + sleep, sleep * 2
    longest = profile.loop_sleep_max_ms
    return wakes + max(-(-(checked - wakes) // longest), 0) * longest


def _release_held(fx: Effects, node: str) -> None:
    """Let workers that waited for a look at the runtime have it and continue; the sync loop itself still sleeps."""
    for worker in fx.each(tuple(fx.tables.workers.values())):
        if worker.node == node and worker.held:
            _see(fx, worker.pod)
            fx.save_worker(replace(fx.tables.workers[worker.pod], held=False, pending=False))
            sync.begin_sync(fx, worker.pod, worker.pending_seq or fx.cause, forced=True)
        elif worker.node == node:
            mark_dirty(fx, node, worker.pod)


def _see(fx: Effects, pod: Key) -> None:
    """Look at the runtime without waking anything."""
    before = fx.tables.seen.get(pod)
    fx.save_seen(pod, Seen(fx.now, fx.tables.sandboxes.get(pod), fx.tables.instances.get(pod, ()), before.seq if before else 0))


def resume(fx: Effects, node: str) -> None:
    """Let the kubelet look at all its pods again and do what had to wait."""
    cause = fx.cause
    for worker in fx.each(tuple(fx.tables.workers.values())):
        if worker.node != node:
            continue
        relist.look(fx, worker.pod)
        waiting = fx.tables.workers.get(worker.pod)
        if waiting is not None and waiting.held:
            fx.save_worker(replace(waiting, held=False, pending=False))
            sync.request(fx, worker.pod, waiting.pending_seq or cause)
            if waiting.pending:
                sync.request(fx, worker.pod, waiting.pending_seq or cause)
