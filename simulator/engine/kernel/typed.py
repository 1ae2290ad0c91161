"""The one place where texts and plain values become typed ones.

msgspec learns what the fields of a class are when the class is first read, and shows the half-filled table to any other thread that
reads it in that moment: the interpreter crashes. A ``Typed`` learns everything when it is made, so it is made where its module is
imported, before there are threads; no other code names a type to msgspec.
"""

from typing import Any, Generic, TypeVar, cast

import msgspec

from simulator.engine.kernel.json_text import check_depth

T = TypeVar("T")


class Typed(Generic[T]):
    """A type (a Struct, a union of them, a list or dict of them) that any number of threads may read. Make it at module level."""

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
        """The value of a JSON text that anybody may have sent. Raises TooDeep too, and UnicodeEncodeError for lone surrogates."""
        check_depth(text)
        return cast(T, self._decode(text))

    def from_plain(self, value: Any) -> T:
        """The value that dicts, lists and texts stand for. Raises msgspec.ValidationError."""
        return cast(T, msgspec.convert(value, self.kind))
