"""The pod's own fields as environment values (Downward API), read when a container is created."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from simulator.engine.model.container import RESOURCE_SELECTOR, Container, ResourceSelector
from simulator.engine.model.downward import BadField, env_field_value, field_value, resource_value
from simulator.engine.model.manifest import convert
from simulator.engine.model.pod import Pod
from simulator.engine.world.lookups import pod_on_node
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import Tables


def field_text(tables: Tables, row: PodRow, path: str) -> str:
    """A field of the pod. Raises BadField for a path that validation would have rejected."""
    pod = _named(tables, row)
    pod = replace(pod, spec=replace(pod.spec, node_name=row.node))
    sandbox = tables.sandboxes.get(row.key)
    node = tables.nodes[row.node]
    address = node.ip if row.pod.spec.host_network else sandbox.ip if sandbox is not None else ""
    return env_field_value(pod, path, pod_ips=(address,) if address else (), host_ips=(node.ip,))


def _named(tables: Tables, row: PodRow) -> Pod:
    """The pod as its kubelet knows it, with the names that the API server gave it (a static pod has its own uid)."""
    pod = pod_on_node(tables, row)
    uid = row.uid if pod is row.pod else pod.metadata.uid
    return replace(pod, metadata=replace(pod.metadata, name=row.name, namespace=row.namespace, uid=uid))


def volume_field_text(tables: Tables, row: PodRow, path: str) -> str:
    """A field of the pod as a volume shows it: only metadata. Raises BadField."""
    return field_value(_named(tables, row), path)


def resource_text(tables: Tables, row: PodRow, container: Container | None, selector: ResourceSelector | Mapping[str, Any]) -> str:
    """A request or limit of this container, or of the one that the selector names; an unset limit is the node's allocatable.

    Raises BadField; a volume's ``selector`` is a document and names its container.
    """
    if isinstance(selector, Mapping):
        selector = convert(dict(selector), RESOURCE_SELECTOR)
    node = tables.nodes[row.node]
    allocatable = {"cpu": f"{node.allocatable_cpu_milli}m", "memory": str(node.allocatable_memory_bytes)}
    for other in (*row.pod.spec.containers, *row.pod.spec.init_containers):
        if other.name == selector.container_name:
            container = other
    if container is None:
        raise BadField(f"container {selector.container_name} not found")
    return resource_value(container, selector, allocatable={**allocatable, "ephemeral-storage": str(node.allocatable_storage_bytes)})
