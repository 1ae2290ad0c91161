"""A new machine of the cluster: its Node object, its kubelet with the phases of its ticks, its health.

Source: pkg/kubelet/kubelet_node_status.go initialNode, registerWithAPIServer.
"""

from simulator.engine.apiserver.nodes.conditions import healthy
from simulator.engine.model.quantity import milli, value
from simulator.engine.model.system import WINDOWS
from simulator.engine.policies.room import KNOWN
from simulator.engine.world.cluster import NodeSpec
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import KubeletUp
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import KubeletRow, NodeLife, NodeRow

DEFAULT_NODE = NodeSpec(name="node1", allocatable={"cpu": "4", "memory": "16Gi", "ephemeral-storage": "100Gi", "pods": "110"})
"""The node of a run whose header names none."""

_LABELS = {
    "beta.kubernetes.io/arch": "amd64",  # deprecated, but still set by every kubelet
    "beta.kubernetes.io/os": "",
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/os": "",
}
_WINDOWS_BUILD = "node.kubernetes.io/windows-build"


def _machine(spec: NodeSpec, windows: str) -> tuple[str, str]:
    """The operating system as in nodeInfo; for a Linux node only what the cluster specifies."""
    image, _, version = windows.partition("|") if spec.os == WINDOWS else ("", "", "")
    return spec.os_image or image, spec.kernel_version or version


def _labels(spec: NodeSpec, kernel_version: str) -> dict[str, str]:
    """The labels that a kubelet sets (pkg/kubelet/kubelet_node_status.go, kubelet_node_status_windows.go)."""
    found = {name: text or spec.os for name, text in _LABELS.items()}
    if spec.os == WINDOWS:
        found[_WINDOWS_BUILD] = ".".join(kernel_version.split(".")[:3])
    return found


def add_machine(fx: Effects, spec: NodeSpec, number: int) -> None:
    """Add a machine with its kubelet, whose ticks have their own phases; ``number`` determines its addresses.

    With ``spec.joins_ms`` its Node object appears when its kubelet registers it at that moment, else at once.
    """
    profile = fx.profile
    given = {**DEFAULT_NODE.allocatable, **spec.capacity, **spec.allocatable}
    taints = []
    for text in spec.taints:
        key, _, effect = text.rpartition(":")
        name, _, content = key.partition("=")
        taints.append((name, content, effect))
    os_image, kernel_version = _machine(spec, profile.windows_machine)
    relist_phase_ms = fx.uniform(f"relist/{spec.name}", 0, 0, profile.relist_ms)
    fx.save_node(
        NodeRow(
            name=spec.name,
            ip=f"10.0.{number // 250}.{number % 250 + 10}",
            pod_network=f"10.{244 + number // 250}.{number % 250}",
            labels={**_labels(spec, kernel_version), "kubernetes.io/hostname": spec.name, **spec.labels},
            taints=tuple(taints),
            is_deleted=bool(spec.joins_ms),
            allocatable_cpu_milli=milli(given["cpu"]),
            allocatable_memory_bytes=value(given["memory"]),
            allocatable_storage_bytes=value(given["ephemeral-storage"]),
            allocatable_pods=value(given["pods"]),
            allocatable_other={name: value(text) for name, text in sorted(given.items()) if name not in KNOWN},
            os=spec.os,
            os_image=os_image,
            kernel_version=kernel_version,
        )
    )
    fx.save_kubelet(
        KubeletRow(
            node=spec.name,
            relist_phase_ms=relist_phase_ms,
            tick_phase_ms=relist_phase_ms + fx.uniform(f"tick/{spec.name}", 0, 0, profile.sync_tick_ms),
            housekeeping_phase_ms=fx.uniform(f"housekeeping/{spec.name}", 0, 0, profile.housekeeping_ms),
            is_housekeeping_known=fx.world.header.jitter,
            beat_phase_ms=fx.uniform(f"beat/{spec.name}", 0, 0, profile.status_batch_ms) if fx.world.header.jitter else None,
            collection_phase_ms=fx.uniform(f"collection/{spec.name}", 0, 0, profile.container_gc_ms) if fx.world.header.jitter else None,
        )
    )
    status_phase_ms = fx.uniform(f"node-status/{spec.name}", 0, 0, profile.node_status_ms)
    handle = fx.schedule(spec.joins_ms, Lane.KUBELET, KubeletUp(spec.name), cause=0) if spec.joins_ms else 0
    fx.save_node_life(
        NodeLife(
            node=spec.name,
            kubelet="starting" if handle else "running",
            kubelet_handle=handle,
            conditions=healthy(0),
            status_phase_ms=status_phase_ms,
            lease_phase_ms=fx.uniform(f"node-lease/{spec.name}", 0, 0, profile.node_lease_renew_ms),
            check_phase_ms=status_phase_ms % profile.runtime_check_ms,  # both kinds start with the kubelet (observed on a 1.20.2 node)
        )
    )
