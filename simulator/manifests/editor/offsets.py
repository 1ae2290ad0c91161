"""Positions in a text as a browser counts them: UTF-16 code units from 0."""

from bisect import bisect_left
from itertools import accumulate


class Offsets:
    """Maps characters, and lines with columns, of one text to UTF-16 offsets. Texts without characters beyond U+FFFF cost nothing."""

    __slots__ = ("_astral", "_length", "_line_starts")

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        # Each character beyond U+FFFF takes two code units: those before an index are added to it.
        self._astral = [] if text.isascii() else [index for index, char in enumerate(text) if char > "\uffff"]

    def at(self, index: int) -> int:
        """The offset of a character; indexes outside the text are clamped."""
        inside = min(max(index, 0), self._length)
        return inside + bisect_left(self._astral, inside)

    def index(self, line: int, column: int) -> int:
        """The index of the character at a line and column, both from 1; a column beyond the end of the line gives that end."""
        start, end = self.line_bounds(line)
        return min(start + max(column, 1) - 1, end)

    def line_bounds(self, line: int) -> tuple[int, int]:
        """The first character of a line (from 1) and the one after its last, without the line break."""
        last = len(self._line_starts) - 2
        place = min(max(line - 1, 0), last)
        return self._line_starts[place], min(self._line_starts[place + 1] - 1, self._length)

    def place(self, index: int) -> tuple[int, int]:
        """Line and column (from 1, in characters) of a character."""
        inside = min(max(index, 0), self._length)
        line = bisect_left(self._line_starts, inside + 1) - 1
        return line + 1, inside - self._line_starts[line] + 1
