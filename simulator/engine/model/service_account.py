"""The token of a service account: the volume that admission adds to every pod, and how to tell it from the pod's own volumes.

Source: plugin/pkg/admission/serviceaccount. The kubelet mounts it like any other, but nothing about it can fail here and its
files are the same throughout a namespace, so the kubelet's volume handling skips it.
"""

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.pod import PodSpec, Volume

TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
BOUND_PREFIX = "kube-api-access-"
"""Prefix of the names of projected token volumes."""
_SECRET_INFIX = "-token-"
_TOKEN_S = 3607
_FILE_MODE = 0o644


def token_volume(name: str, *, bound: bool) -> Json:
    """The volume of the service account's token: projected (``bound``), or the token's Secret as before 1.21."""
    if not bound:
        return {"name": name, "secret": {"secretName": name, "defaultMode": _FILE_MODE}}
    field = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": _TOKEN_S, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": field}]}},
    ]
    return {"name": name, "projected": {"defaultMode": _FILE_MODE, "sources": sources}}


def is_token(volume: Volume) -> bool:
    """Whether a volume is a token's, judging by its name and contents."""
    if volume.projected is not None:
        return volume.name.startswith(BOUND_PREFIX)
    return volume.secret is not None and _SECRET_INFIX in volume.name and volume.secret.get("secretName") == volume.name


def own_volumes(spec: PodSpec) -> tuple[Volume, ...]:
    """The volumes of a pod without its token's. O(volumes)."""
    volumes = spec.volumes
    if len(volumes) == 1:  # nearly every pod, with the projected volume of its token
        only = volumes[0]
        is_bound = only.projected is not None and only.name.startswith(BOUND_PREFIX)
        return () if is_bound or is_token(only) else volumes
    return tuple(volume for volume in volumes if not is_token(volume))
