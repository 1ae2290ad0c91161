"""Parse a manifest (YAML or JSON, one or many documents) into documents that remember where everything is.

Nothing in a text can run code, and no text can cost more than the limits allow. Every error has a line. A broken
document does not hide the problems of the next one: the text is split at lines that begin with ``---`` before anything
is parsed, as kubectl does, and each part is read by a parser of its own. Lines and characters are counted across parts.

A List, as ``kubectl get -o yaml`` prints it, is unfolded into its items; they share the text of the list, so their
positions are exact.

CustomResourceDefinitions consist mostly of schemas that the simulation never looks at, and large ones would use up the
limits. So their schemas are skipped: counted without building anything, and returned as spans so that a stored text can
leave them out.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.apiserver.wire.field_paths import parse_path
from simulator.manifests.problems import PROBLEMS_MAX, Problem, Rejected
from simulator.manifests.read.nodes import Consumed, ReadLimits, YamlNode, read_nodes, refuse
from simulator.manifests.read.values import YamlWarnings, is_merge, key_text, to_value
from simulator.manifests.texts import _

_SEPARATOR = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_NOT_PRINTABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATES = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_LAST = ("too-many-documents", "too-large")
"""Codes of problems after which nothing more is read."""
_BOM = "\ufeff"


class Spot(Struct, frozen=True, kw_only=True):
    """A position in the text: line and column from 1; ``start`` and ``end`` in characters from 0."""

    line: int
    column: int
    start: int
    end: int


class RawDocument(Struct, frozen=True, kw_only=True):
    """One document: its value, and the node it came from."""

    index: int
    value: Any
    node: YamlNode

    def locate(self, path: str, *, key: bool = False) -> tuple[int, int]:
        """Line and column (from 1) of ``spot``."""
        spot = self.spot(path, key=key)
        return spot.line, spot.column

    def spot(self, path: str, *, key: bool = False) -> Spot:
        """The position of a field path in the text, or of its nearest existing ancestor.

        For a plain value it is the value itself, for a list or map its key; ``key`` asks for the key in any case.
        """
        named = node = self.node
        for step in parse_path(path):
            found = _step(node, step)
            if found is None:
                break
            named, node = found
        # A list or map would be marked over many lines; its key is enough.
        chosen = node if node.text and not key else named
        return Spot(line=chosen.line, column=chosen.column, start=chosen.start, end=chosen.end)

    @staticmethod
    def step(node: YamlNode, name: str) -> tuple[YamlNode, YamlNode] | None:
        """Key and value of a field of a node, or None."""
        return _step(node, name)

    def entry_at(self, path: str) -> tuple[YamlNode, YamlNode] | None:
        """Key and value of a field path (for a list item, the item twice), or None if it does not exist."""
        found = (self.node, self.node)
        for step in parse_path(path):
            inner = _step(found[1], step)
            if inner is None:
                return None
            found = inner
        return found

    def node_at(self, path: str) -> YamlNode | None:
        """The node of a field path, or None if it does not exist."""
        found = self.entry_at(path)
        return None if found is None else found[1]


class Loaded(Struct, frozen=True, kw_only=True):
    """The contents of a text: documents in order (Lists unfolded), what could not be read, and the characters (start, end)
    that were skipped.

    Skipped are the schemas of CustomResourceDefinitions.
    """

    documents: tuple[RawDocument, ...] = ()
    problems: tuple[Problem, ...] = ()
    passed: tuple[tuple[int, int], ...] = ()


def load(text: str | bytes, *, limits: ReadLimits | None = None) -> Loaded:
    """Read ``text``; never raises because of anything in the text. Cost: O(text) within ``limits``.

    After PROBLEMS_MAX broken documents the rest is not read, because no more problems are reported.
    """
    limits = limits or ReadLimits()
    documents: list[RawDocument] = []
    problems: list[Problem] = []
    spent = Consumed()
    try:
        readable = _readable(text, limits)
    except Rejected as rejected:
        return Loaded(problems=(rejected.problem,))
    # The byte order mark is removed, but positions refer to the text as it was given.
    marked = 1 if text[:1] == _BOM else 0
    for first_line, first_index, part in _parts(readable):
        before = len(documents)
        try:
            for node in read_nodes(part, first_line=first_line, first_index=first_index + marked, limits=limits, spent=spent):
                warnings: YamlWarnings = {}
                count = len(documents)
                documents += _documents(node, count, limits, warnings)
                room = max(PROBLEMS_MAX - len(problems), 0)
                problems += [replace(problem, document=count) for problem in warnings.values()][:room]
            _check_kept(first_index + len(part), spent, limits, first_line)
        except Rejected as rejected:
            # The part was read but is not kept, so it must not count.
            if rejected.problem.code == "too-large":
                del documents[before:]
            problems.append(replace(rejected.problem, document=len(documents)))
            if rejected.problem.code in _LAST or spent.nodes > limits.all_nodes_max or len(problems) >= PROBLEMS_MAX:
                break
    return Loaded(documents=tuple(documents), problems=tuple(problems), passed=tuple(spent.spans))


def without_passed(text: str, passed: Iterable[tuple[int, int]]) -> str:
    """The text with empty values in place of the schemas at ``passed``: it contains the same objects and is no longer than
    the limit for kept text."""
    parts, last = [], 0
    for start, end in passed:
        is_flow = text[start] in "[{"
        following = "" if is_flow else f"\n{text[text.rfind(chr(10), 0, end) + 1 : end]}"
        parts += [text[last:start], "- {}" if text[start] == "-" else "{}", following]
        last = end
    return "".join((*parts, text[last:]))


def _check_kept(read: int, spent: Consumed, limits: ReadLimits, line: int) -> None:
    """Raise Rejected if more of the ``read`` characters is kept than the limits allow. O(skipped spans)."""
    if read - sum(end - start for start, end in spent.spans) > limits.kept_max:
        text = _("the manifest is larger than %d characters, not counting the schemas of its CustomResourceDefinitions")
        raise refuse(text % limits.kept_max, code="too-large", line=line)


def _readable(text: str | bytes, limits: ReadLimits) -> str:
    if len(text) > limits.bytes_max:
        raise _too_large(limits)
    decoded = _decoded(text) if isinstance(text, bytes) else text
    decoded = decoded.removeprefix(_BOM)
    if (match := _NOT_PRINTABLE.search(decoded)) is not None:
        line, column = _place(decoded, match.start())
        message = _("character U+%04X is not allowed in a manifest") % ord(match[0])
        raise refuse(message, code="control-character", line=line, column=column)
    if not isinstance(text, bytes) and len(decoded.encode()) > limits.bytes_max:
        raise _too_large(limits)
    return _joined_surrogates(decoded) if decoded.lstrip().startswith("{") else decoded


def _too_large(limits: ReadLimits) -> Rejected:
    return refuse(_("the manifest is larger than %d bytes") % limits.bytes_max, code="too-large", line=1)


def _decoded(data: bytes) -> str:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line, column = _place(data[: error.start].decode(encoding, "replace"), error.start)
        raise refuse(_("the manifest is not valid UTF-8"), code="encoding", line=line, column=column) from None


def _place(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def _joined_surrogates(text: str) -> str:
    """JSON writes characters beyond U+FFFF as two escapes, which YAML does not support."""
    return _SURROGATES.sub(lambda pair: chr(0x10000 + ((int(pair[1], 16) - 0xD800) << 10) + int(pair[2], 16) - 0xDC00), text)


def _parts(text: str) -> Iterator[tuple[int, int, str]]:
    """(first line, first character, text) of each part, split before lines that begin with ``---`` as kubectl does."""
    starts = [0, *(match.start() for match in _SEPARATOR.finditer(text) if match.start() > 0)]
    line = 1
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        part = text[start:end]
        if part.removeprefix("---").strip(" \n"):  # a parser for each of many thousand empty documents would take seconds
            yield line, start, part
        line += part.count("\n")


def _documents(node: YamlNode, count: int, limits: ReadLimits, warnings: YamlWarnings) -> list[RawDocument]:
    value = to_value(node, warnings)
    if value is None:
        return []
    found = [RawDocument(index=0, value=item, node=place) for item, place in _unfolded(value, node)]
    if count + len(found) > limits.documents_max:
        message = _("the manifest contains more than %d documents") % limits.documents_max
        raise refuse(message, code="too-many-documents", line=node.line, column=node.column)
    return [replace(document, index=count + offset) for offset, document in enumerate(found)]


def _unfolded(value: Any, node: YamlNode) -> Iterator[tuple[Any, YamlNode]]:
    """The objects of a List (as printed by ``kubectl get -o yaml``), or the document itself."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or not kind.endswith("List") or not isinstance(value.get("items"), list):
        yield value, node
        return
    for index, item in enumerate(value["items"]):
        if item is None:
            continue
        if isinstance(item, dict) and kind != "List":
            item = {"apiVersion": value.get("apiVersion"), "kind": kind.removesuffix("List"), **item}
        yield from _unfolded(item, _item_node(node, index))


def _item_node(node: YamlNode, index: int) -> YamlNode:
    found = _step(node, "items")
    items = found[1].items if found is not None else None
    return items[index] if items is not None else node


def _step(node: YamlNode, step: str) -> tuple[YamlNode, YamlNode] | None:
    """The (key, value) of a map entry, or a list item twice; None if it does not exist."""
    if node.items is not None:
        if step.isdecimal() and len(step) < 10 and int(step) < len(node.items):
            return node.items[int(step)], node.items[int(step)]
        return None
    if node.entries is None:
        return None
    if node.index is None:
        named = ((key_text(key), n) for n, (key, _item) in enumerate(node.entries) if not is_merge(key))
        node.index = dict(named)
    place = node.index.get(step)
    return _merged_step(node, step) if place is None else node.entries[place]


def _merged_step(node: YamlNode, step: str) -> tuple[YamlNode, YamlNode] | None:
    for key, item in node.entries or ():
        if is_merge(key):
            for source in item.items if item.items is not None else [item]:
                if (found := _step(source, step)) is not None:
                    return found
    return None
