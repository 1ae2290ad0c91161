"""Texts in a report: quoted, and long ones taken apart around the piece in which they differ.

Source: go-cmp cmp/report_slices.go (its search for pieces in the middle is not followed: everything between what both texts begin
and end with counts as one piece).
"""

import json
from collections.abc import Iterator
from itertools import takewhile

from simulator.engine.api.godiff.layout import ELLIPSIS, Line, Listing, Record, Text, Wrap

_PIECE = 64
_CONTEXT = 2 * _PIECE


def quoted(text: str, *, room: int) -> str:
    """The text in double quotes, or in back quotes where that saves escapes; cut after ``room`` characters where it is longer."""
    cut, dots = (text[:room], ELLIPSIS) if len(text) > room + len(ELLIPSIS) else (text, "")
    plain = json.dumps(cut, ensure_ascii=False)
    is_raw = len(plain) != len(cut) + 2 and "`" not in cut and all(char.isprintable() or char == "\t" for char in cut)
    return (f"`{cut}`" if is_raw else plain) + dots


def joined_texts(x: str, y: str) -> Text:
    """Two long texts as one expression that joins what they share and what they do not."""
    start = _alike(x, y)
    end = _alike(x[start:][::-1], y[start:][::-1])
    middle = [
        *_pieces(x[start : len(x) - end], "-"),
        *_pieces(y[start : len(y) - end], "+"),
    ]
    records = (*_shared(x[:start], is_first=True), *middle, *_shared(x[len(x) - end :], is_first=False))
    return Wrap("strings.Join(", Wrap("{", Listing(records), "}"), ', "")')


def _alike(x: str, y: str) -> int:
    """How many characters both texts begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(x, y, strict=False)))


def _pieces(text: str, mark: str = "") -> Iterator[Record]:
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE]
        yield Record(Line(quoted(piece, room=len(piece))), mark=mark)


def _shared(text: str, *, is_first: bool) -> tuple[Record, ...]:
    """What both texts begin or end with; of much, only what stands next to the difference."""
    left = len(text) - _CONTEXT
    if left <= _PIECE:
        return tuple(_pieces(text))
    counted = Record(Line(ELLIPSIS), comment=f"{left} identical bytes")
    return (counted, *_pieces(text[left:])) if is_first else (*_pieces(text[:_CONTEXT]), counted)
