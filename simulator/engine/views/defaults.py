"""The defaults of a Pod document: what the API server adds to the fields that the user sent.

Works on the document itself, so that fields the engine does not type stay as they are. Source: pkg/apis/core/v1/defaults.go
and the admission plugins, checked against objects stored by a 1.20.2 server.
"""

from typing import Any

from simulator.engine.api.manifest import DEFAULT_GRACE_S, default_pull_policy
from simulator.engine.api.quantity import BadQuantity, canonical, parse

Json = dict[str, Any]
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS = ("postStart", "preStop")
_MODES = ("secret", "configMap", "downwardAPI", "projected")
_FILE_MODE = 0o644
_PROBE_NUMBERS = (("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3))
_UNREACHABLE_S = 300
_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")


def fill_spec(spec: Json, *, resize_policy: bool) -> None:
    """Fill the defaults of a pod's spec in, in place. ``resize_policy``: the version knows in-place resize (row 24)."""
    for name, value in (
        ("restartPolicy", "Always"),
        ("dnsPolicy", "ClusterFirst"),
        ("terminationGracePeriodSeconds", DEFAULT_GRACE_S),
        ("schedulerName", "default-scheduler"),
        ("enableServiceLinks", True),
        ("securityContext", {}),
    ):
        spec.setdefault(name, value)
    for kind in CONTAINER_LISTS:
        resizes = resize_policy and kind != "ephemeralContainers"
        for container in spec.get(kind) or ():
            _fill_container(container, host_network=bool(spec.get("hostNetwork")), resize_policy=resizes)
    for volume in spec.get("volumes") or ():
        _fill_volume(volume)


def _fill_container(container: Json, *, host_network: bool, resize_policy: bool) -> None:
    container.setdefault("imagePullPolicy", default_pull_policy(str(container.get("image") or "")))
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    container["resources"] = _resources(container.get("resources") or {})
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
        if host_network and not port.get("hostPort"):
            port["hostPort"] = port.get("containerPort")
    for name in _PROBES:
        if container.get(name):
            _fill_probe(container[name])
    for name in _HOOKS:
        _fill_http((container.get("lifecycle") or {}).get(name) or {})
    for entry in container.get("env") or ():
        _fill_field_ref(entry.get("valueFrom") or {})
    if resize_policy and "resizePolicy" not in container:
        known = {**container["resources"].get("limits", {}), **container["resources"].get("requests", {})}
        policies = [{"resourceName": name, "restartPolicy": "NotRequired"} for name in ("cpu", "memory") if name in known]
        container.update({"resizePolicy": policies} if policies else {})


def _resources(resources: Json) -> Json:
    """Quantities in canonical form; a limit without a request is its own request."""
    filled = dict(resources)
    for name in ("limits", "requests"):
        if filled.get(name):
            filled[name] = {key: _quantity(value) for key, value in filled[name].items()}
    if filled.get("limits"):
        filled["requests"] = {**filled["limits"], **(filled.get("requests") or {})}
    return filled


def _quantity(value: Any) -> Any:
    try:
        return canonical(parse(value))
    except BadQuantity:
        return value


def _fill_probe(probe: Json) -> None:
    for name, value in _PROBE_NUMBERS:
        probe[name] = probe.get(name) or value
    _fill_http(probe)
    if probe.get("grpc"):
        probe["grpc"].setdefault("service", "")


def _fill_http(handler: Json) -> None:
    if handler.get("httpGet"):
        handler["httpGet"].setdefault("path", "/")
        handler["httpGet"].setdefault("scheme", "HTTP")


def _fill_field_ref(source: Json) -> None:
    if source.get("fieldRef"):
        source["fieldRef"].setdefault("apiVersion", "v1")


def _fill_volume(volume: Json) -> None:
    if len(volume) == 1:
        volume["emptyDir"] = {}
    for kind in _MODES:
        if isinstance(volume.get(kind), dict):
            volume[kind].setdefault("defaultMode", _FILE_MODE)
            _fill_items(volume[kind])
            for source in volume[kind].get("sources") or ():
                _fill_items(source.get("downwardAPI") or {})
                if source.get("serviceAccountToken"):
                    source["serviceAccountToken"].setdefault("expirationSeconds", 3600)
    if isinstance(volume.get("hostPath"), dict):
        volume["hostPath"].setdefault("type", "")


def _fill_items(source: Json) -> None:
    for item in source.get("items") or ():
        _fill_field_ref(item)


def admit(spec: Json, token: Json) -> None:
    """What admission adds, in place: service account with its ``token`` volume, priority and the two tolerations."""
    account = spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"
    spec["serviceAccountName"] = spec["serviceAccount"] = account
    if spec.get("automountServiceAccountToken") is not False:
        _mount_token(spec, token)
    spec.setdefault("priority", _PRIORITIES.get(str(spec.get("priorityClassName")), 0))
    spec.setdefault("preemptionPolicy", "PreemptLowerPriority")
    tolerations = spec.setdefault("tolerations", [])
    for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"):
        if not any(item.get("key", "") in ("", key) and item.get("effect", "") in ("", "NoExecute") for item in tolerations):
            tolerations.append({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _UNREACHABLE_S})


TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"


def _mount_token(spec: Json, token: Json) -> None:
    mounted = False
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        mounts = container.setdefault("volumeMounts", [])
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
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": field}]}},
    ]
    return {"name": name, "projected": {"defaultMode": _FILE_MODE, "sources": sources}}
