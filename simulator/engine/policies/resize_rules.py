"""Resizing containers in place, as pure rules: what may be requested, and what needs a restart.

A resize may change cpu and memory of app containers and sidecars, and nothing that would change the
pod's QoS class. A memory limit may be lowered in place only since 1.34; before, only for containers
whose resizePolicy restarts them.

The spec says what is desired, ``allocated`` what the kubelet has accepted; until it does, the two
differ and the containers keep what they have.

Source: pkg/apis/core/validation ValidatePodResize; pkg/kubelet/kuberuntime computePodResizeAction.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.container import Container, Quantities, ResourceRequirements
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.qos import COUNTED, qos_class
from simulator.engine.model.quantity import parse
from simulator.engine.model.status import ResourcesByName
from simulator.engine.policies.restart_policy import is_sidecar
from simulator.engine.world.rows import resources_of

RESTART = "RestartContainer"


def resized(container: Container, requests: Mapping[str, str], limits: Mapping[str, str]) -> Container:
    """The container with these quantities in place of its own."""
    old = container.resources
    changed = ResourceRequirements(requests={**old.requests, **requests}, limits={**old.limits, **limits})
    return container if changed == old else replace(container, resources=changed)


def with_containers(spec: PodSpec, changed: Mapping[str, Container]) -> PodSpec:
    """The spec with these containers, by name, in place of its own."""
    return replace(
        spec,
        containers=tuple(changed.get(item.name, item) for item in spec.containers),
        init_containers=tuple(changed.get(item.name, item) for item in spec.init_containers),
    )


def with_allocated(spec: PodSpec, allocated: ResourcesByName) -> PodSpec:
    """The spec with the resources that the kubelet has accepted, for the containers that ``allocated`` names."""
    return replace(
        spec,
        containers=tuple(as_allocated(item, allocated) for item in spec.containers),
        init_containers=tuple(as_allocated(item, allocated) for item in spec.init_containers),
    )


def as_allocated(container: Container, allocated: ResourcesByName) -> Container:
    """The container with the resources that the kubelet has accepted."""
    resources = resources_of(allocated, container.name)
    return container if resources is None or resources == container.resources else replace(container, resources=resources)


def resources_by_name(spec: PodSpec) -> ResourcesByName:
    """The resources of every container in the spec."""
    return tuple((item.name, item.resources) for item in (*spec.init_containers, *spec.containers))


def problem_of(old: PodSpec, new: PodSpec, *, pod_level: bool, may_shrink: bool) -> str:
    """Why the API server rejects the resize; empty if it accepts it. ``may_shrink``: memory limits may be lowered in place (1.34)."""
    if qos_class(old, pod_level=pod_level) != qos_class(new, pod_level=pod_level):
        return f'spec: Invalid value: "{qos_class(new, pod_level=pod_level)}": Pod QOS Class may not change as a result of resizing'
    for index, (before, after) in enumerate(zip(resizable(old), resizable(new), strict=True)):
        if before is after:
            continue
        text = _problem(before, after, may_shrink=may_shrink)
        if text:
            return f"spec.containers[{index}].resources.{text}"
    return ""


def resizable(spec: PodSpec) -> tuple[Container, ...]:
    """The containers whose resources may change: app containers and sidecars."""
    return (*spec.containers, *(item for item in spec.init_containers if is_sidecar(item)))


def _problem(before: Container, after: Container, *, may_shrink: bool) -> str:
    old, new = before.resources, after.resources
    changed = changed_resources(old, new)
    if any(name not in COUNTED for name in changed):
        return "requests: Forbidden: only cpu and memory resources are mutable"
    for name in changed:
        limit = new.limits.get(name)
        if limit is not None and name in new.requests and parse(new.requests[name]).nano > parse(limit).nano:
            return f'requests: Invalid value: "{new.requests[name]}": must be less than or equal to {name} limit of {limit}'
    shrinks = "memory" in old.limits and "memory" in new.limits and _nano(new.limits, "memory") < _nano(old.limits, "memory")
    if shrinks and not may_shrink and not needs_restart(after, ("memory",)):
        return "limits: Forbidden: memory limits cannot be decreased unless resizePolicy is RestartContainer"
    return ""


def _nano(quantities: Quantities, name: str) -> int:
    return parse(quantities[name]).nano if name in quantities else 0


def changed_resources(old: ResourceRequirements, new: ResourceRequirements) -> tuple[str, ...]:
    """Names of the resources whose request or limit differs, sorted."""
    names = sorted({*old.requests, *old.limits, *new.requests, *new.limits})
    return tuple(
        name
        for name in names
        if _nano(old.requests, name) != _nano(new.requests, name) or _nano(old.limits, name) != _nano(new.limits, name)
    )


def needs_restart(container: Container, changed: tuple[str, ...]) -> bool:
    """Whether the container has to be restarted for a change of these resources."""
    return any(policy.resource_name in changed and policy.restart_policy == RESTART for policy in container.resize_policy)


_SOURCE = "pkg/kubelet/allocation/allocation_manager.go"
RULES = (
    RuleText(
        "RESIZE-ASKED",
        gettext_noop("The API server stored new resources for the running pod; its kubelet has to agree."),
        "pkg/registry/core/pod/rest/subresources.go ResizeREST",
        "1.27",
    ),
    RuleText("RESIZE-ALLOCATED", gettext_noop("The new resources fit on the node: the kubelet applies them."), _SOURCE, "1.27"),
    RuleText(
        "RESIZE-DEFERRED", gettext_noop("The node has no room for the new resources right now; the kubelet retries."), _SOURCE, "1.27"
    ),
    RuleText("RESIZE-INFEASIBLE", gettext_noop("The node could never fit the new resources, so nothing changes."), _SOURCE, "1.27"),
    RuleText(
        "RESIZE-LIVE",
        gettext_noop("The container keeps running while the kernel’s limits are changed."),
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go doPodResizeAction",
        "1.27",
    ),
    RuleText(
        "RESIZE-ERROR",
        gettext_noop("The memory limit cannot go below what the container uses; the kubelet retries."),
        "pkg/kubelet/kuberuntime/kuberuntime_manager.go",
        "1.27",
    ),
    RuleText("RESIZE-DONE", gettext_noop("Every container has its new resources."), _SOURCE, "1.27"),
)
