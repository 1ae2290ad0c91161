"""Syntax of a script. Nodes are frozen and shared by every run of the same text."""

from typing import TypeAlias

from msgspec import Struct


class Lit(Struct, frozen=True):
    """Literal text; ``quoted`` text is neither split nor matched against files."""

    text: str
    quoted: bool = False


class Param(Struct, frozen=True):
    """``$name``, ``${name…}``. ``op`` is what follows the name (``:-``, ``#``, ``##``, ``/``, ``:``, ``len`` …)."""

    name: str
    op: str = ""
    arg: "Word | None" = None
    arg2: "Word | None" = None
    index: "Word | None" = None
    quoted: bool = False


class CommandSub(Struct, frozen=True):
    """``$(…)`` or backquotes."""

    body: "Node"
    quoted: bool = False


class ArithSub(Struct, frozen=True):
    """``$((…))``: the text is expanded first, then evaluated."""

    text: "Word"
    quoted: bool = False


Part: TypeAlias = Lit | Param | CommandSub | ArithSub


class Word(Struct, frozen=True):
    """One word. ``const`` is its text if nothing in it can expand, split or match."""

    parts: tuple[Part, ...]
    const: str | None = None


class Redirect(Struct, frozen=True):
    """``fd op target``: ``<``, ``>``, ``>>``, ``>&``, ``<&``, ``&>``, ``&>>``, ``<<`` (target is the text), ``<<<``."""

    fd: int
    op: str
    target: Word


class Assign(Struct, frozen=True):
    """``name=value``, ``name+=value``, ``name[i]=value`` or (``items`` set) ``name=(…)``."""

    name: str
    value: Word
    append: bool = False
    index: Word | None = None
    items: tuple[Word, ...] | None = None


class Simple(Struct, frozen=True):
    """Assignments, words and redirections of a simple command."""

    words: tuple[Word, ...]
    assigns: tuple[Assign, ...] = ()
    redirects: tuple[Redirect, ...] = ()


class Item(Struct, frozen=True):
    """One command of a list; ``background`` if it ends in ``&``."""

    node: "Node"
    background: bool = False


class Sequence(Struct, frozen=True):
    """Commands one after the other."""

    items: tuple[Item, ...]


class AndOr(Struct, frozen=True):
    """``a && b || c``: ``ops[i]`` precedes ``nodes[i + 1]``."""

    nodes: tuple["Node", ...]
    ops: tuple[str, ...]


class Pipeline(Struct, frozen=True):
    """``a | b``; ``negate`` for a leading ``!``."""

    nodes: tuple["Node", ...]
    negate: bool = False


class If(Struct, frozen=True):
    """``branches`` are (condition, body) pairs."""

    branches: tuple[tuple["Node", "Node"], ...]
    otherwise: "Node | None" = None


class Loop(Struct, frozen=True):
    """``while``/``until``. ``idle``: it only sleeps forever (2: and waits for every child), so its rounds cannot be observed."""

    condition: "Node"
    body: "Node"
    until: bool = False
    idle: int = 0


class For(Struct, frozen=True):
    """``for name in words``; ``words`` None = the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: "Node"


class ArithFor(Struct, frozen=True):
    """``for ((first; condition; step))``."""

    first: Word
    condition: Word
    step: Word
    body: "Node"


class CaseCommand(Struct, frozen=True):
    """``case word in pattern) …`` with (patterns, body, terminator)."""

    word: Word
    arms: tuple[tuple[tuple[Word, ...], "Node | None", str], ...]


class Subshell(Struct, frozen=True):
    """``( … )``."""

    body: "Node"


class Function(Struct, frozen=True):
    """``name() body``."""

    name: str
    body: "Node"


class Condition(Struct, frozen=True):
    """``[[ … ]]``: words and operators in order (operators are quoted-free literals)."""

    words: tuple[Word, ...]


class Arith(Struct, frozen=True):
    """``(( … ))``."""

    text: Word


class Redirected(Struct, frozen=True):
    """A compound command with redirections."""

    node: "Node"
    redirects: tuple[Redirect, ...]


Node: TypeAlias = (
    Simple | Sequence | AndOr | Pipeline | If | Loop | For | ArithFor | CaseCommand | Subshell | Function | Condition | Arith | Redirected
)
