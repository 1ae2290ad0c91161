"""Change the text of a level without losing what its author wrote around the values: comments, order, spelling.

A text is a sequence of statements. Those whose values stay the same keep their lines; of the others, the comments stay. This is our own
scanner because it only has to find where statements begin and end: their values are read by tomllib.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from simulator.levels.reading import BadLevel, toml_of
from simulator.levels.writing import lines_toml, part_toml, table_toml

_QUOTES = ('"' * 3, "'" * 3, '"', "'")
_BLANK = re.compile(r"[ \t]*(?:#[^\n]*)?\n?")
_TABLES = ("check", "ask", "hint", "solution", "happens")
"""The arrays whose rows are kept one by one."""
_ROWS_MAX = 200
"""The most rows that are compared with each other; a form has fewer."""


class _Statement(Struct, frozen=True, kw_only=True):
    """A key with its value, or the header of a table. ``ahead`` are the blank lines and comments before it, ``path`` its names."""

    ahead: str
    text: str
    path: tuple[str, ...]
    is_header: bool
    comments: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """All of its lines."""
        return self.ahead + self.text

    @property
    def is_row(self) -> bool:
        """Whether it begins a row of an array of tables."""
        return self.is_header and len(self.path) == 1 and self.text.lstrip().startswith("[[")


class _Block(Struct):
    """Statements that belong together: those before all headers, or a header with what it contains and the tables below it."""

    name: str
    statements: list[_Statement]


def rewritten(source: str, table: Mapping[str, Any]) -> str:
    """A text with the values of ``table`` that keeps what ``source`` says around them.

    Without a ``source`` that can be read it is ``table_toml``. Raises TypeError for a value that TOML does not support. O(text).
    """
    try:
        old = toml_of(source)
        if not source.strip() or any(len(old.get(name, ())) > _ROWS_MAX for name in _TABLES):
            return table_toml(table)
        if _same(old, table):
            return source
        text = _merged(source, old, table)
        return text if _same(toml_of(text), table) else table_toml(table)
    except (BadLevel, RecursionError):
        return table_toml(table)


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal, also in their types; the order of a table's keys does not count."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(item, other[name]) for name, item in one.items())
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and repr(one) == repr(other)


def _merged(source: str, old: Mapping[str, Any], table: Mapping[str, Any]) -> str:
    statements, tail = _statements(source if source.endswith("\n") else f"{source}\n")
    blocks = _blocks(statements)
    rows = {block.name for block in blocks if block.statements and block.statements[0].is_row and block.name in _TABLES}
    head, *others = blocks
    # A table that changed moves to the beginning, where one of its own is a field like others.
    kept = {block.name for block in others if block.name in table and _same(old[block.name], table[block.name])} - rows
    in_head = {name: value for name, value in table.items() if name not in rows | kept}
    new_parts = [name for name in _TABLES if name in in_head and name not in old]
    text = _fields(head.statements, old, {name: value for name, value in in_head.items() if name not in new_parts})
    counts = dict.fromkeys(rows, 0)
    last = {block.name: n for n, block in enumerate(others)}
    for n, block in enumerate(others):
        if block.name not in rows:
            said = (statement.whole if block.name in kept else _comments_of(statement) for statement in block.statements)
            text += "".join(said) if block.name in table else ""
            continue
        pairs = _pairs(old[block.name], table.get(block.name, ()))
        if (at := pairs[counts[block.name]]) is not None:
            text += _row(block, old[block.name][counts[block.name]], table[block.name][at])
        counts[block.name] += 1
        if n == last[block.name]:
            fresh = [row for m, row in enumerate(table.get(block.name, ())) if m not in pairs]
            text += "".join(f"\n{part_toml(block.name, row)}" for row in fresh)
    text += "".join(f"\n{part_toml(name, row)}" for name in new_parts for row in table[name])
    return text + tail


def _pairs(old: list[Any], new: list[Any]) -> list[int | None]:
    """For each old row the number of the new one that continues it, in order: the same, one of the same name, or the one in its place."""
    pairs: list[int | None] = [None] * len(old)
    for is_it in (_same, _is_named_alike, _is_in_place(old, new)):
        for n, row in enumerate(old):
            if pairs[n] is None:
                pairs[n] = next((m for m, other in enumerate(new) if m not in pairs and is_it(row, other)), None)
    return pairs


def _is_named_alike(one: Any, other: Any) -> bool:
    return any(name in one and one.get(name) == other.get(name) for name in ("id", "name", "text"))


def _is_in_place(old: list[Any], new: list[Any]) -> Any:
    return lambda one, other: len(old) == len(new) and next(n for n, row in enumerate(old) if row is one) == new.index(other)


def _row(block: _Block, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The lines of a row with its new values."""
    if _same(old, new):
        return "".join(statement.whole for statement in block.statements)
    header, *inner = block.statements
    below = next((n for n, statement in enumerate(inner) if statement.is_header), len(inner))
    tables = {statement.path[1] for statement in inner[below:] if statement.is_header}
    kept = {name for name in tables if name in new and _same(old[name], new[name])}
    fields = _fields(inner[:below], old, {name: value for name, value in new.items() if name not in kept})
    return header.whole + fields + _tables_below(inner[below:], kept)


def _tables_below(statements: list[_Statement], kept: set[str]) -> str:
    """The tables in a row that stay; of the others their comments."""
    text, name = "", ""
    for statement in statements:
        name = statement.path[1] if statement.is_header else name
        text += statement.whole if name in kept else _comments_of(statement)
    return text


def _fields(statements: list[_Statement], old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Statements with their new values, then those that are new."""
    text, done = "", set[str]()
    for statement in statements:
        name = statement.path[0]
        if name in new and _same(old.get(name), new[name]):
            text += statement.whole
        elif name in new and name not in done:
            text += _changed(statement, new[name])
        else:
            text += _comments_of(statement) if name in new else ""
        done.add(name)
    return text + lines_toml({name: value for name, value in new.items() if name not in done})


def _changed(statement: _Statement, value: Any) -> str:
    line = lines_toml({statement.path[0]: value})
    if len(statement.comments) == 1 and statement.text.count("\n") == 1:
        return f"{statement.ahead}{line.rstrip()}  {statement.comments[0]}\n"
    return _comments_of(statement) + line


def _comments_of(statement: _Statement) -> str:
    """What was written before a statement, then the comments in it on lines of their own."""
    return statement.ahead + "".join(f"{comment}\n" for comment in statement.comments)


def _blocks(statements: list[_Statement]) -> list[_Block]:
    blocks = [_Block(name="", statements=[])]
    for statement in statements:
        if statement.is_header and (statement.is_row or statement.path[0] != blocks[-1].name):
            blocks.append(_Block(name=statement.path[0], statements=[]))
        blocks[-1].statements.append(statement)
    return blocks


def _statements(text: str) -> tuple[list[_Statement], str]:
    """The statements of a text that is valid TOML, and what follows the last one."""
    found, at = list[_Statement](), 0
    while True:
        begin = _after_blanks(text, at)
        if begin == len(text):
            return found, text[at:]
        end, comments = _end_of(text, begin)
        said = text[begin:end]
        is_header = said.lstrip().startswith("[")
        found.append(_Statement(ahead=text[at:begin], text=said, path=tuple(_names(said)), is_header=is_header, comments=comments))
        at = end


def _names(statement: str) -> Iterator[str]:
    """The keys of a statement, outermost first; a header's are all of its name."""
    found: Any = tomllib.loads(statement)
    is_header = statement.lstrip().startswith("[")
    while isinstance(found, dict) and found:
        (name,) = found
        yield name
        found = found[name] if is_header else None
        found = found[0] if isinstance(found, list) else found


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and (blank := _BLANK.match(text, at)) and blank.end() > at and (text[blank.end() - 1] == "\n" or blank[0].strip()):
        at = blank.end()
    return at


def _end_of(text: str, at: int) -> tuple[int, tuple[str, ...]]:
    """Where a statement ends, after its line break, and the comments in it."""
    depth, comments = 0, list[str]()
    while at < len(text):
        letter = text[at]
        if letter in "\"'":
            at = _after_string(text, at)
            continue
        if letter == "#":
            end = text.find("\n", at)
            comments.append(text[at:end].rstrip())
            at = end
            continue
        depth += (letter in "[{") - (letter in "]}")
        at += 1
        if letter == "\n" and depth <= 0:
            break
    return at, tuple(comments)


def _after_string(text: str, at: int) -> int:
    quote = next(each for each in _QUOTES if text.startswith(each, at))
    at += len(quote)
    while at < len(text) and not text.startswith(quote, at):
        at += 2 if text[at] == "\\" and quote[0] == '"' else 1
    end = at + len(quote)
    while len(quote) == 3 and text.startswith(quote[0], end):  # a text may end with one or two quotes of its own
        end += 1
    return end
