"""POSIX regular expressions as Python's."""

import re

from simulator.engine.behaviour.shell.pattern import bracket_expression


class BadPattern(Exception):
    """The pattern is not a regular expression."""


def basic(text: str) -> str:
    """A basic regular expression as an extended one: there ``(``, ``|``, ``{``, ``+`` and ``?`` need a backslash."""
    return re.sub(r"\\([(){}|+?])|([(){}|+?])", lambda m: m.group(1) or "\\" + m.group(2), text)


def compile_extended(text: str, flags: int = 0) -> "re.Pattern[str]":
    """An extended regular expression, compiled. Raises BadPattern."""
    result, at = [], 0
    while at < len(text):
        char = text[at]
        bracket = bracket_expression(text, at + 1) if char == "[" else None
        if bracket is not None:
            result.append(bracket[0])
            at = bracket[1]
        elif char == "[":
            raise BadPattern(text)
        else:
            step = 2 if char == "\\" else 1
            result.append(text[at : at + step])
            at += step
    try:
        return re.compile("".join(result), flags)
    except (re.error, OverflowError, RecursionError) as problem:
        raise BadPattern(text) from problem
