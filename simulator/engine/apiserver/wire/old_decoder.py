"""How API servers until 1.22 report that a value has the wrong type: in json-iterator's wording, with bytes around the position.

That decoder does not stop at an error. It keeps the first one and continues from wherever it is,
and every structure, field and list that it leaves from then on puts its name in front of the
message, innermost first. So the text is read here as it was read there, value by value, with the
same position after each failure: the bytes that the message quotes depend on it, and so do the
names in front.

What the decoder leaves unread after a wrong value can look like a missing comma or colon, but those
later errors are dropped; only their effect on the walk remains.

The schema gives the Go type at a position, ``go_names`` the names of the type and its fields.
Types with an UnmarshalJSON of their own (quantities, times, int-or-string) skip a whole value and
report in their own wording.

Source: github.com/json-iterator/go (iter*.go, reflect_*.go) and the Go types of k8s.io/api.
"""

import json
import re
from json import JSONDecodeError, JSONDecoder
from typing import Any

from simulator.engine.apiserver.wire.formats import base64_problem, quantity_format_problem, time_format_problem
from simulator.engine.apiserver.wire.go_names import field_names, item_name, type_name
from simulator.engine.kernel.json_text import Json

_NEAR, _FAR = 10, 50
_READ_AT_ONCE = 8
"""Digits that are read before the position in the text is remembered."""
_DECODER = JSONDecoder()
_BLANKS = b" \t\r\n"
_STRING = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_OWN = ("quantity", "date-time", "int-or-string")
"""Formats whose Go types decode themselves."""


def decode_problem(body: str, schema: Json) -> str:
    """The decoder's error for a body that does not have the type of ``schema``; "" when it has. Cost: O(body)."""
    reader = _Reader(body.encode())
    reader.value(schema)
    return reader.error


class _Reader:
    """A position in a text and the first error, with the names that were put in front of it."""

    def __init__(self, sent: bytes) -> None:
        self.sent, self.head, self.error = sent, 0, ""

    def value(self, schema: Json) -> None:
        form, kind = schema.get("format", ""), _kind(schema)
        if form in _OWN:
            self._own(form)
        elif kind == "array":
            self._list(schema.get("items") or {})
        elif kind == "string":
            self._bytes() if form == "byte" else self._text()
        elif kind in ("integer", "boolean"):
            self._plain(kind, form)
        elif schema.get("properties"):
            self._structure(schema)
        elif isinstance(schema.get("additionalProperties"), dict):
            self._map(schema["additionalProperties"])
        else:
            self._skip()

    def _next(self) -> str:
        while self.sent[self.head : self.head + 1] and self.sent[self.head] in _BLANKS:
            self.head += 1
        found = self.sent[self.head : self.head + 1].decode("utf-8", "replace")
        self.head += len(found)
        return found

    def _report(self, operation: str, message: str) -> None:
        if not self.error:
            self.error = f"{operation}: {message}, {_around(self.sent, self.head)}"

    def _under(self, name: str) -> None:
        if self.error:
            self.error = f"{name}{self.error}"

    def _is_null(self) -> bool:
        char = self._next()
        # The rest of "null" is skipped without being checked.
        self.head += 3 if char == "n" else -len(char)
        return char == "n"

    def _structure(self, schema: Json) -> None:
        char = self._next()
        if char != "{":
            self._no_map(char, "readObjectStart")
            return
        if (char := self._next()) != '"':
            if char != "}":
                self._report("readObjectStart", f'expect " after {{, but found {char}')
            return
        self.head -= 1
        title, char = str(schema.get("title", "Object")), ","
        while char == ",":
            self._field(title, schema["properties"])
            char = self._next()
        self._under(f"{type_name(title)}.")

    def _field(self, title: str, known: Json) -> None:
        key = self._text()
        if (char := self._next()) != ":":
            self._report("ReadObject", f"expect : after object field, but found {char}")
        if key not in known:
            self._skip()
            return
        self.value(known[key])
        # Embedded structs add their own name: two names for one field.
        for name in field_names(title, key):
            self._under(f"{name}: ")

    def _no_map(self, char: str, operation: str) -> None:
        if char == "n":
            self.head += 3
        else:
            self._report(operation, f"expect {{ or n, but found {char}")

    def _map(self, schema: Json) -> None:
        char = self._next()
        if char != "{":
            self._no_map(char, "ReadMapCB")
            return
        if self._next() == "}":
            return
        self.head -= 1
        char = ","
        while char == ",":
            self._text()
            if (char := self._next()) != ":":
                self._report("ReadMapCB", f"expect : after object field, but found {char}")
                return
            self.value(schema)
            char = self._next()

    def _list(self, schema: Json) -> None:
        char = self._next()
        if char == "n":
            self.head += 3
        elif char != "[":
            self._report("decode slice", f"expect [ or n, but found {char}")
        elif self._next() != "]":
            self.head -= 1
            char = ","
            while char == ",":
                self.value(schema)
                char = self._next()
        self._under(f"[]{item_name(schema)}: ")

    def _text(self) -> str:
        char = self._next()
        if char == '"':
            match = _STRING.match(self.sent, self.head - 1)
            self.head = len(self.sent) if match is None else match.end()
            return "" if match is None else match[1].decode("utf-8", "replace")
        if char == "n":
            self.head += 3
        else:
            self._report("ReadString", f'expects " or n, but found {char}')
        return ""

    def _bytes(self) -> None:
        """Source: json-iterator reflect_native.go base64Codec; a list of numbers is bytes as well, which no schema allows."""
        char = self._next()
        self.head -= len(char)
        if char not in ('"', "n"):
            self._report("base64Codec", "invalid input")
        elif problem := base64_problem(self._text()):
            self._report("decode base64", problem)

    def _plain(self, kind: str, form: str) -> None:
        if self._is_null():
            return
        if kind == "integer":
            self._integer(64 if form == "int64" else 32)
            return
        char = self._next()
        if char in ("t", "f"):
            self.head += 3 if char == "t" else 4
        else:
            self._report("ReadBool", f"expect t or f, but found {char}")

    def _integer(self, bits: int) -> None:
        begin = self.head
        char = self._next()
        char = self._next() if char == "-" else char
        if not char.isdigit():
            # Upstream prints a byte of its digit table here, which is not a valid character.
            self._report(f"readUint{bits}", "unexpected character: \ufffd")
            return
        end = self.head
        while self.sent[end : end + 1].isdigit():
            end += 1
        read = _read(self.sent[self.head - 1 : end], bits)
        if read is None:
            self.head += _READ_AT_ONCE - 1 if len(self.sent) - self.head > _READ_AT_ONCE + 2 else 0
            self._report(f"readUint{bits}", "overflow")
            return
        self.head = end
        if self.sent[end : end + 1] == b".":
            self._report("assertInteger", "can not decode float as int")
        elif read > 2 ** (bits - 1) - (self.sent[begin : begin + 1] != b"-"):
            self._report(f"ReadInt{bits}", f"overflow: {read}")

    def _own(self, form: str) -> None:
        found = self._skip()
        if problem := _own_problem(form, found):
            self._report("unmarshalerDecoder", problem)

    def _skip(self) -> Any:
        """The value that comes next, whatever it is; None if there is none."""
        char = self._next()
        self.head -= len(char)
        rest = self.sent[self.head :].decode("utf-8", "replace")
        try:
            found, length = _DECODER.raw_decode(rest)
        except JSONDecodeError:
            self.head += 1
            self._report("Skip", "do not know how to skip")
            return None
        self.head += len(rest[:length].encode())
        return found


def _kind(schema: Json) -> str:
    kind = schema.get("type", "object")
    return str(kind[0] if isinstance(kind, list) else kind)


def _around(sent: bytes, head: int) -> str:
    near, far = max(0, head - _NEAR), max(0, head - _FAR)
    parsing = sent[near : head + _NEAR].decode("utf-8", "replace")
    context = sent[far : head + _FAR].decode("utf-8", "replace")
    return f"error found in #{head - near} byte of ...|{parsing}|..., bigger context ...|{context}|..."


def _own_problem(form: str, value: Any) -> str:
    if value is None:
        return ""
    if form == "quantity":
        return quantity_format_problem(value) or ""
    if isinstance(value, str):
        return (time_format_problem(value) or "") if form == "date-time" else ""
    given = json_type(value)
    if form == "date-time":
        return f"json: cannot unmarshal {given} into Go value of type string"
    if isinstance(value, int) and not isinstance(value, bool) and -(2**31) <= value < 2**31:
        return ""
    return f"json: cannot unmarshal {f'number {json.dumps(value)}' if given == 'number' else given} into Go value of type int32"


def json_type(value: Any) -> str:
    """The word of Go's decoder for the type of a JSON value other than a string."""
    if isinstance(value, bool):
        return "bool"
    return "object" if isinstance(value, dict) else "array" if isinstance(value, list) else "number"


def _read(digits: bytes, bits: int) -> int | None:
    """The unsigned number as it overflows in that many bits; None when a digit makes it smaller, which the decoder notices."""
    value, safe = 0, (2**bits - 1) // 10 - 1
    for digit in digits.decode():
        more = (value * 10 + int(digit)) % 2**bits
        if value > safe and more < value:
            return None
        value = more
    return value
