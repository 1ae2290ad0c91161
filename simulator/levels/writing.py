"""Write a level as TOML that reads back as the same level, so that a level made on the page can be saved to a file and loaded again.

This is our own emitter because a library would write every pattern as a separate table, while an author should find it on one line.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time
from typing import Any

import msgspec
from msgspec import Struct

from simulator.levels.level import Level

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
"""Characters that need an escape; including ``\\r``, since a TOML parser may take it for part of a line ending."""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_TABLES = ("happens", "check", "ask", "hint", "solution")
"""Fields of a level that are arrays of tables, in the order in which they are written."""
_LINE = 100
"""Longer lists get one item per line."""


def level_toml(level: Level) -> str:
    """The text of a level, from which ``read_level`` gives the same level. The slug is the file's name, and not included. O(level)."""
    table = lean(level)
    table.pop("slug", None)
    return table_toml(table)


def table_toml(table: Mapping[str, Any]) -> str:
    """The text of a level's table, without fields that have their defaults. Raises TypeError for a value that TOML does not support."""
    head = lines_toml({name: value for name, value in table.items() if name not in _TABLES})
    return head + "".join(f"\n{part}" for name in _TABLES for part in _parts(name, table.get(name, ())))


def lines_toml(table: Mapping[str, Any]) -> str:
    """A table's fields, each on its own line, or on several if it is a long list or a multi-line text."""
    return "".join(f"{_key(name)} = {_value(value)}\n" for name, value in table.items())


def part_toml(name: str, part: Mapping[str, Any]) -> str:
    """One more table of an array, such as ``[[check]]``, to be appended to a level's text."""
    return "".join(_parts(name, [part]))


def lean(value: Any) -> Any:
    """Convert a struct to plain values, without fields that have their defaults."""
    if isinstance(value, Struct):
        fields = ((field, getattr(value, field.name)) for field in msgspec.structs.fields(value))
        return {field.encode_name: lean(item) for field, item in fields if not _is_default(field, item)}
    if isinstance(value, Mapping):
        return {name: lean(item) for name, item in value.items()}
    return [lean(item) for item in value] if isinstance(value, (list, tuple)) else value


def inline_toml(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(name)} = {inline_toml(item)}" for name, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(inline_toml, value))}]"
    return _scalar(value)


def _is_default(field: msgspec.structs.FieldInfo, value: Any) -> bool:
    if field.default_factory is not msgspec.NODEFAULT:
        return bool(value == field.default_factory())
    return bool(field.default is not msgspec.NODEFAULT and value == field.default and type(value) is type(field.default))


def _parts(name: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield f"[[{name}]]\n{lines_toml(row)}"


def _value(value: Any) -> str:
    """The text of a value after its key: a multi-line text keeps its lines, a long list gets one item per line."""
    if isinstance(value, str) and "\n" in value:
        return _lines(value)
    text = inline_toml(value)
    if isinstance(value, (list, tuple)) and (len(text) > _LINE or any(isinstance(item, Mapping) for item in value)):
        return "[\n" + "".join(f"  {inline_toml(item)},\n" for item in value) + "]"
    return text


def _lines(text: str) -> str:
    """A multi-line text, unchanged if possible; the line break after the opening quotes is not part of it."""
    if _CONTROL.search(text) is None and "'''" not in text and not text.endswith("'"):
        return f"'''\n{text}'''"
    return '"""\n' + "\n".join(map(_escaped, text.split("\n"))) + '"""'


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (date, time)):
        return value.isoformat()
    if not isinstance(value, str):
        raise TypeError(f"TOML has no {type(value).__name__}")
    return _string(value)


def _string(text: str) -> str:
    """A single-line text, in the quotes that need the fewest escapes."""
    is_plain = _CONTROL.search(text) is None and "\n" not in text
    if is_plain and ('"' in text or "\\" in text):
        if "'" not in text:
            return f"'{text}'"
        if "'''" not in text and not text.endswith("'"):
            return f"'''{text}'''"
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    short = "".join(_ESCAPES.get(letter, letter) for letter in text)
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", short)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else f'"{_escaped(name)}"'
