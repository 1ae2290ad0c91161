"""What a pod requests, has been allocated and uses, for its inspector: effective requests, oom_score_adj, memory, local storage.

The request, what the kubelet accepted and what the process has differ during a resize; each is
shown as it is.
"""

from msgspec import Struct

from simulator.engine import containers as behaviour
from simulator.engine.kubelet.node.eviction_rules import bytes_text
from simulator.engine.kubelet.node.oom_score import NodeMemory, oom_score_adj
from simulator.engine.kubelet.pods.sandbox.user_namespaces import RANGE
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.qos import RULE_OF
from simulator.engine.model.quantity import Quantity, canonical, parse
from simulator.engine.model.requests import Amounts, RequestOptions, pod_limits, pod_requests
from simulator.engine.world.rows import Instance, NodeRow, PodRow
from simulator.engine.world.world import World

Quantities = tuple[tuple[str, str], ...]
_BYTES = ("memory", "ephemeral-storage")


class ContainerResources(Struct, frozen=True, kw_only=True):
    """One container. ``allocated`` is what its kubelet has accepted, ``actual`` what its running instance has.

    ``memory_min`` and ``memory_high`` are what MemoryQoS sets for the running instance.
    """

    name: str
    requests: Quantities
    limits: Quantities
    allocated: Quantities
    actual: Quantities
    oom_score_adj: int | None
    oom_rule: str = "OOM-SCORE"
    memory: str = ""
    storage: str = ""
    memory_min: str = ""
    memory_high: str = ""


class ResourcesView(Struct, frozen=True, kw_only=True):
    """A pod's resources. ``requests`` and ``limits`` are the effective ones that scheduling and admission count."""

    qos: str
    qos_rule: str
    priority: int
    requests: Quantities
    limits: Quantities
    resize: str
    resize_message: str
    user_ids: str
    containers: tuple[ContainerResources, ...]
    request_rule: str = "REQUEST-EFFECTIVE"


def resources_view(world: World, row: PodRow) -> ResourcesView:
    """The resources of a pod at this moment. About 20 µs per container."""
    profile = world.profile
    spec = row.pod.spec
    options = RequestOptions(pod_level=profile.pod_level_resources, sidecars=profile.sidecar_containers)
    resize = world.tables.resizes.get(row.key)
    held = world.tables.user_ranges.get(row.key)
    return ResourcesView(
        qos=row.status.qos_class,
        qos_rule=RULE_OF[row.status.qos_class],
        priority=spec.priority or 0,
        requests=_texts(pod_requests(spec, options=options)),
        limits=_texts(pod_limits(spec, options=options)),
        resize=resize.state if resize is not None else "",
        resize_message=resize.message if resize is not None else "",
        user_ids=f"{held[1]}-{held[1] + RANGE - 1}" if held is not None else "",
        containers=tuple(_container(world, row, spec, index) for index in range(len(spec.init_containers) + len(spec.containers))),
    )


def _container(world: World, row: PodRow, spec: PodSpec, index: int) -> ContainerResources:
    container = (*spec.init_containers, *spec.containers)[index]
    item = _running(world, row, container.name)
    resize = world.tables.resizes.get(row.key)
    agreed = resize.of(container.name) if resize is not None else None
    node = world.tables.nodes.get(row.node)
    # What was admitted is the spec itself until a resize makes the two differ.
    allocated = agreed if agreed is not None else container.resources if node is not None else None
    return ContainerResources(
        name=container.name,
        requests=_written(container.resources.requests),
        limits=_written(container.resources.limits),
        allocated=_written(allocated.requests) if allocated is not None else (),
        actual=_written(item.spec.resources.requests) if item is not None else (),
        oom_score_adj=_score(world, row, spec, index, node) if node is not None else None,
        memory=_memory(world, item),
        storage=_storage(world, row, item),
        memory_min=_bound(item.process.launch.memory_min_bytes) if item is not None and item.process is not None else "",
        memory_high=_bound(item.process.launch.memory_high_bytes) if item is not None and item.process is not None else "",
    )


def _bound(number: int | None) -> str:
    return bytes_text(number) if number else ""


def _running(world: World, row: PodRow, name: str) -> Instance | None:
    return next((item for item in world.tables.instances.get(row.key, ()) if item.container == name and item.runs), None)


def _score(world: World, row: PodRow, spec: PodSpec, index: int, node: NodeRow) -> int:
    container = (*spec.init_containers, *spec.containers)[index]
    profile = world.profile
    memory = NodeMemory(node.allocatable_memory_bytes, sidecars=profile.sidecar_containers, pod_level=profile.pod_level_resources)
    return oom_score_adj(spec, container, row.status.qos_class, memory)


def _memory(world: World, item: Instance | None) -> str:
    """Memory in use, rounded to KiB for readability."""
    if item is None or item.process is None:
        return ""
    return bytes_text(behaviour.memory_bytes(item.process, world.now_ms) // 1024 * 1024)


def _storage(world: World, row: PodRow, item: Instance | None) -> str:
    """What the container has written into its own layer and its log."""
    if item is None or item.process is None:
        return ""
    layer = sum(file.size_bytes for file in item.process.files.values())
    log = sum(len(line[3]) + 1 for line in world.tables.logs.get((row.key, item.container), ()))
    return bytes_text(layer + log)


def _written(quantities: dict[str, str | int | float]) -> Quantities:
    return tuple((name, canonical(parse(text))) for name, text in quantities.items())


def _texts(amounts: Amounts) -> Quantities:
    return tuple((name, canonical(Quantity(nano, "BinarySI" if name in _BYTES else "DecimalSI"))) for name, nano in amounts.items() if nano)
