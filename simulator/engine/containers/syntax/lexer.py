"""Words of a script: quoting, ``$`` expansions and here-documents, read character by character.

Shell words cannot be split first and interpreted later: what ends a word depends on the quotes and
expansions in it, and those contain whole commands. So lexer and parser are one reader over one position,
and the parser's rules are called from inside a word. Depth is bounded before Python's stack is exhausted.
"""

import re
from abc import ABC, abstractmethod
from typing import Self

from simulator.engine.containers.syntax.ast import ArithSub, CommandSub, Lit, Node, Param, Part, Sequence, Word
from simulator.engine.containers.unsupported import Unsupported

NESTING_MAX = 40
"""Combined nesting limit of commands, functions and expansions. Each level takes about ten frames of Python's stack."""
METACHARS = " \t\n;&|<>()"
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PARAM_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
_PLAIN = re.compile(r"[^ \t\n;&|<>()'\"\\$`]+")
_OPERATORS = (":-", ":=", ":+", ":?", "##", "%%", "//", "/#", "/%", "^^", ",,", "-", "=", "+", "?", "#", "%", "/", ":", "^", ",")
_MAGIC = frozenset("*?[")
_ANSI = re.compile(r"\\([abefnrtv\\'\"]|x[0-9A-Fa-f]{1,2}|[0-7]{1,3})")
_ANSI_CHARS = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"'}


class ScriptError(Exception):
    """The text is not a script: a real shell rejects it too. The text is the reason in ash's words."""


def ansi_text(text: str) -> str:
    """``text`` with the backslash escapes of ``$'…'`` replaced."""

    def value(match: re.Match[str]) -> str:
        code = match.group(1)
        if code in _ANSI_CHARS:
            return _ANSI_CHARS[code]
        return chr(int(code[1:], 16)) if code[0] == "x" else chr(int(code, 8) & 0xFF)

    return _ANSI.sub(value, text)


def make_word(parts: list[Part]) -> Word:
    """A word, with its text fixed if nothing can change it."""
    literal: list[str] = []
    braced = False
    for part in parts:
        if not isinstance(part, Lit):
            return Word(tuple(parts))
        if not part.quoted:
            if not _MAGIC.isdisjoint(part.text):
                return Word(tuple(parts))
            braced = braced or "{" in part.text
        literal.append(part.text)
    first = parts[0] if parts else None
    if isinstance(first, Lit) and not first.quoted and first.text.startswith("~"):
        return Word(tuple(parts))
    text = "".join(literal)
    if braced and ("," in text or ".." in text):  # bash may expand it into several words
        return Word(tuple(parts))
    return Word(tuple(parts), text)


class Lexer(ABC):
    """Reads words from ``text`` at ``pos``. Words hold commands, ``$(…)``, which the parser built on this reads."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.depth = 0
        self.here_documents = 0

    @abstractmethod
    def sequence(self) -> Sequence:
        """The commands at the current position, up to something that ends them, such as the closing bracket of ``$(…)``."""

    @abstractmethod
    def commands_of(self, text: str) -> Sequence:
        """The commands of a separate text, as between backquotes. Raises ScriptError and Unsupported."""

    def peek(self, count: int = 1) -> str:
        """The next characters, fewer at the end of the text."""
        return self.text[self.pos : self.pos + count]

    def take(self, expected: str) -> bool:
        """Skip ``expected`` if it comes next."""
        if self.text.startswith(expected, self.pos):
            self.pos += len(expected)
            return True
        return False

    def blanks(self) -> None:
        """Skip blanks, line continuations and a comment (up to its line break)."""
        text, end = self.text, len(self.text)
        while self.pos < end:
            char = text[self.pos]
            if char in " \t\r":
                self.pos += 1
            elif char == "\\" and text.startswith("\\\n", self.pos):
                self.pos += 2
            elif char == "#":
                newline = text.find("\n", self.pos)
                self.pos = end if newline < 0 else newline
            else:
                return

    def word(self, stop: str = METACHARS) -> Word:
        """The word at the current position (may be empty). ``stop`` are the characters that end it."""
        parts: list[Part] = []
        text, end = self.text, len(self.text)
        while self.pos < end and text[self.pos] not in stop:
            char = text[self.pos]
            if char == "'":
                parts.append(Lit(self._until_quote(), quoted=True))
            elif char == '"':
                self.pos += 1
                parts.extend(self._double_quoted())
            elif char == "\\":
                following = text[self.pos + 1 : self.pos + 2]
                self.pos += 2
                if following != "\n":
                    parts.append(Lit(following or "\\", quoted=True))
            elif char in "$`":
                parts.append(self._dollar(quoted=False))
            else:
                parts.append(Lit(self._plain(stop)))
        return make_word(parts)

    def _plain(self, stop: str) -> str:
        if stop == METACHARS:
            match = _PLAIN.match(self.text, self.pos)
            if match:
                self.pos = match.end()
                return match.group()
        start = self.pos
        self.pos += 1
        while self.pos < len(self.text) and self.text[self.pos] not in stop and self.text[self.pos] not in "'\"\\$`":
            self.pos += 1
        return self.text[start : self.pos]

    def _until_quote(self) -> str:
        close = self.text.find("'", self.pos + 1)
        if close < 0:
            raise ScriptError("unterminated quoted string")
        inside = self.text[self.pos + 1 : close]
        self.pos = close + 1
        return inside

    def _double_quoted(self) -> list[Part]:
        """Parts up to the closing double quote, which is skipped."""
        parts = self.template('"')
        if not self.take('"'):
            raise ScriptError("unterminated quoted string")
        return parts or [Lit("", quoted=True)]

    def template(self, stop: str) -> list[Part]:
        """Parts of text in which only ``$``, backquotes and some backslashes are special, up to a character of ``stop``."""
        parts: list[Part] = []
        plain: list[str] = []
        while self.pos < len(self.text) and self.text[self.pos] not in (stop or "\0"):
            char = self.text[self.pos]
            if char == "\\" and self.pos + 1 < len(self.text):
                following = self.text[self.pos + 1]
                plain.append("" if following == "\n" else following if following in '$`"\\' else char + following)
                self.pos += 2
            elif char in "$`":
                if plain:
                    parts.append(Lit("".join(plain), quoted=True))
                    plain = []
                parts.append(self._dollar(quoted=True))
            else:
                plain.append(char)
                self.pos += 1
        if plain:
            parts.append(Lit("".join(plain), quoted=True))
        return parts

    def _dollar(self, *, quoted: bool) -> Part:
        self.deeper()
        part = self._dollar_part(quoted=quoted)
        self.depth -= 1
        return part

    def deeper(self) -> None:
        """Go one level deeper. Raises Unsupported."""
        self.depth += 1
        if self.depth > NESTING_MAX:
            raise Unsupported("commands and expansions are nested too deeply")

    def inner(self, text: str) -> Self:
        """A reader of a part of the text, at the same depth."""
        reader = type(self)(text)
        reader.depth = self.depth
        return reader

    def _dollar_part(self, *, quoted: bool) -> Part:
        if self.peek() == "`":
            return self._backquoted(quoted=quoted)
        self.pos += 1
        if self.peek(2) == "((":
            arithmetic = self._arithmetic(quoted=quoted)
            if arithmetic is not None:
                return arithmetic
        if self.take("("):
            return CommandSub(self._nested(), quoted)
        if self.take("{"):
            return self._braced(quoted=quoted)
        if self.peek() == "'" and not quoted:
            match = re.compile(r"'((?:[^'\\]|\\.)*)'", re.S).match(self.text, self.pos)
            if match is None:
                raise ScriptError("unterminated quoted string")
            self.pos = match.end()
            return Lit(ansi_text(match.group(1)), quoted=True)
        match = NAME.match(self.text, self.pos)
        if match is None and self.peek() and self.peek() in "0123456789@*#?$!-":
            self.pos += 1
            return Param(self.text[self.pos - 1], quoted=quoted)
        if match is None:
            return Lit("$", quoted)
        self.pos = match.end()
        return Param(match.group(), quoted=quoted)

    def _nested(self) -> Node:
        node = self.sequence()
        if not self.take(")"):
            raise ScriptError('syntax error: unexpected end of file (expecting ")")')
        return node

    def _backquoted(self, *, quoted: bool) -> Part:
        match = re.compile(r"`((?:[^`\\]|\\.)*)`", re.S).match(self.text, self.pos)
        if match is None:
            raise ScriptError("EOF in backquote substitution")
        self.pos = match.end()
        return CommandSub(self.commands_of(re.sub(r"\\([`\\$])", r"\1", match.group(1))), quoted)

    def arithmetic_text(self) -> Word | None:
        """After ``((``: the expression up to its ``))``, skipping it; None if the brackets do not end that way."""
        depth, at = 0, self.pos
        while at < len(self.text):
            char = self.text[at]
            if char == ")" and depth == 0:
                break
            depth += {"(": 1, ")": -1}.get(char, 0)
            at += 1
        if not self.text.startswith("))", at):
            return None
        inner = self.inner(self.text[self.pos : at])
        word = Word(tuple(inner.template("")))
        self.pos = at + 2
        return word

    def _arithmetic(self, *, quoted: bool) -> Part | None:
        start = self.pos
        self.pos += 2
        word = self.arithmetic_text()
        if word is None:
            self.pos = start
            return None
        return ArithSub(word, quoted)

    def _braced(self, *, quoted: bool) -> Part:
        op = ""
        if self.peek() in ("#", "!") and self.peek(2)[1:] != "}" and _PARAM_NAME.match(self.text, self.pos + 1):
            op = "len" if self.peek() == "#" else "!"
            self.pos += 1
        match = _PARAM_NAME.match(self.text, self.pos)
        if match is None:
            raise ScriptError("bad substitution")
        self.pos = match.end()
        index = None
        if self.take("["):
            index = Word((Lit("*", quoted=True),), "*") if self.take("*]") else self.word("]")
            self.take("]")
        arg = arg2 = None
        if not op:
            op = next((o for o in _OPERATORS if self.take(o)), "")
            if op:
                stop = "}/" if op in ("/", "//", "/#", "/%") else "}:" if op == ":" else "}"
                arg = self._argument(stop, quoted=quoted)
                if self.peek() in ("/", ":") and stop != "}":
                    self.pos += 1
                    arg2 = self._argument("}", quoted=quoted)
        if not self.take("}"):
            raise ScriptError("bad substitution")
        return Param(match.group(), op, arg, arg2, index, quoted)

    def _argument(self, stop: str, *, quoted: bool) -> Word:
        return self.word(stop + '"') if quoted and self.text.find('"', self.pos) < 0 else self.word(stop)
