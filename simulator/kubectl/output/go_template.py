"""A small part of Go's templates: fields, variables, ``if``, ``range``, ``with``, pipelines, and the functions that are used with kubectl.

Source: Go's text/template; kubectl adds ``base64decode`` and ``exists``. Anything else (``define``, ``template``,
``block``, ``break`` and the other functions) is refused with a message. Each step is counted, and a template may take
at most ``EFFORT_MAX`` steps.
"""

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from simulator.kubectl.output.go_values import go_sprint, quoted
from simulator.kubectl.output.jsonpath import PathError, compare

EFFORT_MAX = 200_000
"""The most steps that one template may take."""
TEXT_MAX = 1 << 21
"""The most characters that it may print."""
_TOO_MUCH = "the template does more than this command line does"
_NESTING_MAX = 20
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<raw>`[^`]*`)|(?P<number>-?[0-9]{1,18}(?:\.[0-9]{1,18})?)"""
    r"""|(?P<name>[\$\w]*(?:\.\w+)+|\$\w*|[a-zA-Z_]\w*)|(?P<sign>:=|[.|(),=]))"""
)
_COMPARED = {"ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_BEGINS = ("if", "range", "with")
_LITERALS = ("true", "false", "nil")
_LEFT_OUT = ("define", "template", "block", "break", "continue")


class TemplateError(Exception):
    """What is wrong with a template, in Go's words if Go has a message for it."""


class _Part(Struct):
    """A text, a pipeline, or a block with its body and the parts after its ``else``."""

    kind: str
    text: str = ""
    tokens: list[tuple[str, str]] = []
    body: list["_Part"] = []
    other: list["_Part"] = []


class GoTemplate:
    """A parsed template. Raises TemplateError if it cannot be parsed."""

    def __init__(self, text: str) -> None:
        self._pieces = list(_pieces(text))
        self._place = 0
        self.parts, end = self._block(0)
        if end:
            raise TemplateError(f"unexpected {{{{{end.text}}}}}")

    def _block(self, depth: int) -> tuple[list[_Part], _Part | None]:
        """The parts up to the next ``else`` or ``end``, and that part."""
        if depth > _NESTING_MAX:
            raise TemplateError("the template nests too deeply")
        found: list[_Part] = []
        while self._place < len(self._pieces):
            part = self._pieces[self._place]
            self._place += 1
            if part.kind in ("else", "end"):
                return found, part
            if part.kind in _BEGINS:
                self._inside(part, depth)
            found.append(part)
        return found, None

    def _inside(self, part: _Part, depth: int) -> None:
        part.body, end = self._block(depth + 1)
        if end is not None and end.kind == "else":
            if end.tokens:
                # ``else if`` is an if inside the else that shares its end.
                inner = _Part(end.tokens[0][1], end.text.removeprefix("else").strip(), end.tokens[1:])
                self._inside(inner, depth + 1)
                part.other = [inner]
                return
            part.other, end = self._block(depth + 1)
        if end is None or end.kind != "end":
            raise TemplateError("unexpected EOF" if end is None else "unexpected {{else}}")

    def text_of(self, document: Any) -> str:
        """What the template prints for a document. Raises TemplateError."""
        return "".join(_TemplateRun().printed(self.parts, document, {"$": document}))


def _pieces(text: str) -> Iterator[_Part]:
    """The texts and actions of a template, in order."""
    place, trims = 0, False
    while True:
        start = text.find("{{", place)
        before = text[place:] if start < 0 else text[place:start]
        before = before.lstrip() if trims else before
        if start < 0:
            yield _Part("text", before)
            return
        end = text.find("}}", start)
        if end < 0:
            raise TemplateError("unclosed action")
        inside, place = text[start + 2 : end], end + 2
        if inside.startswith(("- ", "-\n")):
            before, inside = before.rstrip(), inside[1:]
        trims = inside.endswith((" -", "\n-"))
        inside = inside[:-1] if trims else inside
        yield _Part("text", before)
        if not (inside.strip().startswith("/*") and inside.strip().endswith("*/")):
            yield _action(inside.strip())


def _action(text: str) -> _Part:
    word, _, rest = text.partition(" ")
    if word in _LEFT_OUT:
        raise TemplateError(f"this command line does not know {{{{{word}}}}}")
    if not text:
        raise TemplateError("missing value for command")
    if word == "else" and rest.strip().startswith("if "):
        return _Part(word, text, [("name", "if"), *_tokens(rest.strip().removeprefix("if "))])
    if word in (*_BEGINS, "else", "end"):
        return _Part(word, text, list(_tokens(rest)))
    return _Part("action", text, list(_tokens(text)))


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if found is None:
            raise TemplateError(f"unexpected {quoted(text[place:].strip()[:1])} in command")
        place = found.end()
        kind = str(found.lastgroup)
        if kind == "name" and found[kind][0].isalpha() and "." not in found[kind] and found[kind] not in (*_KNOWN, *_LITERALS):
            raise TemplateError(f"function {quoted(found[kind])} not defined")
        yield kind, found[kind]


class _TemplateRun:
    """One run of a template over a document."""

    def __init__(self) -> None:
        self.effort, self.chars = 0, 0

    def pay(self, chars: int = 0) -> None:
        """Count a step and the characters printed. Raises TemplateError if it is too much."""
        self.effort += 1
        self.chars += chars
        if self.effort > EFFORT_MAX or self.chars > TEXT_MAX:
            raise TemplateError(_TOO_MUCH)

    def printed(self, parts: Sequence[_Part], dot: Any, names: Mapping[str, Any]) -> Iterator[str]:
        """The texts that the parts print."""
        names = dict(names)
        for part in parts:
            self.pay(len(part.text) if part.kind == "text" else 0)
            if part.kind == "text":
                yield part.text
            elif part.kind == "action":
                yield from self._action(part, dot, names)
            elif part.kind == "range":
                yield from self._range(part, dot, names)
            else:
                inner = dict(names)
                value = self._declared(part.tokens, dot, inner)[1]
                chosen = part.body if _is_true(value) else part.other
                yield from self.printed(chosen, value if part.kind == "with" and _is_true(value) else dot, inner)

    def _action(self, part: _Part, dot: Any, names: dict[str, Any]) -> Iterator[str]:
        is_declared, value = self._declared(part.tokens, dot, names)
        if not is_declared:
            text = "<no value>" if value is None else go_sprint(value)
            self.pay(len(text))
            yield text

    def _declared(self, tokens: list[tuple[str, str]], dot: Any, names: dict[str, Any]) -> tuple[bool, Any]:
        """The value of a pipeline, and whether ``$x :=`` or ``$x =`` gives it a name instead of printing it."""
        if len(tokens) > 1 and tokens[0][1].startswith("$") and tokens[1][1] in (":=", "="):
            names[tokens[0][1]] = value = self.value(tokens[2:], dot, names)
            return True, value
        return False, self.value(tokens, dot, names)

    def _range(self, part: _Part, dot: Any, names: Mapping[str, Any]) -> Iterator[str]:
        words = [text for _, text in part.tokens]
        place = words.index(":=") if ":=" in words else -1
        called = [word for word in words[: max(place, 0)] if word != ","]
        value = self.value(part.tokens[place + 1 :], dot, names)
        items = _items(value)
        for key, item in items:
            inner = dict(names)
            inner.update(zip(called, [key, item] if len(called) == 2 else [item], strict=False))
            yield from self.printed(part.body, item, inner)
        if not items:
            yield from self.printed(part.other, dot, names)

    def value(self, tokens: list[tuple[str, str]], dot: Any, names: Mapping[str, Any]) -> Any:
        """The value of a pipeline: each command gets the previous one's value as its last argument."""
        self.pay()
        found: list[Any] = []
        for command in _split(tokens):
            found = [self._command(command, dot, names, found)]
        if not found:
            raise TemplateError("missing value for command")
        return found[0]

    def _command(self, tokens: list[tuple[str, str]], dot: Any, names: Mapping[str, Any], last: list[Any]) -> Any:
        self.pay()
        if not tokens:
            raise TemplateError("missing value for command")
        if tokens[0][0] == "name" and tokens[0][1] in _KNOWN:
            arguments = [*self._arguments(tokens[1:], dot, names), *last]
            self.pay(_chars_of(arguments))
            made = _KNOWN[tokens[0][1]](arguments)
            self.pay(_chars_of([made]))
            return made
        values = self._arguments(tokens, dot, names)
        if len(values) != 1 or last:
            raise TemplateError(f"can't give argument to non-function {tokens[0][1]}")
        return values[0]

    def _arguments(self, tokens: list[tuple[str, str]], dot: Any, names: Mapping[str, Any]) -> list[Any]:
        found: list[Any] = []
        place = 0
        while place < len(tokens):
            kind, text = tokens[place]
            if text == "(" and kind == "sign":
                end = _closing(tokens, place)
                found.append(self.value(tokens[place + 1 : end], dot, names))
                place = end
            else:
                found.append(self._operand(kind, text, dot, names))
            place += 1
        return found

    def _operand(self, kind: str, text: str, dot: Any, names: Mapping[str, Any]) -> Any:
        if kind == "text":
            return _unquoted(text)
        if kind == "raw":
            return text[1:-1]
        if kind == "number":
            return float(text) if "." in text else int(text)
        if text == ".":
            return dot
        if text in _LITERALS:
            return {"true": True, "false": False}.get(text)
        first, *path = text.split(".")
        if kind == "sign" or (first and first not in names):
            raise TemplateError(f"undefined variable {quoted(first)}" if first.startswith("$") else f"unexpected {text} in operand")
        value = names[first] if first else dot
        for key in path:
            if isinstance(value, list | str | int | float):
                raise TemplateError(f"can't evaluate field {key} in type interface {{}}")
            value = value.get(key) if value is not None else None
        return value


def _split(tokens: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """The commands separated by the bars that are not inside parentheses."""
    found: list[list[tuple[str, str]]] = [[]]
    depth = 0
    for kind, text in tokens:
        depth += (text == "(") - (text == ")") if kind == "sign" else 0
        if kind == "sign" and text == "|" and not depth:
            found.append([])
        else:
            found[-1].append((kind, text))
    return found


def _closing(tokens: list[tuple[str, str]], place: int) -> int:
    depth = 0
    for number in range(place, len(tokens)):
        depth += (tokens[number] == ("sign", "(")) - (tokens[number] == ("sign", ")"))
        if not depth:
            return number
    raise TemplateError("unclosed left paren")


def _unquoted(text: str) -> str:
    escapes = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
    return re.sub(r"\\(.)", lambda found: escapes.get(found[1], found[1]), text[1:-1])


def _is_true(value: Any) -> bool:
    return bool(value)


def _items(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return sorted(value.items())
    if isinstance(value, list):
        return list(enumerate(value))
    if value is None:
        return []
    raise TemplateError(f"range can't iterate over {go_sprint(value)}")


def _needs(arguments: Sequence[Any], count: int, name: str) -> None:
    if len(arguments) < count:
        raise TemplateError(f"wrong number of args for {name}: want at least {count} got {len(arguments)}")


def _eq(arguments: list[Any]) -> bool:
    _needs(arguments, 2, "eq")
    return any(_same("==", arguments[0], other) for other in arguments[1:])


def _same(operator: str, left: Any, right: Any) -> bool:
    if left is None or right is None:
        return (left is right) is (operator == "==")
    try:
        return compare(operator, left, right)
    except PathError as error:
        raise TemplateError(str(error)) from None


def _comparing(name: str) -> Callable[[list[Any]], bool]:
    def function(arguments: list[Any]) -> bool:
        _needs(arguments, 2, name)
        return _same(_COMPARED[name], arguments[0], arguments[1])

    return function


def _and(arguments: list[Any]) -> Any:
    _needs(arguments, 1, "and")
    return next((item for item in arguments if not item), arguments[-1])


def _or(arguments: list[Any]) -> Any:
    _needs(arguments, 1, "or")
    return next((item for item in arguments if item), arguments[-1])


def _not(arguments: list[Any]) -> bool:
    _needs(arguments, 1, "not")
    return not arguments[0]


def _len(arguments: list[Any]) -> int:
    _needs(arguments, 1, "len")
    if not isinstance(arguments[0], str | list | dict):
        raise TemplateError(f"error calling len: len of {'nil pointer' if arguments[0] is None else 'type ' + type(arguments[0]).__name__}")
    return len(arguments[0].encode(errors="replace") if isinstance(arguments[0], str) else arguments[0])


def _index(arguments: list[Any]) -> Any:
    _needs(arguments, 1, "index")
    value, *keys = arguments
    for key in keys:
        if isinstance(value, dict) and isinstance(key, str):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int):
            if not 0 <= key < len(value):
                raise TemplateError(f"error calling index: index out of range: {key}")
            value = value[key]
        elif value is None:
            raise TemplateError("error calling index: index of untyped nil")
        else:
            raise TemplateError(f"error calling index: cannot index with {go_sprint(key)}")
    return value


def _exists(arguments: list[Any]) -> bool:
    _needs(arguments, 1, "exists")
    value, *keys = arguments
    for key in keys:
        if not (isinstance(value, dict) and key in value) and not (
            isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value)
        ):
            return False
        value = value[key]
    return True


def _chars_of(values: Iterable[Any]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))


def _sprinted(values: Iterable[Any]) -> Iterator[str]:
    """Each value as text. Raises TemplateError as soon as they exceed what a template may print."""
    left = TEXT_MAX
    for value in values:
        text = go_sprint(value)
        left -= len(text)
        if left < 0:
            raise TemplateError(_TOO_MUCH)
        yield text


def _print(arguments: list[Any]) -> str:
    texts = list(_sprinted(arguments))
    # A space goes between two values if neither is a string.
    blanks = [" " if not isinstance(a, str) and not isinstance(b, str) else "" for a, b in pairwise(arguments)]
    return "".join(text + blank for text, blank in zip(texts, [*blanks, ""], strict=False))


def _println(arguments: list[Any]) -> str:
    return " ".join(_sprinted(arguments)) + "\n"


def _printf(arguments: list[Any]) -> str:
    _needs(arguments, 1, "printf")
    left = zip(arguments[1:], _sprinted(arguments[1:]), strict=True)

    def one(found: re.Match[str]) -> str:
        if found[2] == "%":
            return "%"
        value, text = next(left, (None, None))
        if text is None:
            return f"%!{found[2]}(MISSING)"
        text = quoted(value) if found[2] == "q" and isinstance(value, str) else text
        width = int(found[1].lstrip("-") or 0)
        return text.ljust(width) if found[1].startswith("-") else text.rjust(width)

    return re.sub(r"%(-?[0-9]{0,3})([sdvqt%])", one, str(arguments[0]))


def _base64decode(arguments: list[Any]) -> str:
    _needs(arguments, 1, "base64decode")
    try:
        return base64.b64decode(str(arguments[0]), validate=True).decode(errors="replace")
    except ValueError as error:
        raise TemplateError(f"error calling base64decode: {error}") from None


_KNOWN: dict[str, Callable[[list[Any]], Any]] = {
    "eq": _eq, **{name: _comparing(name) for name in _COMPARED}, "and": _and, "or": _or, "not": _not, "len": _len, "index": _index,
    "exists": _exists, "print": _print, "println": _println, "printf": _printf, "base64decode": _base64decode,
}  # fmt: skip
