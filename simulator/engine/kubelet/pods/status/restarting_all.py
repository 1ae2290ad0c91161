"""What a pod's status says while all its containers restart in place (RestartAllContainers, 1.35 and later).

The condition AllContainersRestarting is part of the status, so a sync first publishes that the restart has
begun and only the next one acts on it. Removed containers wait as RestartingAllContainers, their restart count
continues, and the pod stays Running although its init containers run again. Source: KEP-5532.
"""

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.pods.status.condition_rules import ConditionVerdict, all_containers_restarting
from simulator.engine.model.status import ContainerState, ContainerStatus, PodStatus, Terminated, Waiting
from simulator.engine.policies.restart_policy import RESTARTING_ALL, may_restart_all
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

CONDITION = "AllContainersRestarting"

MESSAGE = "The container is removed because RestartAllContainers in place"

RULES = (
    RuleText(
        "STATUS-RESET",
        gettext_noop("The container was removed for a restart of all containers, so it waits as RestartingAllContainers."),
        "pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses",
        "1.35",
    ),
)


def is_restarting(row: PodRow) -> bool:
    """Whether the published status says that all containers are being restarted."""
    condition = row.status.condition(CONDITION)
    return condition is not None and condition.status == "True"


def condition(fx: Effects, row: PodRow, status: PodStatus) -> ConditionVerdict | None:
    """The AllContainersRestarting condition in a version that has it; None if the pod has no such rule."""
    spec = row.pod.spec
    if not may_restart_all((*spec.init_containers, *spec.containers)):
        return None
    seen = fx.tables.seen.get(row.key)
    known = {item.container for item in seen.instances} if seen is not None else set()
    statuses = tuple(item for item in (*status.init_containers, *status.containers) if item.name in known)
    return all_containers_restarting(spec, statuses, status.phase, was_restarting=is_restarting(row))


def keeps_running(row: PodRow) -> bool:
    """Whether a pod that has been Running stays Running while its init containers run again after a restart in place."""
    shown = row.status.condition(CONDITION)
    return shown is not None and row.status.phase == "Running"


def reset_state(old: ContainerStatus) -> tuple[ContainerState, ContainerState | None, int]:
    """State, last state and restart count of a container that is gone from the runtime while all containers restart."""
    if isinstance(old.state, Waiting) and old.state.reason == RESTARTING_ALL:
        return old.state, old.last_state, old.restart_count
    return Waiting(RESTARTING_ALL, MESSAGE), Terminated(137, RESTARTING_ALL, MESSAGE), old.restart_count + 1


def counted(status: ContainerStatus) -> bool:
    """Whether the published restart count already includes the next start: after a reset, or if the last instance was lost."""
    last = status.last_state
    return not status.container_id and isinstance(last, Terminated) and last.reason in (RESTARTING_ALL, "ContainerStatusUnknown")
