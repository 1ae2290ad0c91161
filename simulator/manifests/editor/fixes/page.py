"""The text a fix is made for: where its fields are, and edits that change them while preserving comments and layout.

An edit must never damage anything it is not meant to change, so every method returns None for a layout that it does not
handle: aliases (the value is somewhere else), block scalars, values that span several lines, comments between brackets.
It does no harm not to offer a fix.

New fields are inserted after the first entry of a map if that is a plain value on one line, otherwise before it: there
the indentation is certain. Values are written as block-style YAML, or as JSON inside brackets, which is valid YAML
there.

Positions are characters of the whole text. Lines break where YAML breaks them, which includes NEL and the Unicode
separators that editors do not count as line breaks.
"""

import json
import re
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.wire.field_paths import parse_path
from simulator.kubectl.yaml import to_yaml
from simulator.manifests.read.loader import RawDocument
from simulator.manifests.read.nodes import YamlNode
from simulator.manifests.read.values import key_text

_BREAKS = "\n\r\x85\u2028\u2029"
_BREAK = re.compile(f"\r\n|[{_BREAKS}]")
_BETWEEN = f" \t,{_BREAKS}"

_EMPTY = re.compile(r"\s*:\s*(?:\s#.*)?")


class TextChange(Struct, frozen=True):
    """Replace the characters ``start`` … ``end`` (exclusive) with ``insert``."""

    start: int
    end: int
    insert: str


class Fix(Struct, frozen=True, kw_only=True):
    """A fix with its title in the reader's language."""

    title: str
    changes: tuple[TextChange, ...]


class Page:
    """One document of a text. Every method returns a change, or None if none is sure to leave the rest intact."""

    def __init__(self, text: str, raw: RawDocument, *, minor: int) -> None:
        self.text = text
        self.raw = raw
        self.minor = minor

    def node(self, path: str) -> YamlNode | None:
        """The node at a path, or None."""
        return self.raw.node_at(path)

    def written(self, path: str) -> str:
        """A value as it is written, with its quotes; "" if there is none."""
        node = self.node(path)
        return self.text[node.start : node.end] if node is not None and node.text is not None else ""

    def set_value(self, path: str, text: str) -> TextChange | None:
        """Replace a plain value that is on a single line."""
        found = self.raw.entry_at(path)
        if found is None or not self._is_own(*found):
            return None
        node = found[1]
        if node.text is None or node.block or _BREAK.search(self.text, node.start, node.end) or node.start == node.end:
            return None
        return TextChange(node.start, node.end, text)

    def rename(self, path: str, name: str) -> TextChange | None:
        """Rename a field."""
        found = self.raw.entry_at(path)
        # A list item is its own key: it has no name to change.
        if found is None or found[0] is found[1]:
            return None
        return TextChange(found[0].start, found[0].end, name)

    def first_line(self, path: str, line: str) -> TextChange | None:
        """Insert a line at the start of a block text after | or >."""
        node = self.node(path)
        if node is None or not node.block or not node.text:
            return None
        head = _BREAK.search(self.text, node.start)
        if head is None:
            return None
        body = self.text[head.end() :].lstrip(_BREAKS)
        indent = len(body) - len(body.lstrip(" "))
        return TextChange(head.end(), head.end(), f"{' ' * indent}{line}\n")

    def insert(self, parent: str, name: str, value: Any) -> TextChange | None:
        """Add a field to a map, after its first entry; a missing or empty parent is written as well."""
        found = self.raw.entry_at(parent)
        if found is None:
            above, step = split_path(parent)
            return None if not step or step.isdecimal() else self.insert(above, step, {name: value})
        key, node = found
        held = self.raw.step(node, name)
        if held is not None:
            return TextChange(held[1].start, held[1].end, f" {json.dumps(value)}") if held[1].text == "" and held[1].plain else None
        if node.entries:
            return self._insert_into(node, name, value)
        if node.entries is not None:
            return TextChange(node.start, node.end, json.dumps({name: value}))
        if node.text == "" and node.start == node.end and key is not node:
            end = self._line(key.start)[1]
            if not _EMPTY.fullmatch(self.text, key.end, end):
                return None
            indent = " " * (key.column + 1)
            return TextChange(end, end, "".join(f"\n{indent}{line}" for line in _lines(name, value)))
        return None

    def _insert_into(self, node: YamlNode, name: str, value: Any) -> TextChange:
        assert node.entries
        first, held = node.entries[0]
        if node.flow:
            return TextChange(first.start, first.start, f"{name}: {json.dumps(value)}, ")
        indent = " " * (first.column - 1)
        if held.text is not None and not held.block and self._is_own(first, held) and not _BREAK.search(self.text, first.start, held.end):
            end = self._line(first.start)[1]
            return TextChange(end, end, "".join(f"\n{indent}{line}" for line in _lines(name, value)))
        return TextChange(first.start, first.start, "".join(f"{line}\n{indent}" for line in _lines(name, value)))

    def remove(self, path: str) -> TextChange | None:
        """Remove a field or list item, with its line if it has one of its own."""
        found = self.raw.entry_at(path)
        parent = self.node(split_path(path)[0])
        if found is None or parent is None or not self._is_own(*found):
            return None
        if parent.flow:
            return self._remove_in_flow(found, parent)
        if parent.items is not None:
            return self._remove_item(found[1])
        return self._remove_entry(found, parent)

    def _remove_in_flow(self, found: tuple[YamlNode, YamlNode], parent: YamlNode) -> TextChange | None:
        """Remove it with one adjacent comma; None if a comment is between it and its only comma."""
        start, end = found[0].start, found[1].end
        rest = self.text[end : parent.end]
        after = len(rest) - len(rest.lstrip(_BETWEEN))
        if "," in rest[:after]:
            return TextChange(start, end + after, "")
        before = self.text[parent.start + 1 : start]
        kept = before.rstrip(_BETWEEN)
        if len(parent.items or parent.entries or ()) > 1 and "," not in before[len(kept) :]:
            return None
        return TextChange(start - (len(before) - len(kept)), end, " " if kept.endswith(":") else "")

    def _remove_entry(self, found: tuple[YamlNode, YamlNode], parent: YamlNode) -> TextChange | None:
        key, value = found
        entries = parent.entries or []
        place = next((n for n, (own, _item) in enumerate(entries) if own is key), -1)
        if place < 0:
            return None
        line_start, _end = self._line(key.start)
        if self.text[line_start : key.start].strip():  # it follows the dash of a list item
            return TextChange(key.start, entries[1][0].start, "") if place == 0 and len(entries) > 1 else None
        # A map without entries would be null rather than empty.
        if len(entries) == 1:
            return TextChange(key.start, self.last(value, key.end), "{}")
        return TextChange(line_start, self._after_line(self.last(value, key.end)), "")

    def _remove_item(self, item: YamlNode) -> TextChange | None:
        line_start, _end = self._line(item.start)
        if self.text[line_start : item.start].strip() != "-":
            return None
        return TextChange(line_start, self._after_line(self.last(item, item.start)), "")

    def _line(self, index: int) -> tuple[int, int]:
        """The first character of the line (as YAML breaks lines) that a character is on, and the one after its last."""
        start = max(self.text.rfind(mark, 0, index) for mark in _BREAKS) + 1
        found = _BREAK.search(self.text, index)
        return start, found.start() if found is not None else len(self.text)

    def _after_line(self, index: int) -> int:
        found = _BREAK.search(self.text, index)
        return found.end() if found is not None else len(self.text)

    def last(self, node: YamlNode, floor: int) -> int:
        """The character after the end of a value that begins after ``floor``; ``floor`` itself if the value is empty."""
        if node.flow or (node.items is None and node.entries is None):
            end = node.end
        else:
            inner = [self.last(item, item.start) for item in node.items or ()]
            inner += [self.last(item, name.end) for name, item in node.entries or ()]
            # The parser puts the end of a block collection after the blank lines and comments that follow it.
            end = max(inner, default=node.end)
        return floor + len(self.text[floor:end].rstrip()) if end > floor else floor

    def _is_own(self, key: YamlNode, node: YamlNode) -> bool:
        """Whether the value is written after its key; an aliased value is somewhere else."""
        return node is key or node.start >= key.end

    def siblings(self, path: str) -> list[str]:
        """The names of the fields next to a path."""
        parent = self.node(split_path(path)[0])
        return [key_text(key) for key, _item in (parent.entries or ())] if parent is not None else []


def split_path(path: str) -> tuple[str, str]:
    """The parent path and the last step; both "" for the document itself."""
    steps = parse_path(path)
    if not steps:
        return "", ""
    last = steps[-1]
    return path.removesuffix(f"[{last}]").removesuffix(f".{last}") if len(steps) > 1 else "", last


def _lines(name: str, value: Any) -> list[str]:
    return to_yaml({name: value}).splitlines()
