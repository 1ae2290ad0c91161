"""Where a value stands in a JSON text."""

from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder

_DECODER = JSONDecoder()
_BLANKS = " \t\n\r"


def position(body: str, steps: tuple[str, ...]) -> tuple[int, int] | None:
    """Begin and end of the value at a path of keys and list positions; None when there is no such value."""
    start = _skip(body, 0)
    try:
        for step in steps:
            found = next((begin for name, begin in _members(body, start) if name == step), None)
            if found is None:
                return None
            start = found
        return start, _DECODER.raw_decode(body, start)[1]
    except JSONDecodeError:
        return None


def _members(body: str, start: int) -> Iterator[tuple[str, int]]:
    """Key (or position) and begin of each member of the map or list at ``start``."""
    opening = body[start : start + 1]
    at, index = _skip(body, start + 1), 0
    while opening in ("{", "[") and body[at : at + 1] not in ("}", "]", ""):
        if opening == "{":
            name, at = _DECODER.raw_decode(body, at)
            at = _skip(body, _skip(body, at) + 1)
        else:
            name = str(index)
        yield str(name), at
        at = _skip(body, _DECODER.raw_decode(body, at)[1])
        at, index = _skip(body, at + (body[at : at + 1] == ",")), index + 1


def _skip(body: str, at: int) -> int:
    while body[at : at + 1] in _BLANKS and at < len(body):
        at += 1
    return at
