"""Which pods have limits of their own for what they write on their node.

Source: pkg/kubelet/eviction/eviction_manager.go localStorageEviction.
"""

from simulator.engine.model.pod import PodSpec, Volume
from simulator.engine.model.quantity import value


def size_limit(volume: Volume) -> str:
    """The sizeLimit of an emptyDir, as written; empty where there is none that counts."""
    limit = (volume.empty_dir or {}).get("sizeLimit")
    return "" if limit is None or value(str(limit)) <= 0 else str(limit)


def limits_layers(spec: PodSpec) -> bool:
    """Whether the files and logs of the pod's containers may go over a limit: one of a container, which is also one of the pod."""
    return any("ephemeral-storage" in container.resources.limits for container in (*spec.init_containers, *spec.containers))


def has_storage_limits(spec: PodSpec) -> bool:
    """Whether something local of the pod may go over a limit of its own."""
    return bool([volume for volume in spec.volumes if volume.empty_dir is not None and size_limit(volume)]) or limits_layers(spec)
