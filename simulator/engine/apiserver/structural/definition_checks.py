"""The errors of a CustomResourceDefinition, and what the API server adds to one.

Source: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go, v1/defaults.go, pkg/controller/status.
"""

from collections.abc import Collection, Iterator
from typing import Any

from simulator.engine.apiserver.structural.checks import compiled
from simulator.engine.apiserver.validation.errors import FieldError, invalid, not_supported, required
from simulator.engine.apiserver.validation.names import label_problems, subdomain_problems
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.custom import KUBERNETES_GROUPS

SCOPES = ("Cluster", "Namespaced")
_NESTED_MAX = 60
_PATH_MAX = 100
"""Maximum number of characters of the path to a number of replicas."""


def definition_errors(document: Json, taken: Collection[str]) -> list[FieldError]:
    """The errors of a definition; ``taken`` are kinds that other definitions have."""
    return list(_errors(document, taken))


def _errors(document: Json, taken: Collection[str]) -> Iterator[FieldError]:
    spec = _map(document.get("spec"))
    names, group = _map(spec.get("names")), str(spec.get("group") or "")
    plural, kind = str(names.get("plural") or ""), str(names.get("kind") or "")
    name = str(_map(document.get("metadata")).get("name") or "")
    if name != f"{plural}.{group}":
        yield invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')
    if not group:
        yield required("spec.group")
    elif "." not in group or group in KUBERNETES_GROUPS or subdomain_problems(group):
        yield invalid("spec.group", group, "should be a domain with at least one dot")
    if not spec.get("scope"):
        yield required("spec.scope")
    elif spec["scope"] not in SCOPES:
        yield not_supported("spec.scope", spec["scope"], SCOPES)
    yield from (required(f"spec.names.{key}") for key, value in (("plural", plural), ("kind", kind)) if not value)
    yield from _of_names(names)
    if kind in taken:
        yield invalid("spec.names.kind", kind, "is the kind of other objects of this cluster")
    yield from _of_versions(spec.get("versions"))


def _of_names(names: Json) -> Iterator[FieldError]:
    """Check that names used in paths and discovery have the form of a label; a kind, that it does in lower case."""
    words = [(key, str(names.get(key) or "")) for key in ("plural", "singular", "kind", "listKind")]
    words += [(f"{key}[{index}]", str(word)) for key in ("shortNames", "categories") for index, word in enumerate(names.get(key) or ())]
    for key, word in words:
        problems = label_problems(word.lower() if key in ("kind", "listKind") else word) if word else []
        yield from (invalid(f"spec.names.{key}", word, problem) for problem in problems)


def _of_versions(versions: Any) -> Iterator[FieldError]:
    found = [item for item in versions if isinstance(item, dict)] if isinstance(versions, list) else []
    stored = [item for item in found if item.get("storage")]
    if len(stored) != 1:
        yield invalid("spec.versions", [item.get("name", "") for item in found], "must have exactly one version marked as storage version")
    for index, item in enumerate(found):
        path = f"spec.versions[{index}]"
        if not item.get("name"):
            yield required(f"{path}.name")
        yield from (invalid(f"{path}.name", item["name"], problem) for problem in label_problems(str(item.get("name") or "v1")))
        yield from _of_scale(_map(_map(item.get("subresources")).get("scale")), f"{path}.subresources.scale")
        schema = _map(item.get("schema")).get("openAPIV3Schema")
        if not isinstance(schema, dict):
            yield required(f"{path}.schema.openAPIV3Schema", "schemas are required")
            continue
        yield from _of_root(schema, f"{path}.schema.openAPIV3Schema")


def _of_scale(scale: Json, path: str) -> Iterator[FieldError]:
    if not scale:
        return
    for key, top in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        place = str(scale.get(key) or "")
        if not place:
            yield required(f"{path}.{key}")
        elif not place.startswith(top) or len(place) > _PATH_MAX:
            yield invalid(f"{path}.{key}", place[:_PATH_MAX], f"should be a json path under {top.rstrip('.')}")


def _of_root(schema: Json, path: str) -> Iterator[FieldError]:
    if not schema.get("type"):
        yield required(f"{path}.type", "must not be empty at the root")
    elif schema["type"] != "object":
        yield invalid(f"{path}.type", schema["type"], "must be object at the root")
    yield from _of_patterns(schema, path, 0)


def _of_patterns(schema: Json, path: str, depth: int) -> Iterator[FieldError]:
    """Find patterns that cannot be matched; nesting deeper than that of any real schema is refused."""
    if depth > _NESTED_MAX:
        yield invalid(path, "", "nests too deeply")
        return
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and compiled(pattern) is None:
        yield invalid(f"{path}.pattern", pattern, "must be a valid regular expression")
    for key in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(key), dict):
            yield from _of_patterns(schema[key], f"{path}.{key}", depth + 1)
    for name, item in _map(schema.get("properties")).items():
        if isinstance(item, dict):
            yield from _of_patterns(item, f"{path}.properties[{name}]", depth + 1)
    for key in ("allOf", "anyOf", "oneOf"):
        for index, item in enumerate(schema[key] if isinstance(schema.get(key), list) else ()):
            if isinstance(item, dict):
                yield from _of_patterns(item, f"{path}.{key}[{index}]", depth + 1)


def _map(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def established(document: Json, time: str) -> Json:
    """The definition with its defaults and a status that says that its names are accepted and its kind is served."""
    spec = document["spec"]
    names = spec["names"]
    whole = {
        **names,
        "listKind": names.get("listKind") or f"{names['kind']}List",
        "singular": names.get("singular") or str(names["kind"]).lower(),
    }
    stored = [item["name"] for item in spec["versions"] if item.get("storage")]
    conditions = [
        _condition("NamesAccepted", "NoConflicts", "no conflicts found", time),
        _condition("Established", "InitialNamesAccepted", "the initial names have been accepted", time),
    ]
    status = {"conditions": conditions, "acceptedNames": whole, "storedVersions": stored}
    return {**document, "spec": {"conversion": {"strategy": "None"}, **spec, "names": whole}, "status": status}


def _condition(kind: str, reason: str, message: str, time: str) -> Json:
    return {"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": time}
