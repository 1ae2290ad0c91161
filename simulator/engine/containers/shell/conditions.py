"""``test``, ``[`` and ``[[``."""

import re
from typing import TYPE_CHECKING

from simulator.engine.containers import regex
from simulator.engine.containers.files.filesystem import normalise
from simulator.engine.containers.kernel.execute import Call, Missing, look_up
from simulator.engine.containers.shell import arith
from simulator.engine.containers.shell.pattern import matches
from simulator.engine.containers.syntax.ast import Lit, Word

if TYPE_CHECKING:
    from simulator.engine.containers.kernel.kernel import Kernel
    from simulator.engine.containers.shell.expand import Expander

_NUMERIC = {"-eq": "==", "-ne": "!=", "-lt": "<", "-le": "<=", "-gt": ">", "-ge": ">="}
_FILES = "efdrwxsLhSpbcOGku"
NUMBER_CHARS_MAX = 64
NESTING_MAX = 40
"""Nesting limit of brackets in one condition."""


class ConditionError(Exception):
    """The condition is malformed; the text is the message."""


def _deeper(depth: int) -> int:
    if depth >= NESTING_MAX:
        raise ConditionError("nested too deeply")
    return depth + 1


def _number(text: str) -> int:
    if len(text) > NUMBER_CHARS_MAX or not re.fullmatch(r"\s*[-+]?[0-9]+\s*", text):
        raise ConditionError(f"{text[:80]}: bad number")
    return int(text)


def compare(left: str, op: str, right: str) -> bool:
    """Binary test on numbers."""
    first, second = _number(left), _number(right)
    return {
        "-eq": first == second, "-ne": first != second, "-lt": first < second, "-le": first <= second,
        "-gt": first > second, "-ge": first >= second,
    }[op]  # fmt: skip


def file_test(kernel: "Kernel", op: str, name: str, cwd: str) -> bool:
    """Unary test on a file."""
    if not name:
        return False
    path = normalise(name, cwd)
    entry = kernel.fs.get(path)
    directory = kernel.fs.is_dir(path)
    device = path in ("/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr", "/dev/tty")
    if op in ("-e", "-r", "-w", "-O", "-G"):
        if op == "-w" and not device and kernel.fs.is_read_only(path):
            return False
        return entry is not None or directory or device
    if op == "-f":
        return entry is not None and not directory
    if op == "-d":
        return directory
    if op == "-s":
        return directory or (entry is not None and entry.size_bytes > 0)
    if op == "-x":
        return directory or (entry is not None and bool(entry.mode & 0o111)) or _is_program(kernel, path, cwd)
    return op == "-c" and device


def _is_program(kernel: "Kernel", path: str, cwd: str) -> bool:
    return path.rpartition("/")[0] in ("/bin", "/usr/bin", "/sbin") and not isinstance(look_up(kernel, path, cwd), Missing)


def _newer(kernel: "Kernel", left: str, op: str, right: str) -> bool:
    first, second = kernel.fs.get(left), kernel.fs.get(right)
    if first is None or second is None:
        return first is not None and op == "-nt"
    return first.mtime_ms > second.mtime_ms if op == "-nt" else first.mtime_ms < second.mtime_ms


class _Test:
    """Recursive descent over the arguments of ``test``."""

    def __init__(self, call: Call, words: tuple[str, ...]) -> None:
        self.call = call
        self.words = words
        self.at = 0
        self.depth = 0

    def either(self) -> bool:
        value = self.both()
        while self.at < len(self.words) and self.words[self.at] in ("-o", "||"):
            self.at += 1
            value = self.both() or value
        return value

    def both(self) -> bool:
        value = self.negated()
        while self.at < len(self.words) and self.words[self.at] in ("-a", "&&"):
            self.at += 1
            value = self.negated() and value
        return value

    def negated(self) -> bool:
        turned = False
        while self.at < len(self.words) - 1 and self.words[self.at] == "!":
            self.at += 1
            turned = not turned
        return self.primary() != turned

    def primary(self) -> bool:
        left = self.words[self.at : self.at + 4]
        # Three words first: ``[ -n = -n ]`` compares two strings (POSIX decides by the number of words).
        if len(left) >= 3 and left[1] in ("=", "==", "!=", "<", ">", *_NUMERIC, "-nt", "-ot", "-ef"):
            self.at += 3
            return self.binary(left[0], left[1], left[2])
        if left and left[0] == "(":
            self.at += 1
            self.depth = _deeper(self.depth)
            value = self.either()
            self.depth -= 1
            if self.words[self.at : self.at + 1] != (")",):
                raise ConditionError("missing )")
            self.at += 1
            return value
        if len(left) >= 2 and left[0] in ("-n", "-z", "-t", "-v"):
            self.at += 2
            return {"-n": left[1] != "", "-z": left[1] == "", "-v": left[1] in self.call.env}.get(left[0], False)
        if len(left) >= 2 and re.fullmatch(f"-[{_FILES}]", left[0]):
            self.at += 2
            return file_test(self.call.kernel, left[0], left[1], self.call.cwd)
        if not left:
            raise ConditionError("argument expected")
        self.at += 1
        return left[0] != ""

    def binary(self, left: str, op: str, right: str) -> bool:
        if op in _NUMERIC:
            return compare(left, op, right)
        if op in ("-nt", "-ot"):
            return _newer(self.call.kernel, self.call.path(left), op, self.call.path(right))
        if op == "-ef":
            return self.call.path(left) == self.call.path(right)
        return {"=": left == right, "==": left == right, "!=": left != right, "<": left < right, ">": left > right}[op]


def test(call: Call) -> int:
    """``test`` and ``[``: 0 true, 1 false, 2 malformed."""
    words = call.argv[1:]
    call.kernel.meter.charge(16 * len(words))
    if call.name == "[":
        if not words or words[-1] != "]":
            return call.fail("missing ]", 2)
        words = words[:-1]
    if not words:
        return 1
    walk = _Test(call, words)
    try:
        value = walk.either()
        if walk.at < len(words):
            raise ConditionError(f"{words[walk.at]}: unexpected operator")
    except ConditionError as problem:
        return call.fail(str(problem), 2)
    return 0 if value else 1


class _Condition:
    """Recursive descent over the words of ``[[ … ]]``."""

    def __init__(self, expander: "Expander", words: tuple[Word, ...]) -> None:
        self.expander = expander
        self.words = words
        self.at = 0
        self.depth = 0

    def op(self) -> str:
        """The operator or plain word at the current position."""
        const = self.words[self.at].const if self.at < len(self.words) else None
        # The parser marks operators with a zero byte, so that a quoted "&&" is a word.
        return "" if const is None else const.removeprefix("\0")

    def either(self) -> bool:
        value = self.both()
        while self.op() == "||":
            self.at += 1
            value = self.both() or value
        return value

    def both(self) -> bool:
        value = self.negated()
        while self.op() == "&&":
            self.at += 1
            value = self.negated() and value
        return value

    def negated(self) -> bool:
        turned = False
        while self.op() == "!":
            self.at += 1
            turned = not turned
        return (self.bracketed() if self.op() == "(" else self.primary()) != turned

    def bracketed(self) -> bool:
        self.at += 1
        self.depth = _deeper(self.depth)
        value = self.either()
        self.depth -= 1
        if self.op() != ")":
            raise ConditionError("missing )")
        self.at += 1
        return value

    def primary(self) -> bool:
        if self.at >= len(self.words):
            raise ConditionError("argument expected")
        first = self.words[self.at]
        const = first.const or ""
        if re.fullmatch(f"-[nzvt{_FILES}]", const) and self.at + 1 < len(self.words):
            self.at += 2
            return self.unary(const, self.expander.text(self.words[self.at - 1]))
        self.at += 1
        left = self.expander.text(first)
        op = self.op()
        if op not in ("=", "==", "!=", "=~", "<", ">", "-nt", "-ot", *_NUMERIC) or self.at + 1 >= len(self.words):
            return left != ""
        right = self.words[self.at + 1]
        self.at += 2
        return self.binary(left, op, right)

    def unary(self, op: str, text: str) -> bool:
        if op in ("-n", "-z"):
            return (text != "") == (op == "-n")
        if op == "-v":
            return self.expander.variable(text) is not None
        return file_test(self.expander.kernel, op, text, self.expander.task.cwd)

    def binary(self, left: str, op: str, right: Word) -> bool:
        expander = self.expander
        if op in ("=", "==", "!="):
            return matches(expander.meter, expander.pieces(right), left) == (op != "!=")
        text = expander.text(right)
        if op == "=~":
            return self.regex(left, right, text)
        if op in ("<", ">"):
            return left < text if op == "<" else left > text
        if op in ("-nt", "-ot"):
            return _newer(expander.kernel, left, op, text)
        numbers = [str(arith.evaluate(side, expander.lookup, expander.assign, expander.meter)) for side in (left, text)]
        return compare(numbers[0], op, numbers[1])

    def regex(self, left: str, word: Word, text: str) -> bool:
        source = text
        if any(isinstance(part, Lit) and part.quoted for part in word.parts):
            source = "".join(_escaped(piece) if quoted else piece for piece, quoted in self.expander.pieces(word))
        meter = self.expander.meter
        try:
            found = regex.posix(meter, source, extended=True).search(meter, left)
        except regex.BadPattern as problem:
            raise ConditionError(f"bad regular expression: {text}") from problem
        if found is not None:
            groups = {"0": found.group() or "", **{str(i): g or "" for i, g in enumerate(found.groups(), 1)}}
            self.expander.sets["BASH_REMATCH"] = groups
        return found is not None


def _escaped(text: str) -> str:
    """An extended regular expression that matches ``text`` literally."""
    return "".join("\\" + char if char in "\\[](){}|+?*.^$" else char for char in text)


def evaluate_condition(expander: "Expander", words: tuple[Word, ...]) -> bool:
    """Value of ``[[ … ]]``. Raises ConditionError."""
    walk = _Condition(expander, words)
    try:
        value = walk.either()
    except arith.ArithError as problem:
        raise ConditionError(f"arithmetic: {problem}") from problem
    if walk.at < len(words):
        raise ConditionError("syntax error in condition")
    return value
