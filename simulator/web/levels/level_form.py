"""Convert a level to form fields and back: anything without its own field goes into the last field of its part as TOML, so nothing is lost.

Comments are no part of a level's table; the editor keeps the text that they are in (levels/rewriting.py).

All values are texts exactly as typed: a page with problems shows them as they were sent.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from simulator.levels.reading import BadLevel, toml_of
from simulator.levels.writing import inline_toml, lines_toml
from simulator.scenarios.grading.check import CheckWord

HEAD = ("title", "horizon", "seeds", "brief", "debrief", "story", "manifests", "scenario", "more")
PARTS = {
    "check": ("id", "text", "word", "what", "then", "after", "within", "by", "least", "most", "more"),
    "ask": ("id", "question", "at", "within", "more"),
    "hint": ("text", "check", "more"),
    "solution": ("name", "expect", "acts", "fails", "why", "more"),
    "happens": ("more",),
}
"""The fields of each array of tables; ``word`` and ``what`` are a check's word and pattern."""
FIELDS_MAX = 170
"""The most fields of a form; a browser may send 200 (DATA_UPLOAD_MAX_NUMBER_FIELDS), including some others on the page."""
_LONG = frozenset({"text", "question", "why", "manifests", "scenario"})
"""Fields that take line breaks."""
_PATTERNS = frozenset({"then", "after"})
_COUNTS = frozenset({"least", "most"})
_WORDS = tuple(word.value for word in CheckWord)
_NAME = re.compile(r"(check|ask|hint|solution|happens)-(\d{1,3})-([a-z]+)", re.ASCII)

Row = dict[str, str]


@dataclass
class LevelForm:
    """The content of the form."""

    head: Row = field(default_factory=dict)
    parts: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in PARTS})

    @property
    def size(self) -> int:
        """How many fields it has."""
        return len(HEAD) + sum(len(PARTS[name]) * len(rows) for name, rows in self.parts.items())

    def table(self) -> dict[str, Any]:
        """The level's table. Raises BadLevel if a field that must be TOML is not."""
        problems: list[str] = []
        table = _table_of("", HEAD, self.head, problems)
        for name, fields in PARTS.items():
            rows = [_table_of(f"{name}[{n}].", fields, row, problems) for n, row in enumerate(self.parts[name])]
            if rows:
                table[name] = rows
        if problems:
            raise BadLevel(*problems)
        return table


def form_of_post(post: QueryDict) -> LevelForm:
    """The form as sent, with its rows in the order of their numbers."""
    form = LevelForm(head={name: _text(post.get(name)) for name in HEAD})
    rows: dict[tuple[str, int], Row] = {}
    for key in post:
        found = _NAME.fullmatch(key)
        if found is not None and found[3] in PARTS[found[1]]:
            rows.setdefault((found[1], int(found[2])), {})[found[3]] = _text(post.get(key))
    for (name, _n), row in sorted(rows.items()):
        form.parts[name].append(row)
    return form


def form_of_table(table: Mapping[str, Any]) -> LevelForm:
    """The form for a level's table, valid or not."""
    left = dict(table)
    parts = {name: [_row_of(fields, each) for each in _tables(left, name)] for name, fields in PARTS.items()}
    return LevelForm(head=_row_of(HEAD, left), parts=parts)


def _tables(left: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Take an array of tables out of ``left``; anything else stays there."""
    found = left.get(name)
    is_list = isinstance(found, list) and found and all(isinstance(each, dict) for each in found)
    return left.pop(name) if is_list else []


def _row_of(fields: tuple[str, ...], table: Mapping[str, Any]) -> Row:
    left, row = dict(table), Row()
    said = [word for word in _WORDS if isinstance(left.get(word), dict)]
    if "word" in fields and len(said) == 1 and _gives_back("what", inline_toml(left[said[0]]), left[said[0]]):
        row |= {"word": said[0], "what": inline_toml(left.pop(said[0]))}
    for name in fields:
        text = _field_text(name, left[name]) if name in left else None
        if text is not None and _gives_back(name, text, left[name]):
            row[name] = text
            del left[name]
    row["more"] = lines_toml(left)
    return row


def _gives_back(name: str, text: str, value: Any) -> bool:
    """Whether a field with this text parses back to the same value and type."""
    try:
        return bool(text.strip()) and repr(_value_of(name, _text(text))) == repr(value)
    except BadLevel:
        return False


def _field_text(name: str, value: Any) -> str | None:
    """A value as text for its field; None if it is not of the field's kind. Whether the field gives it back is for ``_gives_back``."""
    if name in ("brief", "debrief"):
        return _prose_text(value)
    if name in _PATTERNS:
        return inline_toml(value) if isinstance(value, dict) else None
    if name == "acts":
        return "\n".join(map(inline_toml, value)) if isinstance(value, list) and all(isinstance(act, dict) for act in value) else None
    if name in ("seeds", "fails"):
        return ", ".join(map(str, value)) if isinstance(value, list) else None
    if name in _COUNTS:
        return str(value) if type(value) is int else None
    is_line = isinstance(value, str) and value and "\r" not in value and (name in _LONG or "\n" not in value)
    return value if is_line else None


def _prose_text(value: Any) -> str | None:
    rows = [value] if isinstance(value, str) else value
    if not isinstance(rows, list) or not all(isinstance(each, str) for each in rows):
        return None
    text = "\n\n".join(rows)
    return text if "\r" not in text and [each for each in re.split(r"\n{2,}", text.strip()) if each] == rows else None


def _table_of(place: str, fields: tuple[str, ...], row: Row, problems: list[str]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for name in fields:
        text = row.get(name, "")
        if name in ("word", "more") or not text.strip():
            continue
        try:
            key = row.get("word", "") if name == "what" else name
            if key:
                table[key] = _value_of(name, text)
        except BadLevel as error:
            problems += (f"{place}{name}: {problem}" for problem in error.problems)
    try:
        return {**toml_of(row.get("more", "")), **table}
    except BadLevel as error:
        problems += (f"{place}more: {problem}" for problem in error.problems)
        return table


def _value_of(name: str, text: str) -> Any:
    if name in ("brief", "debrief"):
        rows = [each for each in re.split(r"\n[ \t]*\n\s*", text.strip()) if each]
        return rows[0] if len(rows) == 1 else rows
    if name == "acts":
        return [_braced(line) for line in text.split("\n") if line.strip()]
    if name == "what" or name in _PATTERNS:
        return _braced(text)
    if name == "fails":
        return [each for each in re.split(r"[\s,]+", text) if each]
    if name in _COUNTS:
        return _parse_int(text.strip())
    if name == "seeds":
        return [_parse_int(each) for each in re.split(r"[\s,]+", text) if each]
    return text


def _braced(line: str) -> dict[str, Any]:
    """Parse an inline table, with or without braces."""
    inner = line.strip().rstrip(",")
    table = toml_of(f"x = {inner if inner.startswith('{') else f'{{ {inner} }}'}")
    if table.keys() != {"x"}:
        raise BadLevel(_("one table on one line"))
    found: dict[str, Any] = table["x"]
    return found


def _parse_int(text: str) -> int:
    if re.fullmatch(r"\d{1,12}", text, re.ASCII) is None:
        raise BadLevel(_("whole numbers, with commas between them"))
    return int(text)


def _text(value: Any) -> str:
    return str(value or "").replace("\r\n", "\n").replace("\r", "\n")
