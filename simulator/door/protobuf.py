"""Request bodies in protobuf, as clients using Go's typed packages send them, converted to JSON values by a table of field numbers.

A body is ``k8s\\0`` followed by a runtime.Unknown with the type of the object and its bytes. Go writes every field that
is not a pointer, even if it is zero: those are omitted here, as Go's JSON omits them. Everything is bounded: the depth
by the table, in which no type contains itself, the number of fields, and each length by the data. Fields that are not
in the table are skipped.

Source: protobuf.dev/programming-guides/encoding; apimachinery pkg/runtime/serializer/protobuf,
pkg/runtime/generated.proto.
"""

import base64
import gzip
import json
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.door.exchange import JSON, DoorRequest
from simulator.engine.apiserver.answer import ApiError, bad_request
from simulator.engine.kernel.json_text import Json, decode

PROTOBUF = "application/vnd.kubernetes.protobuf"
FIELDS_MAX = 100_000
"""The most fields in one body; a Secret of helm has some twenty, and the largest manifest that is accepted some ten thousand."""
_MAGIC = b"k8s\0"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED = {_FIXED64: 8, _FIXED32: 4}
_VARINT_MAX = 10
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_OPTIONS = "DeleteOptions"


class BadProtobuf(ValueError):
    """Bytes that are not a protobuf message, or one that is unreasonably large."""


def in_json(request: DoorRequest) -> DoorRequest:
    """The request with its body converted from protobuf to JSON, if it was protobuf. Raises ApiError (400). O(body)."""
    if request.method == "PATCH" or request.headers.get("content-type", "").partition(";")[0].strip().lower() != PROTOBUF:
        return request
    headers = {**request.headers, "content-type": JSON}
    return replace(request, headers=headers, body=json.dumps(document_in(request.body)).encode() if request.body else b"")


def document_in(body: bytes) -> Json:
    """The object in a body, with its apiVersion and kind. Raises ApiError (400)."""
    if not body.startswith(_MAGIC):
        raise bad_request("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    try:
        api_version = kind = ""
        raw = b""
        for number, value in message_fields(body[len(_MAGIC) :], FieldBudget()):
            if number == 1 and isinstance(value, bytes):
                names = {inner: part for inner, part in message_fields(value, FieldBudget()) if isinstance(part, bytes)}
                api_version, kind = _text(names.get(1, b"")), _text(names.get(2, b""))
            if number == 2 and isinstance(value, bytes):
                raw = value
        return {"apiVersion": api_version, "kind": kind, **BodyReading().message(raw, _type_of(api_version, kind), {})}
    except BadProtobuf as error:
        raise bad_request(f"the body of the request cannot be read as protobuf: {error}") from None


@lru_cache(maxsize=1)
def field_table() -> Json:
    """The kinds, and the fields of each type (see ``simulator/schemas/extract_protobuf.py``)."""
    stored: Json = decode(gzip.decompress(files("simulator.schemas").joinpath("protobuf.json.gz").read_bytes()))
    return stored


def _type_of(api_version: str, kind: str) -> str:
    group, _, version = api_version.rpartition("/")
    place = "meta/v1" if kind == _OPTIONS else f"{group.partition('.')[0] or 'core'}/{version}"
    found: str | None = field_table()["kinds"].get(f"{place} {kind}")
    if found is None:
        raise _no_kind(api_version, kind)
    return found


def _no_kind(api_version: str, kind: str) -> ApiError:
    return bad_request(f'no kind "{kind}" is registered for version "{api_version}" in scheme "pkg/api/legacyscheme/scheme.go:30"')


class FieldBudget(Struct):
    """How many fields of a body may still be read."""

    left: int = FIELDS_MAX

    def spend(self) -> None:
        """Count a field. Raises BadProtobuf if there are too many."""
        self.left -= 1
        if self.left < 0:
            raise BadProtobuf(f"it has more than {FIELDS_MAX} fields")


def _varint(data: bytes, start: int) -> tuple[int, int]:
    """A number, and the position after it."""
    value = 0
    for index in range(_VARINT_MAX):
        if start + index >= len(data):
            raise BadProtobuf("unexpected EOF")
        byte = data[start + index]
        value |= (byte & 127) << 7 * index
        if byte < 128:
            return value & (1 << 64) - 1, start + index + 1
    raise BadProtobuf("proto: integer overflow")


def message_fields(data: bytes, budget: FieldBudget) -> Iterator[tuple[int, int | bytes]]:
    """The number and value of each field; fixed-size values as bytes."""
    place = 0
    while place < len(data):
        budget.spend()
        key, place = _varint(data, place)
        number, wire = key >> 3, key & 7
        if number == 0:
            raise BadProtobuf("proto: illegal tag 0")
        if wire == _VARINT:
            value, place = _varint(data, place)
            yield number, value
            continue
        if wire == _BYTES:
            length, place = _varint(data, place)
        elif wire in _FIXED:
            length = _FIXED[wire]
        else:
            raise BadProtobuf(f"proto: illegal wireType {wire}")
        if place + length > len(data):
            raise BadProtobuf("unexpected EOF")
        yield number, data[place : place + length]
        place += length


class BodyReading:
    """Reads one body and counts its fields."""

    def __init__(self) -> None:
        self._budget = FieldBudget()

    def message(self, data: bytes, name: str, found: Json) -> Json:
        """``found`` with the fields of a message of that type; a field that comes twice is merged, as in Go. Raises BadProtobuf."""
        fields = field_table()["types"][name]
        for number, value in message_fields(data, self._budget):
            field = fields.get(str(number))
            if field is not None:
                self._take(found, field, value)
        return found

    def _take(self, found: Json, field: list[Any], value: int | bytes) -> None:
        key, form, keeps_zero = field
        if isinstance(form, str):
            item = self._plain(form, value)
            if keeps_zero or item not in ("", 0, False, None):
                found[key] = item
            return
        sort, inner = form
        if sort == "":
            into = found.setdefault(key, {}) if key else found
            self.message(_in_bytes(value), inner, into)
        elif sort == "map":
            self._entry(found.setdefault(key, {}), inner, _in_bytes(value))
        elif sort == "list":
            found.setdefault(key, []).extend(self._items(inner, value))

    def _items(self, form: Any, value: int | bytes) -> list[Any]:
        if form in ("int", "bool") and isinstance(value, bytes):  # packed
            return [self._plain(form, number) for number in _packed(value, self._budget)]
        return [self._value(form, value)]

    def _entry(self, found: Json, form: Any, data: bytes) -> None:
        parts = dict(message_fields(data, self._budget))
        empty: int | bytes = 0 if form in ("int", "bool") else b""
        found[_text(_in_bytes(parts.get(1, b"")))] = self._value(form, parts.get(2, empty))

    def _value(self, form: Any, value: int | bytes) -> Any:
        if isinstance(form, str):
            return self._plain(form, value)
        sort, inner = form
        if sort == "items":
            return [self._value(inner, item) for number, item in message_fields(_in_bytes(value), self._budget) if number == 1]
        return self.message(_in_bytes(value), inner, {})

    def _plain(self, form: str, value: int | bytes) -> Any:
        if form in ("int", "bool"):
            if not isinstance(value, int):
                raise BadProtobuf("proto: wrong wireType")
            return bool(value) if form == "bool" else _signed(value)
        data = _in_bytes(value)
        if form == "string":
            return _text(data)
        if form == "bytes":
            return base64.b64encode(data).decode()
        if form == "double":
            if len(data) != _FIXED[_FIXED64]:
                raise BadProtobuf("proto: wrong wireType")
            return struct.unpack("<d", data)[0]
        return _own_form(form, dict(message_fields(data, self._budget)))


def _own_form(form: str, parts: dict[int, int | bytes]) -> Any:
    """Types whose JSON differs from their fields; None for an unset time."""
    if form in ("time", "micro-time"):
        return _moment(_signed(_in_int(parts.get(1, 0))), _signed(_in_int(parts.get(2, 0))), micro=form == "micro-time") if parts else None
    if form == "int-or-string":
        return _text(_in_bytes(parts.get(3, b""))) if parts.get(1) == 1 else _signed(_in_int(parts.get(2, 0)))
    data = _in_bytes(parts.get(1, b""))
    if form == "quantity":
        return _text(data) or "0"
    try:
        return decode(data) if data else None
    except ValueError:
        raise BadProtobuf("it contains invalid JSON") from None


def _moment(seconds: int, nanos: int, *, micro: bool) -> str:
    try:
        moment = _FIRST + timedelta(seconds=seconds, microseconds=nanos // 1000)
    except OverflowError:
        raise BadProtobuf(f"{seconds} seconds are not a valid time") from None
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if micro else "%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def _packed(data: bytes, budget: FieldBudget) -> Iterator[int]:
    place = 0
    while place < len(data):
        budget.spend()
        value, place = _varint(data, place)
        yield value


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _in_bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise BadProtobuf("proto: wrong wireType")
    return value


def _in_int(value: int | bytes) -> int:
    if isinstance(value, bytes):
        raise BadProtobuf("proto: wrong wireType")
    return value
