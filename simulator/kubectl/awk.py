"""The part of ``awk`` that is used after kubectl: a condition and what to print, as in ``NR>1 && $3=="Running" {print $1, $NF}``."""

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from simulator.engine.containers import regex
from simulator.engine.containers.effort import Meter
from simulator.kubectl.line import BadLine

TEXT_MAX = 4 << 20
"""The most characters that can go through a pipe."""
_RULE = re.compile(r"(?P<condition>[^{}]*)(?:\{(?P<action>[^{}]*)\})?\s*;?\s*")
_TERM = re.compile(
    r"""\s*(?P<not>!)?\s*(?:/(?P<pattern>(?:[^/\\]|\\.)*)/|(?P<left>\$?\w+)\s*(?:(?P<op>==|!=|<=|>=|<|>|!~|~)\s*"""
    r"""(?:"(?P<text>[^"]*)"|/(?P<match>(?:[^/\\]|\\.)*)/|(?P<right>\$?[\w.]+)))?)\s*"""
)
_TOKEN = re.compile(r"\s*(?:\"(?P<text>(?:[^\"\\]|\\.)*)\"|(?P<field>\$(?:NF|[0-9]{1,6}))|(?P<name>NF|NR)|(?P<number>[0-9]+)|(?P<comma>,))")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_ESCAPES = {"n": "\n", "t": "\t"}


class _AwkLine(Struct, frozen=True):
    """A line with its number and its fields."""

    line: str
    number: int
    fields: list[str]

    def value(self, name: str) -> str:
        """The value of a field, ``NR``, ``NF`` or a number."""
        if name == "NR":
            return str(self.number)
        if name == "NF":
            return str(len(self.fields))
        if not name.startswith("$"):
            return name
        place = len(self.fields) if name == "$NF" else int(name[1:])
        return self.line if place == 0 else self.fields[place - 1] if place <= len(self.fields) else ""


Test = Callable[[_AwkLine], bool]


def bounded(texts: Iterable[str]) -> str:
    """The texts joined. Raises BadLine as soon as they exceed the limit of a pipe, before any more are produced."""
    found, left = [], TEXT_MAX
    for text in texts:
        left -= len(text)
        if left < 0:
            raise BadLine(f"error: this command line takes no more than {TEXT_MAX} characters through a pipe")
        found.append(text)
    return "".join(found)


def awk(words: list[str], text: str) -> str:
    """What ``awk [-F C] PROGRAM`` prints for a text. Raises BadLine for a program outside the supported subset. O(text × program)."""
    separator, rest = " ", words[1:]
    while rest and rest[0].startswith("-F"):
        word = rest.pop(0)
        separator = word[2:] or (rest.pop(0) if rest else " ")
        if len(separator) > 1 and re.search(r"[][(){}.*+?^$|]", separator):  # a regular expression
            raise _unknown(f"-F {separator}")
    if len(rest) != 1:
        raise _unknown(" ".join(words))
    found = _RULE.fullmatch(rest[0].strip())
    if found is None or not rest[0].strip():
        raise _unknown(rest[0])
    condition, pieces = found["condition"].strip(), list(_printed(found["action"], rest[0]))
    lines = text.removesuffix("\n").split("\n") if text else []
    rows = [_AwkLine(line, number, _fields(line, separator)) for number, line in enumerate(lines, 1)]
    # In END, the fields and the number of the last line are still available.
    rows, condition = (rows[-1:] or [_AwkLine("", 0, [])], "") if condition == "END" else (rows, condition)
    test = _condition(condition, rest[0])
    end: list[Callable[[_AwkLine], str]] = [lambda row: "\n"]
    return bounded(piece(row) for row in rows if test(row) for piece in (*pieces, *end))


def _unknown(program: str) -> BadLine:
    return BadLine(f"awk: this command line knows a condition and {{print …}}, and not {program[:60]}")


def _fields(line: str, separator: str) -> list[str]:
    if not separator:  # every character is a field
        return list(line)
    return line.split() if separator == " " else line.split(separator.replace("\\t", "\t"))


def _condition(text: str, program: str) -> Test:
    """The test in front of the braces: terms joined by ``&&`` or by ``||``."""
    if not text:
        return lambda row: True
    mark = "&&" if "&&" in text else "||"
    if "&&" in text and "||" in text:
        raise _unknown(program)
    tests = [_term(term, program) for term in text.split(mark)]
    together = all if mark == "&&" else any
    return lambda row: together(test(row) for test in tests)


def _term(text: str, program: str) -> Test:
    found = _TERM.fullmatch(text)
    if found is None:
        raise _unknown(program)
    wanted = not found["not"]
    if found["pattern"] is not None:
        pattern = regex.posix(Meter(), found["pattern"], extended=True)
        return lambda row: (pattern.search(Meter(), row.line) is not None) is wanted
    left, operator = found["left"], found["op"]
    _check_name(left, program)
    if operator is None:
        return lambda row: (row.value(left) not in ("", "0")) is wanted
    if operator in ("~", "!~"):
        source = found["match"] if found["match"] is not None else found["text"] or ""
        within = regex.posix(Meter(), source, extended=True)
        return lambda row: (within.search(Meter(), row.value(left)) is not None) is ((operator == "~") is wanted)
    if found["match"] is not None:
        raise _unknown(program)
    right = found["right"]
    if right is not None:
        _check_name(right, program)
    return lambda row: _compared(row.value(left), operator, row.value(right) if right is not None else found["text"]) is wanted


def _check_name(name: str, program: str) -> None:
    if not (name in ("NR", "NF", "$NF") or re.fullmatch(r"\$?[0-9]{1,6}|[0-9]{1,6}\.[0-9]+", name)):
        raise _unknown(program)


def _compared(left: str, operator: str, right: str) -> bool:
    """Compare as numbers if both are numbers, otherwise as text."""
    both = all(_NUMBER.fullmatch(side) and len(side) < 30 for side in (left, right))
    order = (float(left) > float(right)) - (float(left) < float(right)) if both else (left > right) - (left < right)
    return {"==": order == 0, "!=": order != 0, "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0}[operator]


def _printed(action: str | None, program: str) -> Iterator[Callable[[_AwkLine], str]]:
    """The pieces printed for a line."""
    body = "print" if action is None else action.strip().rstrip(";").strip()
    if not re.fullmatch(r"print(?:[\s\"$(].*)?", body, re.DOTALL):
        raise _unknown(program)
    rest = body.removeprefix("print").strip()
    place = 0
    if not rest:
        yield lambda row: row.line
    while place < len(rest):
        token = _TOKEN.match(rest, place)
        if token is None:
            raise _unknown(program)
        place = token.end()
        yield _piece(token)


def _piece(token: re.Match[str]) -> Callable[[_AwkLine], str]:
    if token["comma"]:
        return lambda row: " "
    name = token["field"] or token["name"] or token["number"]
    if name:
        return lambda row: row.value(name)
    text = re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), token["text"] or "")
    return lambda row: text
