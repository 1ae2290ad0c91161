"""Which kinds track their spec in metadata.generation (their strategies' PrepareForUpdate in pkg/registry)."""

_WITHOUT = (
    "Namespace", "Node", "Service", "ConfigMap", "Secret", "PersistentVolumeClaim", "PersistentVolume", "LimitRange", "ResourceQuota",
    "ServiceAccount", "Event", "Endpoints", "ControllerRevision", "StorageClass", "CSINode",
)  # fmt: skip


def has_generation(kind: str) -> bool:
    """Whether objects of the kind have a generation; pods have one only since 1.33, which the profile knows."""
    return kind not in _WITHOUT
