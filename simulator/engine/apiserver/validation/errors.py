"""Field errors as the API server makes them: type, field, value, detail, and their message."""

import json
from typing import Any

from msgspec import Struct

REQUIRED = "Required"
INVALID = "Invalid"
NOT_SUPPORTED = "NotSupported"
DUPLICATE = "Duplicate"
FORBIDDEN = "Forbidden"
NOT_FOUND = "NotFound"
TOO_LONG = "TooLong"
TOO_MANY = "TooMany"
WARNED = "Warning"
"""Not an error: a warning with its own text."""

_WORDS = {
    REQUIRED: "Required value",
    INVALID: "Invalid value",
    NOT_SUPPORTED: "Unsupported value",
    DUPLICATE: "Duplicate value",
    FORBIDDEN: "Forbidden",
    NOT_FOUND: "Not found",
    TOO_LONG: "Too long",
    TOO_MANY: "Too many",
}
_WITHOUT_VALUE = frozenset({REQUIRED, FORBIDDEN, TOO_LONG})


class Verbatim(str):
    """A value that is printed verbatim, without quotes: times, and structures in Go's syntax."""


OMITTED = Verbatim("")
"""Stands for a value that the message leaves out."""


class FieldError(Struct, frozen=True, kw_only=True):
    """One reason to reject an object. ``type`` is one of the constants above, ``value`` the value of the field."""

    type: str
    field: str
    detail: str = ""
    value: Any = None

    @property
    def reason(self) -> str:
        """The reason of the cause in the Status body, such as FieldValueRequired."""
        return f"FieldValue{self.type}"

    @property
    def message(self) -> str:
        """The text without the field: ``Invalid value: "x": must be 1``."""
        if self.type == WARNED:
            return self.detail
        parts = [_WORDS[self.type]]
        if self.type not in _WITHOUT_VALUE and self.value is not OMITTED:
            parts.append(_quoted(self.value))
        if self.detail:
            parts.append(self.detail)
        return ": ".join(parts)


def _quoted(value: Any) -> str:
    # Upstream replaces nil by the string null, which is then quoted like any string.
    if value is None:
        return '"null"'
    if isinstance(value, Verbatim):
        return value
    if isinstance(value, str):
        return go_quoted(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def go_quoted(value: str) -> str:
    """A string in double quotes as Go's ``%q`` writes it: unprintable characters are escaped."""
    return '"' + "".join(_ESCAPES.get(char) or (char if char.isprintable() else _escaped(char)) for char in value) + '"'


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def warned(field: str, detail: str) -> FieldError:
    """A warning, whose text is the whole message."""
    return FieldError(type=WARNED, field=field, detail=detail)


def required(field: str, detail: str = "") -> FieldError:
    """A field that must be set."""
    return FieldError(type=REQUIRED, field=field, detail=detail)


def invalid(field: str, value: Any, detail: str) -> FieldError:
    """A value that breaks a rule."""
    return FieldError(type=INVALID, field=field, value=value, detail=detail)


def forbidden(field: str, detail: str) -> FieldError:
    """A field that must not be set here."""
    return FieldError(type=FORBIDDEN, field=field, detail=detail)


def duplicate(field: str, value: Any) -> FieldError:
    """A value that another item already has."""
    return FieldError(type=DUPLICATE, field=field, value=value)


def not_found_value(field: str, value: Any) -> FieldError:
    """A reference to something the object does not define."""
    return FieldError(type=NOT_FOUND, field=field, value=value)


def too_long(field: str, detail: str) -> FieldError:
    """A string above its limit, which the detail names."""
    return FieldError(type=TOO_LONG, field=field, detail=detail)


def too_many(field: str, count: int, limit: int) -> FieldError:
    """A list with more items than allowed."""
    return FieldError(type=TOO_MANY, field=field, value=count, detail=f"must have at most {limit} items")


def not_supported(field: str, value: Any, supported: tuple[str, ...]) -> FieldError:
    """A value outside a fixed set, which the detail lists in the order given."""
    names = ", ".join(f'"{name}"' for name in supported)
    return FieldError(type=NOT_SUPPORTED, field=field, value=value, detail=f"supported values: {names}")
