"""The controls of the level restricted, which requires current hardening practice.

Source: staging/src/k8s.io/pod-security-admission/policy/check_*.go.
"""

from simulator.engine.apiserver.admission.pod_security.baseline import SECCOMP, Check, added, seccomp_set_badly
from simulator.engine.apiserver.admission.pod_security.findings import (
    Violation,
    container_words,
    named_containers,
    plural,
    quoted_list,
    security,
    setters,
)
from simulator.engine.kernel.json_text import Json

_VOLUMES = frozenset({"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"})
_OTHER_VOLUMES = (
    "hostPath", "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "nfs", "iscsi", "glusterfs", "rbd", "flexVolume", "cinder",
    "cephfs", "flocker", "fc", "azureFile", "vsphereVolume", "quobyte", "azureDisk", "photonPersistentDisk",
    "portworxVolume", "scaleIO", "storageos",
)  # fmt: skip
_UNKNOWN = "unknown"


def unless_windows(check: Check) -> Check:
    """The same control for Linux: pods that declare Windows pass it."""
    return lambda metadata, spec: None if (spec.get("os") or {}).get("name") == "windows" else check(metadata, spec)


def escalation(metadata: Json, spec: Json) -> Violation | None:
    """No process gains more privileges than its parent."""
    names = [name for name, container in named_containers(spec) if security(container).get("allowPrivilegeEscalation") is not False]
    detail = f"{container_words(names)} must set securityContext.allowPrivilegeEscalation=false"
    return Violation("allowPrivilegeEscalation != false", detail) if names else None


def capabilities(metadata: Json, spec: Json) -> Violation | None:
    """All capabilities are dropped; only the one for low ports may be added."""
    undropped = [
        name for name, item in named_containers(spec) if "ALL" not in ((security(item).get("capabilities") or {}).get("drop") or ())
    ]
    names, others = added(spec, ("NET_BIND_SERVICE",))
    details = [f'{container_words(undropped)} must set securityContext.capabilities.drop=["ALL"]'] if undropped else []
    if names:
        details.append(f"{container_words(names)} must not include {quoted_list(others)} in securityContext.capabilities.add")
    return Violation("unrestricted capabilities", "; ".join(details)) if details else None


def volumes(metadata: Json, spec: Json) -> Violation | None:
    """The pod uses only volumes that expose nothing of the node."""
    found = [volume for volume in spec.get("volumes") or () if not any(volume.get(kind) is not None for kind in _VOLUMES)]
    if not found:
        return None
    names = [str(volume.get("name")) for volume in found]
    kinds = sorted({next((kind for kind in _OTHER_VOLUMES if volume.get(kind) is not None), _UNKNOWN) for volume in found})
    who = f"{plural('volume', 'volumes', names)} {quoted_list(names)} {plural('uses', 'use', names)}"
    return Violation(
        "restricted volume types", f"{who} {plural('restricted volume type', 'restricted volume types', kinds)} {quoted_list(kinds)}"
    )


def non_root(metadata: Json, spec: Json) -> Violation | None:
    """Containers run as users other than root, and declare it."""
    of_pod = security(spec).get("runAsNonRoot")
    settings = [(name, security(container).get("runAsNonRoot")) for name, container in named_containers(spec)]
    bad = [name for name, value in settings if value is False]
    # A pod-level true covers the containers that leave it unset.
    silent = [name for name, value in settings if value is None] if of_pod is not True else []
    reason = "runAsNonRoot != true"
    # An explicit false is reported alone; containers that merely leave it unset are named otherwise.
    if of_pod is False or bad:
        return Violation(reason, f"{setters(of_pod is False, bad)} must not set securityContext.runAsNonRoot=false")
    return Violation(reason, f"pod or {container_words(silent)} must set securityContext.runAsNonRoot=true") if silent else None


def user(metadata: Json, spec: Json) -> Violation | None:
    """No user is set to 0."""
    of_pod = security(spec).get("runAsUser") == 0
    names = [name for name, container in named_containers(spec) if security(container).get("runAsUser") == 0]
    return Violation("runAsUser=0", f"{setters(of_pod, names)} must not set runAsUser=0") if of_pod or names else None


def seccomp(metadata: Json, spec: Json) -> Violation | None:
    """A seccomp profile is set, for the pod or for each container."""
    if (bad := seccomp_set_badly(spec)) is not None:
        return bad
    if (security(spec).get("seccompProfile") or {}).get("type") in SECCOMP:
        return None
    silent = [name for name, container in named_containers(spec) if security(container).get("seccompProfile") is None]
    detail = f'pod or {container_words(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return Violation("seccompProfile", detail) if silent else None
