"""Maintainer's script: take what the API server's OpenAPI documents say of the kinds we serve out of the package ``kubernetes-validate``.

    pip install kubernetes-validate==1.37.0
    python -m simulator.schemas.extract_openapi

writes ``openapi.json.gz``: for each version its kinds and definitions by their full names, each definition stored once however many
versions share it, with what clients merge by (``x-kubernetes-*``), and the first sentences about types that ``docs.json.gz`` lacks.
"""

import gzip
import json
import re
from pathlib import Path
from typing import Any

from simulator.schemas.extract import MODELLED, _kinds, _minor, _place, _root, _short
from simulator.schemas.extract_docs import TARGET as DOCS
from simulator.schemas.extract_docs import _mark_ends, _take

TARGET = Path(__file__).with_name("openapi.json.gz")
MORE = {
    "v1": "Endpoints Event Binding",
    "discovery.k8s.io/v1": "EndpointSlice",
    "node.k8s.io/v1": "RuntimeClass",
    "coordination.k8s.io/v1": "Lease",
    "policy/v1": "Eviction",
    "autoscaling/v1": "Scale",
    "authentication.k8s.io/v1": "SelfSubjectReview TokenReview",
    "authorization.k8s.io/v1": "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
}
"""Kinds that are served without being read from manifests."""
_KEPT = ("required", "format")
_EXTENSIONS = ("patch-strategy", "patch-merge-key", "list-type", "list-map-keys", "map-type")
_SPECIAL = {"Quantity": {"type": "string"}, "IntOrString": {"type": "string", "format": "int-or-string"}}
"""Types that the API server describes by their Go type, whatever JSON they take."""


def main() -> None:
    """Read every version of the package and write the compact file."""
    definitions: list[Any] = []
    places: dict[str, int] = {}
    versions: dict[str, Any] = {}
    types: dict[str, Any] = {}
    known = json.loads(gzip.decompress(DOCS.read_bytes()))["types"]
    folders = sorted(_root().glob("v*-local-strict"), key=_minor)
    for folder in folders:
        raw = json.loads((folder / "_definitions.json").read_text())["$defs"]
        kinds = {" ".join(key): name for key, name in _kinds(raw).items() if key[1] in _wanted().get(key[0], ())}
        names = sorted(_inside(raw, list(kinds.values())))
        table = {name: _place(_kept(raw[name], name), definitions, places) for name in names}
        versions[f"1.{_minor(folder)}"] = {"kinds": kinds, "definitions": table}
        for name in names:
            if _short(name) not in known:
                _take(types.setdefault(_short(name), {"fields": {}}), raw[name], _minor(folder))
    _mark_ends(types, first=_minor(folders[0]), last=_minor(folders[-1]))
    text = json.dumps({"versions": versions, "definitions": definitions, "types": types}, separators=(",", ":"), sort_keys=True)
    TARGET.write_bytes(gzip.compress(text.encode(), mtime=0))


def _wanted() -> dict[str, list[str]]:
    """The kinds by apiVersion."""
    return {each: (MODELLED.get(each, "") + " " + MORE.get(each, "")).split() for each in (*MODELLED, *MORE)}


def _inside(raw: dict[str, Any], waiting: list[str]) -> set[str]:
    seen: set[str] = set()
    while waiting:
        if (name := waiting.pop()) not in seen:
            seen.add(name)
            waiting += re.findall(r'"#/\$defs/([^"]+)"', json.dumps(raw[name]))
    return seen


def _kept(node: dict[str, Any], name: str = "") -> dict[str, Any]:
    """What the API server says of a definition, or of a part of one, without prose."""
    title = name.rpartition(".")[2]
    if title in _SPECIAL:
        return {"title": title, **_SPECIAL[title]}
    kept: dict[str, Any] = {"title": title} if name else {}
    if "$ref" in node:
        kept["$ref"] = node["$ref"].removeprefix("#/$defs/")
    elif "type" in node:
        kept["type"] = node["type"][0] if isinstance(node["type"], list) else node["type"]
    kept |= {key: node[key] for key in _KEPT if key in node}
    kept |= {key: node[f"x-kubernetes-{key}"] for key in _EXTENSIONS if f"x-kubernetes-{key}" in node}
    kept |= {key: _kept(node[key]) for key in ("items", "additionalProperties") if isinstance(node.get(key), dict)}
    if "properties" in node:
        kept["properties"] = {key: _kept(item) for key, item in node["properties"].items()}
    return kept


if __name__ == "__main__":
    main()
