"""The status half of a Pod: what the kubelet publishes. Times are milliseconds of the run (None: unset)."""

from msgspec import Struct

from simulator.engine.kernel.units import Ms
from simulator.engine.model.container import ResourceRequirements

ResourcesByName = tuple[tuple[str, ResourceRequirements], ...]
"""Resources by container name."""

TERMINAL_PHASES = ("Succeeded", "Failed")
"""Phases that a pod never leaves."""


class Waiting(Struct, frozen=True, gc=False):
    """A container that is not running; with an empty reason nothing is known yet."""

    reason: str = ""
    message: str = ""


class Running(Struct, frozen=True, gc=False):
    """A container that has been running since ``started_ms``."""

    started_ms: Ms | None = None


class Terminated(Struct, frozen=True, gc=False):
    """A container that has ended."""

    exit_code: int = 0
    reason: str = ""
    message: str = ""
    started_ms: Ms | None = None
    finished_ms: Ms | None = None
    signal: int = 0
    container_id: str = ""


ContainerState = Waiting | Running | Terminated
"""Exactly one applies; a status without any reads as ``None`` (meaning Waiting)."""


class ContainerStatus(Struct, frozen=True, kw_only=True, gc=False):
    """One entry of containerStatuses, initContainerStatuses or ephemeralContainerStatuses."""

    name: str
    state: ContainerState | None = None
    last_state: ContainerState | None = None
    ready: bool = False
    started: bool | None = None
    restart_count: int = 0
    image: str = ""
    image_id: str = ""
    container_id: str = ""


class PodCondition(Struct, frozen=True, kw_only=True, gc=False):
    """One condition. ``transition_ms`` changes only when ``status`` changes; ``probe_ms`` is only set by clients, never by the kubelet."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    transition_ms: Ms | None = None
    probe_ms: Ms | None = None
    observed_generation: int | None = None


class PodStatus(Struct, frozen=True, kw_only=True, gc=False):
    """Everything the API shows of a pod's state. Lists keep the order in which the kubelet writes them."""

    phase: str = "Pending"
    reason: str = ""
    message: str = ""
    conditions: tuple[PodCondition, ...] = ()
    init_containers: tuple[ContainerStatus, ...] = ()
    containers: tuple[ContainerStatus, ...] = ()
    ephemeral_containers: tuple[ContainerStatus, ...] = ()
    start_ms: Ms | None = None
    pod_ip: str = ""
    host_ip: str = ""
    nominated_node: str = ""
    resize: str = ""  # until 1.32: Proposed, InProgress, Deferred or Infeasible
    qos_class: str = ""
    observed_generation: int | None = None  # metadata.generation of the pod when the kubelet last saw it
    allocated: ResourcesByName = ()  # allocatedResources of the containers, once they may differ from the spec's
    actual: ResourcesByName = ()  # resources of the running containers, likewise

    def condition(self, kind: str) -> PodCondition | None:
        """The condition of that type, or None."""
        for condition in self.conditions:
            if condition.type == kind:
                return condition
        return None
