"""Aligned text, as Go's tabwriter lays it out for kubectl.

A tab ends a cell; the text after the last tab of a line is not part of a column. Cells in consecutive lines form a
column for as long as every line has one there, and a column is as wide as its widest cell plus two spaces. So alignment
is local: a line without a tab ends every column. Source: text/tabwriter of the Go standard library with kubectl's
settings.
"""

from collections.abc import Iterable, Sequence

PADDING = 2
TABLE_PADDING = 3
TABLE_CELL_MIN = 6


def align(lines: Iterable[str]) -> str:
    """The lines with tabs replaced by spaces, each ended by a line break; an item may hold several lines. O(cells)."""
    rows = [line.split("\t") for text in lines for line in text.split("\n")]
    widths: list[list[int]] = [[0] * (len(row) - 1) for row in rows]
    column = 0
    # Column by column: blocks of a column end where a line has no cell in it.
    while _measure(rows, widths, column):
        column += 1
    return "".join(_joined(row, width) for row, width in zip(rows, widths, strict=True))


def _measure(rows: Sequence[Sequence[str]], widths: list[list[int]], column: int) -> bool:
    """Set the width of every block of a column; False if no line has that column."""
    block: list[int] = []
    found = False
    for position in range(len(rows) + 1):
        if position < len(rows) and column < len(rows[position]) - 1:
            block.append(position)
            found = True
            continue
        if block:
            width = max(len(rows[index][column]) for index in block) + PADDING
            for index in block:
                widths[index][column] = width
            block = []
    return found


def _joined(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
    return "".join([*cells, row[-1], "\n"])


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table as ``kubectl get`` prints it: the first row is the header; three spaces between columns, none after the last."""
    widths = [max(TABLE_CELL_MIN, max(len(row[column]) for row in rows) + TABLE_PADDING) for column in range(len(rows[0]))]
    lines = ("".join([*(cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1]]) for row in rows)
    return "".join(f"{line}\n" for line in lines)
