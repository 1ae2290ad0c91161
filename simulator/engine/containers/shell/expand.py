"""Expansion of words: parameters, command substitutions, arithmetic, splitting and file names.

Expansion may need the output of a command that takes time. It then raises ``NeedCommand``; the machine runs the command and
starts the expansion again with the output in ``memo``. Assignments made on the way (``${x:=y}``, ``$((i++))``) are held
back until the expansion has succeeded, so starting again is harmless.

Order (POSIX 2.6): braces (bash only), tilde, parameters with substitutions and arithmetic, splitting at
IFS, file names. A word is a list of pieces, each with whether it was quoted, up to the last step: only
unquoted text is split or matched. Results of constant words are computed by the parser
(``Word.const``), which is the most frequent case.
"""

import re
from typing import TYPE_CHECKING, assert_never

from simulator.engine.containers.effort import CHARS, COPIED, TEXT_CHARS_MAX
from simulator.engine.containers.shell import arith, braces, pattern
from simulator.engine.containers.shell.failures import ExpansionError, NeedCommand
from simulator.engine.containers.shell.parameters import counted_seconds, operate, scalar, special, subscript_values
from simulator.engine.containers.shell.pattern import Piece
from simulator.engine.containers.syntax.ast import ArithSub, CommandSub, Lit, Node, Param, Word

if TYPE_CHECKING:
    from simulator.engine.containers.kernel.kernel import Kernel
    from simulator.engine.containers.process.state import Shell, Task, Value

FIELDS_MAX = 10_000
SEPARATORS_MAX = 64
"""How many characters of IFS count."""
FIELD = 16
"""The cost of handling one field, besides its characters."""


class Expander:
    """Expands the words of one command. What it builds is charged before it is assembled."""

    __slots__ = ("kernel", "memo", "meter", "sets", "shell", "task", "used")

    def __init__(self, kernel: "Kernel", task: "Task", shell: "Shell", memo: tuple[str, ...]) -> None:
        self.kernel = kernel
        self.meter = kernel.meter
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
        """Value of a variable or special parameter, None if unset."""
        value = self.sets.get(name) if self.sets else None
        if value is None:
            value = self.shell.variables.get(name)
        if value is not None and name == "SECONDS" and self.shell.flavour == "bash":
            return counted_seconds(self.kernel, value)
        return value if value is not None else special(self.kernel, self.task, self.shell, name)

    def lookup(self, name: str) -> str:
        """Text of a variable for arithmetic; "" if unset."""
        return scalar(self.variable(name)) or ""

    def assign(self, name: str, text: str) -> None:
        """Set a variable once the expansion has succeeded."""
        self.sets[name] = text

    def arithmetic(self, word: Word) -> int:
        """Value of an arithmetic expression. Raises ExpansionError."""
        return self.value_of(self.text(word))

    def value_of(self, text: str) -> int:
        """Value of an arithmetic expression that is already expanded. Raises ExpansionError."""
        try:
            return arith.evaluate(text, self.lookup, self.assign, self.meter)
        except arith.ArithError as problem:
            raise ExpansionError(f"arithmetic: {problem}") from problem

    def output(self, node: Node) -> str:
        """Output of a command substitution, from the memo."""
        # The n-th substitution of this command; the order is the same every time it starts again.
        if self.used >= len(self.memo):
            raise NeedCommand(node)
        self.used += 1
        return self.memo[self.used - 1]

    def text(self, word: Word) -> str:
        """The word as a single text: no splitting, no file names (assignments, redirections, ``case``)."""
        if word.const is not None:
            return word.const
        pieces = self.pieces(word)
        self.bounded(sum(len(text) for text, _ in pieces))
        return "".join(text for text, _ in pieces)

    def bounded(self, chars: int) -> None:
        """Charge for a text of that many characters that is about to be built. Raises ExpansionError if it is too long."""
        if chars > TEXT_CHARS_MAX:
            raise self.out_of_memory(f"text of more than {TEXT_CHARS_MAX} characters")
        self.meter.charge(chars // CHARS)

    def out_of_memory(self, what: str) -> ExpansionError:
        """The failure of a shell that is out of memory; a note names what the simulation does not keep."""
        self.kernel.note("out-of-memory", f"The simulation keeps no {what}; the shell ends.")
        return ExpansionError("out of memory")

    def pieces(self, word: Word) -> list[Piece]:
        """The word unsplit, remembering what was quoted (patterns)."""
        result: list[Piece] = []
        for index, part in enumerate(word.parts):
            if isinstance(part, Lit):
                result.append((self._tilde(part) if index == 0 else part.text, part.quoted))
            else:
                values = self.values(part)
                if len(values) > 1:
                    self.bounded(sum(len(value) + 1 for value in values))
                result.append((" ".join(values), part.quoted))
        self.meter.charge(len(result))
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
        if isinstance(part, Param):
            return self.parameter(part)
        assert_never(part)

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
        self.meter.charge(FIELD * len(result))
        starred = part.name == "*" or (part.index is not None and part.index.const == "*")
        if starred and part.quoted:
            self.bounded(sum(len(value) + 1 for value in result))
            return [(self._separators()[:1] or "").join(result)]
        return result

    def _separators(self) -> str:
        value = self.variable("IFS")
        return value[:SEPARATORS_MAX] if isinstance(value, str) else " \t\n"

    def fields(self, words: tuple[Word, ...]) -> list[str]:
        """The words split into fields, with file names expanded."""
        result: list[str] = []
        for word in words:
            if word.const is not None:
                result.append(word.const)
                continue
            for variant in self._braces(word):
                result.extend(self._word_fields(variant))
            if len(result) > FIELDS_MAX:
                raise _too_many()
        return result

    def _braces(self, word: Word) -> list[Word]:
        return braces.expanded(word, self.meter, FIELDS_MAX, _too_many) if self.shell.flavour == "bash" else [word]

    def _word_fields(self, word: Word) -> list[str]:
        done: list[list[Piece]] = []
        current: list[Piece] | None = None
        for index, part in enumerate(word.parts):
            if isinstance(part, Lit):
                text = self._tilde(part) if index == 0 else part.text
                if text or part.quoted:
                    current = current if current is not None else []
                    current.append((text, part.quoted))
                continue
            for number, value in enumerate(self.values(part)):
                # "$@" ends a field between two parameters and joins the first and last to the adjacent text.
                if number and (part.quoted or current is not None):
                    done.append(current or [])
                    current = None
                if part.quoted:
                    current = current if current is not None else []
                    current.append((value, True))
                else:
                    current = self._split(value, current, done)
        if current is not None:
            done.append(current)
        self.meter.charge(FIELD * len(done))
        if len(done) > FIELDS_MAX:
            raise _too_many()
        return [name for pieces in done for name in self._names(pieces)]

    def _split(self, value: str, current: list[Piece] | None, done: list[list[Piece]]) -> list[Piece] | None:
        """Split an unquoted value at IFS; returns the field that is still open."""
        separators = self._separators()
        self.meter.charge(len(value) // CHARS + FIELD * sum(map(value.count, separators)) + len(separators) * (len(value) // COPIED))
        blanks = "".join(char for char in separators if char in " \t\n")
        if not separators or not value:
            if value:
                current = current if current is not None else []
                current.append((value, False))
            return current
        parts = _fields_of(value, blanks, "".join(char for char in separators if char not in " \t\n"))
        # A blank at the edge separates from what precedes the expansion: a$x with x=" b" is two fields.
        if value[0] in blanks and current is not None:
            done.append(current)
            current = None
        for number, piece in enumerate(parts):
            if number and current is not None:
                done.append(current)
                current = None
            current = current if current is not None else []
            current.append((piece, False))
        if value[-1] in separators and current is not None:
            done.append(current)
            current = None
        return current

    def _names(self, pieces: list[Piece]) -> list[str]:
        self.bounded(sum(len(piece) for piece, _ in pieces))
        text = "".join(piece for piece, _ in pieces)
        magic = any(not quoted and _is_magic(piece) for piece, quoted in pieces)
        if not magic or "f" in self.shell.options:
            return [text]
        cwd = self.task.cwd
        found = pattern.expand_names(self.meter, pieces, cwd, self.kernel.fs.names)
        exists = [name for name in found if self.kernel.exists(name, cwd)]
        # A pattern that matches no file is literal.
        return exists or [text]


def _too_many() -> ExpansionError:
    return ExpansionError("argument list too long")


def _is_magic(text: str) -> bool:
    """Whether an unquoted text may be a file name pattern: a ``[`` needs something after it."""
    return "*" in text or "?" in text or "[" in text[:-1]


def separator(blanks: str, others: str) -> str:
    """A regular expression for what separates two fields; linear, since a run of blanks is matched as a whole."""
    blank, other = f"[{re.escape(blanks)}]", f"[{re.escape(others)}]"
    if not others:
        return f"{blank}+"
    return f"{blank}*{other}{blank}*|{blank}+" if blanks else other


def _fields_of(value: str, blanks: str, others: str) -> list[str]:
    """The fields of a non-empty value: runs of blanks separate, and so does each other separator with the blanks around it."""
    if not others:
        return value.split() if len(blanks) == 3 else [part for part in re.split(f"[{re.escape(blanks)}]+", value) if part]
    parts = re.split(separator(blanks, others), value.strip(blanks) if blanks else value)
    # A separator at the end closes a field and does not open another.
    if parts and parts[-1] == "":
        parts.pop()
    return parts
