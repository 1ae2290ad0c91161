"""Strings in a report: quoted, and long ones taken apart around the piece in which they differ.

Source: go-cmp cmp/report_slices.go (its search for equal pieces in the middle is not reproduced:
everything between the common beginning and the common end counts as one piece).
"""

import json
from collections.abc import Iterator
from itertools import groupby, takewhile

from simulator.engine.apiserver.godiff.edits import ONLY_X, ONLY_Y, SAME, Likeness, edit_script
from simulator.engine.apiserver.godiff.layout import ELLIPSIS, DiffRecord, LayoutLine, Listing, Text, Wrap

_LINES = 4
"""How many line breaks in both texts together make a line-by-line comparison worthwhile."""
_PIECE = 64
_CONTEXT = 2 * _PIECE


def quoted(text: str, *, room: int) -> str:
    """The text in double quotes, or in back quotes if that saves escapes; cut after ``room`` characters."""
    cut, dots = (text[:room], ELLIPSIS) if len(text) > room + len(ELLIPSIS) else (text, "")
    plain = json.dumps(cut, ensure_ascii=False)
    # A longer quoted form means that something had to be escaped.
    is_raw = len(plain) != len(cut) + 2 and "`" not in cut and all(char.isprintable() or char == "\t" for char in cut)
    return (f"`{cut}`" if is_raw else plain) + dots


def differing_texts(x: str, y: str) -> Text:
    """Two long texts with their common parts shown once: line by line if they have lines, otherwise around their difference."""
    return lined_texts(x, y) if x.count("\n") + y.count("\n") >= _LINES else joined_texts(x, y)


def lined_texts(x: str, y: str) -> Text:
    """Two texts of several lines, between triple quotes if that is unambiguous, otherwise as an expression that joins lines."""
    groups = _line_groups(x.split("\n"), y.split("\n"))
    changed = [(mark, line) for mark, lines in groups if mark for line in lines]
    removed, added = ({"".join(line.split()) for mark, line in changed if mark == sign} for sign in ("-", "+"))
    # Lines that differ only in whitespace would look the same between triple quotes.
    is_plain = not removed & added and all(_is_plain(line) for _, lines in groups for line in lines)
    records = tuple(_shown_lines(groups, is_plain=is_plain))
    if not is_plain:
        return Wrap("strings.Join(", Wrap("{", Listing(records), "}"), ', "\\n")')
    quotes = DiffRecord(LayoutLine('"""'), bare=True)
    return Wrap("(", Listing((quotes, *records, quotes)), ")")


def _line_groups(x: list[str], y: list[str]) -> list[tuple[str, list[str]]]:
    """Runs of lines with their mark: common lines, then, where lines differ, the removed and the added ones."""
    groups: list[tuple[str, list[str]]] = []
    edits = edit_script(len(x), len(y), lambda one, other: Likeness(1, 0) if x[one] == y[other] else Likeness(0, 2))
    one = other = 0
    for is_same, run in groupby(edits, key=lambda edit: edit == SAME):
        count = list(run)
        gone, come = (sum(edit != side for edit in count) for side in (ONLY_Y, ONLY_X))
        found = [("", x[one : one + gone])] if is_same else [("-", x[one : one + gone]), ("+", y[other : other + come])]
        groups += [(mark, lines) for mark, lines in found if lines]
        one, other = one + gone, other + come
    return groups


def _shown_lines(groups: list[tuple[str, list[str]]], *, is_plain: bool) -> Iterator[DiffRecord]:
    for place, (mark, lines) in enumerate(groups):
        low = 0 if place == 0 else 2
        high = 0 if place == len(groups) - 1 else 2
        if mark or len(lines) <= low + high + 1:
            yield from (_line(line, mark, is_plain=is_plain) for line in lines)
            continue
        yield from (_line(line, "", is_plain=is_plain) for line in lines[:low])
        yield DiffRecord(LayoutLine(ELLIPSIS), comment=f"{len(lines) - low - high} identical lines")
        yield from (_line(line, "", is_plain=is_plain) for line in lines[len(lines) - high :])


def _line(line: str, mark: str, *, is_plain: bool) -> DiffRecord:
    return DiffRecord(LayoutLine(line if is_plain else quoted(line, room=len(line))), mark=mark, bare=is_plain)


def _is_plain(line: str) -> bool:
    return not line.startswith(('"""', ELLIPSIS)) and all(char.isprintable() or char == "\t" for char in line)


def joined_texts(x: str, y: str) -> Text:
    """Two long texts as one expression that joins their common and their differing parts."""
    start = _common_length(x, y)
    end = _common_length(x[start:][::-1], y[start:][::-1])
    middle = [
        *_pieces(x[start : len(x) - end], "-"),
        *_pieces(y[start : len(y) - end], "+"),
    ]
    records = (*_shared(x[:start], is_first=True), *middle, *_shared(x[len(x) - end :], is_first=False))
    return Wrap("strings.Join(", Wrap("{", Listing(records), "}"), ', "")')


def _common_length(x: str, y: str) -> int:
    """The length of the common beginning of both texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(x, y, strict=False)))


def _pieces(text: str, mark: str = "") -> Iterator[DiffRecord]:
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE]
        yield DiffRecord(LayoutLine(quoted(piece, room=len(piece))), mark=mark)


def _shared(text: str, *, is_first: bool) -> tuple[DiffRecord, ...]:
    """The common beginning or end of both texts; if it is long, only the part next to the difference."""
    left = len(text) - _CONTEXT
    if left <= _PIECE:
        return tuple(_pieces(text))
    counted = DiffRecord(LayoutLine(ELLIPSIS), comment=f"{left} identical bytes")
    return (counted, *_pieces(text[left:])) if is_first else (*_pieces(text[:_CONTEXT]), counted)
