"""Compound commands: ``if``, loops, ``case``, ``[[``, groups and functions. Each reader starts at its reserved word."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.engine.containers.syntax.ast import ArithFor, CaseCommand, Condition, For, If, Lit, Loop, Node, Sequence, Word
from simulator.engine.containers.syntax.idle import only_sleeps
from simulator.engine.containers.syntax.lexer import METACHARS, NAME, ScriptError

if TYPE_CHECKING:
    from simulator.engine.containers.syntax.parser import Parser


def read_group(parser: "Parser") -> Node:
    """``{ … }``."""
    parser.pos += 1
    node = parser.body()
    parser.expect("}")
    return node


def read_if(parser: "Parser") -> Node:
    """``if … then … elif … else … fi``."""
    branches: list[tuple[Node, Node]] = []
    otherwise: Node | None = None
    parser.pos += 2
    while True:
        condition = parser.body()
        parser.expect("then")
        branches.append((condition, parser.body()))
        word = parser.reserved()
        if word == "elif":
            parser.pos += 4
            continue
        if word == "else":
            parser.pos += 4
            otherwise = parser.body()
        parser.expect("fi")
        return If(tuple(branches), otherwise)


def read_while(parser: "Parser") -> Node:
    """``while``/``until … do … done``."""
    until = parser.reserved() == "until"
    parser.pos += 5
    condition = parser.body()
    body = read_do(parser)
    return Loop(condition, body, until, only_sleeps(condition, body, until=until))


def read_do(parser: "Parser") -> Sequence:
    """``do … done``."""
    parser.expect("do")
    body = parser.body()
    parser.expect("done")
    return body


def read_for(parser: "Parser") -> Node:
    """``for name in …`` or ``for ((…))``."""
    parser.pos += 3
    parser.blanks()
    if parser.take("(("):
        return _arith_for(parser)
    match = NAME.match(parser.text, parser.pos)
    if match is None:
        raise ScriptError("syntax error: bad for loop variable")
    parser.pos = match.end()
    parser.newlines()
    words: list[Word] | None = None
    if parser.reserved() == "in":
        parser.pos += 2
        words = []
        parser.blanks()
        while parser.pos < len(parser.text) and parser.peek() not in ";\n":
            if parser.peek() in METACHARS:
                raise ScriptError(f'syntax error: unexpected "{parser.unexpected()}"')
            words.append(parser.word())
            parser.blanks()
    parser.take(";")
    body = _for_body(parser)
    return For(match.group(), None if words is None else tuple(words), body)


def _for_body(parser: "Parser") -> Node:
    """Body of a ``for``: ``do … done`` (bash also takes ``{ … }``)."""
    parser.newlines()
    return read_group(parser) if parser.reserved() == "{" else read_do(parser)


def _arith_for(parser: "Parser") -> Node:
    """``for ((first; condition; step))`` after its opening brackets."""
    close = parser.text.find("))", parser.pos)
    pieces = parser.text[parser.pos : close].split(";") if close >= 0 else []
    if len(pieces) != 3:
        raise ScriptError("syntax error: bad for loop")
    parser.pos = close + 2
    words = [Word(tuple(type(parser)(piece).template(""))) for piece in pieces]
    parser.blanks()
    parser.take(";")
    return ArithFor(words[0], words[1], words[2], _for_body(parser))


def read_case(parser: "Parser") -> Node:
    """``case … in … esac``."""
    parser.pos += 4
    parser.blanks()
    word = parser.word()
    parser.expect("in")
    arms: list[tuple[tuple[Word, ...], Node | None, str]] = []
    parser.newlines()
    while parser.reserved() != "esac":
        parser.take("(")
        patterns = []
        while True:
            parser.blanks()
            patterns.append(parser.word())
            parser.blanks()
            if not parser.take("|"):
                break
        if not parser.take(")"):
            raise ScriptError(f'syntax error: unexpected {parser.unexpected()} (expecting ")")')
        body = parser.sequence()
        parser.newlines()
        # The longest first.
        end = next((e for e in (";;&", ";;", ";&") if parser.take(e)), "")
        arms.append((tuple(patterns), body if body.items else None, end))
        parser.newlines()
    parser.pos += 4
    return CaseCommand(word, tuple(arms))


def read_function(parser: "Parser") -> Node:
    """``function name { … }``."""
    parser.pos += 8
    parser.blanks()
    name = parser.word().const
    parser.blanks()
    if not name:
        raise ScriptError("syntax error: bad function name")
    if parser.take("("):
        parser.expect(")")
    return parser.function_body(name)


def read_condition(parser: "Parser") -> Node:
    """``[[ … ]]``."""
    parser.pos += 2
    words: list[Word] = []
    while True:
        parser.newlines()
        if re.compile(r"\]\](?=[\s;&|)]|$)").match(parser.text, parser.pos):
            parser.pos += 2
            return Condition(tuple(words))
        if parser.pos >= len(parser.text):
            raise ScriptError('syntax error: unexpected end of file (expecting "]]")')
        # Brackets and bars belong to the pattern there; only blanks end it.
        regex = bool(words) and words[-1].const == "=~"
        op = "" if regex else next((o for o in ("&&", "||", "(", ")", "<", ">") if parser.take(o)), "")
        words.append(Word((Lit(op),), "\0" + op) if op else parser.word(" \t\n" if regex else METACHARS))
        if not op and not words[-1].parts:
            raise ScriptError(f'syntax error: unexpected "{parser.unexpected()}"')


READERS: dict[str, Callable[["Parser"], Node]] = {
    "if": read_if,
    "while": read_while,
    "until": read_while,
    "for": read_for,
    "case": read_case,
    "{": read_group,
    "[[": read_condition,
    "function": read_function,
}
"""The reader of the compound command that each reserved word starts."""
