"""Two Go values compared part by part: a tree that shows where they differ, and how much.

Source: go-cmp cmp/compare.go and cmp/report_value.go.
"""

from functools import cache

from msgspec import Struct

from simulator.engine.apiserver.godiff.edits import ONLY_X, ONLY_Y, Likeness, edit_script
from simulator.engine.apiserver.godiff.values import MAP, POINTER, SLICE, STRUCT, Value


class DiffNode(Struct, frozen=True):
    """A comparison of ``x`` and ``y``, of which one may be missing. ``children`` counts all nodes below, ``depth`` their levels."""

    x: Value | None
    y: Value | None
    records: tuple[tuple[str, "DiffNode"], ...] = ()
    same: int = 0
    different: int = 0
    children: int = 0
    depth: int = 0

    @property
    def some(self) -> Value:
        """Either value, for its type."""
        found = self.x if self.x is not None else self.y
        assert found is not None
        return found


def compared(x: Value | None, y: Value | None) -> DiffNode:
    """The comparison of two values of one type. Cost: O(values), lists more."""
    if x is None or y is None:
        return DiffNode(x, y, different=1)
    # A nil list against a list is one difference, not one per item.
    if x.is_leaf or x.kind not in (STRUCT, SLICE, MAP, POINTER) or x.is_nil or y.is_nil:
        return DiffNode(x, y, same=int(x == y), different=int(x != y))
    if x.kind == SLICE:
        return _node(x, y, _items(x, y))
    if x.kind == MAP:
        ours, theirs = dict(x.parts), dict(y.parts)
        return _node(x, y, tuple((key, compared(ours.get(key), theirs.get(key))) for key in sorted({**ours, **theirs})))
    theirs = dict(y.parts)
    return _node(x, y, tuple((key, compared(part, theirs.get(key))) for key, part in x.parts))


def _node(x: Value, y: Value, records: tuple[tuple[str, DiffNode], ...]) -> DiffNode:
    below = [node for _, node in records]
    return DiffNode(
        x,
        y,
        records,
        same=sum(node.same for node in below),
        different=sum(node.different for node in below),
        children=sum(node.children + 1 for node in below),
        depth=max((node.depth + 1 for node in below), default=0),
    )


def _items(x: Value, y: Value) -> tuple[tuple[str, DiffNode], ...]:
    ours, theirs = [part for _, part in x.parts], [part for _, part in y.parts]

    # The edit search asks for the same pairs again and again, and the result needs their trees.
    @cache
    def pair(one: int, other: int) -> DiffNode:
        return compared(ours[one], theirs[other])

    def likeness(one: int, other: int) -> Likeness:
        return Likeness(pair(one, other).same, pair(one, other).different)

    found: list[tuple[str, DiffNode]] = []
    one = other = 0
    for edit in edit_script(len(ours), len(theirs), likeness):
        if edit == ONLY_X:
            found.append(("", compared(ours[one], None)))
        elif edit == ONLY_Y:
            found.append(("", compared(None, theirs[other])))
        else:
            found.append(("", pair(one, other)))
        one += edit != ONLY_Y
        other += edit != ONLY_X
    return tuple(found)
