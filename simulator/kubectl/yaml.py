"""YAML as kubectl writes it: keys sorted, lists at the indent of their key, texts quoted only where necessary.

Only JSON values can be written: maps with text keys, lists, texts, numbers, booleans and null. Any YAML 1.1 reader gets
every text back unchanged.

Quoting follows go-yaml: plain if the text would be read back unchanged, single quotes if a character has a special
meaning, double quotes if the text would be read as another type or cannot be printed. A text of several lines is a
literal block unless one of them ends in a space, which a block could not show.

Single-line texts are folded as go-yaml's emitter folds them: the first single space after column 80 becomes a line
break, and the next line is indented by two. A reader turns the line break back into a space.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import yaml

from simulator.engine.kernel.json_text import DEPTH_MAX, TooDeep, decode

SIMPLE_KEY_MAX = 128
"""The most characters of a key that fits on a line with its colon; a longer one gets a line of its own."""
WIDTH = 80
"""The column after which a text is folded: ``best_width`` of go-yaml v2, which every kubectl uses."""
_ALIASES_MAX = 10
"""With so few, a text can grow a few dozen times and no more."""
_WORDS = frozenset(("", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".nan", "=", "<<"))
_NUMBER = re.compile(
    r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+|(?:[0-9][0-9_]*+)?+\.?+[0-9_]*+(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
    r"|\.inf)",
    re.IGNORECASE,
)
_SIGNS = (".", "+", "-", "+.", "-.")
"""Prefixes of a number that are not numbers themselves."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?")
_PRINTABLE = re.compile("[\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
_BLANKS = re.compile(" +")
_NOT_FIRST = frozenset("#,[]{}&*!|>'\"%@`")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0", "\x1b": "\\e", "\x07": "\\a", "\x08": "\\b"}


def to_yaml(value: Any) -> str:
    """The document as YAML text, ended by a line break. Raises TypeError for values that JSON does not have."""
    return "".join(f"{line}\n" for line in _block(value))


class ManyAliases(ValueError):
    """A YAML text with more aliases than are accepted."""

    def __init__(self) -> None:
        super().__init__(f"it has more than {_ALIASES_MAX} aliases")


class _Loader(yaml.SafeLoader):
    """Reads dates as texts, as JSON has them and kubectl's library does, and ``y`` and ``n`` as that library does: as booleans."""

    bool_values = {**yaml.SafeLoader.bool_values, "y": True, "n": False}


def _as_written(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Any:
    return loader.construct_scalar(node)


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("[yYnN]$"), list("yYnN"))
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _as_written)


def from_yaml(text: str) -> Any:
    """The values of a short YAML text, as JSON has them; None if it is not YAML. O(text).

    Raises TooDeep, and ManyAliases for a text that its aliases could blow up.
    """
    try:
        # Counted before anything is built: nested aliases grow exponentially.
        aliases = (event for event in shallow_events(text, _Loader) if isinstance(event, yaml.AliasEvent))
        if next(islice(aliases, _ALIASES_MAX, None), None) is not None:
            raise ManyAliases
        return decode(json.dumps(yaml.load(text, Loader=_Loader)))
    except (TooDeep, ManyAliases):
        raise
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        return None


def shallow_events(text: str, loader: Any) -> Iterator[yaml.Event]:
    """The events of a YAML text. Raises TooDeep if it nests deeper than DEPTH_MAX: parsing further would take O(depth) per token."""
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH_MAX:
            raise TooDeep
        yield event


def _block(value: Any, column: int = 0) -> Iterator[str]:
    """The lines of a value that starts on a line of its own, at the given column."""
    if isinstance(value, Mapping) and value:
        for key in sorted(value):
            name = _quoted(key)
            if len(name) > SIMPLE_KEY_MAX:
                first, *rest = _folded(name, column + 2, column + 2)
                yield f"? {first}"
                yield from rest
                name = ""
            yield from _entry(f"{name}:", value[key], column)
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for item in value:
            yield from _item(item, column)
    else:
        yield from _text_lines(value, column, column or 2)


def _entry(head: str, value: Any, column: int) -> Iterator[str]:
    """A key with its value: on the same line if it is short, otherwise below."""
    if isinstance(value, Mapping) and value:
        yield head
        yield from (f"  {line}" if line else "" for line in _block(value, column + 2))
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        yield head
        yield from _block(value, column)
    else:
        first, *rest = _text_lines(value, column + len(head) + 1, column + 2)
        yield f"{head} {first}"
        yield from rest


def _item(value: Any, column: int) -> Iterator[str]:
    """A list item: its first line carries the dash; the lines of a text are already indented relative to it."""
    first, *rest = _block(value, column + 2)
    yield f"- {first}"
    yield from rest if isinstance(value, str) else (f"  {line}" if line else "" for line in rest)


def _text_lines(value: Any, column: int, indent: int) -> list[str]:
    """A scalar or an empty collection at that column; a text of several lines becomes a literal block, indented by two."""
    if isinstance(value, str) and _is_literal(value):
        body = value.removesuffix("\n")
        # Trailing line breaks: ``-`` for none, nothing for exactly one, ``+`` to keep more.
        chomping = "-" if body == value else "+" if body.endswith("\n") or not body else ""
        # If the first line begins with a space, the indent cannot be detected and has to be given.
        hint = "2" if value.lstrip("\n")[:1] == " " or value[:1] == "\n" else ""
        return [f"|{hint}{chomping}", *(f"  {line}" if line else "" for line in body.split("\n"))]
    return _folded(_scalar(value), column, indent)


def _folded(text: str, column: int, indent: int) -> list[str]:
    """The lines of a scalar that begins at a column; further lines carry the two spaces of their deeper indent.

    A single space becomes a line break; of several in double quotes the first one does, and a backslash keeps the next.
    O(length).
    """
    if column + len(text) <= WIDTH:
        return [text]
    is_double = text[0] == '"'
    first, last = (2, len(text) - 3) if text[0] in "\"'" else (0, len(text) - 1)
    lines, begin, mark = [], 0, ""
    for blanks in _BLANKS.finditer(text, first):
        at, is_alone = blanks.start(), len(blanks[0]) == 1
        if at <= last and column + at - begin > WIDTH and (is_alone or is_double) and text[at - 1] != " ":
            lines.append(mark + text[begin:at])
            begin, mark = at + 1, "  " if is_alone else "  \\"
            column = indent + len(mark) - 2
    return [*lines, mark + text[begin:]]


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        digits, exponent, power = repr(value).partition("e")
        # YAML 1.1 reads ``1e5`` as a text: a float needs its point.
        return repr(value) if not exponent or "." in digits else f"{digits}.0e{power}"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, Sequence):
        return "[]"
    raise TypeError(f"YAML has no {type(value).__name__} here")


def _quoted(text: str) -> str:
    """The text plain, in single quotes or in double quotes, as go-yaml decides."""
    if _PRINTABLE.fullmatch(text) is None:
        return _escaped(text)
    if _is_other_type(text):
        return f'"{text}"'
    return text if _may_be_plain(text) else "'" + text.replace("'", "''") + "'"


def _is_other_type(text: str) -> bool:
    """Whether a reader would take the plain text for a different type."""
    if text.lower() in _WORDS:
        return True
    return text[0] in "+-.0123456789" and text not in _SIGNS and any(form.fullmatch(text) for form in (_DATE, _NUMBER))


def _may_be_plain(text: str) -> bool:
    if text[0] in _NOT_FIRST or text[0] == " " or text[-1] in " :" or text.startswith(("---", "...")):
        return False
    if text[0] in "-?:" and (len(text) == 1 or text[1] == " "):
        return False
    return ": " not in text and " #" not in text


def _is_literal(text: str) -> bool:
    """Whether a text of several lines can be written as a literal block."""
    if "\n" not in text or _PRINTABLE.fullmatch(text.replace("\n", "")) is None:
        return False
    return " \n" not in text and text[-1] != " " and text.strip("\n") != ""


def _escaped(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(char) or (char if _PRINTABLE.fullmatch(char) else _code(char)) for char in text) + '"'


def _code(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02X}" if code <= 0xFF else f"\\u{code:04X}"
