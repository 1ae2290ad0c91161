"""The resources that the kubelet has allocated to the containers of a resized pod. Source: pkg/kubelet/allocation."""

from msgspec.structs import replace

from simulator.engine.model.container import Container
from simulator.engine.model.status import PodStatus
from simulator.engine.policies.resize_rules import as_allocated
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow


def allocated_container(fx: Effects, row: PodRow, container: Container) -> Container:
    """The container as the kubelet runs it: with its allocated resources."""
    resize = fx.tables.resizes.get(row.key)
    return container if resize is None else as_allocated(container, resize.allocated)


def with_resources(fx: Effects, row: PodRow, status: PodStatus) -> PodStatus:
    """The status with each container's allocated and actual resources; a pod that was never resized has those of its spec."""
    resize = fx.tables.resizes.get(row.key)
    if resize is None:
        return replace(status, allocated=(), actual=())
    running = [item for item in fx.tables.instances.get(row.key, ()) if item.runs]
    return replace(status, allocated=resize.allocated, actual=tuple((item.container, item.spec.resources) for item in running))
