"""The course for a value between two others, derived from their courses for as long as both have the same past.

Two runs are played whose manifests differ in one whole number: ``low`` in one, ``high`` in the other. Where both have written the
same records, their worlds are compared row by row. Often they differ only in the number itself (in objects, in what was read from
them, in texts that quote them) and in moments that lie that many seconds ahead, because a timer was set from the number. The world
for any number in between is then the same, with that number in those places and the timers set from it. Where anything else differs
(a random draw, a length, a choice), no such world can be derived.

This assumes that the engine only compares the number with others and adds it to moments: whatever both ends answer alike, every
value in between answers alike too. It does not hold for numbers that act as names, such as ports and user ids, so callers pass
amounts only (``headless/sweeps/shared.py``).

Moments may be rounded up to the next tick of some clock, and two ends that are ten seconds apart look alike to a clock that ticks
every ten. So moments are trusted only with a witness: a third run whose number is one more or one less than that of an end, whose
world must equal the one derived for its number. With a clock that ticks less often than once a second, two neighbours would get the
same tick, or ticks too far apart.
"""

import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.course.header import RunHeader
from simulator.engine.course.replay import Course
from simulator.engine.kernel.indexes import Index
from simulator.engine.kernel.units import SECOND
from simulator.engine.world.world import Tables, World

_NUMBERS = re.compile(r"(\d+)")


class TooDifferent(Exception):
    """Two worlds differ in more than the number."""


class ValueEnds(Struct, frozen=True):
    """The number in one run and in the other; ``witness`` is that of a third run, 0 if there is none."""

    low: int
    high: int
    witness: int = 0

    @property
    def have_neighbour(self) -> bool:
        """Whether the witness is a direct neighbour of an end."""
        return self.witness > 0 and min(abs(self.witness - self.low), abs(self.witness - self.high)) == 1


def have_same_past(one: Course, other: Course) -> bool:
    """Whether two courses have written the same records. About 1 µs."""
    here, there = one.world, other.world
    return here.seq == there.seq and one.done == other.done and here.digest() == there.digest()


def course_between(one: Course, other: Course, ends: ValueEnds, value: int, header: RunHeader, *, witness: Course | None = None) -> Course:
    """The course of the run with ``value``, begun by ``header``, at the point where both ends and the witness stand.

    Raises TooDifferent. O(rows); most rows are only compared.
    """
    _check_past(one, other)
    course, between = one.fork(), ValueBetween(ends.low, ends.high, value)
    course.world.header = header
    _blend(course.world, other.world, between)
    course.next_due_ms = course.world.queue.peek_ms()
    if between.has_moments:
        if witness is None or not ends.have_neighbour:
            raise TooDifferent
        _check_past(one, witness)
        proof = one.world.fork()
        _blend(proof, other.world, ValueBetween(ends.low, ends.high, ends.witness))
        _blend(proof, witness.world, _Same())
    return course


def _check_past(one: Course, other: Course) -> None:
    """Raise TooDifferent unless both courses have the same past."""
    here, there = one.world, other.world
    is_same = (
        have_same_past(one, other)
        and (one.applied_count, here.now_ms, here.spent) == (other.applied_count, there.now_ms, there.spent)
        and here.counters == there.counters
        and here.first_records == there.first_records
    )
    if not is_same:
        raise TooDifferent


def _blend(world: World, other: World, between: "_Same") -> None:
    """Put the number into every row and queued event in which the two worlds differ. Raises TooDifferent."""
    try:
        world.queue.blend(other.queue, between.of)
    except KeyError:
        raise TooDifferent from None
    for name in Tables.__slots__:
        here, there = getattr(world.tables, name), getattr(other.tables, name)
        if isinstance(here, Index):
            if _entries(here) != _entries(there):
                raise TooDifferent
            continue
        # The order of rows matters: it is the order in which they are iterated.
        if list(here) != list(there):
            raise TooDifferent
        if here != there:
            for key, row in list(here.items()):
                other_row = there[key]
                if row is not other_row and row != other_row:
                    here[key] = between.of(row, other_row)


def _entries(index: Index[Any, Any]) -> list[tuple[Any, list[Any]]]:
    return [(bucket, list(index.of(bucket))) for bucket in index.buckets()]


class _Same:
    """Compares two values and requires them to be equal."""

    def of(self, one: Any, other: Any) -> Any:
        """The value. Raises TooDifferent if they differ."""
        if one != other:
            raise TooDifferent
        return one


class ValueBetween(_Same):
    """Requires two values to differ in the number alone. Objects shared within one world are shared in the new one too."""

    def __init__(self, low: int, high: int, value: int) -> None:
        self._span, self._more = high - low, value - low
        self._words, self._word_between = (str(low), str(high)), str(value)
        self._made: dict[tuple[int, int], tuple[Any, Any, Any]] = {}
        self.has_moments = False

    def of(self, one: Any, other: Any) -> Any:
        """The value with the number wherever the ends differ; ``one`` itself where they do not. Raises TooDifferent."""
        if one is other:
            return one
        if type(one) is not type(other):
            raise TooDifferent
        if one == other:
            return one
        key = (id(one), id(other))
        # Both are kept alive along with the result, or their ids could be reused for other objects.
        if key not in self._made:
            self._made[key] = (self._blended(one, other), one, other)
        return self._made[key][0]

    def _blended(self, one: Any, other: Any) -> Any:
        kind = type(one)
        if kind is int:
            return self._number(one, other)
        if kind is str:
            return self._text(one, other)
        if isinstance(one, Struct):
            made = {}
            for name in kind.__struct_fields__:
                mine, yours = getattr(one, name), getattr(other, name)
                if mine is not yours:
                    made[name] = self.of(mine, yours)
            return replace(one, **made)
        if kind is dict:
            if list(one) != list(other):
                raise TooDifferent
            return {key: item if item is other[key] else self.of(item, other[key]) for key, item in one.items()}
        if kind is list:
            return self._items(one, other)
        if isinstance(one, tuple):
            items = self._items(one, other)
            return tuple(items) if kind is tuple else kind._make(items)
        raise TooDifferent

    def _items(self, one: Iterable[Any], other: Iterable[Any]) -> list[Any]:
        try:
            return [mine if mine is yours else self.of(mine, yours) for mine, yours in zip(one, other, strict=True)]
        except ValueError:  # one is longer
            raise TooDifferent from None

    def _number(self, one: int, other: int) -> int:
        if other - one == self._span:
            return one + self._more
        if other - one != self._span * SECOND:
            raise TooDifferent
        self.has_moments = True
        return one + self._more * SECOND

    def _text(self, one: str, other: str) -> str:
        here, there = _NUMBERS.split(one), _NUMBERS.split(other)
        if len(here) != len(there):
            raise TooDifferent
        for at in [at for at, word in enumerate(here) if word != there[at]]:
            if (here[at], there[at]) != self._words:
                raise TooDifferent
            here[at] = self._word_between
        return "".join(here)
