"""What a plain YAML scalar means to kubectl, whose library follows YAML 1.1 with differences.

``yes``, ``on`` and ``y`` are booleans, ``0644`` is octal, ``1_000`` a number, ``1:30`` and dates are texts. Source:
resolve.go of sigs.k8s.io/yaml/goyaml.v2.
"""

import math
import re

Value = str | int | float | bool | None

NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})
_FALSE = frozenset({"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMERIC_START = re.compile(r"[-+.0-9]")
_INTEGER = re.compile(r"([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_BASES = {"x": 16, "b": 2, "o": 8}
_DIGITS_MAX = 400
_EXACT_MAX = 10**21


def resolve_plain(text: str) -> Value:
    """The value of an unquoted scalar. Raises ValueError for .inf and .nan, which JSON cannot represent."""
    if text in NULLS:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    # Very long digits are a text; converting them would be slow.
    if _NUMERIC_START.match(text) is None or len(text) > _DIGITS_MAX:
        return text
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(text)
    number = _number(text.replace("_", ""))
    return text if number is None else number


def _number(text: str) -> int | float | None:
    if (match := _INTEGER.fullmatch(text)) is not None:
        value = _integer(match[2]) * (-1 if match[1] == "-" else 1)
        if -(2**63) <= value < 2**64:
            return value
    if _FLOAT.fullmatch(text) is None:
        return None
    number = float(text)
    if not math.isfinite(number):
        return None
    # JSON writes 1.0 as 1; Go switches to an exponent from 1e21 on.
    return int(number) if number.is_integer() and abs(number) < _EXACT_MAX else number


def _integer(digits: str) -> int:
    if len(digits) > 1 and digits[0] == "0":
        base = _BASES.get(digits[1].lower())
        return int(digits, 8) if base is None else int(digits[2:], base)
    return int(digits)
