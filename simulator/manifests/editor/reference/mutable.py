"""What may change in a stored object, by kind, version and path.

Source: the update strategies and ValidateXUpdate functions of the kinds; for pods ValidatePodUpdate. The longest prefix
of a field's path decides; list indexes and map keys are ``[]``.
"""

from simulator.engine.versions.facts import facts_of
from simulator.engine.versions.release import Release

YES = "yes"
LOWER = "lower"
ADD = "add"
REMOVE = "remove"
RESIZE = "resize"
ONCE = "once"
NEVER = "never"

_METADATA = {
    "apiVersion": NEVER,
    "kind": NEVER,
    "metadata": NEVER,
    "metadata.labels": YES,
    "metadata.annotations": YES,
    "metadata.finalizers": YES,
    "metadata.ownerReferences": YES,
    "status": NEVER,
}
_POD = {
    "spec": NEVER,
    "spec.containers[].image": YES,
    "spec.initContainers[].image": YES,
    "spec.activeDeadlineSeconds": LOWER,
    "spec.tolerations": ADD,
}
_WORKLOADS: dict[str, dict[str, str]] = {
    "Deployment": {"spec.selector": NEVER},
    "ReplicaSet": {"spec.selector": NEVER},
    "DaemonSet": {"spec.selector": NEVER},
    "StatefulSet": {
        "spec": NEVER,
        "spec.replicas": YES,
        "spec.template": YES,
        "spec.updateStrategy": YES,
        "spec.minReadySeconds": YES,
        "spec.persistentVolumeClaimRetentionPolicy": YES,
        "spec.ordinals": YES,
        "spec.revisionHistoryLimit": YES,
    },
    "Job": {"spec.selector": NEVER, "spec.template": NEVER, "spec.completionMode": NEVER, "spec.podFailurePolicy": NEVER},
    "Service": {"spec.clusterIP": NEVER, "spec.clusterIPs": NEVER, "spec.loadBalancerClass": ONCE},
    "Secret": {"type": NEVER, "immutable": ONCE},
    "ConfigMap": {"immutable": ONCE},
    "PersistentVolumeClaim": {"spec": NEVER, "spec.resources.requests": ADD, "spec.volumeName": ONCE},
    "PersistentVolume": {"spec.persistentVolumeSource": NEVER, "spec.volumeMode": NEVER},
    "PriorityClass": {"value": NEVER, "preemptionPolicy": NEVER},
    "Node": {"spec.podCIDR": ONCE, "spec.podCIDRs": ONCE, "spec.providerID": ONCE},
}


def mutable_paths(kind: str, minor: int) -> dict[str, str]:
    """Path → word. A field without an entry for any prefix may change."""
    if kind != "Pod":
        return {**_METADATA, **_WORKLOADS.get(kind, {})}
    found = {**_METADATA, **_POD}
    if facts_of(minor).scheduling_gates_may_go:
        found["spec.schedulingGates"] = REMOVE
    if Release(minor).has("InPlacePodVerticalScaling"):
        for group in ("containers", "initContainers"):
            for part in ("requests", "limits"):
                found[f"spec.{group}[].resources.{part}.cpu"] = RESIZE
                found[f"spec.{group}[].resources.{part}.memory"] = RESIZE
    return found
