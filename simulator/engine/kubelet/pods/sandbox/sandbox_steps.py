"""Steps of a sync that create or stop the pod's sandbox.

Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod, killPodWithSyncResult.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.base.beats import mark_dirty
from simulator.engine.kubelet.pods.facts import naming
from simulator.engine.kubelet.pods.sandbox import user_namespaces
from simulator.engine.kubelet.pods.sandbox.sandbox_machine import SANDBOX
from simulator.engine.kubelet.pods.volumes.mounts import forget_ipc
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import WorkerStep
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Sandbox, Worker


def begin(fx: Effects, worker: Worker) -> Worker:
    """Begin to create the sandbox, the first one or a replacement; the sync fails if the kernel rejects the pod's host name."""
    row = fx.tables.pods[worker.pod]
    problem = naming.problem_of(fx, row) if row.pod.spec.set_hostname_as_fqdn or fx.tables.static_pods else ""
    if problem:
        text = f"Failed to create pod sandbox: {problem}"
        emit(fx, row, severity="Warning", reason="FailedCreatePodSandBox", message=text, rule="SANDBOX-NAME-TOO-LONG")
        return replace(worker, program=(), failed=True)
    old = fx.tables.sandboxes.get(worker.pod)
    attempt = 0 if old is None else old.attempt + 1
    if old is not None:
        _purge_init(fx, worker.pod)
        forget_ipc(fx, row)
    fresh = Sandbox(attempt=attempt, state=SANDBOX.initial if old is None else old.state, created_ms=fx.now)
    _, _, fx.cause = fx.become(SANDBOX, worker.pod, fresh, "needed", None, data=(("attempt", attempt),))
    if row.pod.spec.host_users is False:
        user_namespaces.acquire(fx, row)
    fx.schedule(fx.now + fx.profile.sandbox_ms, Lane.RUNTIME, WorkerStep(worker.pod, worker.n))
    return replace(worker, step="sandbox")


def _purge_init(fx: Effects, pod: Key) -> None:
    """Remove the records of init containers that have ended: a new sandbox starts with initialization."""
    rows = fx.tables.instances.get(pod, ())
    fx.save_instances(pod, tuple(row for row in rows if row.group != "init" or row.runs))


def created(fx: Effects, worker: Worker) -> Worker:
    """The sandbox is ready and has its IP address."""
    sandbox = fx.tables.sandboxes[worker.pod]
    ip = _address(fx, worker)
    data = (("attempt", sandbox.attempt), ("ip", ip))
    _, _, fx.cause = fx.become(SANDBOX, worker.pod, sandbox, "created", None, data=data, ip=ip)
    mark_dirty(fx, worker.node, worker.pod)
    return replace(worker, step="")


def _address(fx: Effects, worker: Worker) -> str:
    """The next address of the node's pod network, or the node's own for a pod on the host network."""
    node = fx.tables.nodes[worker.node]
    if fx.tables.pods[worker.pod].pod.spec.host_network:
        return node.ip
    kubelet = fx.tables.kubelets[worker.node]
    number = kubelet.pods_started + 1
    fx.save_kubelet(replace(kubelet, pods_started=number))
    return f"{node.pod_network}.{number % 250 + 2}"


def begin_stop(fx: Effects, worker: Worker) -> Worker:
    """Begin to stop the sandbox if it is ready."""
    sandbox = fx.tables.sandboxes.get(worker.pod)
    if sandbox is None or sandbox.state != "ready":
        return replace(worker, step="", waits_for=())
    fx.schedule(fx.now + fx.profile.sandbox_stop_ms, Lane.RUNTIME, WorkerStep(worker.pod, worker.n))
    return replace(worker, step="sandbox_stop", waits_for=())


def stop_while_busy(fx: Effects, worker: Worker) -> None:
    """Stop the sandbox while the worker is pulling an image; its step continues."""
    sandbox = fx.tables.sandboxes.get(worker.pod)
    if sandbox is not None and sandbox.state == "ready":
        fx.schedule(fx.now + fx.profile.sandbox_stop_ms, Lane.RUNTIME, WorkerStep(worker.pod, worker.n))


def stopped(fx: Effects, worker: Worker) -> Worker:
    """The sandbox has stopped; the runtime keeps its record."""
    sandbox = fx.tables.sandboxes[worker.pod]
    fx.become(SANDBOX, worker.pod, sandbox, "stop", None, data=(("attempt", sandbox.attempt),), stopped_ms=fx.now)
    mark_dirty(fx, worker.node, worker.pod)
    return replace(worker, step="")
