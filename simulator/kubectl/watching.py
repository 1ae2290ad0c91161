"""``kubectl get -w`` over time: the initial rows, and a row for every object that is added, changed or deleted.

Source: kubectl pkg/cmd/get (watch), liggitt/tabwriter (RememberWidths: a column never gets narrower while rows follow).
"""

from collections.abc import Iterator

from simulator.engine.kernel.bounded import is_digits
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms
from simulator.kubectl.align import TABLE_CELL_MIN, TABLE_PADDING
from simulator.kubectl.durations import BadDuration, duration_of
from simulator.kubectl.find import Picked, missing_text, pick
from simulator.kubectl.get_objects import table_columns
from simulator.kubectl.line import READING, BadLine, Line, parse_words, verb_of
from simulator.kubectl.shell import shell_line
from simulator.kubectl.tables.model import Sight


def watch_of(text: str) -> tuple[Line, Ms] | None:
    """The line, and how long it watches, if it is a ``get -w`` of a table that ends by --request-timeout; None for any other line."""
    try:
        typed = shell_line(text)
        if verb_of(typed.words) != "get" or typed.filters:
            return None
        line = parse_words(typed.words, "get", READING["get"])
        bound = line.value("request-timeout")
        lasts_ms = duration_of(f"{bound}s" if is_digits(bound) else bound or "0")
    except (BadLine, BadDuration):
        return None
    return (line, lasts_ms) if line.watches and lasts_ms and line.words and line.value("output") in ("", "wide") else None


class TableWatch:
    """The rows of one watch. Raises BadLine if the line asks for something that cannot be watched."""

    def __init__(self, line: Line, sight: Sight) -> None:
        self._line, self._widths, self._is_begun = line, [0], False
        picked = self._picked(sight)
        self._known = {_place(item): item for item in picked.items}
        self._first = "" if line.has("watch-only") else self._rows(picked, list(picked.items), sight, "ADDED")

    @property
    def first(self) -> str:
        """What is printed at once."""
        return self._first

    def changed(self, sight: Sight) -> str:
        """The rows for what has been added, changed or deleted since the previous call. O(objects)."""
        picked = self._picked(sight)
        now = {_place(item): item for item in picked.items}
        before, self._known = self._known, now
        return "".join(self._rows(picked, [item], sight, event) for event, item in _events(before, now))

    def _picked(self, sight: Sight) -> Picked:
        found = pick(self._line, sight)
        if len(found) != 1 or found[0].missing:
            raise BadLine("\n".join(text for item in found for text in missing_text(item)) or "error: you may only watch a single resource")
        return found[0]

    def _rows(self, picked: Picked, items: list[Json], sight: Sight, event: str) -> str:
        if not items:
            return ""
        columns = table_columns(picked, self._line, sight, event=event)
        rows = [[column.cell(item, sight) for column in columns] for item in items]
        if not self._is_begun and not self._line.has("no-headers"):
            rows.insert(0, [column.head for column in columns])
        self._is_begun = True
        self._widths += [0] * (len(columns) - len(self._widths))
        for place in range(len(columns)):
            widest = max(len(row[place]) for row in rows)
            self._widths[place] = max(self._widths[place], TABLE_CELL_MIN, widest + TABLE_PADDING)
        cells = ("".join(cell.ljust(width) for cell, width in zip(row[:-1], self._widths, strict=False)) + row[-1] for row in rows)
        return "".join(f"{text}\n" for text in cells)


def _place(document: Json) -> tuple[str, str]:
    return document["metadata"].get("namespace") or "", document["metadata"]["name"]


def _events(before: dict[tuple[str, str], Json], now: dict[tuple[str, str], Json]) -> Iterator[tuple[str, Json]]:
    for place, item in now.items():
        if place not in before:
            yield "ADDED", item
        elif item["metadata"].get("resourceVersion") != before[place]["metadata"].get("resourceVersion"):
            yield "MODIFIED", item
    for place, item in before.items():
        if place not in now:
            yield "DELETED", item
