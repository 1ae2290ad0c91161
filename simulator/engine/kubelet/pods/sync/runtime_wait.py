"""What a sync does while the container runtime does not answer or the node has no network: it waits, or ends with an error."""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.kernel.grid import last_beat
from simulator.engine.kubelet.base.health import NO_RUNTIME, life_of, network_text
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow, Worker


def must_wait(fx: Effects, worker: Worker) -> bool:
    """Whether a sync cannot begin: the kubelet has not looked at the pod since its last one, and cannot."""
    life = life_of(fx, worker.node)
    if life is None or (life.runtime == "up" and not life.is_runtime_down):
        return False
    if life.is_runtime_down:
        return True
    looked = last_beat(life.runtime_lost_ms or 0, fx.tables.kubelets[worker.node].relist_phase_ms, fx.profile.relist_ms)
    return bool(worker.syncs) and looked <= worker.busy_until_ms


def hold(fx: Effects, worker: Worker, cause: int) -> None:
    """Postpone a sync until the runtime is back; of those that come after it one more is kept."""
    fx.save_worker(replace(worker, held=True, pending=worker.held, pending_seq=cause, sync_due_ms=None, sync_handle=0))


def refuse(fx: Effects, worker: Worker) -> Worker:
    """The current action needs the runtime, which does not answer: the sync ends with an error."""
    row = fx.tables.pods[worker.pod]
    kind = worker.program[0].kind
    if kind == "sandbox":
        text = f"Failed to create pod sandbox: {NO_RUNTIME}"
        emit(fx, row, severity="Warning", reason="FailedCreatePodSandBox", message=text, rule="RUNTIME-REFUSES")
    else:
        text = f"error killing pod: {NO_RUNTIME}"
        emit(fx, row, severity="Warning", reason="FailedKillPod", message=text, rule="RUNTIME-REFUSES")
    return replace(worker, program=(), failed=True)


def lacks_network(fx: Effects, row: PodRow) -> bool:
    """Whether the pod cannot be synced for lack of a network; writes an Event if so."""
    life = life_of(fx, row.node)
    if life is None or life.network_seen or row.pod.spec.host_network:
        return False
    text = f"network is not ready: {network_text(fx)}"
    emit(fx, row, severity="Warning", reason="NetworkNotReady", message=text, rule="NETWORK-NOT-READY")
    return True
