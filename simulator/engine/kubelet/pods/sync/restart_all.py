"""RestartAllContainers: a container's exit asks for every container of its pod to begin anew, in place.

The sandbox, its IP and the volumes stay. Every container is removed from the runtime, one after the other, so that the pod
starts again from its first init container, and without a crash-loop delay, as no ended container is left to count from.

Source: KEP-5532; pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod, pkg/kubelet/kubelet_pods.go.
"""

from msgspec.structs import replace

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.pods.containers.container_machine import CONTAINER, StartFacts
from simulator.engine.kubelet.pods.containers.instances import find_instance
from simulator.engine.kubelet.pods.status.condition_rules import ConditionVerdict, all_containers_restarting
from simulator.engine.kubelet.pods.stop.stop import StopOrder, begin_stop
from simulator.engine.model.status import ContainerState, ContainerStatus, PodStatus, Terminated, Waiting
from simulator.engine.policies.restart import RESTARTING_ALL, may_restart_all
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Action, PodRow, Worker

CONDITION = "AllContainersRestarting"
MESSAGE = "The container is removed because RestartAllContainers in place"

RULES = (
    RuleText(
        "STATUS-RESET",
        gettext_noop("The container was removed for a restart of all containers, so it waits as RestartingAllContainers."),
        "pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses",
        "1.35",
    ),
    RuleText(
        "RESET-CONTAINER",
        gettext_noop("Every container restarts in place: this one is removed from the runtime, and its logs stay."),
        "KEP-5532; pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod",
        "1.35",
    ),
)


def is_restarting(row: PodRow) -> bool:
    """Whether the published status says that all containers are being restarted."""
    condition = row.status.condition(CONDITION)
    return condition is not None and condition.status == "True"


def condition(fx: Effects, row: PodRow, status: PodStatus) -> ConditionVerdict | None:
    """The AllContainersRestarting condition, or None where the version or the pod has no such rule."""
    spec = row.pod.spec
    if not fx.profile.restart_all_containers or not may_restart_all((*spec.init_containers, *spec.containers)):
        return None
    seen = fx.tables.seen.get(row.key)
    known = {item.container for item in seen.instances} if seen is not None else set()
    statuses = tuple(item for item in (*status.init_containers, *status.containers) if item.name in known)
    return all_containers_restarting(spec, statuses, status.phase, was_restarting=is_restarting(row))


def keeps_running(fx: Effects, row: PodRow) -> bool:
    """Whether a pod that has been Running counts as Running while its init containers run again after a restart in place."""
    shown = row.status.condition(CONDITION)
    return fx.profile.restart_all_containers and shown is not None and row.status.phase == "Running"


def reset_state(old: ContainerStatus) -> tuple[ContainerState, ContainerState | None, int]:
    """State, last state and restart count of a container that is gone from the runtime while all containers restart."""
    if isinstance(old.state, Waiting) and old.state.reason == RESTARTING_ALL:
        return old.state, old.last_state, old.restart_count
    return Waiting(RESTARTING_ALL, MESSAGE), Terminated(137, RESTARTING_ALL, MESSAGE), old.restart_count + 1


def counted(status: ContainerStatus) -> bool:
    """Whether the published restart count already counts the next start: after a reset, or where the last instance was lost."""
    last = status.last_state
    return not status.container_id and isinstance(last, Terminated) and last.reason in (RESTARTING_ALL, "ContainerStatusUnknown")


def program(names: tuple[str, ...]) -> list[Action]:
    """Kill and remove one container after the other."""
    return [Action(kind, name, rule="ACTIONS-RESTART-ALL") for name in names for kind in ("reset", "remove")]


def kill(fx: Effects, worker: Worker, action: Action) -> Worker:
    """Kill a container that still runs: no preStop hook, no grace beyond the least there is."""
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
