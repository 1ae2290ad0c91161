"""Messages for text that is not valid YAML that say what to do, followed by the parser's own.

The position is where the author should look: the line that lacks something rather than the one where the parser
noticed.
"""

from collections.abc import Callable

import yaml

from simulator.manifests.texts import _

_AT_ITS_BEGINNING = ("could not find expected ':'", "found unexpected end of stream")
"""Problems whose position is where the parser began to read something, not where it gave up."""


def syntax_problem(error: yaml.MarkedYAMLError, text: str) -> tuple[str, int, int]:
    """Message, line and column (both from 0). Something missing at the end of the text is reported on its last non-empty line."""
    problem = error.problem or ""
    begins = error.context_mark is not None and problem in _AT_ITS_BEGINNING
    mark = error.context_mark if begins else error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark is not None else (0, 0)
    last_line = text.rstrip().count("\n")
    # The parser notices the end of the text below the line that lacks something.
    if line > last_line:
        line, column = last_line, 0
    own = ": ".join(part for part in (error.context, problem) if part)
    hint = _hint(problem, _line(text, line), column)
    return (f"{hint} ({own})" if hint and own else hint or own or _("the YAML cannot be read")), line, column


def _line(text: str, number: int) -> str:
    return text.split("\n", number + 1)[number]


def _hint(problem: str, line: str, column: int) -> str:
    for words, say in _HINTS:
        if words in problem:
            return say(line, column)
    return ""


def _indent(line: str, column: int) -> str:
    if line[:column].strip():
        return _("nothing can follow the end of this value: to quote a quotation mark, double it")
    return _("the indentation of this line matches none of the lines above")


def _character(line: str, column: int) -> str:
    if "\t" in line[: column + 1]:
        return _("YAML cannot be indented with tabs: use spaces")
    return _("a value cannot begin with this character: put it in quotes")


_HINTS: tuple[tuple[str, Callable[[str, int], str]], ...] = (
    ("expected ':'", lambda line, column: _("this line is missing a colon: a field is written “name: value”")),
    (
        "mapping values are not allowed",
        lambda line, column: _("a colon is not allowed here: check the indentation, or put the text in quotes"),
    ),
    ("expected key", _indent),
    ("expected '-' indicator", lambda line, column: _("a list continues with “-” in the column of its first item: check the indentation")),
    ("end of stream", lambda line, column: _("the quotation mark that opens here is never closed")),
    ("expected ',' or ']'", lambda line, column: _("a list in brackets is missing a comma or its closing bracket")),
    ("expected ',' or '}'", lambda line, column: _("a map in braces is missing a comma or its closing brace")),
    ("cannot start any token", _character),
)
"""A part of the parser's message (libyaml's), and the hint for it, depending on line and column."""
