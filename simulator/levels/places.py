"""Find the line of a problem in a level's text, from the place that the problem names."""

import re

_LINE = re.compile(r"\bline (\d{1,6})|第\s*(\d{1,6})\s*行")
_INNER = re.compile(r"(manifests|cluster|script)(?:, line |，第\s*)(\d{1,6})")
"""A problem in one of a level's texts, with its line there."""
_PLACE = re.compile(r"(?:(check|ask|hint|solution|happens|sources)\[(\d{1,3})\]\.?)?([a-z_]*)", re.ASCII)
_HEADER = re.compile(r"""\s*\[{1,2}\s*["']?([a-z_]+)""")
_OPENING = re.compile(r"""[^=]*=\s*(?:'''|\"{3})\s*""")
_NAMES = {"kubernetes": "(?:kubernetes|version)"}
"""Fields that may be written under another name."""


def line_of_problem(text: str, problem: str) -> int:
    """The line that a problem is about, counted from 1; 0 if it names no place. O(text)."""
    lines = text.split("\n")
    if found := _INNER.match(problem):
        return _line_in(lines, found[1], int(found[2]))
    if found := _LINE.search(problem):
        return int(found[1] or found[2])
    place = _PLACE.match(problem)
    assert place is not None  # all parts of the expression are optional
    part, number, field = place.groups()
    begin, end = _section(lines, part, int(number or 0))
    if part and not begin:
        return _line_of(lines, part, 0, len(lines))  # its rows are on one line, or on those below it
    return _line_of(lines, field, begin, end) or _header_of(lines, field if not part else "") or (begin if part else 0)


def _line_in(lines: list[str], field: str, line: int) -> int:
    """The line of a problem in a text that is the value of a field; that of the field if the text does not begin there."""
    at = _line_of(lines, field, 0, len(lines))
    if not at:
        return _header_of(lines, field)
    opening = _OPENING.match(lines[at - 1])
    if opening is None:
        return at
    return at + line - (0 if opening.end() == len(lines[at - 1]) else 1)


def _line_of(lines: list[str], field: str, begin: int, end: int) -> int:
    key = _NAMES.get(field, field)
    return next((n + 1 for n in range(begin, end) if field and re.match(rf"""\s*["']?{key}["']?\s*[=.]""", lines[n])), 0)


def _header_of(lines: list[str], name: str) -> int:
    """The first table of that name, such as ``[gates]``."""
    return next((n + 1 for n, line in enumerate(lines) if name and (found := _HEADER.match(line)) and found[1] == name), 0)


def _section(lines: list[str], part: str | None, number: int) -> tuple[int, int]:
    """The lines of a table in an array of tables, without its header; those before all headers if no array is named."""
    heads = [(n, found[1]) for n, line in enumerate(lines) if (found := _HEADER.match(line))]
    ends = [n for n, _name in heads] + [len(lines)]
    if part is None:
        return 0, ends[0]
    own = [at for at, (n, name) in enumerate(heads) if name == part and lines[n].lstrip().startswith("[[") and not _is_inner(lines[n])]
    if number >= len(own):
        return 0, 0
    # A table in the row, such as [[solution.acts]], belongs to it.
    after = next((at for at in range(own[number] + 1, len(heads)) if heads[at][1] != part or at in own), len(heads))
    return heads[own[number]][0] + 1, ends[after]


def _is_inner(header: str) -> bool:
    return "." in header.partition("]")[0]
