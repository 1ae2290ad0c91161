"""The status half of a Pod: what the kubelet publishes. Times are milliseconds of the run (None: unset)."""

from msgspec import Struct

from simulator.engine.kernel.units import Ms
from simulator.engine.model.container import ResourceRequirements

ResourcesByName = tuple[tuple[str, ResourceRequirements], ...]
"""Resources by the name of the container."""

TERMINAL_PHASES = ("Succeeded", "Failed")
"""Phases that a pod never leaves."""


class Waiting(Struct, frozen=True, gc=False):
    """A container that does not run; with an empty reason nothing is known yet."""

    reason: str = ""
    message: str = ""


class Running(Struct, frozen=True, gc=False):
    """A container that runs since ``started_ms``."""

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
"""Exactly one holds; a status with none of them reads as ``None`` (reads as Waiting)."""


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
    """One condition. ``transition_ms`` changes only when ``status`` changes; ``probe_ms`` only a client sets, the kubelet never."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    transition_ms: Ms | None = None
    probe_ms: Ms | None = None
    observed_generation: int | None = None


class PodStatus(Struct, frozen=True, kw_only=True, gc=False):
    """Everything the API shows of a pod's state. Lists keep the order the kubelet writes."""

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
    observed_generation: int | None = None  # metadata.generation of the pod as the kubelet last saw it
    allocated: ResourcesByName = ()  # allocatedResources of the containers, once they may differ from the spec; before, the spec says them
    actual: ResourcesByName = ()  # resources of the running containers, likewise

    def condition(self, kind: str) -> PodCondition | None:
        """The condition of that type, or None."""
        for condition in self.conditions:
            if condition.type == kind:
                return condition
        return None
