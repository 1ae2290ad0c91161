"""Script text → syntax tree, by recursive descent. Results are cached by text.

The grammar is POSIX's with bash's ``[[``, ``((``, arrays, ``function`` and ``&>``. Text that a real shell
rejects raises ``ScriptError`` with ash's message; what this interpreter lacks raises ``Unsupported``,
which the reader of a run is told about. Trees are frozen and shared by all containers with the same text; the
cost of parsing is charged even if the cache answers, or a run would depend on what ran before it.
"""

import re

from simulator.engine.containers.digits import whole
from simulator.engine.containers.effort import Meter
from simulator.engine.containers.syntax.ast import (
    AndOr,
    Arith,
    Assign,
    Function,
    Item,
    Lit,
    Node,
    Pipeline,
    Redirect,
    Redirected,
    Sequence,
    Simple,
    Subshell,
    Word,
)
from simulator.engine.containers.syntax.compound import READERS
from simulator.engine.containers.syntax.declares import declared_word
from simulator.engine.containers.syntax.lexer import METACHARS, Lexer, ScriptError, make_word
from simulator.engine.containers.unsupported import Unsupported
from simulator.engine.kernel.caching import cached_when_short

SCRIPT_CHARS_MAX = 1 << 16
HERE_DOCUMENTS_MAX = 1000
CHAR = 16
"""What reading one character of a script costs."""
_RESERVED = re.compile(
    r"(?:if|then|elif|else|fi|while|until|for|do|done|case|esac|function|select|coproc|time|in|[{}!]|\[\[)(?=[\s;&|()<>]|$)"
)
_ASSIGN = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^]\n]{0,200}\])?(\+?)=")
_REDIRECT = re.compile(r"(?:([0-9]+)|(?=[<>&]))(&>>|&>|<<<|<<-|<<|<>|<&|>&|>>|>\||<|>)")
_ENDS = ("then", "elif", "else", "fi", "do", "done", "esac", "}")


def parse_script(text: str, meter: Meter) -> Sequence:
    """The commands of a script. Raises ScriptError (a real shell rejects it) or Unsupported. Cached."""
    if len(text) > SCRIPT_CHARS_MAX:
        raise Unsupported(f"a script of more than {SCRIPT_CHARS_MAX} characters is not supported")
    meter.charge(CHAR * len(text))
    return _parsed(text)


@cached_when_short(maxsize=256, chars_max=8_000)
def _parsed(text: str) -> Sequence:
    return parse_nested(text, 0)


def parse_nested(text: str, depth: int) -> Sequence:
    """The commands of a text nested ``depth`` levels inside another one."""
    if not text:
        return Sequence(())
    parser = Parser(text)
    parser.depth = depth
    node = parser.sequence()
    parser.newlines()
    if parser.pos < len(parser.text):
        raise ScriptError(f'syntax error: unexpected "{parser.unexpected()}"')
    return node


class Parser(Lexer):
    """Reads commands from ``text`` at ``pos``."""

    def commands_of(self, text: str) -> Sequence:
        """The commands of a separate text, at this depth."""
        return parse_nested(text, self.depth)

    def unexpected(self) -> str:
        """The token an error message names."""
        match = re.compile(r"[;&|()<>]+|[^\s;&|()<>]+").match(self.text, self.pos)
        return match.group() if match else "end of file"

    def newlines(self) -> None:
        """Skip blanks and line breaks."""
        self.blanks()
        while self.take("\n"):
            self.blanks()

    def reserved(self) -> str:
        """The reserved word at the current position, or "". Cost: one regular expression."""
        match = _RESERVED.match(self.text, self.pos)
        return match.group() if match else ""

    def expect(self, word: str) -> None:
        """Skip a reserved word."""
        self.newlines()
        if self.reserved() != word and not (word == ")" and self.peek() == ")"):
            found = self.unexpected() if self.pos < len(self.text) else "end of file"
            raise ScriptError(f'syntax error: unexpected {found} (expecting "{word}")')
        self.pos += len(word)

    def sequence(self) -> Sequence:
        """Commands up to a closing word, bracket, ``;;`` or the end."""
        self.deeper()
        items: list[Item] = []
        while True:
            self.newlines()
            if self.pos >= len(self.text) or self.peek() == ")" or self.peek(2) in (";;", ";&"):
                break
            if self.reserved() in _ENDS:
                break
            node = self.and_or()
            self.blanks()
            background = self.peek() == "&" and self.peek(2) != "&&" and self.take("&")
            items.append(Item(node, background))
            if not background and self.peek(2) not in (";;", ";&") and not self.take(";") and self.peek() != "\n":
                break
        self.depth -= 1
        return Sequence(tuple(items))

    def body(self) -> Sequence:
        """A list that must not be empty."""
        node = self.sequence()
        if not node.items:
            found = self.unexpected() if self.pos < len(self.text) else "end of file"
            raise ScriptError(f'syntax error: unexpected "{found}"')
        return node

    def and_or(self) -> Node:
        """``a && b || c``."""
        nodes, ops = [self.pipeline()], []
        while True:
            self.blanks()
            op = self.peek(2)
            if op not in ("&&", "||"):
                break
            self.pos += 2
            self.newlines()
            ops.append(op)
            nodes.append(self.pipeline())
        return AndOr(tuple(nodes), tuple(ops)) if ops else nodes[0]

    def pipeline(self) -> Node:
        """``! a | b``."""
        negate = False
        while (word := self.reserved()) in ("!", "time"):
            negate ^= word == "!"
            self.pos += len(word)
            self.blanks()
        nodes = [self.command()]
        self.blanks()
        while self.peek() == "|" and self.peek(2) != "||":
            self.pos += 1
            if self.take("&"):
                nodes[-1] = Redirected(nodes[-1], (Redirect(2, ">&", make_word([Lit("1")])),))
            self.newlines()
            nodes.append(self.command())
            self.blanks()
        return Pipeline(tuple(nodes), negate) if negate or len(nodes) > 1 else nodes[0]

    def command(self) -> Node:
        """A simple or compound command with its redirections."""
        self.blanks()
        node = self.compound()
        if node is None:
            return self.simple()
        if isinstance(node, Function):
            return node
        redirects: list[Redirect] = []
        self.blanks()
        while (redirect := self.redirect()) is not None:
            redirects.append(redirect)
            self.blanks()
        return Redirected(node, tuple(redirects)) if redirects else node

    def compound(self) -> Node | None:
        """The compound command at the current position, or None."""
        if self.peek(2) == "((":
            start = self.pos
            self.pos += 2
            word = self.arithmetic_text()
            if word is not None:
                return Arith(word)
            self.pos = start
        if self.take("("):
            node = self.body()
            self.expect(")")
            return Subshell(node)
        word_here = self.reserved()
        reader = READERS.get(word_here)
        if word_here in ("select", "coproc"):
            raise Unsupported(f"“{word_here}” is not supported")
        return reader(self) if reader else None

    def function_body(self, name: str) -> Node:
        """The body of function ``name``."""
        self.newlines()
        self.deeper()
        node = Function(name, self.command())
        self.depth -= 1
        return node

    def redirect(self) -> Redirect | None:
        """The redirection at the current position, or None."""
        match = _REDIRECT.match(self.text, self.pos)
        if match is None or (self.peek() == "&" and self.peek(2) != "&>"):
            return None
        self.pos = match.end()
        number, op = match.group(1), match.group(2)
        fd = whole(number, 0) if number else 0 if op[0] == "<" else 1
        if op in ("<<", "<<-"):
            return Redirect(fd, "<<", self.here_document(strip=op == "<<-"))
        if self.peek() == "(":
            raise Unsupported("process substitution is not supported")
        self.blanks()
        if self.peek(2) in ("<(", ">("):
            raise Unsupported("process substitution is not supported")
        target = self.word()
        if not target.parts:
            raise ScriptError(f'syntax error: unexpected "{self.unexpected()}"')
        return Redirect(fd, ">" if op == ">|" else op, target)

    def here_document(self, *, strip: bool) -> Word:
        """Body of a here-document, which is cut out of the remaining text."""
        self.here_documents += 1
        if self.here_documents > HERE_DOCUMENTS_MAX:
            raise Unsupported(f"more than {HERE_DOCUMENTS_MAX} here-documents are not supported")
        self.blanks()
        delimiter = self.word()
        quoted = any(isinstance(part, Lit) and part.quoted for part in delimiter.parts)
        end = "".join(part.text for part in delimiter.parts if isinstance(part, Lit))
        newline = self.text.find("\n", self.pos)
        at = len(self.text) if newline < 0 else newline + 1
        start, lines = at, []
        while at < len(self.text):
            stop = self.text.find("\n", at)
            stop = len(self.text) if stop < 0 else stop
            line = self.text[at:stop].lstrip("\t") if strip else self.text[at:stop]
            at = min(stop + 1, len(self.text))
            if line == end:
                break
            lines.append(line + "\n")
        # The rest of the operator's line is still to be read, and the body follows it.
        self.text = self.text[:start] + self.text[at:]
        if quoted:
            return Word((Lit("".join(lines), quoted=True),), "".join(lines))
        # A double quote is an ordinary character in a here-document.
        inner = self.inner("".join(lines).replace('\\"', '\\\\"'))
        return Word(tuple(inner.template("")))

    def assignment(self) -> Assign | None:
        """The assignment at the current position, or None."""
        match = _ASSIGN.match(self.text, self.pos)
        if match is None:
            return None
        self.pos = match.end()
        index = None
        if match.group(2):
            inner = self.inner(match.group(2)[1:-1])
            index = Word(tuple(inner.template("")))
        append = bool(match.group(3))
        if not self.take("("):
            return Assign(match.group(1), self.word(), append, index)
        items = []
        self.newlines()
        while self.pos < len(self.text) and self.peek() != ")":
            item = self.word()
            if not item.parts:
                raise ScriptError(f'syntax error: unexpected "{self.unexpected()}"')
            items.append(item)
            self.newlines()
        if not self.take(")"):
            raise ScriptError('syntax error: unexpected end of file (expecting ")")')
        return Assign(match.group(1), Word(()), append, None, tuple(items))

    def simple(self) -> Node:
        """A simple command, or a function definition."""
        words: list[Word] = []
        assigns: list[Assign] = []
        redirects: list[Redirect] = []
        while True:
            self.blanks()
            redirect = self.redirect()
            if redirect is not None:
                redirects.append(redirect)
                continue
            if self.pos >= len(self.text):
                break
            if self.peek() in METACHARS:
                if self.peek() == "(" and len(words) == 1 and words[0].const and not assigns:
                    self.pos += 1
                    self.expect(")")
                    return self.function_body(words[0].const)
                break
            assign = self.assignment() if not words else None
            if assign is not None:
                assigns.append(assign)
            else:
                words.append(declared_word(self.word(), words))
        if not words and not assigns and not redirects:
            found = self.unexpected() if self.pos < len(self.text) else "end of file"
            raise ScriptError(f'syntax error: unexpected "{found}"')
        return Simple(tuple(words), tuple(assigns), tuple(redirects))
