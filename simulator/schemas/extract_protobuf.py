"""Maintainer's script: take the protobuf field numbers of the API's types out of a kubectl.

    make test-door
    python -m simulator.schemas.extract_protobuf .venv/door/1.37-*/kubectl

writes ``protobuf.json.gz``: for every type that a body can hold its fields by number, with their name in JSON and their type. A kubectl
(Apache-2.0) is a Go program, which keeps the types of its structs with their tags for reflection:
``json:"replicas,omitempty" protobuf:"varint,1,opt,name=replicas"``. Unlike the .proto files these tell pointers from values, and a zero
that a client has set from one that every client sends. The kubectl is not needed to run the site.

Source: Go's internal/abi type.go (Type, StructType, StructField, Name); debug/elf.
"""

import gzip
import json
import struct
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

TARGET = Path(__file__).with_name("protobuf.json.gz")
GROUPS = (
    *("core/v1", "apps/v1", "batch/v1", "batch/v1beta1", "policy/v1", "policy/v1beta1", "autoscaling/v1", "autoscaling/v2"),
    *("autoscaling/v2beta2", "authentication/v1", "authentication/v1beta1", "authorization/v1", "coordination/v1", "discovery/v1"),
    *("discovery/v1beta1", "events/v1", "networking/v1", "node/v1", "rbac/v1", "scheduling/v1", "storage/v1"),
)
_META = "k8s.io/apimachinery/pkg/apis/meta/v1"
_OWN_FORMAT = {
    "k8s.io/apimachinery/pkg/api/resource.Quantity": "quantity",
    "k8s.io/apimachinery/pkg/util/intstr.IntOrString": "int-or-string",
    f"{_META}.Time": "time",
    f"{_META}.MicroTime": "micro-time",
    f"{_META}.Duration": "duration",
    f"{_META}.FieldsV1": "raw",
    "k8s.io/apimachinery/pkg/runtime.RawExtension": "raw",
}
"""Types whose JSON is not that of their fields."""
_BOOL, _INTS, _UINT8, _FLOATS, _MAP, _POINTER, _SLICE, _STRING, _STRUCT = 1, (2, 3, 4, 5, 6), 8, (13, 14), 21, 22, 23, 24, 25
_TYPE_SIZE, _STRUCT_SIZE, _HAS_UNCOMMON, _HAS_TAG = 48, 80, 1, 2


class GoProgram:
    """The types in a Go program for 64 bits that is linked to a fixed address."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    @cached_property
    def _sections(self) -> dict[str, tuple[int, int, int]]:
        """Address, offset and size of each section by its name."""
        start = struct.unpack_from("<Q", self._data, 40)[0]
        size, count, names = struct.unpack_from("<HHH", self._data, 58)
        found = [struct.unpack_from("<IIQQQQ", self._data, start + number * size) for number in range(count)]
        texts = found[names][4]
        return {
            self._data[texts + name : self._data.index(b"\0", texts + name)].decode(): (address, offset, length)
            for name, _, _, address, offset, length in found
        }

    @cached_property
    def _types(self) -> int:
        """The address that offsets of types and names are counted from."""
        return self._sections[".rodata"][0]

    def _at(self, address: int) -> int:
        start, offset, _ = self._sections[".rodata"]
        return address - start + offset

    def _varint(self, offset: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = self._data[offset]
            value, shift, offset = value | (byte & 127) << shift, shift + 7, offset + 1
            if byte < 128:
                return value, offset

    def _name(self, address: int) -> tuple[str, str]:
        """A name and its tag."""
        offset = self._at(address)
        flags = self._data[offset]
        length, offset = self._varint(offset + 1)
        name, offset, tag = self._data[offset : offset + length].decode(), offset + length, ""
        if flags & _HAS_TAG:
            length, offset = self._varint(offset)
            tag = self._data[offset : offset + length].decode()
        return name, tag

    def kind(self, address: int) -> int:
        """The kind of a type, as reflect counts them."""
        return self._data[self._at(address) + 23] & 31

    def element(self, address: int, place: int = 0) -> int:
        """What a pointer, slice or map (``place`` 1: its values) is of."""
        return int(struct.unpack_from("<Q", self._data, self._at(address) + _TYPE_SIZE + 8 * place)[0])

    def title(self, address: int) -> str:
        """The package's path and the type's name; "" for a type without a name."""
        offset = self._at(address)
        if not self._data[offset + 20] & _HAS_UNCOMMON or self.kind(address) == _POINTER:
            return ""
        size = {_STRUCT: _STRUCT_SIZE, _MAP: 104, _SLICE: 56}.get(self.kind(address), _TYPE_SIZE)
        package, name = struct.unpack_from("<i", self._data, offset + size)[0], struct.unpack_from("<i", self._data, offset + 40)[0]
        if not package:
            return ""
        return f"{self._name(self._types + package)[0]}.{self._name(self._types + name)[0].rpartition('.')[2]}"

    def fields(self, address: int) -> Iterator[tuple[str, str, int]]:
        """Name, tag and type of each field of a struct."""
        first, count = struct.unpack_from("<QQ", self._data, self._at(address) + _TYPE_SIZE + 8)
        for number in range(count):
            name, inner, _ = struct.unpack_from("<QQQ", self._data, self._at(first) + 24 * number)
            yield *self._name(name), inner

    def structs(self) -> Iterator[tuple[int, str]]:
        """The structs that something points at, with their names."""
        _, offset, length = self._sections[".typelink"]
        for place in struct.unpack_from(f"<{length // 4}i", self._data, offset):
            address = self._types + place
            if self.kind(address) == _POINTER and self.kind(inner := self.element(address)) == _STRUCT:
                yield inner, self.title(inner)


def main(path: str) -> None:
    """Read the program and write the compact file."""
    program = GoProgram(Path(path).read_bytes())
    kinds, types = {}, dict[str, Any]()
    for address, title in program.structs():
        package, _, name = title.rpartition(".")
        group = package.removeprefix("k8s.io/api/")
        if (group in GROUPS and "TypeMeta" in {field for field, *_ in program.fields(address)}) or (package, name) == (
            _META,
            "DeleteOptions",
        ):
            kinds[f"{group if group in GROUPS else 'meta/v1'} {name}"] = _take(program, address, types)
    text = json.dumps({"kinds": kinds, "types": types}, separators=(",", ":"), sort_keys=True)
    TARGET.write_bytes(gzip.compress(text.encode(), mtime=0))


def _take(program: GoProgram, address: int, types: dict[str, Any]) -> str:
    """The short name of a struct, which with all that is inside it is put into the table."""
    title = program.title(address)
    short = ".".join(title.replace(".", "/").split("/")[-3:])
    if short not in types:
        types[short] = fields = {}
        for _, tag, inner in program.fields(address):
            tags = dict(part.split(':"') for part in tag.split('" ') if part)
            if "protobuf" in tags and tags.get("json") != "-":
                fields[tags["protobuf"].split(",")[1]] = _field(program, tags["json"].rstrip('"'), inner, types)
    return short


def _field(program: GoProgram, tag: str, inner: int, types: dict[str, Any]) -> list[Any]:
    """Name in JSON ("" where the fields of the struct are its parent's), type, and whether a zero is told."""
    name, *options = tag.split(",")
    is_pointer = program.kind(inner) == _POINTER
    told = is_pointer or not {"omitempty", "omitzero", "inline"} & set(options)
    return [name, _type(program, program.element(inner) if is_pointer else inner, types), int(told)]


def _type(program: GoProgram, address: int, types: dict[str, Any]) -> Any:
    """``string``, ``bool``, ``int``, ``double``, ``bytes`` and own formats; a struct is ["", NAME], a list ["list", TYPE], a map ["map",
    TYPE], a list that is a message of its own ["items", TYPE]."""
    kind, title = program.kind(address), program.title(address)
    if title in _OWN_FORMAT:
        return _OWN_FORMAT[title]
    if kind == _STRUCT:
        return ["", _take(program, address, types)]
    if kind == _MAP:
        return ["map", _type(program, program.element(address, 1), types)]
    if kind == _SLICE:
        element = program.element(address)
        return "bytes" if program.kind(element) == _UINT8 else ["items" if title else "list", _type(program, element, types)]
    plain = {_BOOL: "bool", _STRING: "string", **dict.fromkeys(_INTS, "int"), **dict.fromkeys(_FLOATS, "double")}
    return plain[kind]


if __name__ == "__main__":
    main(sys.argv[1])
