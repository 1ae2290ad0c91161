"""JSON as Go's encoder writes it, and the client's error for an unknown output format."""

import json
from collections.abc import Sequence
from typing import Any

from simulator.kubectl.line import BadLine

# Go's encoder escapes these for HTML, and kubectl does not undo it.
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def json_text(value: Any, *, sort: bool = True, indent: int | None = 4) -> str:
    """A value as Go's encoder writes it: keys sorted as for a map (``sort``), or in the order of a struct."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, indent=indent, sort_keys=sort, ensure_ascii=False, separators=separators)
    return "".join(_ESCAPES.get(char, char) for char in text)


def bad_format(output: str, known: Sequence[str]) -> BadLine:
    """The client's error for an output format it does not know."""
    allowed = ",".join(sorted(known))
    return BadLine(f'error: unable to match a printer suitable for the output format "{output}", allowed formats are: {allowed}')


def ordered(value: Any) -> Any:
    """The value with the keys of its maps sorted."""
    if isinstance(value, dict):
        return {key: ordered(value[key]) for key in sorted(value)}
    return [ordered(item) for item in value] if isinstance(value, list) else value
