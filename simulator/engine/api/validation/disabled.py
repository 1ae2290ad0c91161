"""Fields that a version knows but does not use, because their feature gate is off by default: the server drops them on create.

Source: pkg/api/pod/util.go dropDisabledFields; pkg/features/kube_features.go. It happens after defaulting and before validation.
"""

from collections.abc import Mapping
from typing import Any

from simulator.engine.api.validation.registry import GROUPS, Fields, fields, items

_POD = {"hostUsers": 33, "schedulingGates": 27, "resources": 34, "resourceClaims": 34, "hostnameOverride": 35, "os": 24}
_SECURITY = {"appArmorProfile": 30, "procMount": 33, "supplementalGroupsPolicy": 33, "seLinuxChangePolicy": 33}
_VOLUME = {"ephemeral": 21, "image": 35}
_CONTAINER = {"restartPolicy": 29, "restartPolicyRules": 35, "resizePolicy": 33}
_PROBE = {"grpc": 24, "terminationGracePeriodSeconds": 25}
_HOOK = {"sleep": 30}
_LIFECYCLE = {"stopSignal": 37}
_MOUNT = {"recursiveReadOnly": 31}
_SOURCE = {"fileKeyRef": 35}
_CLAIMS = {"claims": 34}
_SPREAD = {"minDomains": 27, "nodeAffinityPolicy": 26, "nodeTaintsPolicy": 26, "matchLabelKeys": 27}
_TERM = {"namespaceSelector": 22, "matchLabelKeys": 31, "mismatchLabelKeys": 31}
"""Fields by the minor version from which on they are used."""
TABLES = (_POD, _SECURITY, _VOLUME, _CONTAINER, _PROBE, _HOOK, _LIFECYCLE, _MOUNT, _SOURCE, _CLAIMS, _SPREAD, _TERM)
"""All of them."""
_GATES = {
    "ContainerRestartRules": ("restartPolicy", "restartPolicyRules"),
    "ContainerStopSignals": ("stopSignal",),
    "EnvFiles": ("fileKeyRef",),
    "GRPCContainerProbe": ("grpc",),
    "HostnameOverride": ("hostnameOverride",),
    "ImageVolume": ("image",),
    "InPlacePodVerticalScaling": ("resizePolicy",),
    "PodLevelResources": ("resources",),
    "PodLifecycleSleepAction": ("sleep",),
    "PodSchedulingReadiness": ("schedulingGates",),
    "ProbeTerminationGracePeriod": ("terminationGracePeriodSeconds",),
    "RestartAllContainersOnContainerExits": ("restartPolicy", "restartPolicyRules"),
    "SidecarContainers": ("restartPolicy",),
    "SupplementalGroupsPolicy": ("supplementalGroupsPolicy",),
    "UserNamespacesStatelessPodsSupport": ("hostUsers",),
    "UserNamespacesSupport": ("hostUsers",),
}
"""Gates that a run may open, with the fields that are used then."""
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def used_by(gates: Mapping[str, bool]) -> frozenset[str]:
    """The names of the fields that these gates, set against their default, put to use."""
    return frozenset(name for gate, is_on in gates.items() if is_on for name in _GATES.get(gate, ()))


def drop_disabled_fields(spec: Fields, *, minor: int, used: frozenset[str] = frozenset()) -> None:
    """Take the unused fields out of a pod's spec, in place; those named in ``used`` stay. Cost: O(spec)."""
    _drop(spec, _POD, minor, used)
    _drop(fields(spec, "securityContext"), _SECURITY, minor, used)
    for _, volume in items(spec, "volumes"):
        _drop(volume, _VOLUME, minor, used)
    for group in GROUPS:
        for _, container in items(spec, group):
            _drop_in_container(container, minor, used)
    for _, constraint in items(spec, "topologySpreadConstraints"):
        _drop(constraint, _SPREAD, minor, used)
    for kind in ("podAffinity", "podAntiAffinity"):
        affinity = fields(fields(spec, "affinity"), kind)
        terms = [term for _, term in items(affinity, _REQUIRED)]
        for term in (*terms, *(fields(item, "podAffinityTerm") for _, item in items(affinity, _PREFERRED))):
            _drop(term, _TERM, minor, used)


def _drop_in_container(container: Fields, minor: int, used: frozenset[str]) -> None:
    _drop(container, _CONTAINER, minor, used)
    security = fields(container, "securityContext")
    if security.get("procMount") is not None and minor < _SECURITY["procMount"]:
        security["procMount"] = "Default"
    _drop(security, {key: since for key, since in _SECURITY.items() if key != "procMount"}, minor, used)
    _drop(fields(container, "resources"), _CLAIMS, minor, used)
    lifecycle = fields(container, "lifecycle")
    _drop(lifecycle, _LIFECYCLE, minor, used)
    for hook in ("postStart", "preStop"):
        _drop(fields(lifecycle, hook), _HOOK, minor, used)
    for probe in _PROBES:
        _drop(fields(container, probe), _PROBE, minor, used)
    for _, mount in items(container, "volumeMounts"):
        _drop(mount, _MOUNT, minor, used)
    for _, variable in items(container, "env"):
        _drop(fields(variable, "valueFrom"), _SOURCE, minor, used)


def _drop(value: dict[str, Any], used_since: dict[str, int], minor: int, used: frozenset[str]) -> None:
    for key, since in used_since.items():
        if minor < since and key not in used:
            value.pop(key, None)
