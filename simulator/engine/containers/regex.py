"""POSIX regular expressions, matched in time linear in the text (RE2).

A backtracking matcher needs 2^40 attempts for ``(a+)+$`` and forty letters; RE2 follows all alternatives at once. It
has no back-references, so a pattern with one is not understood. The longest alternative wins, as in POSIX.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Protocol

import re2

from simulator.engine.containers.effort import CHARS, Meter
from simulator.engine.containers.unsupported import Unsupported

PATTERN_CHARS_MAX = 4096
MEMORY_BYTES = 1 << 19
"""Bounds the program RE2 makes of a pattern; nested counted repetitions are rejected, as by a real matcher."""
BRACKET_CHARS_MAX = 256
_CLASSES = frozenset(
    ("alpha", "digit", "alnum", "upper", "lower", "space", "xdigit", "punct", "blank", "cntrl", "graph", "print", "word")
)  # fmt: skip
_ESCAPES = frozenset("wWsSbBdDnrtfv")
_SPECIAL = frozenset("(){}|+?")


class BadPattern(Exception):
    """The pattern is not a regular expression."""


class Match(Protocol):
    """Where a pattern was found: the part of Python's own match that is used here."""

    def group(self, number: int = 0) -> str | None:
        """Text of a group."""

    def groups(self) -> tuple[str | None, ...]:
        """Texts of all groups."""

    def start(self) -> int:
        """First character."""

    def end(self) -> int:
        """Character after the last."""


class Pattern:
    """A compiled pattern. Every search is charged to ``meter``: characters × size of the pattern."""

    __slots__ = ("_compiled", "_weight")

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self._weight = 16 + max(compiled.programsize, 0)

    def search(self, meter: Meter, text: str) -> Match | None:
        """The leftmost match, or None."""
        self._pay(meter, len(text))
        found: Match | None = self._compiled.search(_encodable(text))
        return found

    def at_start(self, meter: Meter, text: str) -> Match | None:
        """The match at the start of the text, or None."""
        self._pay(meter, len(text))
        found: Match | None = self._compiled.match(_encodable(text))
        return found

    def whole(self, meter: Meter, text: str) -> bool:
        """Whether all of the text matches."""
        self._pay(meter, len(text))
        return self._compiled.fullmatch(_encodable(text)) is not None

    def each(self, meter: Meter, text: str) -> Iterator[Match]:
        """All matches in order; an empty one directly after another does not count, as in sed."""
        self._pay(meter, len(text))
        end = -1
        for found in self._compiled.finditer(_encodable(text)):
            # Every further match searches the rest of the text again.
            self._pay(meter, len(text) - found.end())
            if found.end() > found.start() or found.start() != end:
                yield found
            end = found.end()

    def _pay(self, meter: Meter, chars: int) -> None:
        meter.charge(32 + self._weight + (chars * self._weight >> 4))


def _encodable(text: str) -> str:
    """``text`` with lone surrogates, which stand for bytes that are not UTF-8, replaced one for one."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


@lru_cache(maxsize=32)
def compiled(source: str, *, ignore_case: bool = False, longest: bool = True) -> Pattern:
    """A pattern in RE2's own syntax. Raises BadPattern. Cached."""
    options = re2.Options()
    options.max_mem, options.log_errors, options.dot_nl = MEMORY_BYTES, False, True
    options.case_sensitive, options.longest_match = not ignore_case, longest
    try:
        return Pattern(re2.compile(source, options))
    except re2.error as problem:
        raise BadPattern(source) from problem


def posix(meter: Meter, text: str, *, extended: bool, ignore_case: bool = False, around: str = "%s") -> Pattern:
    """A POSIX pattern, compiled; ``around`` is RE2 source with ``%s`` for it. Raises BadPattern and Unsupported."""
    meter.charge(8 * len(text))
    if len(text) > PATTERN_CHARS_MAX:
        raise Unsupported(f"a pattern of more than {PATTERN_CHARS_MAX} characters is not supported")
    return compiled(around.replace("%s", translated(text, extended=extended), 1), ignore_case=ignore_case)


@lru_cache(maxsize=512)
def translated(text: str, *, extended: bool) -> str:
    """The pattern in RE2's syntax. Raises BadPattern and Unsupported. O(length). Cached."""
    result: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char == "[":
            bracket = bracket_expression(text, at + 1)
            if bracket is None:
                raise BadPattern(text)
            result.append(bracket[0])
            at = bracket[1]
        elif char == "\\" and at + 1 < len(text):
            result.append(_escaped(text[at + 1], extended=extended))
            at += 2
        else:
            literal = (char in _SPECIAL and not extended) or (char == "*" and not extended and _begins(result)) or char == "\\"
            result.append("\\" + char if literal else char)
            at += 1
    return "".join(result)


# POSIX: a star at the start of a basic expression is an ordinary character.
def _begins(before: list[str]) -> bool:
    """Whether an expression begins here, where a star is literal."""
    return not before or before[-1] in ("(", "|") or before == ["^"]


def _escaped(char: str, *, extended: bool) -> str:
    if char.isdigit() and char != "0":
        raise Unsupported("a back-reference in a pattern is not supported")
    if char in _SPECIAL and not extended:
        return char
    # ``\<`` and ``\>`` are GNU's word boundaries; RE2 has one for both.
    if char in "<>":
        return r"\b"
    return "\\" + char if char in _ESCAPES or not (char.isalnum() or char == "_" or ord(char) > 127) else char


@lru_cache(maxsize=1024)
def bracket_expression(text: str, at: int) -> tuple[str, int] | None:
    """The bracket expression that begins after ``[`` in RE2's syntax and where it ends; None if it is just a character."""
    negate = text[at : at + 1] in ("!", "^")
    at += negate
    start, parts = at, []
    limit = min(len(text), at + BRACKET_CHARS_MAX)
    # ``[]a]`` is a set of two: a bracket in the first place is literal.
    while at < limit and (text[at] != "]" or at == start):
        name = _class_name(text, at)
        if name:
            parts.append(f"[:{name}:]" if name != "word" else r"\w")
            at += len(name) + 4
            continue
        high = at + 2
        if text[at + 1 : at + 2] == "-" and high < limit and text[high] != "]":
            if text[high] < text[at]:
                return None
            parts.append(f"{_literal(text[at])}-{_literal(text[high])}")
            at = high + 1
        else:
            parts.append(_literal(text[at]))
            at += 1
    if at >= limit or not parts:
        return None
    return f"[{'^' if negate else ''}{''.join(parts)}]", at + 1


def _class_name(text: str, at: int) -> str:
    """The name of the character class at this position, or an empty string."""
    if not text.startswith("[:", at):
        return ""
    end = text.find(":]", at + 2, at + 12)
    name = text[at + 2 : end] if end > 0 else ""
    return name if name in _CLASSES else ""


def _literal(char: str) -> str:
    return "\\" + char if char in r"\[]^-&~" else char


def literal(text: str) -> str:
    """RE2 source that matches ``text`` itself."""
    return str(re2.escape(text))


def substitute(pattern: Pattern, meter: Meter, text: str, by: Callable[[Match], list[str]], *, only: int = 0) -> tuple[str, int]:
    """``text`` with every match (``only`` > 0: that one) replaced by pieces, and how many were. The result is charged."""
    result: list[str] = []
    at = count = hits = 0
    for found in pattern.each(meter, text):
        count += 1
        if only and count < only:
            continue
        new = by(found)
        meter.charge(sum(map(len, new)) // CHARS + 16 + 4 * len(new))
        result += (text[at : found.start()], *new)
        at, hits = found.end(), hits + 1
        if only:
            break
    result.append(text[at:])
    return "".join(result), hits
