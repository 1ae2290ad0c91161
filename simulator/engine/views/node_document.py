"""A Node object as the API server holds it."""

from typing import Any

from simulator.engine.ids import object_uid
from simulator.engine.rows import NodeRow
from simulator.engine.views.moments import timestamp
from simulator.engine.world import World

_KI = 1024


def node_document(world: World, name: str) -> dict[str, Any]:
    """The node as JSON values, as ``kubectl get node -o yaml`` shows it. Raises KeyError where there is no such node."""
    row = world.tables.nodes[name]
    if row.is_deleted:
        raise KeyError(name)
    epoch_s = world.header.epoch_s
    spec: dict[str, Any] = {"podCIDR": f"{row.pod_network}.0/24", "podCIDRs": [f"{row.pod_network}.0/24"]}
    if row.unschedulable:
        spec["unschedulable"] = True
    if row.taints:
        spec["taints"] = [{"key": key, **({"value": value} if value else {}), "effect": effect} for key, value, effect in row.taints]
    resources = _resources(row)
    life = world.tables.node_life[name]
    conditions = [
        {
            "type": item.type,
            "status": item.status,
            "lastTransitionTime": timestamp(item.transition_ms, epoch_s),
            "reason": item.reason,
            "message": item.message,
        }
        for item in life.conditions
    ]
    addresses = [{"type": "InternalIP", "address": row.ip}, {"type": "Hostname", "address": name}]
    metadata = {
        "name": name,
        "uid": object_uid(world.header.seed, "Node", name),
        "creationTimestamp": timestamp(0, epoch_s),
        "labels": dict(row.labels),
    }
    status = {"capacity": resources, "allocatable": resources, "conditions": conditions, "addresses": addresses}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def _resources(row: NodeRow) -> dict[str, str]:
    cpu = row.allocatable_cpu_milli
    return {
        "cpu": f"{cpu}m" if cpu % 1000 else str(cpu // 1000),
        "ephemeral-storage": f"{row.allocatable_storage_bytes // _KI}Ki",
        "memory": f"{row.allocatable_memory_bytes // _KI}Ki",
        "pods": str(row.allocatable_pods),
        **{name: str(number) for name, number in row.allocatable_other.items()},
    }
