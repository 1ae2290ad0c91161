"""Aligned text, as Go's tabwriter lays it out for kubectl.

A cell ends at a tab; the last cell of a line stands alone. Cells in consecutive lines form a column as long as every line
has one there, and a column is as wide as its widest cell plus two blanks. So alignment is local: a line without a tab ends
every column. Source: text/tabwriter of the Go library with kubectl's settings.
"""

from collections.abc import Iterable, Sequence

PADDING = 2
TABLE_PADDING = 3
TABLE_CELL_MIN = 6


def align(lines: Iterable[str]) -> str:
    """The lines with their tabs replaced by blanks, each ended by a line break; a line may hold several. O(cells)."""
    rows = [line.split("\t") for text in lines for line in text.split("\n")]
    widths: list[list[int]] = [[0] * (len(row) - 1) for row in rows]
    column = 0
    # Column by column: blocks of a column end where a line has no cell in it.
    while _measure(rows, widths, column):
        column += 1
    return "".join(_joined(row, width) for row, width in zip(rows, widths, strict=True))


def _measure(rows: Sequence[Sequence[str]], widths: list[list[int]], column: int) -> bool:
    """Set the width of every block of a column; False when no line has it."""
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
    """A table as ``kubectl get`` prints it: the first row is the header; three blanks between columns, the last one is bare."""
    widths = [max(TABLE_CELL_MIN, max(len(row[column]) for row in rows) + TABLE_PADDING) for column in range(len(rows[0]))]
    lines = ("".join([*(cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1]]) for row in rows)
    return "".join(f"{line}\n" for line in lines)
