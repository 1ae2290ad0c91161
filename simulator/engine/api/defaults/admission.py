"""What admission adds to a pod's spec: service account and token, priority, and how long it stays on a node in trouble.

Source: plugin/pkg/admission/{serviceaccount,priority,defaulttolerationseconds}, checked against objects stored by a 1.20.2 server.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from simulator.engine.api.defaults.containers import maps

Json = dict[str, Any]
TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
PRIORITIES: Mapping[str, int] = MappingProxyType({"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000})
"""The classes that are always there."""
_UNREACHABLE_S = 300
_TOKEN_S = 3607
_FILE_MODE = 0o644
_TROUBLE = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def admit(spec: Json, token: Json) -> None:
    """Everything admission adds, in place; ``token`` is the volume of the service account's token."""
    add_service_account(spec, token)
    add_priority(spec)
    add_node_tolerations(spec)


def add_service_account(spec: Json, token: Json) -> None:
    """The account under both of its names, and its token in every container that has nothing mounted there."""
    account = spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"
    spec["serviceAccountName"] = spec["serviceAccount"] = account
    if spec.get("automountServiceAccountToken") is not False:
        _mount_token(spec, token)


def add_priority(spec: Json, classes: Mapping[str, int] = PRIORITIES) -> None:
    """The number behind the priority class, 0 without one, and that the pod may preempt."""
    spec.setdefault("priority", classes.get(str(spec.get("priorityClassName")), 0))
    spec.setdefault("preemptionPolicy", "PreemptLowerPriority")


def admit_change(old: Json, spec: Json) -> None:
    """What admission adds to a changed spec, in place: the stored priority where the change leaves it out, and the tolerations."""
    for name in ("priority", "preemptionPolicy"):
        if spec.get(name) is None and old.get(name) is not None:
            spec[name] = old[name]
    add_node_tolerations(spec)


def add_node_tolerations(spec: Json) -> None:
    """Five minutes on a node that is not ready or cannot be reached, unless the pod says so itself."""
    tolerations = spec["tolerations"] = maps(spec, "tolerations")
    for key in _TROUBLE:
        if not any(item.get("key", "") in ("", key) and item.get("effect", "") in ("", "NoExecute") for item in tolerations):
            tolerations.append({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _UNREACHABLE_S})


def _mount_token(spec: Json, token: Json) -> None:
    mounted = False
    for container in (*maps(spec, "initContainers"), *maps(spec, "containers")):
        mounts = container["volumeMounts"] = maps(container, "volumeMounts")
        if all(mount.get("mountPath") != TOKEN_PATH for mount in mounts):
            mounts.append({"name": token["name"], "mountPath": TOKEN_PATH, "readOnly": True})
            mounted = True
    if mounted:
        spec.setdefault("volumes", []).append(token)


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
