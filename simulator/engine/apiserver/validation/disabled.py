"""Fields that a version knows but does not use, because their feature gate is off by default: the server drops them on create.

Source: pkg/api/pod/util.go dropDisabledFields; pkg/features/kube_features.go. It happens after defaulting and before validation.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.validation.registry import GROUPS, Fields, fields, items, text
from simulator.engine.versions.release import Release


class Since(Struct, frozen=True):
    """From which minor version on a field is used. A gate that is set decides instead; ``also`` are gates that alone bring the field."""

    minor: int
    gate: str = ""
    also: tuple[str, ...] = ()

    def holds_for(self, release: Release) -> bool:
        """Whether the release uses the field."""
        return release.reaches(self.minor, self.gate) or any(release.setting(gate) for gate in self.also)


_RESTART_ALL = ("RestartAllContainersOnContainerExits",)
_POD = {
    "hostUsers": Since(33, "UserNamespacesSupport", ("UserNamespacesStatelessPodsSupport",)),
    "schedulingGates": Since(27, "PodSchedulingReadiness"),
    "resources": Since(34, "PodLevelResources"),
    "resourceClaims": Since(34, "DynamicResourceAllocation"),
    "hostnameOverride": Since(35, "HostnameOverride"),
    "os": Since(24),
}
_SECURITY = {
    "appArmorProfile": Since(30),
    "procMount": Since(33),
    "supplementalGroupsPolicy": Since(33, "SupplementalGroupsPolicy"),
    "seLinuxChangePolicy": Since(33),
}
_VOLUME = {"ephemeral": Since(21), "image": Since(35, "ImageVolume")}
_CONTAINER = {
    "restartPolicy": Since(29, "SidecarContainers", ("ContainerRestartRules", *_RESTART_ALL)),
    "restartPolicyRules": Since(35, "ContainerRestartRules", _RESTART_ALL),
    "resizePolicy": Since(33, "InPlacePodVerticalScaling"),
}
_PROBE = {"grpc": Since(24, "GRPCContainerProbe"), "terminationGracePeriodSeconds": Since(25, "ProbeTerminationGracePeriod")}
_HOOK = {"sleep": Since(30, "PodLifecycleSleepAction")}
_LIFECYCLE = {"stopSignal": Since(37, "ContainerStopSignals")}
_MOUNT = {"recursiveReadOnly": Since(31)}
_SOURCE = {"fileKeyRef": Since(35, "EnvFiles")}
_CLAIMS = {"claims": Since(34, "DynamicResourceAllocation")}
_SPREAD = {"minDomains": Since(27), "nodeAffinityPolicy": Since(26), "nodeTaintsPolicy": Since(26), "matchLabelKeys": Since(27)}
_TERM = {"namespaceSelector": Since(22), "matchLabelKeys": Since(31), "mismatchLabelKeys": Since(31)}
"""Fields by what brings them into use."""
TABLES: tuple[Mapping[str, Since], ...] = (
    *(_POD, _SECURITY, _VOLUME, _CONTAINER, _PROBE, _HOOK, _LIFECYCLE, _MOUNT, _SOURCE, _CLAIMS, _SPREAD, _TERM),
)
"""All of them."""
_JOB = {
    "podFailurePolicy": Since(26),
    "backoffLimitPerIndex": Since(29),
    "maxFailedIndexes": Since(29),
    "podReplacementPolicy": Since(29),
    "successPolicy": Since(31),
    "managedBy": Since(32),
    "completionMode": Since(22),
    "suspend": Since(22),
}
_KINDS: dict[str, dict[str, dict[str, Since]]] = {
    "Job": {"spec": _JOB},
    "CronJob": {"spec": {"timeZone": Since(25)}, "spec.jobTemplate.spec": _JOB},
    "StatefulSet": {
        "spec": {"minReadySeconds": Since(23), "persistentVolumeClaimRetentionPolicy": Since(27), "ordinals": Since(27)},
        "spec.updateStrategy.rollingUpdate": {"maxUnavailable": Since(35)},
    },
    "DaemonSet": {"spec.updateStrategy.rollingUpdate": {"maxSurge": Since(22)}},
    "Service": {
        "spec": {"internalTrafficPolicy": Since(22), "loadBalancerClass": Since(22), "trafficDistribution": Since(31)},
    },
    "PodDisruptionBudget": {"spec": {"unhealthyPodEvictionPolicy": Since(27, "PDBUnhealthyPodEvictionPolicy")}},
}
"""The same for other kinds: where in the object, then which fields. Source: the strategies in pkg/registry, PrepareForCreate."""
_SECURITY_OF_CONTAINERS = {key: since for key, since in _SECURITY.items() if key != "procMount"}
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def drop_disabled_fields(spec: Fields, *, release: Release) -> None:
    """Take the unused fields out of a pod's spec, in place. Cost: O(spec)."""
    _drop(spec, _POD, release)
    _drop(fields(spec, "securityContext"), _SECURITY, release)
    for _, volume in items(spec, "volumes"):
        _drop(volume, _VOLUME, release)
    for group in GROUPS:
        for _, container in items(spec, group):
            _drop_in_container(container, release)
    for _, constraint in items(spec, "topologySpreadConstraints"):
        _drop(constraint, _SPREAD, release)
    for kind in ("podAffinity", "podAntiAffinity") if spec.get("affinity") else ():
        affinity = fields(fields(spec, "affinity"), kind)
        terms = [term for _, term in items(affinity, _REQUIRED)]
        for term in (*terms, *(fields(item, "podAffinityTerm") for _, item in items(affinity, _PREFERRED))):
            _drop(term, _TERM, release)


def drop_disabled_of_kind(document: Fields, *, release: Release) -> None:
    """Take the unused fields out of an object that is no pod, its pod template aside, in place."""
    for path, table in _KINDS.get(text(document, "kind"), {}).items():
        value = document
        for step in path.split("."):
            value = fields(value, step)
        _drop(value, table, release)


def _drop_in_container(container: Fields, release: Release) -> None:
    _drop(container, _CONTAINER, release)
    if security := container.get("securityContext"):
        if security.get("procMount") is not None and not _SECURITY["procMount"].holds_for(release):
            security["procMount"] = "Default"
        _drop(security, _SECURITY_OF_CONTAINERS, release)
    if resources := container.get("resources"):
        _drop(resources, _CLAIMS, release)
    if lifecycle := container.get("lifecycle"):
        _drop(lifecycle, _LIFECYCLE, release)
        for hook in ("postStart", "preStop"):
            _drop(fields(lifecycle, hook), _HOOK, release)
    for key in _PROBES:
        if probe := container.get(key):
            _drop(probe, _PROBE, release)
    for _, mount in items(container, "volumeMounts"):
        _drop(mount, _MOUNT, release)
    for _, variable in items(container, "env"):
        if source := variable.get("valueFrom"):
            _drop(source, _SOURCE, release)


def _drop(value: dict[str, Any], table: Mapping[str, Since], release: Release) -> None:
    for key, since in table.items():
        if key in value and not since.holds_for(release):
            del value[key]
