"""JSONPath as kubectl reads it: texts with actions in braces, ranges, filters, slices, unions and recursive descent.

Source: k8s.io/client-go util/jsonpath (parser.go, jsonpath.go), third_party/forked/golang/template. For a wildcard or
``..`` Go walks the keys of a map in random order; here they are sorted, which is one of the possible orders.

A template is short (a command line), but what it finds may not be: every value that is visited is counted, and a
template that needs more than ``EFFORT_MAX`` is refused.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from simulator.kubectl.line import BadLine
from simulator.kubectl.output.go_values import go_sprint, type_name

EFFORT_MAX = 500_000
"""The most values that one template may visit."""
PRINTED_MAX = 1 << 24
"""The most characters that one template may print, more than all objects of a large run have."""
_DICT_KEY = re.compile(r"'([^']*)'")
_SLICE = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?", re.ASCII)
_FILTER = re.compile(r"([^!<>=]+)([!<>=]+)(.+?)", re.DOTALL)
_RELAXED = re.compile(r"\{\.?([^{}]+)\}|\.?([^{}]+)", re.DOTALL)
_ENDS = frozenset(".,[]$@{} \t\n\r")
_NUMBER_MAX = 9
_NESTING_MAX = 30


class PathError(Exception):
    """What is wrong with a template or with what it asks of an object, in the library's words."""


class _Node(Struct, frozen=True):
    """A part of a template. ``kind`` says what it does, ``value`` is the text, number or parts it does it with."""

    kind: str
    value: Any = None


class _Bound(Struct, frozen=True):
    """One of the three numbers of a slice. ``derived``: the end implied by a single index."""

    value: int = 0
    known: bool = False
    derived: bool = False


class _TemplateReader:
    """Parses a template. Raises PathError."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text, self.place, self.depth = text, 0, depth
        if depth > _NESTING_MAX:
            raise PathError("the template nests too deeply")

    def parts(self) -> list[_Node]:
        """The texts and actions, in order."""
        found: list[_Node] = []
        while self.place < len(self.text):
            start = self.text.find("{", self.place)
            text = self.text[self.place : start if start >= 0 else len(self.text)]
            if text:
                found.append(_Node("text", text))
            if start < 0:
                break
            self.place = start + 1
            found.append(_Node("list", self._action()))
        return found

    def _action(self) -> list[_Node]:
        """The nodes up to the closing brace."""
        nodes: list[_Node] = []
        while True:
            rest = self.text[self.place : self.place + 3]
            if rest.startswith("}"):
                self.place += 1
                return nodes
            if rest.startswith("[?("):
                nodes.append(self._filter())
            elif rest.startswith(".."):
                self._recursive(nodes)
            else:
                self._one(nodes)

    def _one(self, nodes: list[_Node]) -> None:
        char = self.text[self.place : self.place + 1]
        if char in ("", "\n", "\r"):
            raise PathError("unclosed action")
        self.place += 1
        if char in " @$":
            return
        if char == "[":
            nodes += self._array()
        elif char in "\"'":
            nodes.append(self._quoted(char))
        elif char == ".":
            nodes.append(self._field())
        elif char in "+-" or char.isdigit():
            nodes.append(self._number(char))
        elif char.isalnum() or char == "_":
            nodes.append(self._word())
        else:
            raise PathError(f"unrecognized character in action: U+{ord(char):04X} '{char}'")

    def _recursive(self, nodes: list[_Node]) -> None:
        if nodes and nodes[-1].kind == "recursive":
            raise PathError("invalid multiple recursive descent")
        self.place += 2
        nodes.append(_Node("recursive"))
        char = self.text[self.place : self.place + 1]
        if char and (char.isalnum() or char == "_"):
            nodes.append(self._field())

    def _field(self) -> _Node:
        start = self.place
        while self.place < len(self.text) and self.text[self.place] not in _ENDS:
            self.place += 2 if self.text[self.place] == "\\" else 1
        name = self.text[start : self.place]
        return _Node("wildcard") if name == "*" else _Node("field", name.replace("\\", ""))

    def _word(self) -> _Node:
        self.place -= 1
        start = self.place
        while self.place < len(self.text) and self.text[self.place] not in _ENDS:
            self.place += 1
        word = self.text[start : self.place]
        return _Node("literal", word == "true") if word in ("true", "false") else _Node("word", word)

    def _number(self, first: str) -> _Node:
        start = self.place - 1
        while self.place < len(self.text) and (self.text[self.place].isdigit() or self.text[self.place] == "."):
            self.place += 1
        text = self.text[start : self.place]
        if not re.fullmatch(r"[+-]?[0-9]{1,18}(\.[0-9]{0,18})?", text):
            raise PathError(f"cannot parse number {text}")
        return _Node("literal", float(text) if "." in text else int(text))

    def _quoted(self, end: str) -> _Node:
        start = self.place - 1
        while True:
            char = self.text[self.place : self.place + 1]
            if char in ("", "\n"):
                raise PathError("unterminated quoted string")
            self.place += 1
            if char == end and self.text[self.place - 2] != "\\":
                break
        return _Node("text", _unquoted(self.text[start + 1 : self.place - 1], self.text[start : self.place]))

    def _array(self) -> list[_Node]:
        end = self.text.find("]", self.place)
        text = self.text[self.place : end]
        if end < 0 or "\n" in text:
            raise PathError("unterminated array")
        self.place = end + 1
        text = ":" if text == "*" else text
        if "," in text:
            return [_Node("union", [self._inner(f"[{part.strip(' ')}]") for part in text.split(",")])]
        key = _DICT_KEY.fullmatch(text)
        if key is not None:
            return self._inner(f".{key[1]}")
        found = _SLICE.fullmatch(text)
        if found is None or any(len(part or "") > _NUMBER_MAX for part in found.groups()):
            raise PathError(f"invalid array index {text}")
        return [_Node("slice", _bounds(found))]

    def _filter(self) -> _Node:
        self.place += len("[?(")
        start, quote, closed = self.place, "", False
        while True:
            char = self.text[self.place : self.place + 1]
            if char in ("", "\n"):
                raise PathError("unterminated filter")
            self.place += 1
            if char in "\"'" and not quote:
                quote = char
            elif char == quote and quote and self.text[self.place - 2] != "\\":
                closed = True
            elif char == ")" and bool(quote) is closed:
                break
        if self.text[self.place : self.place + 1] != "]":
            raise PathError("unclosed array expect ]")
        text = self.text[start : self.place - 1]
        self.place += 1
        found = _FILTER.fullmatch(text)
        if found is None:
            return _Node("filter", (self._inner(text), [], "exists"))
        return _Node("filter", (self._inner(found[1]), self._inner(found[3]), found[2]))

    def _inner(self, text: str) -> list[_Node]:
        """The nodes of an action inside an action."""
        parts = _TemplateReader(f"{{{text}}}", self.depth + 1).parts()
        nodes: list[_Node] = parts[0].value
        return nodes


def _unquoted(text: str, whole: str) -> str:
    escapes = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", '"': '"', "'": "'"}

    def char(found: re.Match[str]) -> str:
        if found[1] and not 0xD800 <= int(found[1], 16) < 0xE000:  # half of a surrogate pair is not a character
            return chr(int(found[1], 16))
        if found[1] or found[2] not in escapes:
            raise PathError(f"unquote string {whole} error invalid syntax")
        return escapes[found[2]]

    return re.sub(r"\\(?:u([0-9a-fA-F]{4})|(.?))", char, text, flags=re.DOTALL)


def _bounds(found: re.Match[str]) -> tuple[_Bound, _Bound, _Bound]:
    first, end, step = (part or "" for part in found.groups())
    begin = _Bound(int(first), known=True) if first not in ("", "-") else _Bound()
    return begin, _end(begin, end), _Bound(int(step[1:]), known=True) if step[1:] not in ("", "-") else _Bound()


def _end(begin: _Bound, end: str) -> _Bound:
    if not end:
        return _Bound(begin.value + 1, known=True, derived=True)
    return _Bound(int(end[1:]), known=True) if end[1:] not in ("", "-") else _Bound()


class JSONPath:
    """A parsed template. Raises PathError if it cannot be parsed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.nodes = _TemplateReader(text).parts()

    def results(self, document: Any, walk: "PathWalk | None" = None) -> list[list[Any]]:
        """What each part finds in a document, in order. Raises PathError. O(values visited), at most EFFORT_MAX in one walk."""
        walk = walk or PathWalk()
        return walk.block(self.nodes, 0, [document])[0]


class PathWalk:
    """A walk through one or several documents, whose cost is counted as a whole."""

    def __init__(self) -> None:
        self.effort, self.depth, self.chars = 0, 0, 0

    def block(self, nodes: Sequence[_Node], place: int, current: list[Any]) -> tuple[list[list[Any]], int]:
        """The results of the parts from a position up to the ``end`` of their range, and the position of that end."""
        found: list[list[Any]] = []
        while place < len(nodes):
            results, mark = self.part(nodes[place], current)
            if mark == "end":
                if not self.depth:
                    raise PathError("not in range, nothing to end")
                return found, place
            if mark == "range":
                place = self._range(nodes, place + 1, results, found)
            else:
                found.append(results)
            place += 1
        return found, place

    def _range(self, nodes: Sequence[_Node], start: int, values: list[Any], found: list[list[Any]]) -> int:
        """Run the parts of a range for each of its values; returns the position of its ``end``."""
        self.depth += 1
        if self.depth > _NESTING_MAX:
            raise PathError("the template nests too deeply")
        end = start
        for value in values or [None]:
            inner, end = self.block(nodes, start, [value] if values else [])
            found += inner if values else []
        self.depth -= 1
        return end

    def part(self, node: _Node, current: list[Any]) -> tuple[list[Any], str]:
        """What a part finds, and whether it begins or ends a range."""
        if node.kind != "list":
            return self.step(node, current), ""
        mark = ""
        for inner in node.value:
            if inner.kind == "word" and inner.value in ("range", "end"):
                mark = str(inner.value)
                if mark == "end":
                    return [], mark
                continue
            current = self.step(inner, current)
        return current, mark

    def listed(self, nodes: Sequence[_Node], current: list[Any]) -> list[Any]:
        """What the steps of one action find, applied one after the other."""
        for node in nodes:
            current = self.step(node, current)
        return current

    def pay(self, units: int) -> None:
        """Count values that are visited. Raises PathError if there are too many."""
        self.effort += units
        if self.effort > EFFORT_MAX:
            raise PathError("the template looks at more values than this command line does")

    def print(self, text: str) -> str:
        """The text, counted as printed. Raises PathError if it is too much."""
        self.chars += len(text)
        if self.chars > PRINTED_MAX:
            raise PathError("the template prints more than this command line does")
        return text

    def step(self, node: _Node, current: list[Any]) -> list[Any]:
        """The values that one node turns the current ones into."""
        self.pay(1 + len(current))
        if node.kind == "text":
            return [node.value]
        if node.kind == "literal":
            return [node.value for _ in current]
        if node.kind == "field":
            return [value[node.value] for value in current if isinstance(value, dict) and node.value in value]
        if node.kind == "word":
            raise PathError(f"unrecognized identifier {node.value}")
        return list({"wildcard": self._all, "recursive": self._below, "slice": self._slice, "union": self._union}.get(
            node.kind, self._filter)(node, current))  # fmt: skip

    def _all(self, node: _Node, current: list[Any]) -> Iterator[Any]:
        for value in current:
            inside = _children(value)
            self.pay(len(inside))
            yield from inside

    def _below(self, node: _Node, current: list[Any]) -> list[Any]:
        """Every value that contains something, and what it contains, from the outside in."""
        found: list[Any] = []
        stack = list(reversed(current))
        while stack:
            self.pay(1)
            value = stack.pop()
            if isinstance(value, str) and value:
                found.append(value)
            elif inside := _children(value):
                found.append(value)
                stack += reversed(inside)
        return found

    def _union(self, node: _Node, current: list[Any]) -> Iterator[Any]:
        for nodes in node.value:
            yield from self.listed(nodes, current)

    def _slice(self, node: _Node, current: list[Any]) -> Iterator[Any]:
        begin, end, step = node.value
        for value in current:
            if value is None:
                continue
            if not isinstance(value, list):
                raise PathError(f"{type_name(value)} is not array or slice")
            size = len(value)
            low = begin.value + (size if begin.value < 0 else 0)
            high = end.value if end.known else size
            high += size if high < 0 or (high == 0 and end.derived) else 0
            if low == high:
                return
            _check(low, high, size)
            if step.known and step.value <= 0:
                raise PathError("step must be > 0")
            part = value[low : high : step.value if step.known else 1]
            self.pay(len(part))
            yield from part

    def _filter(self, node: _Node, current: list[Any]) -> Iterator[Any]:
        left, right, operator = node.value
        for value in current:
            if not isinstance(value, list):
                raise PathError(f"{go_sprint(value)} is not array or slice and cannot be filtered")
            for item in value:
                if self._passes(item, left, right, operator):
                    yield item

    def _passes(self, item: Any, left: list[_Node], right: list[_Node], operator: str) -> bool:
        lefts = self.listed(left, [item])
        if operator == "exists":
            return bool(lefts)
        if not lefts:
            return False
        rights = self.listed(right, [item]) if len(lefts) == 1 else []
        if len(lefts) > 1 or len(rights) > 1:
            raise PathError("can only compare one element at a time")
        return bool(rights) and compare(operator, lefts[0], rights[0])


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]
    return value if isinstance(value, list) else []


def _check(low: int, high: int, size: int) -> None:
    for index, place in ((low, low), (high, high - 1)):
        if (index >= size if index == low else index > size) or index < 0:
            raise PathError(f"array index out of bounds: index {place}, length {size}")
    if low > high:
        raise PathError(f"starting index {low} is greater than ending index {high}")


def compare(operator: str, left: Any, right: Any) -> bool:
    """Whether a comparison holds, by the rules of Go's templates. Raises PathError for values of different kinds."""
    kinds = {type(left), type(right)}
    if not all(isinstance(side, bool | int | float | str) for side in (left, right)):
        raise PathError("invalid type for comparison")
    if len(kinds) > 1:
        raise PathError("incompatible types for comparison")
    if operator == "==":
        return bool(left == right)
    if operator == "!=":
        return bool(left != right)
    if operator not in ("<", ">", "<=", ">="):
        raise PathError(f"unrecognized filter operator {operator}")
    if bool in kinds:
        raise PathError("invalid type for comparison")
    less, equal = bool(left < right), bool(left == right)
    return {"<": less, "<=": less or equal, ">": not less and not equal, ">=": not less}[operator]


def relaxed(path: str) -> str:
    """``metadata.name``, ``.metadata.name`` or ``{.metadata.name}`` as a template. Raises BadLine."""
    if not path:
        return path
    found = _RELAXED.fullmatch(path)
    if found is None:
        known = "'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'"
        raise BadLine(f"error: unexpected path string, expected a {known}")
    return f"{{.{found[1] or found[2]}}}"
