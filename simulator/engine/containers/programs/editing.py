"""``sed`` and ``awk``, as far as example scripts use them; anything else is reported, not guessed.

sed scripts are parsed into commands once and applied line by line, limited to ``s``, ``d``, ``p`` and ``q`` with
addresses; awk prints fields of the lines that a pattern or NR selects. If a script uses more, it
raises ``Unsupported`` before any output: a half-edited file would be worse than a note.
"""

import re

from msgspec import Struct

from simulator.engine.containers import regex
from simulator.engine.containers.effort import CHARS, LINE
from simulator.engine.containers.files.filesystem import FileProblem
from simulator.engine.containers.kernel.execute import Call
from simulator.engine.containers.regex import BadPattern, Match, Pattern
from simulator.engine.containers.unsupported import Unsupported

SCRIPT_CHARS_MAX = 8192
_FLAGS = re.compile(r"[gipI0-9]*")
_AWK = re.compile(r"(?:NR\s*==\s*([0-9]{1,18})\s*)?(?:\{([^{}]*)\})?")


class _Address(Struct, frozen=True):
    """A sed address: a number, ``$`` or a pattern."""

    number: int = 0
    is_last: bool = False
    pattern: Pattern | None = None


class _Command(Struct, frozen=True):
    """One sed command with its address. ``parts`` of a replacement are texts and group numbers."""

    name: str
    low: _Address | None = None
    high: _Address | None = None
    pattern: Pattern | None = None
    parts: tuple[str | int, ...] = ()
    only: int = 1
    prints: bool = False

    def replaced(self, found: Match) -> list[str]:
        """The pieces that replace a match. Raises IndexError if the pattern has no such group."""
        groups = [found.group(), *found.groups()]  # taken once: each access cuts it out of the text again
        return [part if isinstance(part, str) else groups[part] or "" for part in self.parts]


class _Script:
    """Parses the commands of a sed script in one pass. Raises Unsupported and BadPattern."""

    def __init__(self, call: Call, text: str, *, extended: bool) -> None:
        if len(text) > SCRIPT_CHARS_MAX:
            raise Unsupported(f"a sed script of more than {SCRIPT_CHARS_MAX} characters is not supported")
        self.call = call
        self.text = text
        self.extended = extended
        self.at = 0

    def commands(self) -> list[_Command]:
        """All commands of the script."""
        found: list[_Command] = []
        while True:
            self._skip("; \n\t")
            if self.at >= len(self.text):
                return found
            low = self._address()
            high = self._address() if low is not None and self._take(",") else None
            self._skip(" \t")
            found.append(self._command(low, high))

    def _take(self, char: str) -> bool:
        is_there = self.text.startswith(char, self.at)
        self.at += is_there
        return is_there

    def _skip(self, chars: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in chars:
            self.at += 1

    def _address(self) -> _Address | None:
        if self._take("$"):
            return _Address(is_last=True)
        if self._take("/"):
            return _Address(pattern=self._pattern(self._until("/")))
        start = self.at
        self._skip("0123456789")
        digits = self.text[start : self.at]
        return _Address(number=int(digits[:18])) if digits else None

    def _until(self, separator: str) -> str:
        """The text up to the separator, which is skipped; a backslash escapes it."""
        result: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == separator:
                self.at += 1
                return "".join(result)
            if char == "\\" and self.at + 1 < len(self.text):
                following = self.text[self.at + 1]
                # ``s/a\/b/x/``: the backslash only hides the separator from this reader.
                result.append(following if following == separator else char + following)
                self.at += 2
            else:
                result.append(char)
                self.at += 1
        raise self._unsupported(self.text)

    def _command(self, low: _Address | None, high: _Address | None) -> _Command:
        name = self.text[self.at : self.at + 1]
        if name not in ("s", "d", "p", "q") or not name:
            raise self._unsupported(self.text[self.at :])
        self.at += 1
        if name != "s":
            return _Command(name, low, high)
        separator = self.text[self.at : self.at + 1]
        if not separator or separator.isalnum() or separator in "_\\\n ":
            raise self._unsupported(self.text[self.at - 1 :])
        self.at += 1
        old, new = self._until(separator), self._until(separator)
        match = _FLAGS.match(self.text, self.at)
        flags = match.group() if match else ""
        self.at += len(flags)
        digits = "".join(char for char in flags if char.isdecimal())[:18]
        only = 0 if "g" in flags else int(digits or 1)
        return _Command("s", low, high, self._pattern(old, ignore_case="i" in flags.lower()), _replacement(new), only, "p" in flags)

    def _pattern(self, text: str, *, ignore_case: bool = False) -> Pattern:
        return regex.posix(self.call.kernel.meter, text, extended=self.extended, ignore_case=ignore_case)

    def _unsupported(self, text: str) -> Unsupported:
        return Unsupported(f"the sed command “{text[:30]}” is not supported")


def _replacement(text: str) -> tuple[str | int, ...]:
    """The parts of a replacement: texts, and group numbers for ``\\1`` and ``&``."""
    parts: list[str | int] = []
    run: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        following = text[at + 1 : at + 2] if char == "\\" else ""
        at += 2 if following else 1
        if char == "&" or (following.isdecimal() and following.isascii()):
            parts += ("".join(run), int(following or 0))
            run = []
        elif following:
            run.append({"n": "\n", "t": "\t"}.get(following, following))
        else:
            run.append(char)
    return (*parts, "".join(run))


def sed(call: Call) -> int:
    """``sed [-nEi] [-e] script [file …]`` with s, d, p and q."""
    words, scripts, flags, names = list(call.argv[1:]), [], "", []
    while words:
        word = words.pop(0)
        if word in ("-e", "--expression") and words:
            scripts.append(words.pop(0))
        elif word.startswith("-") and len(word) > 1:
            flags += word.lstrip("-")
        elif not scripts:
            scripts.append(word)
        else:
            names.append(word)
    status = 0
    try:
        commands = _Script(call, "\n".join(scripts), extended="E" in flags or "r" in flags).commands()
        for name in names or ["-"]:
            try:
                text = _edited(call, call.read(name), commands, quiet="n" in flags)
            except FileProblem as problem:
                status = call.fail(f"{name}: {problem}")
                continue
            if "i" in flags:
                call.kernel.fs.write(call.path(name), text)
            else:
                call.out(text)
    except (BadPattern, IndexError):
        return call.fail("bad regular expression or replacement")
    return status


def _applies(call: Call, command: _Command, number: int, line: str, last: int) -> bool:
    def hit(address: _Address) -> bool:
        if address.pattern is not None:
            return address.pattern.search(call.kernel.meter, line) is not None
        return number == (last if address.is_last else address.number)

    low, high = command.low, command.high
    if low is None:
        return True
    # Ranges of line numbers only; if a range begins with a pattern just the first line counts.
    if high is not None and low.number and high.pattern is None:
        return low.number <= number and (high.is_last or number <= high.number)
    return hit(low)


def _edited(call: Call, text: str, commands: list[_Command], *, quiet: bool) -> str:
    lines = text.splitlines()
    result: list[str] = []
    for number, original in enumerate(lines, 1):
        line, shown, stop = original, not quiet, False
        for command in commands:
            call.charge(LINE)
            if not _applies(call, command, number, line, len(lines)):
                continue
            if command.name == "d":
                shown = False
                break
            if command.name == "p":
                call.charge(len(line))
                result.append(line)
            elif command.name == "q":
                stop = True
            elif command.pattern is not None:
                line, hits = regex.substitute(command.pattern, call.kernel.meter, line, command.replaced, only=command.only)
                if hits and command.prints:
                    result.append(line)
        if shown:
            result.append(line)
        if stop:
            break
    return "".join(line + "\n" for line in result)


def awk(call: Call) -> int:
    """``awk [-F sep] '[/pattern/] {print $1, "text", $NF}' [file …]``."""
    words, separator = list(call.argv[1:]), None
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word.startswith("-F"):
            separator = word[2:] or (words.pop(0) if words else " ")
    script = words.pop(0).strip() if words else ""
    try:
        condition, wanted, expression = _awk_program(call, script)
    except BadPattern:
        return call.fail("bad regular expression", 2)
    text = "".join(call.read(name) for name in words or ["-"])
    for number, line in enumerate(call.lines(text), 1):
        if (condition is not None and condition.search(call.kernel.meter, line) is None) or wanted not in (0, number):
            continue
        call.charge(len(line) + LINE + (4 + (len(line) // CHARS)) * (1 + expression.count("$")) + 4 * len(expression))
        fields = line.split(separator) if separator else line.split()
        call.out(_printed(expression, line, fields, number) + "\n")
    return 0


def _awk_program(call: Call, script: str) -> tuple[Pattern | None, int, str]:
    """Condition, line number (0 = any) and what is printed. Raises Unsupported and BadPattern."""
    unsupported = Unsupported(f"the awk program “{script[:40]}” is not supported")
    if not script or len(script) > SCRIPT_CHARS_MAX:
        raise unsupported
    condition, rest = None, script
    if script.startswith("/"):
        reader = _Script(call, script, extended=True)
        reader.at = 1
        try:
            source = reader._until("/")
        except Unsupported:
            raise unsupported from None
        condition, rest = regex.posix(call.kernel.meter, source, extended=True), script[reader.at :].lstrip()
    match = _AWK.fullmatch(rest)
    if match is None or (condition is not None and match.group(1)):
        raise unsupported
    body = (match.group(2) if match.group(2) is not None else "print").strip().rstrip(";").rstrip()
    if body != "print" and not re.match(r"print[\s\"$]", body):
        raise unsupported
    return condition, int(match.group(1) or 0), body[5:].strip() or "$0"


def _printed(expression: str, line: str, fields: list[str], number: int) -> str:
    groups = []
    for group in re.findall(r"(?:\"[^\"]*\"|[^,\"])+", expression):
        pieces = []
        for token in re.findall(r"\"[^\"]*\"|\$\w+|\w+", group):
            if token.startswith('"'):
                pieces.append(token[1:-1])
            elif token in ("NF", "NR"):
                pieces.append(str(len(fields) if token == "NF" else number))
            elif token.startswith("$"):
                index = len(fields) if token == "$NF" else int(token[1:][:18]) if token[1:].isdecimal() else 0
                pieces.append(line if index == 0 else fields[index - 1] if index <= len(fields) else "")
            else:
                pieces.append(token if token.isdecimal() else "")
        groups.append("".join(pieces))
    return " ".join(groups)
