"""What pods use on their node: memory of their processes, files in their layers, logs and local volumes."""

from simulator.engine import containers as behaviour
from simulator.engine.containers.docker import CONTAINERD
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.kubelet.node.eviction_rules import ContainerUse, Use
from simulator.engine.kubelet.pods.volumes.volume_content import volume_key
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Instance, PodRow


def running(fx: Effects, pod: Key) -> list[Instance]:
    """The running instances of a pod, newest first."""
    return [item for item in fx.tables.instances.get(pod, ()) if item.runs]


def memory_of(fx: Effects, pod: Key, *, at_ms: Ms | None = None) -> int:
    """Bytes of memory the pod's processes hold now, or will hold if they continue as they are."""
    moment = fx.now if at_ms is None else at_ms
    return sum(behaviour.memory_bytes(item.process, moment) for item in running(fx, pod) if item.process is not None)


def container_uses(fx: Effects, row: PodRow) -> list[ContainerUse]:
    """What each running container uses now, in the order of the spec."""
    return [
        ContainerUse(
            name=item.container,
            memory_bytes=behaviour.memory_bytes(item.process, fx.now) if item.process is not None else 0,
            disk_bytes=layer_bytes(item) + log_bytes(fx, row.key, item),
        )
        for item in _in_order(fx, row)
    ]


def known_uses(fx: Effects, row: PodRow) -> list[ContainerUse]:
    """What the kubelet knows about each running container's disk usage: its layer as last measured, and its log.

    The kubelet measures logs whenever it collects statistics, but for Docker's containers cAdvisor measures log and layer together.
    Source: pkg/kubelet/stats/cri_stats_provider.go makeContainerStats, cadvisor_stats_provider.go, helper.go.
    """
    layers = {(layer.container, layer.attempt): layer.at(fx.now) for layer in fx.tables.layers.get(row.key, ())}
    logs = fx.world.runtime_of(row.node) == CONTAINERD
    return [
        ContainerUse(
            name=item.container,
            disk_bytes=layers.get((item.container, item.attempt), 0) + (log_bytes(fx, row.key, item) if logs else 0),
        )
        for item in _in_order(fx, row)
    ]


def _in_order(fx: Effects, row: PodRow) -> list[Instance]:
    found = {item.container: item for item in running(fx, row.key) if item.process is not None}
    spec = row.pod.spec
    return [
        found[name]
        for container in (*spec.init_containers, *spec.containers, *spec.ephemeral_containers)
        if (name := container.name) in found
    ]


def layer_bytes(item: Instance) -> int:
    """Bytes in the files that the container has written outside volumes."""
    return sum(file.size_bytes for file in item.process.files.values()) if item.process is not None else 0


def log_bytes(fx: Effects, pod: Key, item: Instance) -> int:
    """Bytes of the container's log."""
    return sum(len(line[3]) + 1 for line in fx.tables.logs.get((pod, item.container), ()))


def volume_bytes(fx: Effects, row: PodRow) -> tuple[tuple[str, int], ...]:
    """Bytes in each emptyDir of the pod."""
    found = []
    for volume in row.pod.spec.volumes:
        if volume.empty_dir is not None:
            files = fx.tables.volumes.get(volume_key(row, volume), {})
            found.append((volume.name, sum(file.size_bytes for file in files.values())))
    return tuple(found)


def use_of(fx: Effects, row: PodRow) -> Use:
    """The pod's total usage."""
    instances = running(fx, row.key)
    on_disk = {volume.name for volume in row.pod.spec.volumes if (volume.empty_dir or {}).get("medium") != "Memory"}
    volumes = [volume for volume in row.pod.spec.volumes if volume.empty_dir is not None]
    return Use(
        memory_bytes=memory_of(fx, row.key),
        disk_bytes=sum(item.disk_bytes for item in container_uses(fx, row))
        + sum(size for name, size in volume_bytes(fx, row) if name in on_disk),
        inodes=sum(len(item.process.files) + 1 for item in instances if item.process is not None)
        + sum(len(fx.tables.volumes.get(volume_key(row, volume), {})) + 1 for volume in volumes),
        processes=sum(len(item.process.tasks) for item in instances if item.process is not None),
    )
