"""Sets of fields: the fields of an object, the difference of two objects, and the serialized form (fieldsV1).

A path is a tuple of elements as fieldsV1 has them: ``f:spec``, ``k:{"name":"web"}``, ``v:"x"``.
Source: sigs.k8s.io/structured-merge-diff v4 typed/tofieldset.go, typed/merge.go, typed/remove.go; fieldpath/serialize.go, path.go.
"""

import json
from collections.abc import Iterable, Iterator, Set
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.answer import Answer, ApiError
from simulator.engine.apiserver.managed.topology import Part
from simulator.engine.kernel.json_text import Json, decode

Path = tuple[str, ...]
Fields = frozenset[Path]
SELF = "."
_HEAD = ("apiVersion", "kind", "metadata")
_NONE = object()


def items_of(value: Any, part: Part) -> dict[str, tuple[Any, Part]] | None:
    """The separately owned parts of a value, by path element; None for a value with a single owner. Raises ApiError (500)."""
    if isinstance(value, dict) and part.has_parts:
        return {f"f:{name}": (item, part.field(name)) for name, item in value.items()}
    if isinstance(value, list) and part.is_set:
        return {f"v:{_compact(item)}": (item, Part()) for item in value}
    if isinstance(value, list) and part.keys and all(isinstance(item, dict) for item in value):
        found: dict[str, tuple[Any, Part]] = {}
        for item in value:
            element = _element(item, part)
            if element in found:
                raise _duplicate(part, element)
            found[element] = (item, part.item())
        return found
    return None


def _element(item: Json, part: Part) -> str:
    values = {key: item.get(key, part.default_of(key)) for key in sorted(part.keys)}
    return f"k:{_compact({key: value for key, value in values.items() if value is not None})}"


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _duplicate(part: Part, element: str) -> ApiError:
    field = part.place.rpartition(".")[2]
    return ApiError(Answer(code=500, reason="", message=f".{field}: duplicate entries for key {element_text(element)}"))


# ---- the fields of an object -----------------------------------------------------------------------------------------
def fields_in(value: Any, part: Part) -> set[Path]:
    """The fields that a configuration names."""
    found: set[Path] = set()
    _collect(value, part, (), found)
    found.discard(())
    return found


def undeclared(value: Any, part: Part, path: Path = ()) -> Path | None:
    """The first field that the schema does not know; None if it knows them all, or is empty."""
    if isinstance(value, list):
        inner = part.item()
        for n, item in enumerate(value):
            element = _element(item, part) if part.keys and isinstance(item, dict) else f"i:{n}"
            found = undeclared(item, inner, (*path, element))
            if found is not None:
                return found
        return None
    if not isinstance(value, dict):
        return None
    for name, item in value.items():
        if not part.declares(name):
            if path or name not in _HEAD:
                return (*path, f"f:{name}")
            continue
        found = undeclared(item, part.field(name), (*path, f"f:{name}"))
        if found is not None:
            return found
    return None


def _collect(value: Any, part: Part, path: Path, found: set[Path]) -> None:
    items = items_of(value, part)
    if items is None or (not items and isinstance(value, dict)):
        found.add(path)
        return
    for element, (item, inner) in items.items():
        # List items, and map keys that no schema names, are members themselves.
        if not element.startswith("f:") or not part.names(element[2:]):
            found.add((*path, element))
        if not element.startswith("v:"):
            _collect(item, inner, (*path, element), found)


class FieldChanges(Struct, frozen=True):
    """The fields in which an object differs from an earlier one."""

    added: set[Path]
    modified: set[Path]
    removed: set[Path]

    @property
    def changed(self) -> set[Path]:
        """The fields whose value changed."""
        return self.added | self.modified


def difference(before: Any, after: Any, part: Part) -> FieldChanges:
    """The fields in which ``after`` differs from ``before``."""
    found = FieldChanges(set(), set(), set())
    _compare(before, after, part, (), found)
    return found


def _compare(before: Any, after: Any, part: Part, path: Path, found: FieldChanges) -> None:
    if before is _NONE or after is _NONE:
        value, where = (after, found.added) if before is _NONE else (before, found.removed)
        where.add(path)
        for element, (item, inner) in (items_of(value, part) or {}).items():
            pair = (_NONE, item) if before is _NONE else (item, _NONE)
            _compare(*pair, inner, (*path, element), found)
        return
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict) and part.has_parts:
        for name in dict.fromkeys((*before, *after)):
            left, right = before.get(name, _NONE), after.get(name, _NONE)
            if left != right:
                _compare(left, right, part.field(name), (*path, f"f:{name}"), found)
        return
    old, new = items_of(before, part), items_of(after, part)
    if old is None or new is None or type(before) is not type(after):
        found.modified.add(path)
        return
    for element in dict.fromkeys((*old, *new)):
        (left, _), (right, inner) = old.get(element, (_NONE, Part())), new.get(element) or (_NONE, old.get(element, (None, Part()))[1])
        _compare(left, right, inner, (*path, element), found)


# ---- changes ---------------------------------------------------------------------------------------------------------
def merged(live: Any, wanted: Any, part: Part) -> Any:
    """The live value with everything that a configuration names set as the configuration has it."""
    if live == wanted:
        return live
    old, new = items_of(live, part), items_of(wanted, part)
    if old is None or new is None or type(live) is not type(wanted):
        return wanted
    together = {
        element: merged(old[element][0], new[element][0], new[element][1]) if element in old and element in new else found[0]
        for element, found in {**old, **new}.items()
    }
    if isinstance(live, dict):
        return {element[2:]: value for element, value in together.items()}
    return [together[element] for element in _in_order(list(old), list(new))]


def _in_order(old: list[str], new: list[str]) -> Iterator[str]:
    """What the configuration names in its order, with the elements that only the live list has in their places among them."""
    named, held = set(new), set(old)
    shared, places = [element for element in new if element in held], iter(old)
    nearest, upcoming = next(places, None), 0
    for element in new:
        while nearest is not None and nearest != element and (nearest not in named or nearest not in shared[upcoming : upcoming + 1]):
            if nearest not in named:
                yield nearest
            nearest = next(places, None)
        yield element
        nearest = next(places, None) if nearest == element else nearest
        upcoming += element in held
    rest = [nearest, *places] if nearest is not None else []
    yield from (element for element in rest if element not in named)


def without(value: Any, part: Part, gone: Set[Path], path: Path = ()) -> Any:
    """The value without these fields and items."""
    if not gone:
        return value
    items = items_of(value, part)
    if items is None:
        return value
    kept = {element: found for element, found in items.items() if (*path, element) not in gone}
    if isinstance(value, dict):
        return {element[2:]: without(item, inner, gone, (*path, element)) for element, (item, inner) in kept.items()}
    return [item if element.startswith("v:") else without(item, inner, gone, (*path, element)) for element, (item, inner) in kept.items()]


def with_parents(paths: Iterable[Path]) -> set[Path]:
    """The paths and every path that leads to one of them."""
    return {path[:length] for path in paths for length in range(1, len(path) + 1)}


# ---- the serialized form ---------------------------------------------------------------------------------------------
def to_fields_v1(fields: Iterable[Path]) -> Json:
    """The set as fieldsV1: a map of path elements, with ``.`` if a field that has members is itself a member."""
    top: Json = {}
    for path in sorted(fields):
        node = top
        for element in path:
            node = node.setdefault(element, {})
        node[SELF] = {}
    return _written(top)


def _written(node: Json) -> Json:
    if set(node) == {SELF}:
        return {}
    return {element: _written(node[element]) if element != SELF else {} for element in sorted(node)}


def from_fields_v1(fields: Any) -> Fields:
    """The set that fieldsV1 describes; empty for anything that does not describe one."""
    return frozenset(_members(fields if isinstance(fields, dict) else {}, ()))


def _members(node: Json, path: Path) -> Iterator[Path]:
    if path and (not node or SELF in node):
        yield path
    for element, inner in node.items():
        if element != SELF:
            yield from _members(inner if isinstance(inner, dict) else {}, (*path, element))


def path_text(path: Path) -> str:
    """The path as messages name it: ``.spec.containers[name="web"].image``."""
    return "".join(element_text(element) for element in path)


def _keys_text(text: str) -> str:
    """The keys of a list item; verbatim if a client wrote managedFields that no API server would write."""
    try:
        keys = decode(text)
    except ValueError:
        return text
    return ",".join(f"{key}={_compact(value)}" for key, value in keys.items()) if isinstance(keys, dict) else text


def element_text(element: str) -> str:
    """One element of a path as messages name it."""
    sort, _, text = element.partition(":")
    if sort == "k":
        return f"[{_keys_text(text)}]"
    if sort == "i":
        return f"[{text}]"
    return f"[={text}]" if sort == "v" else f".{text}"
