"""Steps of a sync that make or stop the pod's sandbox.

Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod, killPodWithSyncResult.
"""

from msgspec.structs import replace

from simulator.engine.controllers.kubelet import user_namespaces
from simulator.engine.controllers.kubelet.beats import mark_dirty
from simulator.engine.effects import Effects
from simulator.engine.events import WorkerStep
from simulator.engine.machines.sandbox import SANDBOX
from simulator.engine.queue import Lane
from simulator.engine.rows import Sandbox, Worker
from simulator.engine.units import Key


def begin(fx: Effects, worker: Worker) -> Worker:
    """Begin to create the sandbox, the first one or a replacement."""
    old = fx.tables.sandboxes.get(worker.pod)
    attempt = 0 if old is None else old.attempt + 1
    if old is not None:
        _purge_init(fx, worker.pod)
    state = "absent" if old is None else "stopped"
    _, seq = fx.fire(SANDBOX, f"pod/{worker.pod}", state, "needed", None, data=(("attempt", attempt),))
    fx.cause = seq
    user_namespaces.acquire(fx, fx.tables.pods[worker.pod])
    fx.save_sandbox(worker.pod, Sandbox(attempt, "creating", fx.now, seq=seq))
    fx.schedule(fx.now + fx.profile.sandbox_ms, Lane.RUNTIME, WorkerStep(worker.pod, worker.n))
    return replace(worker, step="sandbox")


def _purge_init(fx: Effects, pod: Key) -> None:
    """A new sandbox begins with initialisation: the records of init containers that have ended go."""
    rows = fx.tables.instances.get(pod, ())
    fx.save_instances(pod, tuple(row for row in rows if row.group != "init" or row.state == "running"))


def created(fx: Effects, worker: Worker) -> Worker:
    """The sandbox is ready and has its IP."""
    sandbox = fx.tables.sandboxes[worker.pod]
    ip = _address(fx, worker)
    _, seq = fx.fire(SANDBOX, f"pod/{worker.pod}", "creating", "created", None, data=(("attempt", sandbox.attempt), ("ip", ip)))
    fx.cause = seq
    fx.save_sandbox(worker.pod, replace(sandbox, state="ready", ip=ip, seq=seq))
    mark_dirty(fx, fx.tables.nodes[worker.node], worker.pod)
    return replace(worker, step="")


def _address(fx: Effects, worker: Worker) -> str:
    """The next address of the node's pod network, or the node's own for a pod on the host network."""
    node = fx.tables.nodes[worker.node]
    if fx.tables.pods[worker.pod].pod.spec.host_network:
        return node.ip
    number = node.pods_started + 1
    fx.save_node(replace(node, pods_started=number))
    return f"{node.pod_network}.{number % 250 + 2}"


def begin_stop(fx: Effects, worker: Worker) -> Worker:
    """Begin to stop the sandbox, where there is one that is ready."""
    sandbox = fx.tables.sandboxes.get(worker.pod)
    if sandbox is None or sandbox.state != "ready":
        return replace(worker, step="", waits_for=())
    fx.schedule(fx.now + fx.profile.sandbox_stop_ms, Lane.RUNTIME, WorkerStep(worker.pod, worker.n))
    return replace(worker, step="sandbox_stop", waits_for=())


def stopped(fx: Effects, worker: Worker) -> Worker:
    """The sandbox has stopped; the runtime keeps its record."""
    sandbox = fx.tables.sandboxes[worker.pod]
    _, seq = fx.fire(SANDBOX, f"pod/{worker.pod}", "ready", "stop", None, data=(("attempt", sandbox.attempt),))
    fx.save_sandbox(worker.pod, replace(sandbox, state="stopped", stopped_ms=fx.now, seq=seq))
    mark_dirty(fx, fx.tables.nodes[worker.node], worker.pod)
    return replace(worker, step="")
