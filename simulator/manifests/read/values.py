"""Convert nodes to JSON-shaped values: tags, merge keys, duplicate keys and keys that are not texts, as kubectl's YAML library does."""

import base64
import json

from simulator.manifests.problems import WARNING, Problem
from simulator.manifests.read.nodes import YamlNode, refuse
from simulator.manifests.read.scalars import NULLS, Value, resolve_plain
from simulator.manifests.texts import _

PlainValue = Value | list["PlainValue"] | dict[str, "PlainValue"]

_CORE = "tag:yaml.org,2002:"
_ALLOWED = frozenset(
    {_CORE + name for name in ("str", "int", "float", "bool", "null", "map", "seq", "timestamp", "merge", "binary")} | {"!"}
)
DUPLICATES_MAX = 100
"""The most duplicate keys of a text that are reported."""
_BINARY = _CORE + "binary"
_SHAPES = {_CORE + "map": "entries", _CORE + "seq": "items"}
_KINDS: dict[str, tuple[type, ...]] = {
    _CORE + "int": (int,),
    _CORE + "float": (int, float),
    _CORE + "bool": (bool,),
    _CORE + "null": (type(None),),
}


YamlWarnings = dict[tuple[int, int], Problem]
"""Warnings by line and column, so that a node repeated by aliases is reported once."""


def to_value(node: YamlNode, warnings: YamlWarnings | None = None) -> PlainValue:
    """The value of a node as the API server would receive it in JSON.

    Of duplicate keys the last one counts, as in every kubectl (util/yaml/decoder.go YAMLToJSONDecoder does not decode
    strictly); a warning that names both lines is added to ``warnings``. Raises Rejected for foreign tags, keys that are
    lists or maps, .nan and .inf. Cost: O(size of the node written out), which ``Limits`` bounds.
    """
    warnings = {} if warnings is None else warnings
    _check_tag(node)
    if node.items is not None:
        return [to_value(item, warnings) for item in node.items]
    if node.entries is not None:
        return _mapping(node.entries, warnings)
    return _scalar(node)


def key_text(node: YamlNode) -> str:
    """A map key as text: numbers and booleans are converted as kubectl does (``on:`` becomes "true")."""
    value = _scalar(node) if node.text is not None else None
    if value is None:
        raise refuse(_("a map key must be text"), code="key-not-text", line=node.line, column=node.column)
    return value if isinstance(value, str) else json.dumps(value)


def is_merge(key: YamlNode) -> bool:
    """Whether the key is ``<<``, which merges the entries of another map."""
    return key.text == "<<" and key.plain


def _check_tag(node: YamlNode) -> None:
    if node.tag is None or _is_foreign(node.tag):
        return
    shape = "items" if node.items is not None else "entries" if node.entries is not None else "text"
    if node.tag not in _ALLOWED or (node.tag != "!" and _SHAPES.get(node.tag, "text") != shape):
        message = _('tag "%s" is not allowed here') % node.tag.replace(_CORE, "!!")
        raise refuse(message, code="tag", line=node.line, column=node.column)


def _is_foreign(tag: str | None) -> bool:
    """Whether kubectl ignores the tag because it does not know it."""
    return tag is not None and tag not in _ALLOWED


def _decoded(node: YamlNode, text: str) -> str:
    """The decoded base64 text."""
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode()
    except ValueError:
        raise refuse(_("!!binary value contains invalid base64 data"), code="tag", line=node.line, column=node.column) from None


def _scalar(node: YamlNode) -> Value:
    _check_tag(node)
    text = node.text or ""
    if node.tag == _BINARY:
        return _decoded(node, text)
    if _is_foreign(node.tag):  # go-yaml does not know the tag and takes the text as it is
        return text
    if node.tag in (None, "!", _CORE + "merge"):
        return _resolved(node, text) if node.plain and node.tag != "!" else text
    if node.tag in (_CORE + "str", _CORE + "timestamp"):
        return text
    value = _resolved(node, text)
    expected = _KINDS.get(node.tag or "", ())
    if type(value) in expected:
        return value
    name = (node.tag or "").replace(_CORE, "!!")
    raise refuse(
        _('cannot decode "%(text)s" as %(tag)s') % {"text": text[:60], "tag": name}, code="tag", line=node.line, column=node.column
    )


def _resolved(node: YamlNode, text: str) -> Value:
    if text in NULLS:
        return None
    try:
        return resolve_plain(text)
    except ValueError:
        message = _("%s cannot be represented in JSON") % text
        raise refuse(message, code="not-finite", line=node.line, column=node.column) from None


def _mapping(entries: list[tuple[YamlNode, YamlNode]], warnings: YamlWarnings) -> dict[str, PlainValue]:
    own: dict[str, PlainValue] = {}
    lines: dict[str, int] = {}
    merged: dict[str, PlainValue] = {}
    for key, item in entries:
        if is_merge(key):
            for source in _merge_sources(item, warnings):
                # Of several merged maps the first one wins, and the map's own entries win over all of them.
                merged = {**source, **merged}
            continue
        name = key_text(key)
        if name in own and len(warnings) < DUPLICATES_MAX:
            message = _('key "%(key)s" is set twice: on line %(first)d and on line %(second)d; kubectl uses the last one')
            values = {"key": name, "first": lines[name], "second": key.line}
            warnings[(key.line, key.column)] = Problem(
                severity=WARNING, message=message % values, code="duplicate-key", line=key.line, column=key.column
            )
        own[name] = to_value(item, warnings)
        lines[name] = key.line
    return {**merged, **own} if merged else own


def _merge_sources(node: YamlNode, warnings: YamlWarnings) -> list[dict[str, PlainValue]]:
    value = to_value(node, warnings)
    sources = value if isinstance(value, list) else [value]
    maps = [source for source in sources if isinstance(source, dict)]
    if len(maps) != len(sources):
        raise refuse(_("<< needs a map or a list of maps"), code="merge", line=node.line, column=node.column)
    return maps
