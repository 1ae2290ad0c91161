"""Untrusted JSON texts: read only to a fixed depth, so that no result depends on how much of Python's stack is left.

An API server reads 10,000 levels and reports ``exceeded max depth`` beyond that. No Kubernetes object has a hundredth of that; here
DEPTH_MAX levels are read, few enough for every function that walks a document recursively.
"""

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

from simulator.engine.kernel.outside_text import storable

Json = dict[str, Any]
"""A JSON object: a document, or part of one."""
DEPTH_MAX = 100
"""How deeply lists and maps may be nested; our limit."""
TOO_DEEP = "exceeded max depth"
"""Go's error for a text that is nested too deeply."""
_TEXT = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(r"[][{}]")


_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def _storable(value: Any) -> Any:
    """The value with U+FFFD for lone surrogates, as Go decodes them; they could be neither stored nor sent."""
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
"""Go's decoder does not accept NaN or Infinity either, and rejects 1e999, which Python reads as infinity."""


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
    """A JSON object that gives some of its keys more than once: ``again`` lists these keys, and the last value of each counts."""

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
    """Raise TooDeep if a text is nested deeper than DEPTH_MAX, UnicodeDecodeError if bytes are not UTF-8. O(text)."""
    if is_too_deep(text.decode() if isinstance(text, bytes) else text):
        raise TooDeep


def is_too_deep(text: str) -> bool:
    """Whether a text nests more than DEPTH_MAX brackets, whether or not it is JSON. O(text)."""
    if text.count("[") + text.count("{") <= DEPTH_MAX:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(_TEXT.sub("", text)):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > DEPTH_MAX:
            return True
    return False


def is_too_deep_value(value: Any) -> bool:
    """The same for a value that was assembled from several texts. O(value)."""
    level = [value]
    for _ in range(DEPTH_MAX):
        level = [inner for item in level for inner in _within(item)]
        if not level:
            return False
    return True


def _within(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield from (item for item in (value.values() if isinstance(value, dict) else value) if isinstance(item, dict | list))
