"""Maintainer's script: take the schemas of the kinds we model out of the package ``kubernetes-validate``.

    pip install kubernetes-validate==1.37.0
    python -m simulator.schemas.extract

writes ``schemas.json.gz``: definitions without prose, each stored once however many versions share it, and the names of all
kinds a version has. The package is not needed to run the site.
"""

import gzip
import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

TARGET = Path(__file__).with_name("schemas.json.gz")
MODELLED = {
    "v1": "Pod Node Service ConfigMap Secret PersistentVolume PersistentVolumeClaim LimitRange ResourceQuota Namespace ServiceAccount",
    "apps/v1": "Deployment ReplicaSet StatefulSet DaemonSet ControllerRevision",
    "batch/v1": "Job CronJob",
    "autoscaling/v1": "HorizontalPodAutoscaler",
    "autoscaling/v2": "HorizontalPodAutoscaler",
    "policy/v1": "PodDisruptionBudget",
    "scheduling.k8s.io/v1": "PriorityClass",
    "storage.k8s.io/v1": "StorageClass CSINode",
}
KEPT_KEYWORDS = ("type", "properties", "items", "additionalProperties", "required", "format")
SPECIAL: dict[str, dict[str, Any]] = {
    "Quantity": {"type": ["string", "number", "null"], "format": "quantity"},
    "IntOrString": {"type": ["string", "integer", "null"], "format": "int-or-string"},
}


def main() -> None:
    """Read every version of the package and write the compact file."""
    definitions: list[Any] = []
    places: dict[str, int] = {}
    versions: dict[str, Any] = {}
    for folder in sorted(_root().glob("v*-local-strict"), key=_minor):
        raw = json.loads((folder / "_definitions.json").read_text())["$defs"]
        names = _reachable(raw)
        table = {_short(name): _place(_stripped(raw[name], name), definitions, places) for name in sorted(names)}
        versions[f"1.{_minor(folder)}"] = {"kinds": _modelled(raw), "others": _others(raw), "definitions": table}
    text = json.dumps({"versions": versions, "definitions": definitions}, separators=(",", ":"), sort_keys=True)
    TARGET.write_bytes(gzip.compress(text.encode(), mtime=0))


def _root() -> Path:
    spec = find_spec("kubernetes_validate")
    if spec is None or spec.origin is None:
        raise SystemExit("kubernetes-validate is not installed")
    return Path(spec.origin).parent / "kubernetes-json-schema"


def _minor(folder: Path) -> int:
    match = re.match(r"v1\.(\d+)\.", folder.name)
    assert match is not None, folder
    return int(match[1])


def _kinds(raw: dict[str, Any]) -> dict[tuple[str, str], str]:
    """(apiVersion, kind) → definition name, for every definition that stands for exactly one kind."""
    found = {}
    for name, definition in raw.items():
        if len(marks := definition.get("x-kubernetes-group-version-kind", [])) == 1:
            mark = marks[0]
            found[f"{mark['group']}/{mark['version']}".lstrip("/"), mark["kind"]] = name
    return found


def _wanted() -> list[tuple[str, str]]:
    return [(api_version, kind) for api_version, kinds in MODELLED.items() for kind in kinds.split()]


def _modelled(raw: dict[str, Any]) -> dict[str, str]:
    kinds = _kinds(raw)
    return {" ".join(key): _short(kinds[key]) for key in _wanted() if key in kinds}


def _others(raw: dict[str, Any]) -> list[str]:
    return sorted(" ".join(key) for key in _kinds(raw) if key not in _wanted() and not key[1].endswith("List"))


def _reachable(raw: dict[str, Any]) -> set[str]:
    kinds = _kinds(raw)
    waiting = [kinds[key] for key in _wanted() if key in kinds]
    seen: set[str] = set()
    while waiting:
        if (name := waiting.pop()) not in seen:
            seen.add(name)
            waiting += re.findall(r'"#/\$defs/([^"]+)"', json.dumps(raw[name]))
    return seen


def _stripped(node: Any, name: str = "") -> Any:
    """The keywords that constrain, with ``title`` on definitions (the Go type's name) and short references."""
    if (special := SPECIAL.get(name.rsplit(".", 1)[-1])) is not None:
        return special
    if "$ref" in node:
        return {"$ref": _short(node["$ref"].removeprefix("#/$defs/"))}
    kept: dict[str, Any] = {"title": name.rsplit(".", 1)[-1]} if name else {}
    for key in KEPT_KEYWORDS:
        if key in node:
            kept[key] = _stripped_keyword(key, node[key])
    return kept


def _stripped_keyword(key: str, value: Any) -> Any:
    if key == "properties":
        return {name: _stripped(item) for name, item in value.items()}
    return _stripped(value) if isinstance(value, dict) else value


def _place(definition: Any, definitions: list[Any], places: dict[str, int]) -> int:
    text = json.dumps(definition, sort_keys=True)
    if text not in places:
        places[text] = len(definitions)
        definitions.append(definition)
    return places[text]


def _short(name: str) -> str:
    return ".".join(name.split(".")[-3:])


if __name__ == "__main__":
    main()
