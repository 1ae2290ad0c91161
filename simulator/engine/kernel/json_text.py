"""JSON texts of strangers: read only to a fixed depth, so that no answer depends on how much of Python's stack is left.

An API server reads 10,000 levels and says ``exceeded max depth`` of more. No object of Kubernetes has a hundredth of that; here
DEPTH_MAX levels are read, few enough for every function that walks through a document by calling itself.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
"""An object of JSON: a document, or a part of one."""
DEPTH_MAX = 100
"""Lists and maps within each other; our limit."""
TOO_DEEP = "exceeded max depth"
"""What Go's decoder says of a text that is nested too deeply."""
_TEXT = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(r"[][{}]")


class TooDeep(ValueError):
    """A JSON text that is nested deeper than DEPTH_MAX."""

    def __init__(self) -> None:
        super().__init__(TOO_DEEP)


def decode(text: str) -> Any:
    """The value of a JSON text. Raises TooDeep or another ValueError. O(text)."""
    if is_too_deep(text):
        raise TooDeep
    return json.loads(text)


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
