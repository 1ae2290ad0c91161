"""A pod template as Go prints it before it is hashed: types, names and values of all fields, maps in key order.

The controllers hold what came over the wire as protobuf, in which a list or map without items is
nil. Source: pkg/util/hash/hash.go DeepHashObject; github.com/davecgh/go-spew spew/format.go;
apimachinery pkg/api/resource/quantity.go ParseQuantity.
"""

import json
import re
from typing import Any

from simulator.engine.apiserver.godiff.fields import INLINE
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.quantity import BadQuantity, canonical, parse
from simulator.engine.workloads.template_types import template_fields

_NIL = "<nil>"
_NUMBERS = frozenset({"int32", "int64"})
_MAPS = {"map[string]string": "string", "v1.ResourceList": "resource.Quantity"}
_ZERO_TIME = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}"
_CANONICAL = re.compile(r"(-?)([0-9]+)([A-Za-z]*)(-?[0-9]*)")
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_DIGITS, _BINARY_DIGITS, _NANO = 18, 15, 9
_WORD = 1 << 64


def template_dump(template: Json, minor: int) -> str:
    """The text that Kubernetes ``1.<minor>`` hashes for a pod template. O(template)."""
    return f"(v1.PodTemplateSpec){_value('v1.PodTemplateSpec', template, minor)}"


def _value(kind: str, value: Any, minor: int) -> str:
    """A value without its type."""
    if kind.startswith("*"):
        return _NIL if value is None else _value(kind[1:], value, minor)
    if kind.startswith("[]"):
        return f"[{' '.join(_value(kind[2:], item, minor) for item in value)}]" if value else _NIL
    if kind in _MAPS:
        return f"map[{' '.join(f'{key}:{_value(_MAPS[kind], value[key], minor)}' for key in sorted(value))}]" if value else _NIL
    if kind == "v1.Time":
        return _ZERO_TIME
    if kind == "resource.Quantity":
        return _quantity(value)
    if kind == "intstr.IntOrString":
        return _int_or_text(value)
    fields = template_fields(kind, minor)
    return _single(kind, value) if fields is None else _struct(fields, value or {}, minor)


def _struct(fields: Any, content: Json, minor: int) -> str:
    shown = []
    for field in fields:
        value = content if field.name in INLINE else content.get(field.json)
        shown.append(f"{field.name}:({field.type}){_value(field.type, value, minor)}")
    return f"{{{' '.join(shown)}}}"


def _single(kind: str, value: Any) -> str:
    if kind in _NUMBERS:
        return str(value or 0)
    if kind == "bool":
        return "true" if value else "false"
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _int_or_text(value: Any) -> str:
    is_text = isinstance(value, str)
    number, text = (0, value) if is_text else (value or 0, "")
    return f"{{Type:(intstr.Type){int(is_text)} IntVal:(int32){number} StrVal:(string){text}}}"


def _quantity(value: Any) -> str:
    """A quantity as parsed from its canonical text: its text is kept only if the parser sees at once that it is canonical."""
    if value is None:
        return _quantity_of(0, 0, "", "")
    try:
        quantity = parse(value)
    except BadQuantity:
        return str(value)
    text = canonical(quantity)
    match = _CANONICAL.fullmatch(text)
    assert match is not None, text
    sign, digits, suffix, power = match.groups()
    number = int(sign + digits)
    if suffix in _BINARY:
        shift = _BINARY[suffix]
        # ParseQuantity's estimate of the decimal digits that a shift adds; beyond 15 it takes the
        # slow path.
        if _BINARY_DIGITS - len(digits) - shift * 3 // 10 - 1 < 0:
            return _decimal(number << shift, "BinarySI")
        return _quantity_of(number << shift, 0, text if number & 7 else "", "BinarySI")
    exponent, name = (int(power), "DecimalExponent") if power else (_DECIMAL[suffix], "DecimalSI")
    if len(digits) > _DIGITS:
        return _decimal(number * 10 ** (exponent + _NANO) // 10**_NANO, name)
    return _quantity_of(number, exponent, text, name)


def _quantity_of(number: int, scale: int, text: str, name: str) -> str:
    amount = f"i:(resource.int64Amount){{value:(int64){number} scale:(resource.Scale){scale}}}"
    return f"{{{amount} d:(resource.infDecAmount){{Dec:(*inf.Dec)<nil>}} s:(string){text} Format:(resource.Format){name}}}"


def _decimal(number: int, name: str) -> str:
    """A quantity with too many digits for the fast path: a decimal with nine places, in 64-bit words."""
    words, rest = [], abs(number) * 10**_NANO
    while rest:
        words.append(str(rest % _WORD))
        rest //= _WORD
    whole = f"unscaled:(big.Int){{neg:(bool){str(number < 0).lower()} abs:(big.nat)[{' '.join(words)}]}} scale:(inf.Scale){_NANO}"
    amount = "i:(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0}"
    return f"{{{amount} d:(resource.infDecAmount){{Dec:(*inf.Dec){{{whole}}}}} s:(string) Format:(resource.Format){name}}}"
