"""Defaults of the other kinds (pkg/apis/{core,scheduling}/v1/defaults.go and the strategies of their registries)."""

import base64
from typing import Any

from simulator.engine.apiserver.defaulting.kinds_registry import fills, maps_in, part, set_unset
from simulator.engine.kernel.json_text import Json

_AFFINITY_S = 10_800
_EXTERNAL = ("NodePort", "LoadBalancer")


@fills("Service")
def service(document: Json) -> None:
    """A Service is of type ClusterIP; its ports are TCP and target the same port of the pods."""
    spec = part(document, "spec")
    set_unset(spec, type="ClusterIP", sessionAffinity="None")
    for port in maps_in(spec, "ports"):
        set_unset(port, protocol="TCP")
        if port.get("targetPort") in (None, "", 0) and port.get("port") is not None:
            port["targetPort"] = port["port"]
    if spec.get("clusterIP") and not spec.get("clusterIPs"):
        spec["clusterIPs"] = [spec["clusterIP"]]


@fills("Service")
def service_affinity(document: Json) -> None:
    """Session affinity by client IP lasts three hours."""
    spec = part(document, "spec")
    if spec["sessionAffinity"] == "ClientIP":
        set_unset(part(spec, "sessionAffinityConfig", "clientIP"), timeoutSeconds=_AFFINITY_S)
    elif spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)


@fills("Service")
def service_traffic(document: Json) -> None:
    """The external traffic policy is Cluster for a Service that can be reached from outside."""
    spec = part(document, "spec")
    if spec["type"] in _EXTERNAL or (spec["type"] == "ClusterIP" and spec.get("externalIPs")):
        set_unset(spec, externalTrafficPolicy="Cluster")


@fills("Service", since=22)
def service_inner_traffic(document: Json) -> None:
    """Internal traffic goes to any pod; load balancers allocate node ports."""
    spec = part(document, "spec")
    if spec["type"] != "ExternalName":
        set_unset(spec, internalTrafficPolicy="Cluster")
    if spec["type"] == "LoadBalancer":
        set_unset(spec, allocateLoadBalancerNodePorts=True)


@fills("Service", since=21)
def service_families(document: Json) -> None:
    """A cluster with one IP family gives that family to each Service."""
    spec = part(document, "spec")
    if spec["type"] != "ExternalName":
        set_unset(spec, ipFamilyPolicy="SingleStack")
        if not spec.get("ipFamilies"):
            spec["ipFamilies"] = ["IPv4"]


@fills("Secret")
def secret(document: Json) -> None:
    """A Secret is Opaque; what was given as plain text is stored as data."""
    set_unset(document, type="Opaque")
    # stringData is write-only: it is never stored or shown.
    plain = document.pop("stringData", None)
    if isinstance(plain, dict) and plain:
        data = part(document, "data")
        data.update({key: base64.b64encode(str(value or "").encode()).decode() for key, value in plain.items()})


@fills("PersistentVolumeClaim")
def claim(document: Json) -> None:
    """The volume mode of a claim is Filesystem, its phase Pending."""
    set_unset(part(document, "spec"), volumeMode="Filesystem")
    set_unset(part(document, "status"), phase="Pending")


@fills("PersistentVolume")
def volume(document: Json) -> None:
    """The reclaim policy of a PersistentVolume is Retain, its mode Filesystem, its phase Pending."""
    spec = part(document, "spec")
    set_unset(spec, persistentVolumeReclaimPolicy="Retain", volumeMode="Filesystem")
    if isinstance(spec.get("hostPath"), dict) and spec["hostPath"].get("type") is None:
        spec["hostPath"]["type"] = ""
    set_unset(part(document, "status"), phase="Pending")


@fills("Namespace")
def namespace(document: Json) -> None:
    """A namespace is active, and is only removed once it is empty."""
    spec = part(document, "spec")
    if "kubernetes" not in (spec.get("finalizers") or ()):
        spec["finalizers"] = [*(spec.get("finalizers") or ()), "kubernetes"]
    set_unset(part(document, "status"), phase="Active")


@fills("Namespace", since=21)
def namespace_label(document: Json) -> None:
    """A namespace has its name as a label, for selectors."""
    metadata = part(document, "metadata")
    if metadata.get("name"):
        part(metadata, "labels")["kubernetes.io/metadata.name"] = metadata["name"]


@fills("LimitRange")
def limit_range(document: Json) -> None:
    """The default limit of a container is its maximum, the default request its default limit, else its minimum."""
    for limit in maps_in(part(document, "spec"), "limits"):
        if limit.get("type") == "Container":
            default = _filled(limit.get("default"), limit.get("max"))
            request = _filled(limit.get("defaultRequest"), default, limit.get("min"))
            limit.update({key: value for key, value in (("default", default), ("defaultRequest", request)) if value})


def _filled(first: Any, *others: Any) -> Json:
    """A map with its missing keys taken from the others in turn."""
    maps_given = [value for value in (first, *others) if isinstance(value, dict)]
    return {name: value for given in reversed(maps_given) for name, value in given.items()}


@fills("PriorityClass")
def priority_class(document: Json) -> None:
    """Pods of a class preempt others; a class without a value has the value 0."""
    set_unset(document, preemptionPolicy="PreemptLowerPriority")
    document.setdefault("value", 0)


@fills("StorageClass")
def storage_class(document: Json) -> None:
    """The reclaim policy of a StorageClass is Delete, its binding mode Immediate."""
    set_unset(document, reclaimPolicy="Delete", volumeBindingMode="Immediate")


@fills("Node")
def node(document: Json) -> None:
    """The allocatable amounts of a node are its capacity."""
    status = document.get("status")
    if isinstance(status, dict) and status.get("capacity") and not status.get("allocatable"):
        status["allocatable"] = dict(status["capacity"])
