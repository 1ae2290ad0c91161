"""The three ways to patch an object: JSON merge patch, strategic merge patch, JSON patch.

A JSON merge patch (RFC 7386) replaces lists as a whole: a patch of one container drops all the
others. A strategic merge patch knows from struct tags of the Go types that some lists are maps in
disguise, and merges those item by item by their key: ``containers`` by name, ``volumeMounts`` by
mountPath, ports of a container by number. The tags are not part of the API's schema that clients
see, so they are listed here by field name; a Service's ``ports`` share the name with a
container's, and are distinguished by the fields of their items.

Directives inside a strategic patch change how it merges: ``$patch: delete`` and ``replace``,
``$deleteFromPrimitiveList/…``, ``$setElementOrder/…`` and ``$retainKeys``. kubectl sends them. A
merged list starts with what the patch names, in its order, with the server's other items kept in
their places (``in_order``).

A JSON patch (RFC 6902) is a list of operations, applied in order and all or nothing. Its limits are
the server's: the number of operations, the depth of a path, and how much ``copy`` may add, since a
patch of a few bytes could otherwise double an object again and again.

Errors differ by kind, and so do their codes: a JSON patch that cannot be applied is a 422 without
an explanation, a strategic patch without its merge key is a 500.

Source: RFC 7386, RFC 6902, and the API machinery's strategic merge, where lists of named things are
merged by their key (patchMergeKey in staging/src/k8s.io/api/core/v1/types.go).
"""

import copy
import json
from collections import deque
from collections.abc import Iterable
from typing import Any

from simulator.engine.kernel.json_text import DEPTH_MAX, TooDeep, is_too_deep_value
from simulator.engine.model.whole import clamped

MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "volumes": "name",
    "imagePullSecrets": "name",
    "secrets": "name",
    "hostAliases": "ip",
    "env": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "ports": "containerPort",
    "conditions": "type",
    "addresses": "type",
    "podIPs": "ip",
    "hostIPs": "ip",
    "ownerReferences": "uid",
    "schedulingGates": "name",
    "resourceClaims": "name",
    "topologySpreadConstraints": "topologyKey",
}
"""Lists that a strategic patch merges, with the field that tells their items apart; others are replaced."""
COPIED_BYTES_MAX = 3 << 20
"""Bytes of JSON that the copies of one patch may add together (apiserver JSONPatchMaxCopyBytes)."""
SETS = ("finalizers", "podCIDRs")
"""Lists of plain values that a strategic patch adds to."""
EXCLUSIVE = ("volumes", "resourceClaims", "strategy")
"""Fields of which ``kubectl apply`` keeps only the parts that it names (patchStrategy retainKeys)."""


class BadPatch(Exception):
    """A patch that cannot be applied; the text says why and names the path."""


class CopiesTooMuch(Exception):
    """A JSON patch whose copies make the object grow too much; the text is the answer's."""

    def __init__(self, size: int) -> None:
        super().__init__(
            f"Unable to complete the copy, the accumulated size increase of copy is {size}, exceeding the limit {COPIED_BYTES_MAX}"
        )


class PatchFault(Exception):
    """A strategic patch that the server fails at; the text is that of its internal error."""


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
    """The field that tells the items of such a list apart; empty for a list that is replaced; ports of a Service go by ``port``."""
    key = MERGE_KEYS.get(field, "")
    # No item has containerPort: these are the ports of a Service.
    return "port" if field == "ports" and not any(isinstance(item, dict) and key in item for item in items) else key


def strategic_patch(document: Any, patch: Any, field: str = "") -> Any:
    """Like a merge patch, but lists with a merge key are merged item by item, in the patch's order first; see ``_DIRECTIVES``.

    Raises PatchFault.
    """
    if isinstance(patch, dict):
        return _strategic_object(document, patch)
    if isinstance(patch, list) and isinstance(document, list):
        if field in SETS:
            return in_order([*document, *beyond(patch, document)], patch, document)
        if field in MERGE_KEYS and all(isinstance(item, dict) for item in patch):
            return _strategic_list(document, patch, merge_key(field, [*document, *patch]))
    return _without_directives(patch)


_DELETE, _REPLACE = "delete", "replace"
_DIRECTIVES = ("$patch", "$setElementOrder/", "$deleteFromPrimitiveList/", "$retainKeys")
"""Keys that say how to merge: what to do with the map, the order of a list, values to remove from a list, the only keys to keep."""


def _strategic_object(document: Any, patch: dict[str, Any]) -> Any:
    directive = patch.get("$patch")
    if directive == _DELETE:
        return {}
    if directive == _REPLACE:
        return {key: copy.deepcopy(value) for key, value in patch.items() if key != "$patch"}
    if directive is not None:
        raise PatchFault(f"unknown patch type: {directive} in map: {go_text(patch)}")
    merged: dict[str, Any] = dict(document) if isinstance(document, dict) else {}
    if isinstance(patch.get("$retainKeys"), list):
        retained = {key for key in patch["$retainKeys"] if isinstance(key, str)}
        merged = {key: value for key, value in merged.items() if key in retained}
    for key, value in patch.items():
        _merge_member(merged, key, value)
    for key, order in patch.items():
        field = key.removeprefix("$setElementOrder/")
        if field != key and isinstance(order, list) and isinstance(merged.get(field), list):
            merged[field] = in_order(merged[field], order, (document or {}).get(field) or [], merge_key(field, merged[field]))
    return merged


def _merge_member(merged: dict[str, Any], key: str, value: Any) -> None:
    emptied = key.removeprefix("$deleteFromPrimitiveList/")
    if emptied != key and isinstance(value, list) and isinstance(merged.get(emptied), list):
        merged[emptied] = beyond(merged[emptied], value)
    elif value is None:
        merged.pop(key, None)
    elif not key.startswith(_DIRECTIVES):
        merged[key] = strategic_patch(merged.get(key), value, key)


def _without_directives(patch: Any) -> Any:
    """A list that is new or replaced, as it is stored: without the directives among its items."""
    if not isinstance(patch, list):
        return copy.deepcopy(patch)
    kept = [item for item in patch if not (isinstance(item, dict) and "$patch" in item)]
    return [strategic_patch({}, item) if isinstance(item, dict) else copy.deepcopy(item) for item in kept]


def _strategic_list(items: list[Any], patches: list[dict[str, Any]], key: str) -> list[Any]:
    # A bare {"$patch": "replace"} item means the whole list; it is not stored itself.
    if any(patch.get("$patch") == _REPLACE for patch in patches):
        return [strategic_patch({}, patch) for patch in patches if "$patch" not in patch]
    merged: list[Any] = list(items)
    places: dict[str, deque[int]] = {}
    for n, item in enumerate(items):
        if isinstance(item, dict):
            places.setdefault(_name(item.get(key)), deque()).append(n)
    gone: set[int] = set()
    for patch in patches:
        if key not in patch:
            raise PatchFault(f"map: {go_text(patch)} does not contain declared merge key: {key}")
        # Keys need not be unique (ports of two protocols share a number): items of one key are
        # taken in order.
        held = places.setdefault(_name(patch[key]), deque())
        if patch.get("$patch") == _DELETE:
            gone.update([held.popleft()] if held else [])
        elif held:
            merged[held[0]] = strategic_patch(merged[held[0]], patch)
        else:
            held.append(len(merged))
            merged.append(strategic_patch({}, patch))
    left = [item for n, item in enumerate(merged) if n not in gone]
    return in_order(left, [patch for patch in patches if patch.get("$patch") != _DELETE], items, key)


def _name(value: Any) -> str:
    """The value of a merge key as text; 80.0 is 80."""
    return as_json(int(value) if isinstance(value, float) and value.is_integer() else value)


def in_order(merged: list[Any], patch: list[Any], stored: list[Any], key: str = "") -> list[Any]:
    """The items of a merged list: what the patch names in its order, the others in the stored order, new ones before them.

    Source: apimachinery pkg/util/strategicpatch normalizeElementOrder and mergeSortedSlice.
    """

    def name(item: Any) -> str:
        return as_json(item.get(key) if key and isinstance(item, dict) else item)

    wanted, known = _places(map(name, patch)), _places(map(name, stored))
    right = deque(sorted((item for item in merged if name(item) in wanted), key=lambda item: wanted[name(item)]))
    left = deque(item for item in merged if name(item) not in wanted)
    result: list[Any] = []
    while left and right:
        one, other = known.get(name(left[0])), known.get(name(right[0]))
        comes_first = one is not None and other is not None and one < other
        result.append((left if comes_first else right).popleft())
    return [*result, *left, *right]


def beyond(items: Iterable[Any], others: Iterable[Any]) -> list[Any]:
    """The items that are not among the others. O(both): lists of a manifest may be long."""
    known = {as_json(item) for item in others}
    return [item for item in items if as_json(item) not in known]


def _places(names: Iterable[str]) -> dict[str, int]:
    """The first position of each name."""
    found: dict[str, int] = {}
    for n, name in enumerate(names):
        found.setdefault(name, n)
    return found


def go_text(value: Any) -> str:
    """A JSON value as Go prints it with ``%v``: ``map[a:map[b:1] c:[x y]]``."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{go_text(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_text, value))}]"
    if value is None:
        return "<nil>"
    return str(value).lower() if isinstance(value, bool) else str(value)


def json_patch(document: Any, operations: Any) -> Any:
    """RFC 6902. Raises BadPatch, CopiesTooMuch, TooDeep; the result may nest deeper than texts. O(document + patch), more for lists."""
    if not isinstance(operations, list):
        raise BadPatch("a JSON patch is a list of operations")
    result = copy.deepcopy(document)
    copied = 0
    for operation in operations:
        if not isinstance(operation, dict) or not isinstance(operation.get("path"), str) or "op" not in operation:
            raise BadPatch("an operation has op and path")
        if operation["path"].count("/") > DEPTH_MAX:
            raise TooDeep
        if operation["op"] == "copy":
            copied += _copied_bytes(result, operation)
            if copied > COPIED_BYTES_MAX:
                raise CopiesTooMuch(copied)
        _operate(result, operation)
    return result


def _operate(document: Any, operation: dict[str, Any]) -> None:
    kind, path = operation["op"], operation["path"]
    if kind == "test":
        parent, last = _place(document, path)
        if not _same(_child(parent, last, path), operation.get("value")):
            raise BadPatch(f"testing value {path} failed")
    elif kind == "remove":
        _removed(document, path)
    elif kind in ("add", "replace"):
        _put(document, path, copy.deepcopy(operation.get("value")), replaces=kind == "replace")
    elif kind == "copy":
        _put(document, path, copy.deepcopy(_found(document, _source(operation))))
    elif kind == "move":
        _put(document, path, _removed(document, _source(operation)))
    else:
        raise BadPatch(f'the operation "{kind}" is not supported')


def _place(document: Any, path: str) -> tuple[Any, str]:
    """The map or list that holds the value at a path, and the path's last part. Raises BadPatch."""
    parts = _parts(path)
    if not parts:
        raise BadPatch("the whole object cannot be replaced")
    for part in parts[:-1]:
        document = _child(document, part, path)
    return document, parts[-1]


def _found(document: Any, path: str) -> Any:
    for part in _parts(path):
        document = _child(document, part, path)
    return document


def _removed(document: Any, path: str) -> Any:
    """Remove the value at a path; returns it."""
    parent, last = _place(document, path)
    value = _child(parent, last, path)
    del parent[_index(parent, last) if isinstance(parent, list) else last]
    return value


def _source(operation: dict[str, Any]) -> str:
    """The path that an operation takes its value from."""
    source = operation.get("from")
    if not isinstance(source, str):
        raise BadPatch("an operation that takes a value from elsewhere says where")
    return source


def _copied_bytes(document: Any, operation: dict[str, Any]) -> int:
    """The bytes that a copy adds to the object. Raises BadPatch, TooDeep."""
    value = _found(document, _source(operation))
    if is_too_deep_value(value):
        raise TooDeep
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _parts(path: str) -> list[str]:
    # In this order: ~01 stands for the text "~1", not for "/".
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; 1 is not true. O(smaller value)."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return len(one) == len(other) and all(key in other and _same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def as_json(value: Any) -> str:
    """The value as text: for JSON, 1 is not true."""
    return json.dumps(value, sort_keys=True)


def _index(items: list[Any], part: str) -> int | None:
    """The position in a list; a negative one counts from the end, as in the server's library."""
    digits = part.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        return None
    number = len(items) - clamped(digits) if part != digits else clamped(digits)
    return number if 0 <= number < len(items) else None


def _child(parent: Any, part: str, path: str) -> Any:
    if isinstance(parent, dict) and part in parent:
        return parent[part]
    place = _index(parent, part) if isinstance(parent, list) else None
    if place is None:
        raise BadPatch(f"the path {path} does not exist")
    return parent[place]


def _put(document: Any, path: str, value: Any, *, replaces: bool = False) -> None:
    parent, last = _place(document, path)
    if replaces:
        _child(parent, last, path)
    if isinstance(parent, dict):
        parent[last] = value
        return
    end = isinstance(parent, list) and last in ("-", str(len(parent)))
    place = len(parent) if end else _index(parent, last) if isinstance(parent, list) else None
    if place is None:
        raise BadPatch(f"the path {path} does not exist")
    parent[place : place + replaces] = [value]
