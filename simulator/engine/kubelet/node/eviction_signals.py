"""What a node has left of its memory, disk and process ids, and the thresholds below which its kubelet evicts."""

from collections.abc import Mapping

from simulator.engine.kernel.units import Ms
from simulator.engine.kubelet.base.pressure import pressure_of_node
from simulator.engine.kubelet.node.thresholds import Threshold, thresholds
from simulator.engine.kubelet.node.usage import memory_of, running, use_of
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.model.system import WINDOWS
from simulator.engine.world.cluster import NodeSpec
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import NodeRow, PodRow

BYTES_PER_INODE = 16_384
"""How a file system is created: one inode for this many bytes (mke2fs.conf)."""
PROCESS_IDS = 32_768
"""kernel.pid_max of a small machine."""


def spec_of_node(fx: Effects, node: str) -> NodeSpec:
    """The cluster's spec for the node; a default one if the cluster names none."""
    for spec in fx.world.header.cluster.nodes:
        if spec.name == node:
            return spec
    return NodeSpec(name=node)


def capacity_of(node: NodeRow) -> dict[str, int]:
    """The total of what each signal measures. The image file system is the node's own."""
    disk = node.allocatable_storage_bytes
    inodes = disk // BYTES_PER_INODE
    return {
        "memory.available": node.allocatable_memory_bytes,
        "nodefs.available": disk,
        "imagefs.available": disk,
        "nodefs.inodesFree": inodes,
        "imagefs.inodesFree": inodes,
        "pid.available": PROCESS_IDS,
    }


def thresholds_of(fx: Effects, node: NodeRow) -> tuple[Threshold, ...]:
    """The node's thresholds: the defaults of the version, replaced or extended by what the cluster sets."""
    profile = fx.profile
    spec = spec_of_node(fx, node.name)
    hard = {
        "memory.available": str(profile.eviction_memory_available_bytes),
        "nodefs.available": f"{profile.eviction_nodefs_available_permille // 10}%",
        "imagefs.available": f"{profile.eviction_imagefs_available_permille // 10}%",
        "nodefs.inodesFree": f"{profile.eviction_nodefs_inodes_permille // 10}%",
        "imagefs.inodesFree": f"{profile.eviction_imagefs_inodes_permille // 10}%",
    }
    given = spec.eviction_hard or hard
    if node.os == WINDOWS:
        given = _on_windows(fx, given, is_default=not spec.eviction_hard)
        return thresholds(given, _on_windows(fx, spec.eviction_soft), spec.eviction_soft_grace_s, capacity_of(node))
    return thresholds(given, spec.eviction_soft, spec.eviction_soft_grace_s, capacity_of(node))


def _on_windows(fx: Effects, given: Mapping[str, str], *, is_default: bool = False) -> dict[str, str]:
    """The thresholds that a Windows kubelet knows: no inodes, and memory only if the version measures it there."""
    memory = fx.profile.eviction_memory_windows_bytes
    known = {name: text for name, text in given.items() if name.endswith("fs.available") or (name == "memory.available" and memory)}
    return {**known, "memory.available": str(memory)} if is_default and memory else known


def pods_of_node(fx: Effects, node: str) -> list[PodRow]:
    """Every pod that the node's kubelet knows, oldest first. O(pods)."""
    return [fx.tables.pods[worker.pod] for worker in fx.tables.workers.values() if worker.node == node]


def available(fx: Effects, node: NodeRow, signal: str, *, at_ms: Ms | None = None) -> int:
    """What is left of a signal's resource, never below 0; for memory also at a future moment if everything continues as it is."""
    loads = dict(pressure_of_node(fx, node.name).loads)
    load = loads.get(signal, loads.get(signal.replace("imagefs", "nodefs"), 0))
    return max(capacity_of(node)[signal] - load - used(fx, node.name, signal, at_ms=at_ms), 0)


def used(fx: Effects, node: str, signal: str, *, at_ms: Ms | None = None) -> int:
    """What the node's pods use of a signal's resource. A pod that has ended uses nothing."""
    pods = [row for row in pods_of_node(fx, node) if row.status.phase not in TERMINAL_PHASES or running(fx, row.key)]
    if signal == "memory.available":
        return sum(memory_of(fx, row.key, at_ms=at_ms) for row in pods)
    uses = [use_of(fx, row) for row in pods]
    if signal.endswith("inodesFree"):
        return sum(use.inodes for use in uses)
    return sum(use.processes for use in uses) if signal == "pid.available" else sum(use.disk_bytes for use in uses)
