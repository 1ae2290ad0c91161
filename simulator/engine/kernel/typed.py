"""The only place where texts and plain values become typed ones.

msgspec inspects the fields of a class when the class is first decoded, and exposes the half-filled table to any other thread that
decodes it at that moment, which crashes the interpreter. A ``Typed`` does the inspection when it is created, at module import, before
there are threads; no other code passes a type to msgspec.
"""

from typing import Any, Generic, TypeVar, cast

import msgspec

from simulator.engine.kernel.json_text import check_depth

T = TypeVar("T")


class Typed(Generic[T]):
    """A type (a Struct, a union of them, a list or dict of them) that any number of threads may decode. Create it at module level."""

    __slots__ = ("_decode", "kind")

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self._decode = msgspec.json.Decoder(kind).decode

    def from_json(self, text: str | bytes) -> T:
        """The value of a JSON text that this software wrote.

        Raises msgspec.DecodeError, UnicodeDecodeError or, for JSON of another type, ValidationError.
        """
        return cast(T, self._decode(text))

    def from_outside(self, text: str | bytes) -> T:
        """The value of an untrusted JSON text. Also raises TooDeep, and UnicodeEncodeError for lone surrogates."""
        check_depth(text)
        return cast(T, self._decode(text))

    def from_plain(self, value: Any) -> T:
        """The value represented by dicts, lists and strings. Raises msgspec.ValidationError."""
        return cast(T, msgspec.convert(value, self.kind))
