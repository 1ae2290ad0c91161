"""A terminal in a container: it echoes keys, allows editing of the line, and hands finished lines to the program.

kubectl puts the user's terminal into raw mode, so every key arrives here. Source: Linux drivers/tty/n_tty.c; the
history of lines is what shells add.
"""

import codecs

from msgspec import Struct

LINE_MAX = 4096
"""The most characters of a line; a terminal accepts no more."""
HISTORY_MAX = 100
_ERASE = "\b \b"


class Keyed(Struct, frozen=True):
    """What is passed on to the program: text, the end of the input, or ^C."""

    text: str = ""
    is_end: bool = False
    interrupts: bool = False


class Terminal:
    """A terminal and the line being typed. What its user should see is collected until ``shown``."""

    def __init__(self) -> None:
        self._line: list[str] = []
        self._screen: list[str] = []
        self._history: list[str] = []
        self._back = 0
        self._escape: str | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._is_after_cr = False

    def shown(self) -> str:
        """What has appeared on the screen since the last call."""
        text = "".join(self._screen)
        self._screen.clear()
        return text

    def typed(self, data: bytes) -> list[Keyed]:
        """Take keys and return what the program receives. O(data)."""
        found = [each for char in self._decoder.decode(data) if (each := self._key(char)) is not None]
        return [each for each in found if each.text or each.is_end or each.interrupts]

    def _key(self, char: str) -> Keyed | None:
        if self._escape is not None:
            self._in_escape(char)
        elif char in "\r\n":
            return self._entered(char)
        elif char == "\x03":
            self._line.clear()
            self._screen.append("^C")
            return Keyed(interrupts=True)
        elif char == "\x04":
            return self._end()
        elif char in "\x7f\b":
            self._erase(1)
        elif char == "\x15":
            self._erase(len(self._line))
        elif char == "\x17":
            text = "".join(self._line)
            self._erase(len(text) - text.rstrip().rfind(" ") - 1)
        elif char == "\x1b":
            self._escape = ""
        elif char.isprintable() and len(self._line) < LINE_MAX:
            self._line.append(char)
            self._screen.append(char)
        self._is_after_cr = False
        return None

    def _entered(self, char: str) -> Keyed | None:
        if char == "\n" and self._is_after_cr:
            self._is_after_cr = False
            return None
        self._is_after_cr = char == "\r"
        text = "".join(self._line)
        self._line.clear()
        self._screen.append("\r\n")
        if text.strip():
            self._history = [*self._history[-HISTORY_MAX:], text]
        self._back = 0
        return Keyed(text + "\n")

    def _end(self) -> Keyed:
        text = "".join(self._line)
        self._line.clear()
        return Keyed(text, is_end=not text)

    def _erase(self, count: int) -> None:
        count = min(count, len(self._line))
        if count:
            del self._line[-count:]
            self._screen.append(_ERASE * count)

    def _in_escape(self, char: str) -> None:
        """Keys that send several characters: up and down go through the history, others do nothing."""
        assert self._escape is not None
        self._escape += char
        if (char in "[O" and len(self._escape) == 1) or (char in "0123456789;" and len(self._escape) < 10):
            return
        step = {"[A": 1, "OA": 1, "[B": -1, "OB": -1}.get(self._escape, 0)
        self._escape = None
        place = self._back + step
        if step and 0 <= place <= len(self._history):
            self._back = place
            self._erase(len(self._line))
            self._line = list(self._history[-place]) if place else []
            self._screen.append("".join(self._line))


def on_screen(text: str) -> str:
    """A program's output as a terminal shows it: every line starts at the left."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
