"""What Go's JSON decoder reports for a text that is not JSON.

Source: encoding/json scanner.go.
"""

import re

from simulator.engine.kernel.json_text import TOO_DEEP, is_too_deep

_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_STRING_SO_FAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_LITERALS = ("true", "false", "null")
_BLANKS = " \t\r\n"
_VALUE, _KEY = "looking for beginning of value", "looking for beginning of object key string"
UNFINISHED = "unexpected end of JSON input"


class _Syntax(Exception):
    """The text is not JSON; says why."""


def syntax_problem(text: str) -> str:
    """The decoder's error for the first character that may not be where it is; "" for a JSON text. Cost: O(text)."""
    if is_too_deep(text):
        return TOO_DEEP
    try:
        end = _blanks(text, _value(text, _blanks(text, 0)))
        if end < len(text):
            raise _wrong(text, end, "after top-level value")
    except _Syntax as error:
        return str(error)
    return ""


def _wrong(text: str, at: int, where: str) -> _Syntax:
    if at >= len(text):
        return _Syntax(UNFINISHED)
    shown = {"'": r"'\''", "\n": r"'\n'", "\t": r"'\t'", "\r": r"'\r'", "\\": r"'\\'"}.get(text[at], f"'{text[at]}'")
    return _Syntax(f"invalid character {shown} {where}")


def _blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at


def _value(text: str, at: int) -> int:
    """The position after the value that begins at ``at``."""
    opening = text[at : at + 1]
    if opening == "{":
        return _members(text, at, "}", "after object key:value pair")
    if opening == "[":
        return _members(text, at, "]", "after array element")
    if opening == '"':
        return _string(text, at)
    for literal in _LITERALS:
        if opening == literal[0]:
            return _literal(text, at, literal)
    match = _NUMBER.match(text, at)
    if match is None:
        raise _wrong(text, at + (opening == "-"), "in numeric literal" if opening == "-" else _VALUE)
    return match.end()


def _members(text: str, at: int, closing: str, where: str) -> int:
    at = _blanks(text, at + 1)
    if text[at : at + 1] == closing:
        return at + 1
    while True:
        if closing == "}":
            at = _key(text, at)
        at = _blanks(text, _value(text, _blanks(text, at)))
        if text[at : at + 1] == closing:
            return at + 1
        if text[at : at + 1] != ",":
            raise _wrong(text, at, where)
        at = _blanks(text, at + 1)


def _key(text: str, at: int) -> int:
    if text[at : at + 1] != '"':
        raise _wrong(text, at, _KEY)
    at = _blanks(text, _string(text, at))
    if text[at : at + 1] != ":":
        raise _wrong(text, at, "after object key")
    return at + 1


def _string(text: str, at: int) -> int:
    match = _STRING.match(text, at)
    if match is not None:
        return match.end()
    so_far = _STRING_SO_FAR.match(text, at)
    end = so_far.end() if so_far is not None else at + 1
    # A bad escape is reported at the character after the backslash.
    raise _wrong(text, end + 1, "in string escape code") if text[end : end + 1] == "\\" else _wrong(text, end, "in string literal")


def _literal(text: str, at: int, literal: str) -> int:
    for index, char in enumerate(literal):
        if text[at + index : at + index + 1] != char:
            raise _wrong(text, at + index, f"in literal {literal} (expecting '{char}')")
    return at + len(literal)
