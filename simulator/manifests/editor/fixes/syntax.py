"""Fixes for text that cannot be read as YAML, or that has a key twice."""

import re
from collections.abc import Iterator

from simulator.manifests.editor.fixes.page import Fix, TextChange
from simulator.manifests.editor.offsets import Offsets
from simulator.manifests.problems import Problem
from simulator.manifests.texts import _

_INDENT = re.compile(r"^ *+\t[ \t]*", re.MULTILINE)
_TIGHT = re.compile(r"^(\s*(?:- )?[A-Za-z][\w./-]*):([^\s:/].*)$")


def syntax_fixes(problem: Problem, text: str, offsets: Offsets) -> Iterator[Fix]:
    """Fixes for a problem that kept the document from being read, or for a duplicate key."""
    if problem.code == "yaml":
        yield from _tabs(problem, text, offsets)
        yield from _missing_blank(problem, text, offsets)
    elif problem.code == "duplicate-key":
        yield from _second_key(problem, text, offsets)
    elif problem.code == "control-character":
        start = offsets.index(problem.line, problem.column)
        yield Fix(title=_("Remove the character"), changes=(TextChange(start, start + 1, ""),))


def _tabs(problem: Problem, text: str, offsets: Offsets) -> Iterator[Fix]:
    """Replace tabs used for indentation with two spaces each, if the problem's line has one."""
    start, end = offsets.line_bounds(problem.line)
    found = [TextChange(match.start(), match.end(), match[0].replace("\t", "  ")) for match in _INDENT.finditer(text)]
    if found and "\t" in text[start:end]:
        yield Fix(title=_("Indent with spaces instead of tabs"), changes=tuple(found))


def _missing_blank(problem: Problem, text: str, offsets: Offsets) -> Iterator[Fix]:
    """``image:nginx`` on the problem's line or the one before."""
    for line in (problem.line, problem.line - 1):
        start, end = offsets.line_bounds(line) if line > 0 else (0, 0)
        if match := _TIGHT.match(text[start:end]):
            place = start + match.end(1) + 1
            yield Fix(title=_("Add a space after the colon"), changes=(TextChange(place, place, " "),))
            return


def _second_key(problem: Problem, text: str, offsets: Offsets) -> Iterator[Fix]:
    """Remove the second of two equal keys, if it is a line of its own."""
    start, end = offsets.line_bounds(problem.line)
    line = text[start:end]
    following = text[end + 1 :].split("\n", 1)[0]
    indent = len(line) - len(line.lstrip())
    # Only a plain value on one line, with nothing indented below it, can be removed as a line.
    if re.match(r"\s*[^\s:\[{-][^:\[{]*:\s+[^\s|>&\[{]", line) and len(following) - len(following.lstrip()) <= indent:
        yield Fix(title=_("Remove the second one"), changes=(TextChange(start, min(end + 1, len(text)), ""),))
