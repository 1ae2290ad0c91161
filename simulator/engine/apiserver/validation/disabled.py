"""Fields that a version knows but does not use because their feature is off: the server drops them on create.

Source: pkg/api/pod/util.go dropDisabledFields; pkg/features/kube_features.go. It happens after
defaulting and before validation.
"""

from collections.abc import Mapping
from typing import Any

from simulator.engine.apiserver.validation.pod_rules import GROUPS, Fields, fields, items, text
from simulator.engine.versions.release import Release
from simulator.engine.versions.span import Span


class Used(Span, frozen=True, kw_only=True):
    """The releases that use a field: those of some versions or, for a field with a ``gate``, those that have it on. Any one of the gates
    in ``also`` is enough when it is set."""

    gate: str = ""
    also: tuple[str, ...] = ()

    def is_of(self, release: Release) -> bool:
        """Whether the release uses the field."""
        is_used = release.has(self.gate) if self.gate else self.holds_for(release.minor)
        return is_used or any(release.setting(gate) for gate in self.also)


_RESTART_ALL = ("RestartAllContainersOnContainerExits",)
_POD = {
    "hostUsers": Used(gate="UserNamespacesSupport", also=("UserNamespacesStatelessPodsSupport",)),
    "schedulingGates": Used(gate="PodSchedulingReadiness"),
    "resources": Used(gate="PodLevelResources"),
    "resourceClaims": Used(gate="DynamicResourceAllocation"),
    "hostnameOverride": Used(gate="HostnameOverride"),
    "os": Used(since=24),
}
_SECURITY = {
    "appArmorProfile": Used(since=30),
    "procMount": Used(since=33),
    "supplementalGroupsPolicy": Used(gate="SupplementalGroupsPolicy"),
    "seLinuxChangePolicy": Used(since=33),
}
_VOLUME = {"ephemeral": Used(since=21), "image": Used(gate="ImageVolume")}
_CONTAINER = {
    "restartPolicy": Used(gate="SidecarContainers", also=("ContainerRestartRules", *_RESTART_ALL)),
    "restartPolicyRules": Used(gate="ContainerRestartRules", also=_RESTART_ALL),
    "resizePolicy": Used(gate="InPlacePodVerticalScaling"),
}
_PROBE = {"grpc": Used(gate="GRPCContainerProbe"), "terminationGracePeriodSeconds": Used(gate="ProbeTerminationGracePeriod")}
_HOOK = {"sleep": Used(gate="PodLifecycleSleepAction")}
_LIFECYCLE = {"stopSignal": Used(gate="ContainerStopSignals")}
_MOUNT = {"recursiveReadOnly": Used(since=31)}
_SOURCE = {"fileKeyRef": Used(gate="EnvFiles")}
_CLAIMS = {"claims": Used(gate="DynamicResourceAllocation")}
_SPREAD = {
    "minDomains": Used(gate="MinDomainsInPodTopologySpread"),
    "nodeAffinityPolicy": Used(gate="NodeInclusionPolicyInPodTopologySpread"),
    "nodeTaintsPolicy": Used(gate="NodeInclusionPolicyInPodTopologySpread"),
    "matchLabelKeys": Used(gate="MatchLabelKeysInPodTopologySpread"),
}
_TERM = {
    "namespaceSelector": Used(gate="PodAffinityNamespaceSelector"),
    "matchLabelKeys": Used(gate="MatchLabelKeysInPodAffinity"),
    "mismatchLabelKeys": Used(gate="MatchLabelKeysInPodAffinity"),
}
"""Fields by what enables them."""
TABLES: tuple[Mapping[str, Used], ...] = (
    *(_POD, _SECURITY, _VOLUME, _CONTAINER, _PROBE, _HOOK, _LIFECYCLE, _MOUNT, _SOURCE, _CLAIMS, _SPREAD, _TERM),
)
"""All of them."""
_JOB = {
    "podFailurePolicy": Used(since=26),
    "backoffLimitPerIndex": Used(since=29),
    "maxFailedIndexes": Used(since=29),
    "podReplacementPolicy": Used(since=29),
    "successPolicy": Used(since=31),
    "managedBy": Used(since=32),
    "completionMode": Used(since=22),
    "suspend": Used(since=22),
}
_KINDS: dict[str, dict[str, dict[str, Used]]] = {
    "Job": {"spec": _JOB},
    "CronJob": {"spec": {"timeZone": Used(since=25)}, "spec.jobTemplate.spec": _JOB},
    "StatefulSet": {
        "spec": {"minReadySeconds": Used(since=23), "persistentVolumeClaimRetentionPolicy": Used(since=27), "ordinals": Used(since=27)},
        "spec.updateStrategy.rollingUpdate": {"maxUnavailable": Used(gate="MaxUnavailableStatefulSet")},
    },
    "DaemonSet": {"spec.updateStrategy.rollingUpdate": {"maxSurge": Used(since=22)}},
    "Service": {
        "spec": {"internalTrafficPolicy": Used(since=22), "loadBalancerClass": Used(since=22), "trafficDistribution": Used(since=31)},
    },
    "PodDisruptionBudget": {"spec": {"unhealthyPodEvictionPolicy": Used(gate="PDBUnhealthyPodEvictionPolicy")}},
}
"""The same for other kinds: path in the object, then fields. Source: the strategies in pkg/registry, PrepareForCreate."""
_SECURITY_OF_CONTAINERS = {key: used for key, used in _SECURITY.items() if key != "procMount"}
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def drop_disabled_fields(spec: Fields, *, release: Release) -> None:
    """Remove the unused fields from a pod's spec, in place. Cost: O(spec)."""
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
    """Remove the unused fields from an object other than a pod, except in its pod template, in place."""
    for path, table in _KINDS.get(text(document, "kind"), {}).items():
        value = document
        for step in path.split("."):
            value = fields(value, step)
        _drop(value, table, release)


def _drop_in_container(container: Fields, release: Release) -> None:
    _drop(container, _CONTAINER, release)
    if security := container.get("securityContext"):
        # In a container the field is reset to Default, not removed (dropDisabledProcMountField).
        if security.get("procMount") is not None and not _SECURITY["procMount"].is_of(release):
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


def _drop(value: dict[str, Any], table: Mapping[str, Used], release: Release) -> None:
    for key, used in table.items():
        if key in value and not used.is_of(release):
            del value[key]
