"""The report on a tree of comparisons: differences in full, a little of their surroundings, the rest counted.

``level`` says how much of a value is shown: lists and structs show four items at level 1, none at
0, and each step down lowers it. Differences start at level 3, equal parts at level 1.

In every list or struct the records are grouped into equal and differing runs. Of an equal run the
two records next to a difference are shown, and the rest becomes a comment such as
``// 3 identical fields``; a single record is never replaced by such a comment, since that would
save nothing. Where only one side is shown, zero fields of structs are left out.

Types are printed where they are not clear: at the top, and for fields of structs that differ.

Source: go-cmp cmp/report_compare.go and cmp/report_reflect.go (0.5).
"""

from collections.abc import Iterator
from itertools import groupby

from simulator.engine.apiserver.godiff.layout import DOTS, ELLIPSIS, NIL, DiffRecord, LayoutLine, Listing, Text, Wrap
from simulator.engine.apiserver.godiff.nodes import DiffNode
from simulator.engine.apiserver.godiff.texts import differing_texts, quoted
from simulator.engine.apiserver.godiff.values import MAP, PLAIN, POINTER, SLICE, STRUCT, TEXT, Value

CONTEXT = 2
IN_FULL, IN_SHORT = 3, 1
AUTO, EMIT, ELIDE = "auto", "emit", "elide"
"""Whether a value is shown with its type: if it is not obvious, always, never."""
_NAMES = {STRUCT: "field", SLICE: "element", MAP: "entry"}


def shown_node(node: DiffNode, mode: str, types: str) -> Text:
    """A comparison as text. ``mode``: ``=`` nothing differs, ``-`` and ``+`` only one side, empty for both sides."""
    if node.depth == 0:
        value = node.y if mode == "+" else node.x
        return shown_value(value if value is not None else node.some, types, IN_SHORT if mode == "=" else IN_FULL, is_short=mode == "=")
    kind = node.some.kind
    if kind == POINTER:
        return Wrap("&", shown_node(node.records[0][1], mode, types))
    inner = AUTO if kind == STRUCT else ELIDE
    records = tuple(_one_side(node, mode, inner) if mode else _both_sides(node, inner))
    return _typed(node.some, Wrap("{", Listing(records), "}"), types, is_short=mode == "=")


def _room(level: int) -> int:
    # 0, 4, 8, 16: upstream's arithmetic for the levels 0 to 3.
    return ((1 << max(level, 0)) >> 1) << 2


def _one_side(node: DiffNode, mode: str, types: str) -> Iterator[DiffRecord]:
    room = _room(IN_SHORT if mode == "=" else IN_FULL)
    for key, part in node.records:
        if node.some.kind == STRUCT and _side(part, mode).is_zero:
            continue
        if room == 0:
            yield DOTS
            return
        room -= 1
        yield DiffRecord(shown_node(part, mode, types), key)


def _side(node: DiffNode, mode: str) -> Value:
    value = node.y if mode == "+" else node.x
    return value if value is not None else node.some


def _both_sides(node: DiffNode, types: str) -> Iterator[DiffRecord]:
    name, room = _NAMES[node.some.kind], _room(IN_FULL)
    groups = [(is_same, list(run)) for is_same, run in groupby(node.records, key=lambda record: record[1].different == 0)]
    for place, (is_same, run) in enumerate(groups):
        if room <= 0:
            yield DiffRecord(LayoutLine(ELLIPSIS), comment=_counted([part for _, rest in groups[place:] for _, part in rest], name))
            return
        if is_same:
            yield from _around(run, name, types, is_first=place == 0, is_last=place == len(groups) - 1)
            continue
        for key, part in run:
            yield from _difference(key, part, types)
        room -= len(run)


def _around(run: list[tuple[str, DiffNode]], name: str, types: str, *, is_first: bool, is_last: bool) -> Iterator[DiffRecord]:
    """Some of the equal records, next to those that differ."""
    low = 0 if is_first else min(CONTEXT, len(run))
    high = 0 if is_last else min(CONTEXT, len(run) - low)
    if len(run) - low - high == 1:
        high += 1
    yield from (DiffRecord(shown_node(part, "=", types), key) for key, part in run[:low])
    if len(run) > low + high:
        yield DiffRecord(LayoutLine(ELLIPSIS), comment=_counted([part for _, part in run[low : len(run) - high]], name))
    yield from (DiffRecord(shown_node(part, "=", types), key) for key, part in run[len(run) - high :])


def _difference(key: str, part: DiffNode, types: str) -> Iterator[DiffRecord]:
    if part.x is not None and part.y is not None and part.x.is_long and part.y.is_long:
        yield DiffRecord(differing_texts(part.x.text, part.y.text), key)
        return
    # Equal numbers mean a plain chain (a pointer to a pointer …): it is shown as one line removed
    # and one added, not as nested structs.
    if part.children != part.depth:
        yield DiffRecord(shown_node(part, "", types), key)
        return
    if part.x is not None:
        yield DiffRecord(shown_node(part, "-", types), key, "-")
    if part.y is not None:
        yield DiffRecord(shown_node(part, "+", types), key, "+")


def _counted(parts: list[DiffNode], name: str) -> str:
    """``3 identical fields``, ``1 removed and 2 modified elements``."""
    kinds = ("identical", "removed", "inserted", "modified")
    found = [_word(part) for part in parts]
    listed = [f"{found.count(kind)} {kind}" for kind in kinds if kind in found]
    plural = name if len(parts) == 1 else f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    joined = " and ".join(listed) if len(listed) < 3 else f"{', '.join(listed[:-1])}, and {listed[-1]}"
    return f"{joined} {plural}"


def _word(part: DiffNode) -> str:
    if part.different == 0:
        return "identical"
    return "removed" if part.y is None else "inserted" if part.x is None else "modified"


def shown_value(value: Value, types: str, level: int, *, is_short: bool) -> Text:
    """A single value. ``is_short``: nothing differs here, so types are left out."""
    if value.kind == PLAIN:
        return LayoutLine(value.text)
    if value.kind == TEXT:
        return LayoutLine(quoted(value.text, room=(1 << max(level, 0)) << 5))
    if value.is_nil:
        return NIL
    if value.kind == POINTER:
        return Wrap("&", shown_value(value.parts[0][1], types, level, is_short=is_short))
    room, inner = _room(level), AUTO if value.kind == STRUCT else ELIDE
    parts = [(key, part) for key, part in value.parts if value.kind != STRUCT or not part.is_zero]
    records = [DiffRecord(shown_value(part, inner, level - 1, is_short=is_short), key) for key, part in parts[:room]]
    if len(parts) > room:
        records.append(DOTS)
    return _typed(value, Wrap("{", Listing(tuple(records)), "}"), types, is_short=is_short)


def _typed(value: Value, text: Wrap, types: str, *, is_short: bool) -> Text:
    if types == ELIDE or (types == AUTO and is_short):
        return text
    return Wrap(f"{value.type}{text.prefix}", text.value, text.suffix)
