"""The text of a report: what fits is put on one line, the rest is broken up, with keys aligned and marks in front.

A report is a tree of three kinds of nodes: text that stays on one line, something wrapped between a
prefix and a suffix, and a list of records. Rendering goes through it twice. ``_compact`` goes from
the leaves up and turns every part that may be on one line into a line; ``_expanded`` writes the
rest as lists, one record per line, indented by tabs, with ``-`` or ``+`` in front of records that
differ. A list inside something that is removed or added stays on one line only while it is short;
outside of differences there is no limit, as in go-cmp.

Values of neighbouring one-line records are aligned in one column; a record of several lines ends the
column. Blanks at the beginning of lines are no-break spaces: go-cmp picks at random, per process,
whether it prints those or ordinary ones, to discourage programs from parsing its output. The
recorded servers print no-break spaces.

Source: go-cmp cmp/report_text.go.
"""

from collections.abc import Callable
from typing import Union, assert_never

from msgspec import Struct

COLUMNS = 80
ELLIPSIS = "..."
_MARKS = {"": "\u00a0\u00a0", "-": "-\u00a0", "+": "+\u00a0"}


class LayoutLine(Struct, frozen=True):
    """Text that stays on one line."""

    text: str


class Wrap(Struct, frozen=True):
    """Something between two texts."""

    prefix: str
    value: "Text"
    suffix: str = ""


class DiffRecord(Struct, frozen=True):
    """An item of a list: ``mark`` is ``-``, ``+`` or empty; a ``bare`` item has no comma after it."""

    value: "Text"
    key: str = ""
    mark: str = ""
    comment: str = ""
    bare: bool = False

    @property
    def is_line(self) -> bool:
        """Whether the value stays on one line."""
        return isinstance(self.value, LayoutLine)


class Listing(Struct, frozen=True):
    """Items between commas."""

    records: tuple[DiffRecord, ...]


Text = Union[LayoutLine, Wrap, Listing]  # noqa: UP007
NIL = LayoutLine("nil")
DOTS = DiffRecord(LayoutLine(ELLIPSIS))


def render(text: Text) -> str:
    """The whole report with a line break at its end."""
    _, shaped = _compact(text, "")
    return f"{_indent('', 0)}{_expanded(shaped, '', 0)}\n"


def _compact(text: Text, mark: str) -> tuple[str, Text]:
    """The text on one line, and the same text with every part that may be on one line made a ``LayoutLine``."""
    if isinstance(text, LayoutLine):
        return text.text, text
    if isinstance(text, Wrap):
        inner, shaped = _compact(text.value, mark)
        whole = f"{text.prefix}{inner}{text.suffix}"
        return whole, LayoutLine(whole) if isinstance(shaped, LayoutLine) else Wrap(text.prefix, shaped, text.suffix)
    if isinstance(text, Listing):
        return _compact_list(text, mark)
    assert_never(text)


def _compact_list(text: Listing, mark: str) -> tuple[str, Text]:
    parts, shaped = [], []
    for record in text.records:
        inner, value = _compact(record.value, mark or record.mark)
        parts.append(f"{record.key}: {inner}" if record.key else inner)
        shaped.append(DiffRecord(value, record.key, record.mark, record.comment, record.bare))
    whole = ", ".join(parts)
    is_broken = any(record.mark or record.comment or not record.is_line for record in shaped)
    if is_broken or (mark and len(whole) > COLUMNS):
        return whole, Listing(tuple(shaped))
    return whole, LayoutLine(whole)


def _expanded(text: Text, mark: str, depth: int) -> str:
    if isinstance(text, LayoutLine):
        return text.text
    if isinstance(text, Wrap):
        return f"{text.prefix}{_expanded(text.value, mark, depth)}{text.suffix}"
    if isinstance(text, Listing):
        return _expanded_list(text, mark, depth)
    assert_never(text)


def _expanded_list(text: Listing, mark: str, depth: int) -> str:
    if all(record.is_line and not (record.key or record.mark or record.comment) for record in text.records):
        return _batched(text.records, mark, depth)
    pads = _aligned(text.records)
    lines = [_row(record, pad, mark, depth + 1) for record, pad in zip(text.records, pads, strict=True)]
    return "".join(f"\n{line}" for line in lines) + f"\n{_indent(mark, depth)}"


def _row(record: DiffRecord, pad: int, mark: str, depth: int) -> str:
    both = mark or record.mark
    key = f"{record.key}: {' ' * pad}" if record.key else ""
    comma = "" if record.bare or record.value == LayoutLine(ELLIPSIS) else ","
    comment = f" // {record.comment}" if record.comment else ""
    return f"{_indent(both, depth)}{key}{_expanded(record.value, both, depth)}{comma}{comment}"


def _batched(records: tuple[DiffRecord, ...], mark: str, depth: int) -> str:
    """Plain items, as many per line as fit."""
    lines, line = [], ""
    for record in records:
        assert isinstance(record.value, LayoutLine)
        if len(line) + len(record.value.text) + 2 > COLUMNS and line:
            lines.append(line)
            line = ""
        line += f"{record.value.text}, "
    lines.append(line)
    return "".join(f"\n{_indent(mark, depth + 1)}{line.rstrip()}" for line in lines) + f"\n{_indent(mark, depth)}"


def _aligned(records: tuple[DiffRecord, ...]) -> list[int]:
    """Blanks after each key, so that the values of neighbouring one-line records are aligned."""
    counted: Callable[[DiffRecord], bool] = lambda record: bool(record.key) and record.is_line  # noqa: E731
    pads, start = [0] * len(records), 0
    for place, record in enumerate((*records, None)):
        if record is None or not counted(record):
            run = records[start:place]
            longest = max((len(item.key) for item in run), default=0)
            pads[start:place] = [longest - len(item.key) for item in run]
            start = place + 1
    return pads


def _indent(mark: str, depth: int) -> str:
    return _MARKS[mark] + "\t" * depth
