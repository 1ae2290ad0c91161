"""Shell arithmetic: 64-bit integers with C's operators, variables and assignments.

An operator-precedence walk over tokens that evaluates as it goes. A branch not taken (the other side of
``?:``, ``&&`` and ``||``) is still parsed but not ``live``: it assigns nothing and divides nothing. A
variable may itself hold an expression, as in bash, so depth is bounded by ``LEVELS_MAX``.
"""

import operator
import re
from collections.abc import Callable

from simulator.engine.containers.effort import Meter
from simulator.engine.kernel.caching import cached_when_short

Lookup = Callable[[str], str]
Store = Callable[[str, str], None]

_TOKEN = re.compile(
    r"\s*(?:(0[xX][0-9A-Fa-f]+|[0-9]+#[0-9A-Za-z]+|[0-9]+)|([A-Za-z_][A-Za-z0-9_]*)"
    r"|(<<=|>>=|\*\*|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|<<|>>|[-+*/%<>=!~&|^?:(),]))"
)
_BINARY = {
    ",": 1, "?": 3, "||": 4, "&&": 5, "|": 6, "^": 7, "&": 8, "==": 9, "!=": 9, "<": 10, "<=": 10, ">": 10, ">=": 10,
    "<<": 11, ">>": 11, "+": 12, "-": 12, "*": 13, "/": 13, "%": 13, "**": 14,
}  # fmt: skip
_ASSIGNS = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")


LEVELS_MAX = 40
"""Combined nesting limit of brackets, signs and variables that hold expressions."""


class ArithError(Exception):
    """The expression is wrong; the text is the reason."""


def wrap(value: int) -> int:
    """``value`` as a signed 64-bit integer."""
    return ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


@cached_when_short(maxsize=2048, chars_max=1_000)
def _tokens(text: str) -> tuple[str, ...]:
    found, at = [], 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise ArithError("syntax error")
        found.append(match.group(match.lastindex or 0))
        at = match.end()
    return tuple(found)


def number(text: str) -> int:
    """Value of a number as the shell reads it (octal, hexadecimal, ``base#digits``)."""
    try:
        if "#" in text:
            base, _, digits = text.partition("#")
            return wrap(int(digits, int(base)))
        sign = -1 if text.startswith("-") else 1
        digits = text.lstrip("+-")
        if digits[:2] in ("0x", "0X"):
            return wrap(sign * int(digits, 16))
        return wrap(sign * int(digits, 8 if len(digits) > 1 and digits[0] == "0" else 10))
    except ValueError as problem:
        raise ArithError("syntax error") from problem


_SIMPLE: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "|": operator.or_, "&": operator.and_, "^": operator.xor,
    "<<": lambda left, right: left << (right & 63), ">>": lambda left, right: left >> (right & 63),
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def _apply(op: str, left: int, right: int) -> int:
    if op in ("/", "%"):
        if right == 0:
            raise ArithError("divide by zero")
        # C divides towards zero, Python towards minus infinity.
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return wrap(quotient if op == "/" else left - quotient * right)
    if op == "**":
        if right < 0 or right > 64:
            raise ArithError("exponent out of range")
        return wrap(left**right)
    return wrap(_SIMPLE[op](left, right))


class _Evaluation:
    """One walk over the tokens of an expression."""

    def __init__(self, tokens: tuple[str, ...], lookup: Lookup, store: Store, meter: Meter, level: int) -> None:
        self.tokens = tokens
        self.at = 0
        self.lookup = lookup
        self.store = store
        self.meter = meter
        self.level = level

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def variable(self, name: str) -> int:
        text = self.lookup(name)
        self.meter.charge(len(text) + 8)
        text = text.strip()
        if not text:
            return 0
        if re.fullmatch(r"[-+]?[0-9][0-9A-Za-z#]*", text):
            return number(text)
        # ``a=a`` would look itself up without end.
        if text == name:
            return 0
        self.deeper()
        value = _evaluate(text, self.lookup, self.store, self.meter, self.level)
        self.level -= 1
        return value

    def deeper(self) -> None:
        self.level += 1
        if self.level > LEVELS_MAX:
            raise ArithError("expression recursion level exceeded")

    def expression(self, floor: int, *, live: bool) -> int:
        self.deeper()
        left = self.unary(live=live)
        while (op := self.peek()) in _BINARY and _BINARY[op] >= floor:
            self.next()
            left = self.binary(op, left, live=live)
        self.level -= 1
        return left

    def binary(self, op: str, left: int, *, live: bool) -> int:
        if op == "?":
            chosen = self.expression(1, live=live and left != 0)
            if self.next() != ":":
                raise ArithError("syntax error")
            other = self.expression(3, live=live and left == 0)
            return chosen if left else other
        if op in ("&&", "||"):
            needed = (left != 0) == (op == "&&")
            right = self.expression(_BINARY[op] + 1, live=live and needed)
            return int(left != 0 and right != 0) if op == "&&" else int(left != 0 or right != 0)
        # Only ``**`` is right-associative.
        right = self.expression(_BINARY[op] + (op != "**"), live=live)
        if op == ",":
            return right
        return _apply(op, left, right) if live else 0

    def unary(self, *, live: bool) -> int:
        token = self.next()
        if token == "(":
            value = self.expression(1, live=live)
            if self.next() != ")":
                raise ArithError("syntax error")
            return value
        if token in ("++", "--"):
            return self.step(self.next(), token, live=live)
        if token in ("+", "-", "!", "~"):
            self.deeper()
            value = self.unary(live=live)
            self.level -= 1
            return {"+": value, "-": -value, "!": int(value == 0), "~": ~value}[token]
        if token[:1].isdigit():
            return number(token)
        if token[:1].isalpha() or token[:1] == "_":
            return self.name(token, live=live)
        raise ArithError("syntax error")

    def step(self, name: str, op: str, *, live: bool) -> int:
        value = wrap(self.variable(name) + (1 if op == "++" else -1))
        if live:
            self.store(name, str(value))
        return value

    def name(self, name: str, *, live: bool) -> int:
        following = self.peek()
        if following in ("++", "--"):
            self.next()
            return self.step(name, following, live=live) - (1 if following == "++" else -1)
        if following not in _ASSIGNS:
            return self.variable(name)
        self.next()
        value = self.expression(3, live=live)
        if following != "=":
            value = _apply(following[:-1], self.variable(name), value) if live else 0
        if live:
            self.store(name, str(value))
        return value


def evaluate(text: str, lookup: Lookup, store: Store, meter: Meter) -> int:
    """Value of an expression; an empty one is 0. Raises ArithError."""
    return _evaluate(text, lookup, store, meter, 0)


def _evaluate(text: str, lookup: Lookup, store: Store, meter: Meter, level: int) -> int:
    meter.charge(4 * len(text) + 16)
    tokens = _tokens(text)
    if not tokens:
        return 0
    meter.charge(24 * len(tokens))
    walk = _Evaluation(tokens, lookup, store, meter, level)
    value = walk.expression(1, live=True)
    if walk.at < len(tokens):
        raise ArithError("syntax error")
    return value
