"""The three ways to patch an object: JSON merge patch, strategic merge patch, JSON patch.

Source: RFC 7386, RFC 6902, and the API machinery's strategic merge, where lists of named things are merged by their key
(patchMergeKey in staging/src/k8s.io/api/core/v1/types.go).
"""

import copy
from typing import Any

MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "volumes": "name",
    "imagePullSecrets": "name",
    "hostAliases": "ip",
    "env": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "ports": "containerPort",
    "conditions": "type",
    "podIPs": "ip",
    "ownerReferences": "uid",
    "schedulingGates": "name",
    "resourceClaims": "name",
    "topologySpreadConstraints": "topologyKey",
}
"""Lists that a strategic patch merges, with the field that tells their items apart; others are replaced."""
SETS = ("finalizers",)
"""Lists of plain values that a strategic patch adds to."""


class BadPatch(Exception):
    """A patch that cannot be applied; the text says why, naming the path."""


def merge_patch(document: Any, patch: Any) -> Any:
    """RFC 7386: null removes, objects merge, everything else replaces."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    merged = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def merge_key(field: str, items: list[Any]) -> str:
    """The field that tells the items of such a list apart, empty for a list that is replaced; ports of a Service go by ``port``."""
    key = MERGE_KEYS.get(field, "")
    return "port" if field == "ports" and not any(isinstance(item, dict) and key in item for item in items) else key


def strategic_patch(document: Any, patch: Any, field: str = "") -> Any:
    """Like a merge patch, but lists with a merge key are merged item by item; ``$patch`` delete and replace are known."""
    if isinstance(patch, dict):
        return _strategic_object(document, patch)
    if isinstance(patch, list) and isinstance(document, list):
        if field in SETS:
            return [*document, *(item for item in patch if item not in document)]
        if field in MERGE_KEYS and all(isinstance(item, dict) for item in patch):
            return _strategic_list(document, patch, merge_key(field, [*document, *patch]))
    return copy.deepcopy(patch)


def _strategic_object(document: Any, patch: dict[str, Any]) -> Any:
    if patch.get("$patch") == "replace":
        return {key: copy.deepcopy(value) for key, value in patch.items() if key != "$patch"}
    merged = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if key.startswith("$"):
            continue
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = strategic_patch(merged.get(key), value, key)
    return merged


def _strategic_list(items: list[Any], patches: list[dict[str, Any]], key: str) -> list[Any]:
    merged = list(items)
    for patch in patches:
        place = next((n for n, item in enumerate(merged) if isinstance(item, dict) and item.get(key) == patch.get(key)), None)
        if patch.get("$patch") == "delete":
            merged = [item for n, item in enumerate(merged) if n != place]
        elif place is None:
            merged.append(strategic_patch({}, patch))
        else:
            merged[place] = strategic_patch(merged[place], patch)
    return merged


def json_patch(document: Any, operations: Any) -> Any:
    """RFC 6902: add, remove, replace and test. Raises BadPatch."""
    if not isinstance(operations, list):
        raise BadPatch("a JSON patch is a list of operations")
    result = copy.deepcopy(document)
    for operation in operations:
        if not isinstance(operation, dict) or not isinstance(operation.get("path"), str) or "op" not in operation:
            raise BadPatch("an operation has op and path")
        result = _operate(result, operation)
    return result


def _operate(document: Any, operation: dict[str, Any]) -> Any:
    path = operation["path"]
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    if not parts:
        raise BadPatch("the whole object cannot be replaced")
    parent = document
    for part in parts[:-1]:
        parent = _child(parent, part, path)
    kind, last = operation["op"], parts[-1]
    if kind == "test":
        if _child(parent, last, path) != operation.get("value"):
            raise BadPatch(f"testing value {path} failed")
    elif kind == "remove":
        _child(parent, last, path)
        del parent[int(last) if isinstance(parent, list) else last]
    elif kind in ("add", "replace"):
        _put(parent, last, operation, path)
    else:
        raise BadPatch(f'the operation "{kind}" is not supported')
    return document


def _child(parent: Any, part: str, path: str) -> Any:
    if isinstance(parent, dict) and part in parent:
        return parent[part]
    if isinstance(parent, list) and part.isdigit() and int(part) < len(parent):
        return parent[int(part)]
    raise BadPatch(f"the path {path} does not exist")


def _put(parent: Any, last: str, operation: dict[str, Any], path: str) -> None:
    value = copy.deepcopy(operation.get("value"))
    if operation["op"] == "replace":
        _child(parent, last, path)
    if isinstance(parent, dict):
        parent[last] = value
    elif isinstance(parent, list) and last == "-":
        parent.append(value)
    elif isinstance(parent, list) and last.isdigit() and int(last) <= len(parent):
        if operation["op"] == "replace":
            parent[int(last)] = value
        else:
            parent.insert(int(last), value)
    else:
        raise BadPatch(f"the path {path} does not exist")
