"""What pods use of their node: memory of their processes, files in their layers, logs and local volumes."""

from simulator.engine import runtime as behaviour
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.kubelet.volumes.content import volume_key
from simulator.engine.lifecycle.eviction import ContainerUse, Use
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Instance, PodRow


def running(fx: Effects, pod: Key) -> list[Instance]:
    """The running instances of a pod, newest first."""
    return [item for item in fx.tables.instances.get(pod, ()) if item.runs]


def memory_of(fx: Effects, pod: Key, *, at_ms: Ms | None = None) -> int:
    """Bytes of memory the pod's processes hold now, or will hold if they go on as they are."""
    moment = fx.now if at_ms is None else at_ms
    return sum(behaviour.memory_bytes(item.process, moment) for item in running(fx, pod) if item.process is not None)


def container_uses(fx: Effects, row: PodRow) -> list[ContainerUse]:
    """What each running container uses, in the order of the spec."""
    found = {item.container: item for item in running(fx, row.key)}
    uses = []
    for container in (*row.pod.spec.init_containers, *row.pod.spec.containers):
        item = found.get(container.name)
        if item is None or item.process is None:
            continue
        memory = behaviour.memory_bytes(item.process, fx.now)
        uses.append(ContainerUse(name=container.name, memory_bytes=memory, disk_bytes=_layer(item) + _log(fx, row.key, item)))
    return uses


def _layer(item: Instance) -> int:
    return sum(file.size_bytes for file in item.process.files.values()) if item.process is not None else 0


def _log(fx: Effects, pod: Key, item: Instance) -> int:
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
    """What the pod uses in all."""
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
