"""Which API objects a pod refers to.

Source: pkg/api/pod/util.go VisitPodSecretNames, VisitPodConfigmapNames, HasAPIObjectReference.
"""

from collections.abc import Iterator

from simulator.engine.kernel.json_text import Json

_SECRET_REFS = {
    "azureFile": "secretName",
    "secret": "secretName",
    "cephfs": "secretRef",
    "cinder": "secretRef",
    "flexVolume": "secretRef",
    "rbd": "secretRef",
    "scaleIO": "secretRef",
    "iscsi": "secretRef",
    "storageos": "secretRef",
    "csi": "nodePublishSecretRef",
}
"""The field of a volume's source that names a Secret."""
_NEEDS_API = {
    "csi": "csidrivers (via CSI volumes)",
    "glusterfs": "endpoints (via glusterFS volumes)",
    "persistentVolumeClaim": "persistentvolumeclaims",
    "ephemeral": "persistentvolumeclaims (via ephemeral volumes)",
    "azureFile": "secrets (via azureFile volumes)",
}
_PROJECTED_NEEDS_API = {
    "serviceAccountToken": "serviceaccounts (via projected volumes)",
    "clusterTrustBundle": "clustertrustbundles",
    "podCertificate": "podcertificates",
}


def refers_to_secret(spec: Json) -> bool:
    """Whether a pod's spec names a Secret anywhere, optional or not."""
    if spec.get("imagePullSecrets") or _variables_refer(spec, "secretRef", "secretKeyRef"):
        return True
    if any(source.get("secret") is not None for source in _projections(spec)):
        return True
    return any((volume.get(kind) or {}).get(name) for volume in _list(spec, "volumes") for kind, name in _SECRET_REFS.items())


def refers_to_config_map(spec: Json) -> bool:
    """Whether a pod's spec names a ConfigMap anywhere, optional or not."""
    if _variables_refer(spec, "configMapRef", "configMapKeyRef"):
        return True
    volumes = (*_list(spec, "volumes"), *_projections(spec))
    return any(volume.get("configMap") is not None for volume in volumes)


def api_reference(spec: Json) -> str:
    """What a pod's spec needs the API server for, in the wording of the kubelet, which rejects such static pods; "" for nothing."""
    # In the order of HasAPIObjectReference: the first one found is named.
    if spec.get("serviceAccountName") or spec.get("serviceAccount"):
        return "serviceaccounts"
    if refers_to_secret(spec):
        return "secrets"
    if refers_to_config_map(spec):
        return "configmaps"
    if spec.get("resourceClaims"):
        return "resourceclaims"
    for volume in _list(spec, "volumes"):
        for kind, word in _NEEDS_API.items():
            if volume.get(kind) is not None:
                return word
    found = (word for source in _projections(spec) for kind, word in _PROJECTED_NEEDS_API.items() if source.get(kind) is not None)
    return next(found, "")


def restricted_reference(spec: Json) -> str:
    """Why no node may create the pod, in the wording of the plug-in NodeRestriction, apart from accounts and secrets; "" if it may."""
    if refers_to_config_map(spec):
        return "configmaps"
    if any(source.get("clusterTrustBundle") is not None for source in _projections(spec)):
        return "clustertrustbundles"
    return "persistentvolumeclaims" if any(volume.get("persistentVolumeClaim") for volume in _list(spec, "volumes")) else ""


def _list(holder: Json, name: str) -> list[Json]:
    return holder.get(name) or []


def _projections(spec: Json) -> Iterator[Json]:
    for volume in _list(spec, "volumes"):
        yield from _list(volume.get("projected") or {}, "sources")


def _variables_refer(spec: Json, whole: str, single: str) -> bool:
    """Whether a container takes variables from a kind of object: ``whole`` as a source of many, ``single`` as that of one."""
    containers = (*_list(spec, "containers"), *_list(spec, "initContainers"), *_list(spec, "ephemeralContainers"))
    return any(
        any(item.get(whole) is not None for item in _list(container, "envFrom"))
        or any((item.get("valueFrom") or {}).get(single) is not None for item in _list(container, "env"))
        for container in containers
    )
