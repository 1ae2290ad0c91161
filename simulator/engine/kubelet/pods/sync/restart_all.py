"""RestartAllContainers: a container's exit makes every container of its pod start over, in place.

The sandbox, its IP address and the volumes stay. Every container is removed from the runtime, one after the other,
so the pod starts again from its first init container, and without a crash-loop delay, since no ended
container is left to count from. What the status says meanwhile is in ``status.restarting_all``.

Source: KEP-5532; pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod, pkg/kubelet/kubelet_pods.go.
"""

from msgspec.structs import replace

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.pods.containers.container_machine import CONTAINER, StartFacts
from simulator.engine.kubelet.pods.containers.instances import find_instance
from simulator.engine.kubelet.pods.stop.stop import StopOrder, begin_stop
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Action, Worker

RULES = (
    RuleText(
        "RESET-CONTAINER",
        gettext_noop("Every container restarts in place: this one is removed from the runtime, and its logs stay."),
        "KEP-5532; pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod",
        "1.35",
    ),
)


def program(names: tuple[str, ...]) -> list[Action]:
    """Kill and remove one container after the other."""
    return [Action(kind, name, rule="ACTIONS-RESTART-ALL") for name in names for kind in ("reset", "remove")]


def kill(fx: Effects, worker: Worker, action: Action) -> Worker:
    """Kill a container that is still running: no preStop hook, only the minimum grace period."""
    row = fx.tables.pods[worker.pod]
    instance = find_instance(fx, worker.pod, action.container)
    if instance is None or not instance.runs:
        return worker
    with fx.aside():
        begin_stop(fx, row, instance, instance.spec, StopOrder(message="killing", reason="", grace_ms=0, with_hook=False))
    return replace(worker, step="kill", waits_for=((instance.container, instance.attempt),))


def remove(fx: Effects, worker: Worker, action: Action) -> Worker:
    """Remove what the runtime still holds of an ended container; the next sync comes at once."""
    rows = fx.tables.instances.get(worker.pod, ())
    kept = tuple(item for item in rows if item.container != action.container)
    if kept == rows:
        return worker
    newest = find_instance(fx, worker.pod, action.container)
    assert newest is not None
    reset, _, _ = fx.become(CONTAINER, worker.pod, newest, "reset", StartFacts(), data=(("instance", rows[0].attempt),))
    if reset.state == CONTAINER.initial:
        fx.save_instances(worker.pod, kept)
    return replace(worker, pending=True, pending_seq=fx.cause)
