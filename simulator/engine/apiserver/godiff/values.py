"""Go values made from JSON: what the API server's decoder would hold in memory, as far as a report shows it.

go-cmp compares the server's internal types, not the JSON that was sent, and prints their names. So
JSON is turned into a tree of typed values with the table in ``types``, which has the fields of each
struct in Go's order and the versions that have them. Structs missing from the table are guessed
from their content: a rare volume source comes out readable, if not letter for letter.

Three things differ from JSON. A missing list or map is nil, and so is an empty one. A Quantity is
compared as a whole, but printed with its private fields, which depend on how the amount was written
(``_amount``). Long texts are compared piece by piece; how long "long" is depends on the version
(``facts.diff_long_text``).
"""

import json
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.godiff.fields import INLINE, MAPS
from simulator.engine.apiserver.godiff.types import fields_of
from simulator.engine.model.quantity import BadQuantity, Quantity, canonical, parse
from simulator.engine.versions.facts import facts_of

TEXT, PLAIN, STRUCT, SLICE, MAP, POINTER = "text", "plain", "struct", "slice", "map", "pointer"
_PLAIN_ZERO = {"int": 0, "bool": False}
_NANO_EXPONENT = -9


class Value(Struct, frozen=True):
    """A value of a Go type. ``parts`` are the fields of a struct, the items of a list, the entries of a map, or what a pointer
    points to, each with its key; ``is_leaf`` values are compared as a whole, ``is_long`` texts piece by piece.
    """

    kind: str
    type: str
    text: str = ""
    parts: tuple[tuple[str, "Value"], ...] = ()
    is_nil: bool = False
    is_leaf: bool = False
    is_long: bool = False

    @property
    def is_zero(self) -> bool:
        """Whether this is the zero value of its type."""
        if self.kind in (TEXT, PLAIN):
            return self.text in ("", "0", "false")
        return all(part.is_zero for _, part in self.parts) if self.kind == STRUCT else self.is_nil


def go_value(type_name: str, value: Any, *, minor: int) -> Value:
    """The value of a Go type; None stands for a field that is not set. Cost: O(value)."""
    if type_name.startswith("*"):
        inner = () if value is None else (("", go_value(type_name[1:], value, minor=minor)),)
        return Value(POINTER, type_name, parts=inner, is_nil=value is None)
    if not _fits(type_name, value):
        return Value(TEXT, type_name, text=json.dumps(value, sort_keys=True))
    if type_name.startswith("[]"):
        items = tuple(("", go_value(type_name[2:], item, minor=minor)) for item in value or ())
        return Value(SLICE, type_name, parts=items, is_nil=not value)
    if type_name in MAPS:
        # go-cmp prints keys that have a String method as s"cpu".
        prefix = "s" if type_name == "core.ResourceList" else ""
        entries = tuple((f'{prefix}"{key}"', go_value(MAPS[type_name], value[key], minor=minor)) for key in sorted(value or {}))
        return Value(MAP, type_name, parts=entries, is_nil=not value)
    if type_name == "quantity":
        return _quantity(value)
    if type_name == "intstr":
        return _int_or_text(value)
    return _struct(type_name, value, minor=minor) if _is_struct(type_name, value, minor) else _single(type_name, value, minor=minor)


def _fits(type_name: str, value: Any) -> bool:
    """Whether there is a list or a map where one is expected; the decoder would have rejected anything else."""
    if type_name.startswith("[]"):
        return value is None or isinstance(value, list)
    return type_name not in MAPS or value is None or isinstance(value, dict)


def _is_struct(type_name: str, value: Any, minor: int) -> bool:
    return isinstance(value, dict) or fields_of(type_name, minor) is not None


def _single(type_name: str, value: Any, *, minor: int) -> Value:
    found = _PLAIN_ZERO.get(type_name, "") if value is None else value
    if isinstance(found, str):
        return Value(TEXT, type_name, text=found, is_long=len(found) >= facts_of(minor).diff_long_text)
    return Value(PLAIN, type_name, text=str(found).lower() if isinstance(found, bool) else str(found))


def _struct(type_name: str, value: Any, *, minor: int) -> Value:
    content = value if isinstance(value, dict) else {}
    known = fields_of(type_name, minor)
    if known is None:
        return Value(STRUCT, type_name, parts=tuple(_guessed(key, content[key], minor) for key in sorted(content)))
    parts = tuple(
        (field.name, go_value(field.type, content if field.name in INLINE else content.get(field.json), minor=minor)) for field in known
    )
    return Value(STRUCT, type_name, parts=parts)


def _guessed(key: str, value: Any, minor: int) -> tuple[str, Value]:
    """A field of a struct that is not in the table, with a type that fits its content."""
    name = key[:1].upper() + key[1:]
    if isinstance(value, dict):
        return name, go_value(f"*core.{name}", value, minor=minor)
    if isinstance(value, list):
        inner = f"core.{name}" if value and isinstance(value[0], dict) else "string"
        return name, go_value(f"[]{inner}", value, minor=minor)
    return name, _single("string" if isinstance(value, str) else "int", value, minor=minor)


def _quantity(value: Any) -> Value:
    """A number and a power of ten, with the text they were parsed from."""
    try:
        quantity = parse(value if value is not None else "0")
    except BadQuantity:
        return Value(TEXT, "resource.Quantity", text=str(value))
    text = "" if value is None else canonical(quantity)
    number, scale = _amount(quantity)
    amount = Value(STRUCT, "resource.int64Amount", parts=(("value", _whole(number)), ("scale", _whole(scale))))
    parts = (
        ("i", amount),
        ("s", Value(TEXT, "string", text=text)),
        ("Format", Value(TEXT, "string", text=quantity.format if text else "")),
    )
    return Value(STRUCT, "resource.Quantity", parts=parts, is_leaf=True)


def _amount(quantity: Quantity) -> tuple[int, int]:
    """(number, scale) as they result from parsing the canonical text: ``50m`` is 50 and -3, ``64Mi`` its bytes and 0."""
    if quantity.nano == 0 or (quantity.nano % 10**9 == 0 and quantity.format == "BinarySI"):
        return quantity.nano // 10**9, 0
    number, scale = quantity.nano, _NANO_EXPONENT
    # Parsing keeps the scale at a multiple of three and drops trailing zeros three at a time.
    while scale % 3 or number % 1000 == 0:
        number, scale = number // 1000, scale + 3
    return number, scale


def _whole(number: int) -> Value:
    return Value(PLAIN, "int", text=str(number))


def _int_or_text(value: Any) -> Value:
    is_text = isinstance(value, str)
    parts = (
        ("Type", _whole(int(is_text))),
        ("IntVal", _whole(value if isinstance(value, int) else 0)),
        ("StrVal", Value(TEXT, "string", text=value if isinstance(value, str) else "")),
    )
    return Value(STRUCT, "intstr.IntOrString", parts=parts)
