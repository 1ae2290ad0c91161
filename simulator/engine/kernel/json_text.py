"""JSON texts of strangers: read only to a fixed depth, so that no answer depends on how much of Python's stack is left.

An API server reads 10,000 levels and says ``exceeded max depth`` of more. No object of Kubernetes has a hundredth of that; here
DEPTH_MAX levels are read, few enough for every function that walks through a document by calling itself.
"""

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

from simulator.engine.kernel.outside_text import storable

Json = dict[str, Any]
"""An object of JSON: a document, or a part of one."""
DEPTH_MAX = 100
"""Lists and maps within each other; our limit."""
TOO_DEEP = "exceeded max depth"
"""What Go's decoder says of a text that is nested too deeply."""
_TEXT = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(r"[][{}]")


_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def _storable(value: Any) -> Any:
    """The value with U+FFFD for halves of characters, as Go decodes them; nothing could store or send them."""
    if isinstance(value, str):
        return storable(value, keeps_nul=True)
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list) else value


def _refused(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def _number(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _refused(text)


_DECODER = json.JSONDecoder(parse_constant=_refused, parse_float=_number)
"""Go's decoder knows no NaN or Infinity either, and refuses 1e999, which Python takes for one."""


class TooDeep(ValueError):
    """A JSON text that is nested deeper than DEPTH_MAX."""

    def __init__(self) -> None:
        super().__init__(TOO_DEEP)


def decode(text: str | bytes) -> Any:
    """The value of a JSON text. Raises TooDeep or another ValueError. O(text)."""
    check_depth(text)
    text = text.decode() if isinstance(text, bytes) else text
    value = _DECODER.decode(text)
    return _storable(value) if _HALF.search(text) else value


class RepeatedKeys(dict[str, Any]):
    """An object of a JSON text that gives some of its keys more than once: ``again`` names each of these, and the last values count."""

    again: list[str]


def _noting(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    noted, seen = RepeatedKeys(found), set[str]()
    noted.again = list(dict.fromkeys(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return noted


_NOTING = json.JSONDecoder(parse_constant=_refused, parse_float=_number, object_pairs_hook=_noting)


def decode_with_repeats(text: str) -> Any:
    """The value of a JSON text, in which objects with repeated keys are RepeatedKeys. Raises what ``decode`` raises. O(text)."""
    check_depth(text)
    return _NOTING.decode(text)


def check_depth(text: str | bytes) -> None:
    """Raises TooDeep where a text is nested deeper than DEPTH_MAX, and UnicodeDecodeError where bytes are no UTF-8. O(text)."""
    if is_too_deep(text.decode() if isinstance(text, bytes) else text):
        raise TooDeep


def is_too_deep(text: str) -> bool:
    """Whether a text opens more than DEPTH_MAX brackets within each other, whether it is JSON or not. O(text)."""
    if text.count("[") + text.count("{") <= DEPTH_MAX:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(_TEXT.sub("", text)):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > DEPTH_MAX:
            return True
    return False


def is_too_deep_value(value: Any) -> bool:
    """The same of a value that was made of several texts. O(value)."""
    level = [value]
    for _ in range(DEPTH_MAX):
        level = [inner for item in level for inner in _within(item)]
        if not level:
            return False
    return True


def _within(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield from (item for item in (value.values() if isinstance(value, dict) else value) if isinstance(item, dict | list))
