"""Expansion of words: parameters, command substitutions, arithmetic, splitting and file names.

Expansion may need the output of a command that takes time. It then raises ``NeedCommand``; the machine runs the command and
starts the expansion again with the output in ``memo``. Assignments made on the way (``${x:=y}``, ``$((i++))``) are kept
aside until the expansion has succeeded, so starting again is harmless.
"""

import re
from typing import TYPE_CHECKING

from simulator.engine.behaviour.shell import arith, pattern
from simulator.engine.behaviour.shell.ast import ArithSub, CommandSub, Lit, Node, Param, Word
from simulator.engine.behaviour.shell.parameters import operate, scalar, special, subscript_values
from simulator.engine.behaviour.shell.pattern import Piece

if TYPE_CHECKING:
    from simulator.engine.behaviour.kernel import Kernel
    from simulator.engine.behaviour.process import Shell, Task, Value

_BRACE = re.compile(r"\{([^{}]*(?:,[^{}]*)+|(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?|([A-Za-z])\.\.([A-Za-z]))\}")
FIELDS_MAX = 10_000
TEXT_CHARS_MAX = 1 << 20


class NeedCommand(Exception):
    """The output of a command substitution is missing."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.node = node


class ExpansionError(Exception):
    """Expansion failed and ends the shell, e.g. ``${x:?}``; the text is the message."""


class Expander:
    """Expands the words of one command."""

    __slots__ = ("kernel", "memo", "sets", "shell", "task", "used")

    def __init__(self, kernel: "Kernel", task: "Task", shell: "Shell", memo: tuple[str, ...]) -> None:
        self.kernel = kernel
        self.task = task
        self.shell = shell
        self.memo = memo
        self.used = 0
        self.sets: dict[str, Value] = {}

    def commit(self) -> None:
        """Carry out the assignments that the expansion made."""
        if self.sets:
            self.shell.variables.update(self.sets)

    def variable(self, name: str) -> "Value | None":
        """Value of a variable or special parameter, None where unset."""
        value = self.sets.get(name) if self.sets else None
        if value is None:
            value = self.shell.variables.get(name)
        return value if value is not None else special(self.kernel, self.task, self.shell, name)

    def lookup(self, name: str) -> str:
        """Text of a variable for arithmetic; "" where unset."""
        return scalar(self.variable(name)) or ""

    def assign(self, name: str, text: str) -> None:
        """Set a variable once the expansion has succeeded."""
        self.sets[name] = text

    def arithmetic(self, word: Word) -> int:
        """Value of an arithmetic expression. Raises ExpansionError."""
        text = self.text(word)
        try:
            return arith.evaluate(text, self.lookup, self.assign)
        except arith.ArithError as problem:
            raise ExpansionError(f"arithmetic: {problem}") from problem

    def output(self, node: Node) -> str:
        """Output of a command substitution, from the memo."""
        if self.used >= len(self.memo):
            raise NeedCommand(node)
        self.used += 1
        return self.memo[self.used - 1]

    def text(self, word: Word) -> str:
        """The word as one text: no splitting, no file names (assignments, redirections, ``case``)."""
        if word.const is not None:
            return word.const
        return "".join(text for text, _ in self.pieces(word))

    def pieces(self, word: Word) -> list[Piece]:
        """The word unsplit, keeping what was quoted (patterns)."""
        result: list[Piece] = []
        for index, part in enumerate(word.parts):
            if isinstance(part, Lit):
                result.append((self._tilde(part) if index == 0 else part.text, part.quoted))
            else:
                joined = " ".join(self.values(part))
                result.append((joined, part.quoted))
        return result

    def _tilde(self, part: Lit) -> str:
        if part.quoted or not part.text.startswith("~") or part.text[1:2] not in ("", "/"):
            return part.text
        return (self.lookup("HOME") or "/root") + part.text[1:]

    def values(self, part: Param | CommandSub | ArithSub) -> list[str]:
        """Values of an expansion: one, or as many as ``$@`` has."""
        if isinstance(part, CommandSub):
            return [self.output(part.body).rstrip("\n")]
        if isinstance(part, ArithSub):
            return [str(self.arithmetic(part.text))]
        return self.parameter(part)

    def parameter(self, part: Param) -> list[str]:
        """Values of ``$name`` or ``${name…}``."""
        if part.name in "@*" and part.index is None:
            found: list[str] | None = list(self.shell.params)
        elif part.index is not None:
            found = subscript_values(self, part)
        else:
            value = scalar(self.variable(part.name))
            found = None if value is None else [value]
        if not part.op:
            if found is None and "u" in self.shell.options:
                raise ExpansionError(f"{part.name}: parameter not set")
            result = found if found is not None else [""]
        else:
            result = operate(self, part, found)
        starred = part.name == "*" or (part.index is not None and part.index.const == "*")
        if starred and part.quoted:
            return [(self._separators()[:1] or "").join(result)]
        return result

    def _separators(self) -> str:
        value = self.variable("IFS")
        return value if isinstance(value, str) else " \t\n"

    def fields(self, words: tuple[Word, ...]) -> list[str]:
        """The words split into fields, with file names filled in."""
        result: list[str] = []
        for word in words:
            if word.const is not None:
                result.append(word.const)
                continue
            for variant in self._braces(word):
                result.extend(self._word_fields(variant))
            if len(result) > FIELDS_MAX:
                raise ExpansionError("argument list too long")
        return result

    def _braces(self, word: Word) -> list[Word]:
        if self.shell.flavour != "bash":
            return [word]
        for index, part in enumerate(word.parts):
            match = _BRACE.search(part.text) if isinstance(part, Lit) and not part.quoted else None
            if match is None or not isinstance(part, Lit):
                continue
            before, after = part.text[: match.start()], part.text[match.end() :]
            result: list[Word] = []
            for choice in _choices(match):
                parts = (*word.parts[:index], Lit(before + choice + after), *word.parts[index + 1 :])
                result.extend(self._braces(Word(parts)))
            return result
        return [word]

    def _word_fields(self, word: Word) -> list[str]:
        done: list[list[Piece]] = []
        current: list[Piece] | None = None
        for index, part in enumerate(word.parts):
            if isinstance(part, Lit):
                text = self._tilde(part) if index == 0 else part.text
                current = [*(current or []), (text, part.quoted)] if text or part.quoted else current
                continue
            values = self.values(part)
            if part.quoted:
                for number, value in enumerate(values):
                    if number:
                        done.append(current or [])
                        current = []
                    current = [*(current or []), (value, True)]
                continue
            for number, value in enumerate(values):
                if number and current is not None:
                    done.append(current)
                    current = None
                current = self._split(value, current, done)
        if current is not None:
            done.append(current)
        return [name for pieces in done for name in self._names(pieces)]

    def _split(self, value: str, current: list[Piece] | None, done: list[list[Piece]]) -> list[Piece] | None:
        """Split an unquoted value at IFS; returns the field that is still open."""
        separators = self._separators()
        blanks = "".join(char for char in separators if char in " \t\n")
        others = "".join(char for char in separators if char not in " \t\n")
        if not separators or not value:
            return [*(current or []), (value, False)] if value else current
        if not others:
            parts = value.split() if len(blanks) == 3 else [p for p in re.split(f"[{re.escape(blanks)}]+", value) if p]
        else:
            around = f"[{re.escape(blanks)}]*" if blanks else ""
            parts = re.split(f"{around}[{re.escape(others)}]{around}", value.strip(blanks or "\0"))
            if parts and parts[-1] == "":
                parts.pop()
        if value[0] in blanks and current is not None:
            done.append(current)
            current = None
        for number, piece in enumerate(parts):
            if number and current is not None:
                done.append(current)
                current = None
            current = [*(current or []), (piece, False)]
        if value[-1] in separators and current is not None:
            done.append(current)
            current = None
        return current

    def _names(self, pieces: list[Piece]) -> list[str]:
        text = "".join(piece for piece, _ in pieces)
        if len(text) > TEXT_CHARS_MAX:
            raise ExpansionError("word too long")
        magic = any(not quoted and re.search(r"[*?]|\[.", piece) for piece, quoted in pieces)
        if not magic or "f" in self.shell.options:
            return [text]
        cwd = self.task.cwd
        found = pattern.expand_names(pieces, cwd, self.kernel.fs.names)
        exists = [name for name in found if self.kernel.exists(name, cwd)]
        return exists or [text]


def _choices(match: "re.Match[str]") -> list[str]:
    """What a brace expression stands for. At most FIELDS_MAX choices."""
    inside, low, high, step, first, last = match.groups()
    if low is not None:
        width = max(len(low), len(high)) if low.lstrip("-").startswith("0") and len(low) > 1 else 0
        by = max(abs(int(step)), 1) if step else 1
        start, end = int(low), int(high)
        span = range(start, end + 1, by) if start <= end else range(start, end - 1, -by)
        return [str(value).zfill(width) for value in span[:FIELDS_MAX]]
    if first is not None:
        start, end = ord(first), ord(last)
        return [chr(code) for code in (range(start, end + 1) if start <= end else range(start, end - 1, -1))]
    return [str(choice) for choice in inside.split(",")]
