"""Find the line of a problem in a level's text, from the place that the problem names."""

import re

_LINE = re.compile(r"\bline (\d{1,6})|第\s*(\d{1,6})\s*行")
_PLACE = re.compile(r"(?:(check|ask|hint|solution|happens)\[(\d{1,3})\]\.?)?([a-z_]*)", re.ASCII)
_HEADER = re.compile(r"\s*\[{1,2}\s*([a-z_]+)")


def line_of_problem(text: str, problem: str) -> int:
    """The line that a problem is about, counted from 1; 0 if it names no place. O(text)."""
    if found := _LINE.search(problem):
        return int(found[1] or found[2])
    place = _PLACE.match(problem)
    assert place is not None  # all parts of the expression are optional
    part, number, field = place.groups()
    lines = text.split("\n")
    begin, end = _section(lines, part, int(number or 0))
    named = (n for n in range(begin, end) if field and re.match(rf"\s*{field}\s*[=.]", lines[n]))
    return next(named, begin - 1 if part and begin else -1) + 1


def _section(lines: list[str], part: str | None, number: int) -> tuple[int, int]:
    """The lines of a table in an array of tables, without its header; those before all headers if no array is named."""
    heads = [(n, found[1]) for n, line in enumerate(lines) if (found := _HEADER.match(line))]
    ends = [n for n, _name in heads] + [len(lines)]
    if part is None:
        return 0, ends[0]
    own = [at for at, (_n, name) in enumerate(heads) if name == part]
    return (heads[own[number]][0] + 1, ends[own[number] + 1]) if number < len(own) else (0, 0)
