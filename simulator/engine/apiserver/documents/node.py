"""A Node object as the API server holds it."""

from typing import Any

from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.containers.docker import CONTAINERD, DOCKER, VERSION
from simulator.engine.kernel.grid import last_beat
from simulator.engine.kernel.ids import boot_id, object_uid
from simulator.engine.kernel.units import Ms
from simulator.engine.model.quantity import canonical, parse
from simulator.engine.world.rows import NodeLife, NodeRow
from simulator.engine.world.world import World

_DECLARED_BY_GATE = ("RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport")
_KI = 1024


def node_document(world: World, name: str) -> dict[str, Any]:
    """The node as JSON values, as ``kubectl get node -o yaml`` shows it. Raises KeyError if there is no such node."""
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
    heard_ms = reported_ms(world, life)
    conditions = [
        {
            "type": item.type,
            "status": item.status,
            # The node controller writes Unknown without touching the heartbeat.
            "lastHeartbeatTime": timestamp(max(heard_ms, item.transition_ms if item.status != "Unknown" else 0), epoch_s),
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
        "creationTimestamp": timestamp(life.registered_ms, epoch_s),
        "labels": dict(row.labels),
    }
    status = {
        "capacity": resources,
        "allocatable": resources,
        "conditions": conditions,
        "addresses": addresses,
        "nodeInfo": _info(world, row),
    }
    if world.profile.node_declares_features:
        status["declaredFeatures"] = _declared(world)
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def _declared(world: World) -> list[str]:
    """The features that a kubelet declares (component-helpers nodedeclaredfeatures): one by its CPU policy ``none``, others by gates."""
    return ["GuaranteedQoSPodCPUResize", *(name for name in _DECLARED_BY_GATE if world.profile.has_gate(name))]


def reported_ms(world: World, life: NodeLife) -> Ms:
    """When the kubelet last wrote the node's status although nothing had changed."""
    # Heartbeats that change nothing are not events of the run; their times follow from the phase.
    return max(last_beat(_heard_until_ms(world, life), life.status_phase_ms, world.profile.node_status_report_ms), 0)


def renewed_ms(world: World, life: NodeLife) -> Ms:
    """When the kubelet last renewed the node's lease."""
    return max(last_beat(_heard_until_ms(world, life), life.lease_phase_ms, world.profile.node_lease_renew_ms), 0)


def _heard_until_ms(world: World, life: NodeLife) -> Ms:
    """Now, or about the moment at which the kubelet fell silent."""
    return world.now_ms if life.silent_ms is None else min(world.now_ms, life.silent_ms - world.profile.node_monitor_grace_ms)


def _info(world: World, row: NodeRow) -> dict[str, str]:
    """What is known of the machine: its versions follow the run's; kernel and image are named if the cluster says so, or on Windows."""
    version = f"v{world.profile.minor}.0"
    boots = world.tables.node_life[row.name].told_boots
    found = {"bootID": boot_id(world.header.seed, row.name, boots), "kubeletVersion": version}
    found |= {"containerRuntimeVersion": VERSION if world.runtime_of(row.name) == DOCKER else CONTAINERD}
    if world.release.facts.kube_proxy_version:
        found["kubeProxyVersion"] = version
    system = {"operatingSystem": row.os, "osImage": row.os_image, "kernelVersion": row.kernel_version}
    found |= {field: text for field, text in system.items() if text}
    arch = row.labels.get("kubernetes.io/arch")
    return {**found, "architecture": arch} if arch is not None else found


def _resources(row: NodeRow) -> dict[str, str]:
    cpu = row.allocatable_cpu_milli
    return {
        "cpu": f"{cpu}m" if cpu % 1000 else str(cpu // 1000),
        "ephemeral-storage": canonical(parse(f"{row.allocatable_storage_bytes // _KI}Ki")),
        "memory": canonical(parse(f"{row.allocatable_memory_bytes // _KI}Ki")),
        "pods": str(row.allocatable_pods),
        **{name: str(number) for name, number in row.allocatable_other.items()},
    }
