"""The value formats of the Kubernetes schemas, with the words of the API server's decoder."""

import re
from collections.abc import Callable

QUANTITY_RULE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
"""What the API server says of a quantity it cannot parse."""
SUFFIX_RULE = "unable to parse quantity's suffix"
"""What it says when only the suffix is none."""

_QUANTITY = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?", re.ASCII)
_QUANTITY_SHAPE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eEinumkKMGTP]*[+-]?[0-9]*", re.ASCII)
_QUANTITY_CHARS_MAX = 100
_TIME = re.compile(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})",
    re.ASCII,
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]*")


def is_quantity(value: object) -> bool:
    """Whether a number or text is a Kubernetes quantity, such as 1, 0.5, 100m, 64Mi, 1e3, of at most 100 characters (our limit)."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return True
    return isinstance(value, str) and len(value) <= _QUANTITY_CHARS_MAX and _QUANTITY.fullmatch(value) is not None


def quantity_problem(value: object) -> str | None:
    """The decoder's words for a bad quantity."""
    if is_quantity(value) or value is None:
        return None
    has_shape = isinstance(value, str) and len(value) <= _QUANTITY_CHARS_MAX and _QUANTITY_SHAPE.fullmatch(value) is not None
    return SUFFIX_RULE if has_shape else QUANTITY_RULE


def time_problem(value: object) -> str | None:
    """The decoder's words for a text that is no RFC 3339 time."""
    if not isinstance(value, str) or _TIME.fullmatch(value):
        return None
    return f'parsing time "{value}" as "2006-01-02T15:04:05Z07:00": cannot parse "{value}" as "2006"'


def base64_problem(value: object) -> str | None:
    """The decoder's words for a text that is no standard base64 (line breaks are skipped)."""
    if not isinstance(value, str):
        return None
    text = value.replace("\r", "").replace("\n", "")
    body = text.rstrip("=")
    match = _BASE64.match(body)
    valid = match.end() if match is not None else 0
    if valid < len(body):
        return f"illegal base64 data at input byte {valid}"
    if len(text) % 4 or len(text) - len(body) > 2:
        return f"illegal base64 data at input byte {len(text) - len(text) % 4}"
    return None


def in_range(bits: int) -> Callable[[object], bool]:
    """A check that a whole number fits a signed integer of so many bits."""
    limit = 1 << (bits - 1)
    return lambda value: not isinstance(value, int) or -limit <= value < limit
