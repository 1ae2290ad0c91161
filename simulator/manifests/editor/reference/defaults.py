"""The default values of fields, found by running the server's own defaulting on an example of every part.

There is no separate list of defaults: an example that contains each part once is defaulted, and whatever the result has
in addition is the answer, by type and field. A default that depends on other fields (a pull policy on the tag) would be
wrong as a fixed value and is left out.
"""

from functools import lru_cache
from typing import Any

from simulator.engine.apiserver.defaulting.kinds import default_object
from simulator.engine.apiserver.defaulting.pod import default_pod_document
from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.versions.release import Release

_POD: dict[str, Any] = {
    "containers": [
        {
            "name": "app",
            "image": "a:1",
            "ports": [{"containerPort": 80}],
            "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
            "livenessProbe": {"grpc": {"port": 1}},
            "readinessProbe": {"httpGet": {"port": 80}},
            "lifecycle": {"preStop": {"httpGet": {"port": 80}}},
        }
    ],
    "volumes": [
        {"name": "a", "configMap": {"name": "a"}},
        {"name": "b", "secret": {"secretName": "a"}},
        {"name": "c", "downwardAPI": {"items": [{"path": "a"}]}},
        {"name": "d", "projected": {"sources": [{"serviceAccountToken": {"path": "a"}}]}},
        {"name": "e", "hostPath": {"path": "/a"}},
    ],
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "DoNotSchedule"}],
}
_SPECS: dict[str, dict[str, Any]] = {
    "Deployment": {"strategy": {"type": "RollingUpdate"}},
    "StatefulSet": {"updateStrategy": {"type": "RollingUpdate"}},
    "DaemonSet": {"updateStrategy": {"type": "RollingUpdate"}},
    "Service": {"ports": [{"port": 80}]},
}
_VARYING = {("Container", "imagePullPolicy"), ("EphemeralContainer", "imagePullPolicy"), ("ServicePort", "targetPort")}
"""Defaults that depend on other fields: they are described in words, not as a value."""
_KINDS = ("Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "Service", "Secret", "PersistentVolumeClaim")


@lru_cache(maxsize=16)
def default_values(minor: int) -> dict[tuple[str, str], Any]:
    """(type, field) → the plain value that version ``1.<minor>`` fills in. Cost: a few ms, then cached."""
    known = catalog(minor)
    found: dict[tuple[str, str], Any] = {}
    for kind in _KINDS:
        version = next(iter(known.api_versions(kind)), "")
        schema = known.schema(version, kind)
        if schema is not None:
            _differences(_example(kind, version), _filled(kind, version, minor), schema, found)
    return {key: value for key, value in found.items() if key not in _VARYING}


def _example(kind: str, version: str) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "spec": _POD if kind == "Pod" else _SPECS.get(kind, {})}


def _filled(kind: str, version: str, minor: int) -> dict[str, Any]:
    example = _example(kind, version)
    return default_pod_document(example, release=Release(minor)) if kind == "Pod" else default_object(example, release=Release(minor))


def _differences(old: Any, new: Any, schema: dict[str, Any], found: dict[tuple[str, str], Any]) -> None:
    if isinstance(new, list):
        olds = old if isinstance(old, list) else []
        for index, item in enumerate(new):
            _differences(olds[index] if index < len(olds) else {}, item, schema.get("items", {}), found)
    elif isinstance(new, dict):
        before = old if isinstance(old, dict) else {}
        for name, value in new.items():
            inner = schema.get("properties", {}).get(name, {})
            if isinstance(value, dict | list):
                _differences(before.get(name), value, inner, found)
            elif name not in before and "title" in schema:
                # The first kind that has the field decides: pods come before templates.
                found.setdefault((schema["title"], name), value)
