"""Fields of the official schemas that older versions do not have yet: the oldest schemas in the repository are those of 1.25."""

from typing import Any

from simulator.engine.versions.span import Span

_SINCE = {
    "Probe": {"grpc": 23, "terminationGracePeriodSeconds": 21},
    "PodSpec": {"os": 23, "hostUsers": 25},
    "TopologySpreadConstraint": {"minDomains": 24, "matchLabelKeys": 25, "nodeAffinityPolicy": 25, "nodeTaintsPolicy": 25},
    "PodAffinityTerm": {"namespaceSelector": 21},
    "JobSpec": {"suspend": 21, "completionMode": 21, "podFailurePolicy": 25},
    "CronJobSpec": {"timeZone": 24},
    "StatefulSetSpec": {"minReadySeconds": 22, "persistentVolumeClaimRetentionPolicy": 23},
    "WindowsSecurityContextOptions": {"hostProcess": 22},
    "RollingUpdateDaemonSet": {"maxSurge": 21},
    "RollingUpdateStatefulSetStrategy": {"maxUnavailable": 24},
    "PersistentVolumeClaimSpec": {"dataSourceRef": 22},
    "NetworkPolicyPort": {"endPort": 21},
    "ServiceSpec": {"internalTrafficPolicy": 21, "loadBalancerClass": 21},
}
LATER_FIELDS = {name: {field: Span(since=since) for field, since in fields.items()} for name, fields in _SINCE.items()}
"""Fields of the 1.25 schemas by the minor versions that have them (Kubernetes API change logs)."""


def as_of(minor: int, definition: dict[str, Any]) -> dict[str, Any]:
    """The definition without the fields that an older version does not have yet."""
    later = {name for name, span in LATER_FIELDS.get(definition.get("title", ""), {}).items() if not span.holds_for(minor)}
    if not later:
        return definition
    return {**definition, "properties": {name: item for name, item in definition["properties"].items() if name not in later}}
