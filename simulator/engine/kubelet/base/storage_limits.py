"""Which pods have their own limits for what they write on their node.

Source: pkg/kubelet/eviction/eviction_manager.go localStorageEviction.
"""

from simulator.engine.model.pod import PodSpec, Volume
from simulator.engine.model.quantity import value


def size_limit(volume: Volume) -> str:
    """The sizeLimit of an emptyDir, as written; empty if there is none that applies."""
    limit = (volume.empty_dir or {}).get("sizeLimit")
    return "" if limit is None or value(str(limit)) <= 0 else str(limit)


def limits_layers(spec: PodSpec) -> bool:
    """Whether files and logs of the pod's containers can exceed a limit: one of a container, which also counts towards the pod's."""
    return any("ephemeral-storage" in container.resources.limits for container in (*spec.init_containers, *spec.containers))


def has_storage_limits(spec: PodSpec) -> bool:
    """Whether the pod has a local storage limit of its own."""
    return bool([volume for volume in spec.volumes if volume.empty_dir is not None and size_limit(volume)]) or limits_layers(spec)
